#include "mortise/view/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/checkup.h"
#include "mortise/analysis/methods.h"
#include "mortise/view/frame_packer.h"
#include "mortise/view/scene_geometry.h"
#include "mortise/view/scene_ground.h"
#include "mortise/view/scene_shapes.h"

namespace mortise::view {

using analysis::Diagnosis;
using analysis::Frame;
using mechanism::Body;
using mechanism::Constraint;
using mechanism::Mechanism;

namespace {

constexpr std::size_t most_names = 2000;  // quantities listed one by one
constexpr int searched_columns = 600;     // up to which kinds and relaxations of redundant rows are looked for
constexpr std::uint64_t looked_at = 24;   // frames, for the extent and the largest reaction
constexpr std::size_t most_scene_modes = 12;

Eigen::Vector3d in_body(const Mechanism& m, const Anchor& anchor) {
  if (anchor.body == mechanism::ground) return anchor.p;
  return anchor.p + m.bodies()[static_cast<std::size_t>(anchor.body)].center;
}

const std::string& type_of(const Mechanism& m, const mechanism::ItemRef& ref) {
  return m.model().items[static_cast<std::size_t>(ref.item)].part->type;
}

// The state of the first frame; as modelled where the frame does not keep all of it.
State first_state(const Mechanism& m, const Run& run) {
  State state = m.initial_state();
  if (run.frames.count == 0) return state;
  Frame frame;
  run.frames.read(0, frame);
  if (frame.q.size() != state.q.size() || !frame.q.allFinite() || !frame.v.allFinite()) return state;
  state.t = frame.t, state.q = frame.q, state.v = frame.v;
  if (frame.active.size() == std::ssize(state.active))
    for (Eigen::Index row = 0; row < frame.active.size(); ++row)
      state.active[static_cast<std::size_t>(row)] = frame.active[row] != 0;
  if (frame.inputs.size() == state.inputs.size()) state.inputs = frame.inputs;
  return state;
}

void add_bodies(const Mechanism& m, Scene& scene) {
  for (const Body& body : m.bodies())
    scene.bodies.push_back({m.name(body.ref), "", body.particle, true, body.mass, body.center, {}});
}

void add_joints(const Mechanism& m, const Diagnosis& d, Scene& scene) {
  for (const Constraint& c : m.constraints()) {
    SceneJoint& joint = scene.joints.emplace_back();
    joint.name = m.name(c.ref);
    joint.type = type_of(m, c.ref);
    joint.driver = c.driver;
    joint.placed = !c.over_several() && joint.type != "coordinate";
    joint.rows = c.rows;
    const Anchor* anchors[] = {&c.a, &c.b};
    for (std::size_t k = 0; k < 2; ++k) {
      joint.bodies[k] = anchors[k]->body;
      joint.at[k] = in_body(m, *anchors[k]);
      joint.axes[k] = Eigen::Quaterniond(anchors[k]->E);
    }
  }
  std::vector<bool> dependent(m.pattern().rows.size());
  for (const analysis::Redundancy& r : d.redundancies)
    for (const int row : r.rows) dependent[static_cast<std::size_t>(row)] = true;
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    const auto begin = dependent.begin() + m.constraints()[k].row;
    scene.joints[k].redundant = static_cast<int>(std::count(begin, begin + m.constraints()[k].rows, true));
  }
  for (const analysis::Conflict& conflict : d.conflicts)
    for (const int joint : conflict.joints) scene.joints[static_cast<std::size_t>(joint)].conflict = true;
}

void add_springs(const Mechanism& m, Scene& scene) {
  for (const mechanism::Force& force : m.forces()) {
    const std::string& type = type_of(m, force.ref);
    if (type != "spring-damper-actuator") continue;
    const model::ItemCopy copy(m.model(), m.model().items[static_cast<std::size_t>(force.ref.item)], force.ref.copy);
    const auto between = copy.attachments("between");
    SceneSpring& spring = scene.springs.emplace_back();
    spring.name = m.name(force.ref);
    spring.type = type;
    for (std::size_t k = 0; k < 2; ++k) {
      spring.bodies[k] = between[k].body == "ground" ? mechanism::ground : m.find_body(between[k].body);
      spring.at[k] = copy.has("points") ? copy.points("points")[k] : point_on(m, spring.bodies[k], between[k].point);
    }
  }
}

void mark_kept(const Run& run, Scene& scene) {
  if (!run.header.kept) return;
  for (SceneBody& body : scene.bodies) body.kept = false;
  for (SceneJoint& joint : scene.joints) joint.kept = false;
  for (const std::uint32_t k : run.header.kept->bodies) scene.bodies[k].kept = true;
  for (const std::uint32_t k : run.header.kept->joints) scene.joints[k].kept = true;
  std::erase_if(scene.tracers,
                [&](const SceneTracer& t) { return !scene.bodies[static_cast<std::size_t>(t.body)].kept; });
}

void add_modes(const Mechanism& m, const Run& run, const Diagnosis& d, Scene& scene) {
  const State state = first_state(m, run);
  mechanism::Motions motions;
  const std::size_t width = m.dimension() == 2 ? 3 : 6;
  Vector velocities(static_cast<Eigen::Index>(width * m.bodies().size()));
  for (const analysis::FreeMotion& motion : d.motions) {
    if (scene.modes.size() == most_scene_modes) break;
    m.motions(as_span(state.q), as_span(motion.v), motions);
    m.velocities(motions, as_span(velocities));
    SceneMode& mode = scene.modes.emplace_back();
    mode.words = motion.words;
    for (std::size_t k = 0; k < m.bodies().size(); ++k) {
      const double* v = velocities.data() + width * k;
      mode.v.push_back(width == 3 ? std::array<double, 6>{v[0], v[1], 0, 0, 0, v[2]}
                                  : std::array<double, 6>{v[0], v[1], v[2], v[3], v[4], v[5]});
    }
  }
}

// Points of a body's shapes, for the extent: corners where they are few, else the ends of its axes.
std::vector<Eigen::Vector3d> outline(const SceneBody& body) {
  std::vector<Eigen::Vector3d> points;
  for (const Shape& shape : body.shapes) {
    const bool drawn = shape.kind == Shape::Kind::rod;
    for (const Eigen::Vector3d& p : shape.points) points.emplace_back(drawn ? p : shape.at + shape.axes * p);
    if (!shape.points.empty()) continue;
    Eigen::Vector3d half = Eigen::Vector3d::Constant(shape.size.x());
    if (shape.kind == Shape::Kind::box) half = 0.5 * shape.size;
    if (shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::capsule) half.z() = 0.5 * shape.size.y();
    for (int axis = 0; axis < 3; ++axis)
      for (const double side : {-1.0, 1.0})
        points.emplace_back(shape.at + shape.axes * Eigen::Vector3d(side * half[axis] * Eigen::Vector3d::Unit(axis)));
  }
  return points;
}

// The largest force of a joint in a frame, by which arrows get their scale.
double largest_reaction(const Scene& scene, const Frame& frame) {
  const Eigen::Index width = scene.dimension == 2 ? 3 : 6, along = scene.dimension == 2 ? 2 : 3;
  if (frame.reaction.size() != width * std::ssize(scene.joints)) return 0;
  double most = 0;
  for (std::size_t k = 0; k < scene.joints.size(); ++k) {
    const double force = frame.reaction.segment(width * static_cast<Eigen::Index>(k), along).norm();
    if (!scene.joints[k].driver && std::isfinite(force)) most = std::max(most, force);
  }
  return most;
}

// Returns where each body is over the run.
std::vector<Eigen::AlignedBox3d> measure_extent(const Mechanism& m, const Run& run, Scene& scene) {
  std::vector<std::vector<Eigen::Vector3d>> outlines;
  for (const SceneBody& body : scene.bodies) outlines.push_back(outline(body));
  std::vector<Eigen::AlignedBox3d> reach(outlines.size());
  const std::uint64_t looks = std::min(looked_at, run.frames.count);
  Frame frame;
  for (std::uint64_t k = 0; k < looks; ++k) {
    run.frames.read(looks == 1 ? 0 : k * (run.frames.count - 1) / (looks - 1), frame);
    for (std::size_t b = 0; b < outlines.size(); ++b) {
      Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
      if (m.dimension() == 2) {
        const double* p = frame.pose.data() + 3 * b;
        pose.translation() = Eigen::Vector3d(p[0], p[1], 0);
        pose.linear() = Eigen::AngleAxisd(p[2], Eigen::Vector3d::UnitZ()).toRotationMatrix();
      } else {
        const double* p = frame.pose.data() + 7 * b;
        pose.translation() = Eigen::Vector3d(p[0], p[1], p[2]);
        pose.linear() = Eigen::Quaterniond(p[3], p[4], p[5], p[6]).toRotationMatrix();
      }
      if (!pose.matrix().allFinite()) continue;
      for (const Eigen::Vector3d& p : outlines[b]) reach[b].extend(pose * p);
      scene.extent.extend(reach[b]);
    }
    if (k == 0) scene.start = scene.extent;
    scene.force = std::max(scene.force, largest_reaction(scene, frame));
  }
  for (const SceneJoint& joint : scene.joints)
    for (std::size_t k = 0; k < 2; ++k)
      if (joint.placed && !joint.driver && joint.bodies[k] < 0 && joint.bodies[1 - k] >= 0)
        scene.extent.extend(joint.at[k]);
  for (const SceneSpring& spring : scene.springs)
    for (std::size_t k = 0; k < 2; ++k)
      if (spring.bodies[k] < 0) scene.extent.extend(spring.at[k]);
  if (scene.extent.isEmpty()) scene.extent = {Eigen::Vector3d::Constant(-1), Eigen::Vector3d::Constant(1)};
  if (scene.start.isEmpty()) scene.start = scene.extent;
  return reach;
}

void name_quantities(const Mechanism& m, const Run& run, Scene& scene) {
  std::vector<std::string> names;
  if (m.bodies().size() + m.constraints().size() + m.forces().size() <= most_names / 20) {
    names = analysis::quantity_names(m);
  } else {
    for (const FrameField& field : scene.fields)
      if (field.name == "general") names = field.columns;
  }
  for (const std::string& name : names)
    scene.quantities.emplace_back(name, analysis::find_quantity(m, run.header, name).unit);
}

std::string scene_facts(const Mechanism& m, const Run& run, const Diagnosis& d) {
  const auto counted = [](std::size_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  const mechanism::Count count = m.count();
  std::string text =
      fmt::format("{} · {}, {} · {} of freedom", m.dimension() == 2 ? "planar" : "spatial",
                  counted(static_cast<std::size_t>(count.bodies), "body", "bodies"),
                  counted(static_cast<std::size_t>(count.joints), "joint", "joints"),
                  counted(static_cast<std::size_t>(std::max(d.degrees_of_freedom, 0)), "degree", "degrees"));
  if (!d.redundancies.empty())
    text += fmt::format(" · {}", counted(d.redundancies.size(), "redundant row", "redundant rows"));
  if (!d.conflicts.empty()) text += fmt::format(" · {}", counted(d.conflicts.size(), "conflict", "conflicts"));
  if (run.header.kept) text += " · kept: " + analysis::describe_kept(run.header);
  if (run.finished && run.summary.status != "done") text += " · " + run.summary.status;
  return text;
}

}  // namespace

Diagnosis first_diagnosis(const Mechanism& m, const Run& run) {
  analysis::DiagnoseOptions options;
  options.kinds = options.relaxations = m.v_size() <= searched_columns;
  if (run.header.kept || run.frames.count == 0) return analysis::check_up(m, options).diagnosis;
  options.rank = analysis::rank_policy(m.model().analysis);
  return analysis::diagnose(m, first_state(m, run), options);
}

Scene make_scene(const Mechanism& m, const Run& run, const Diagnosis& d,
                 const std::vector<analysis::EventEntry>& events, const std::vector<std::string>& folders) {
  Scene scene;
  scene.name = run.header.model_name.empty() ? "Model" : run.header.model_name;
  scene.facts = scene_facts(m, run, d);
  scene.dimension = m.dimension();
  const Eigen::Vector3d gravity = m.model().gravity;
  scene.up = scene.dimension == 2 ? Eigen::Vector3d::UnitY() : Eigen::Vector3d::UnitZ();
  if (gravity.norm() > 0) scene.up = -gravity.normalized();

  const Skeleton skeleton = make_skeleton(m);
  scene.length = typical_length(m, skeleton);
  add_bodies(m, scene);
  add_joints(m, d, scene);
  add_springs(m, scene);
  for (const Tracer& t : skeleton.tracers)
    if (t.anchor.body != mechanism::ground) scene.tracers.push_back({t.name, t.anchor.body, in_body(m, t.anchor)});
  add_geometry(m, folders, scene);
  add_shapes(m, skeleton, scene);
  mark_kept(run, scene);
  add_ground(m, measure_extent(m, run, scene), scene);

  for (const analysis::EventEntry& e : events)
    scene.events.push_back({e.t, run.header.events.at(static_cast<std::size_t>(e.event)), e.what, e.joints});
  scene.freedoms = d.degrees_of_freedom;
  scene.rank = d.rank.rank;
  scene.rows = d.count.rows;
  scene.diagnosis = analysis::describe(m, d, m.model().analysis.reactions);
  add_modes(m, run, d, scene);
  scene.fields = frame_fields(m, run.header);
  scene.frame_bytes = frame_bytes(scene.fields);
  scene.frames = scene.total = run.frames.count;
  name_quantities(m, run, scene);
  return scene;
}

}  // namespace mortise::view
