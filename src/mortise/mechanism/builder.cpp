#include "mortise/mechanism/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "mortise/mechanism/parts.h"
#include "mortise/mechanism/quantities.h"
#include "mortise/model/names.h"

namespace mortise::mechanism {

namespace {

Eigen::Matrix3d rotation_about_z(double angle) {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  R(0, 0) = R(1, 1) = std::cos(angle);
  R(1, 0) = std::sin(angle);
  R(0, 1) = -R(1, 0);
  return R;
}

Eigen::Matrix3d modelled_rotation(const Body& body, bool planar) {
  return planar ? rotation_about_z(body.angle) : geometry::matrix(body.orientation);
}

// Axes with the given direction as z (spatial) or x (planar).
Eigen::Matrix3d axes_from(const Eigen::Vector3d& direction, bool planar) {
  Eigen::Matrix3d E;
  if (planar) {
    E.col(0) = direction;
    E.col(1) = Eigen::Vector3d(-direction.y(), direction.x(), 0);
    E.col(2) = Eigen::Vector3d::UnitZ();
  } else {
    Eigen::Vector3d x, y;
    geometry::complete_triad(direction, x, y);
    E << x, y, direction;
  }
  return E;
}

bool refers_to_joints(const model::PartInfo& part) {
  using model::FieldKind;
  return std::any_of(part.fields.begin(), part.fields.end(), [](const model::FieldSpec& f) {
    return f.kind == FieldKind::joint || f.kind == FieldKind::joints || f.kind == FieldKind::terms ||
           f.kind == FieldKind::row_terms;
  });
}

}  // namespace

void Builder::fail(const std::string& code, const std::string& message, const Place& place, const std::string& hint) {
  throw ModelError(Diagnostic{code, message, place, hint, false});
}

void Builder::add_body(const ItemCopy& item, bool particle) {
  Body body;
  body.ref = current_;
  body.particle = particle;
  body.mass = item.number("mass");
  if (!particle) {
    body.center = item.vector("center", Eigen::Vector3d::Zero());
    body.inertia = item.inertia("inertia");
    if (!planar()) {
      const Eigen::Matrix3d F = geometry::matrix(item.orientation("inertia_frame"));
      body.inertia = (F * body.inertia * F.transpose()).eval();
      body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
    }
    if (planar())
      body.angle = item.number("angle", 0);
    else
      body.orientation = item.orientation("orientation");
    body.frames = item.frame_map("frames");
  }
  body.at = item.vector("at", Eigen::Vector3d::Zero());
  body.points = item.point_map("points");

  body.flat = planar();
  if (item.has("plane")) {
    const Eigen::Vector3d n = item.direction("plane", Eigen::Vector3d::UnitZ());
    Eigen::Vector3d x, y;
    geometry::complete_triad(n, x, y);
    body.plane = &mechanism_.planes_.emplace_back();
    mechanism_.planes_.back() << x, y, n;
    body.flat = true;
    const Eigen::Matrix3d R = modelled_rotation(body, false);
    body.height = n.dot(body.at + R * body.center);
    const double about_normal = n.dot(R * body.inertia * R.transpose() * n);
    body.inertia = about_normal * Eigen::Matrix3d::Identity();  // the only moment that is felt; (2,2) as in the plane
  }

  const int size = body.v_size();
  body.q = mechanism_.q_size_;
  body.v = mechanism_.pattern_.columns.total();
  mechanism_.q_size_ += body.q_size();
  mechanism_.pattern_.columns.append(size);

  // Velocities as stated: of the user's origin, turned into that of the centre of mass.
  const Eigen::Vector3d v = item.vector("velocity", Eigen::Vector3d::Zero());
  Eigen::Vector3d w = Eigen::Vector3d::Zero();
  if (!particle && item.has("angular_velocity")) w = item.spin("angular_velocity");
  const Eigen::Matrix3d R = modelled_rotation(body, planar());
  const Eigen::Vector3d v_center = v + w.cross(R * body.center);
  bool says_v = item.has("velocity"), says_w = !particle && item.has("angular_velocity");
  if (body.center.norm() > 0 && (says_v || says_w)) says_v = says_w = true;
  mechanism_.initial_v_.conservativeResize(body.v + size);
  const int dim = body.translations();
  if (body.plane) {
    check_in_plane(item, body, "velocity", v - body.plane->col(2).dot(v) * body.plane->col(2), v);
    check_in_plane(item, body, "angular_velocity", body.plane->col(2).dot(w) * body.plane->col(2), w);
  }
  const Eigen::Vector3d v_body = body.plane ? Eigen::Vector3d(body.plane->transpose() * v_center) : v_center;
  mechanism_.initial_v_.segment(body.v, dim) = v_body.head(dim);
  if (body.flat && !particle) mechanism_.initial_v_[body.v + 2] = body.plane ? body.plane->col(2).dot(w) : w.z();
  if (body.has_quaternion()) mechanism_.initial_v_.segment<3>(body.v + 3) = R.transpose() * w;
  for (int k = 0; k < size; ++k) mechanism_.stated_velocity_.push_back(k < dim ? says_v : says_w);

  body_index_[item.name()] = static_cast<int>(mechanism_.bodies_.size());
  mechanism_.bodies_.push_back(std::move(body));
}

void Builder::check_in_plane(const ItemCopy& item, const Body& body, const char* field, const Eigen::Vector3d& allowed,
                             const Eigen::Vector3d& given) {
  if ((given - allowed).norm() <= 1e-12 * given.norm()) return;
  const Eigen::Vector3d n = body.plane->col(2);
  fail("M151", fmt::format("the {} of '{}' leaves its plane", field, item.name()), item.place(field),
       fmt::format("the normal of the plane is [{:g}, {:g}, {:g}]; the part that it allows is [{:g}, {:g}, {:g}]",
                   n.x(), n.y(), n.z(), allowed.x(), allowed.y(), allowed.z()));
}

int Builder::body(const std::string& name, const Place& place) const {
  if (name == "ground") return ground;
  const auto found = body_index_.find(name);
  if (found == body_index_.end()) fail("M117", fmt::format("body '{}' does not exist", name), place);
  return found->second;
}

Anchor Builder::anchor_at(int body, const Eigen::Vector3d& point_W, const Eigen::Matrix3d& axes_W) const {
  Anchor anchor;
  anchor.body = body;
  if (body == ground) {
    anchor.p = point_W;
    anchor.E = axes_W;
  } else {
    const Body& b = mechanism_.bodies_[static_cast<std::size_t>(body)];
    const Eigen::Matrix3d R = modelled_rotation(b, planar());
    anchor.p = R.transpose() * (point_W - b.at) - b.center;
    anchor.E = R.transpose() * axes_W;
  }
  const double world_angle = std::atan2(axes_W(1, 0), axes_W(0, 0));
  anchor.angle = body == ground ? world_angle : world_angle - mechanism_.bodies_[static_cast<std::size_t>(body)].angle;
  return anchor;
}

Anchor Builder::anchor(const model::Attachment& attachment) const {
  Anchor anchor;
  anchor.body = body(attachment.body, attachment.place);
  if (anchor.body == ground) return anchor;
  const Body& b = mechanism_.bodies_[static_cast<std::size_t>(anchor.body)];
  anchor.p = -b.center;
  if (attachment.point.empty()) return anchor;
  for (const model::PointOnBody& point : b.points)
    if (point.name == attachment.point) {
      anchor.p = point.at - b.center;
      return anchor;
    }
  for (const model::FrameOnBody& frame : b.frames)
    if (frame.name == attachment.point) {
      anchor.p = frame.at - b.center;
      anchor.E = geometry::matrix(frame.orientation);
      anchor.angle = std::atan2(anchor.E(1, 0), anchor.E(0, 0));
      return anchor;
    }
  fail("M118", fmt::format("body '{}' has no point or frame '{}'", attachment.body, attachment.point),
       attachment.place);
}

Eigen::Vector3d Builder::direction(const ItemCopy& item, std::string_view field,
                                   const Eigen::Vector3d& fallback) const {
  const Eigen::Vector3d u = item.direction(field, fallback);
  const std::string in = item.text("in", "world");
  if (in == "world") return u;
  const auto between = item.attachments("between");
  const int which = body(between[in == "first" ? 0 : 1].body, item.place());
  if (which == ground) return u;
  return modelled_rotation(mechanism_.bodies_[static_cast<std::size_t>(which)], planar()) * u;
}

std::array<Anchor, 2> Builder::joint_anchors(const ItemCopy& item, Axis axis, bool place_required) const {
  const auto between = item.attachments("between");
  std::array<Anchor, 2> anchors{anchor(between[0]), anchor(between[1])};
  std::array<bool, 2> placed{!between[0].point.empty(), !between[1].point.empty()};

  // Where.
  if (item.has("points")) {
    anchors = two_points(item);
    placed = {true, true};
  }
  if (item.has("at")) {
    if (placed[0] && placed[1])
      fail("M140", fmt::format("'{}' is placed twice: by `at` and by points on both bodies", item.name()),
           item.place("at"), "keep one of them");
    const Eigen::Vector3d at = item.vector("at");
    for (std::size_t k = 0; k < 2; ++k)
      if (!placed[k]) {
        anchors[k].p = anchor_at(anchors[k].body, at, Eigen::Matrix3d::Identity()).p;
        placed[k] = true;
      }
  }
  if (!placed[0] || !placed[1]) {
    // The ground, or a body whose origin is meant, takes the place of the other side's point at the modelled pose.
    const bool any = placed[0] || placed[1];
    if (!any && place_required)
      fail("M141", fmt::format("where is '{}'?", item.name()), item.place(),
           "give `at: [x, y]` (a world point at t = 0), `points`, or named points in `between`");
    const std::size_t known = placed[0] ? 0 : 1;
    const Eigen::Vector3d at = modelled_point(anchors[known]);
    anchors[1 - known].p = anchor_at(anchors[1 - known].body, at, Eigen::Matrix3d::Identity()).p;
  }

  // Axes: from named frames where both name one, else from `axis` at the modelled pose.
  if (axis != Axis::none) {
    const auto names_frame = [&](std::size_t k) {
      if (between[k].point.empty() || anchors[k].body == ground) return false;
      const auto& frames = mechanism_.bodies_[static_cast<std::size_t>(anchors[k].body)].frames;
      return std::any_of(frames.begin(), frames.end(), [&](const auto& f) { return f.name == between[k].point; });
    };
    const std::array<bool, 2> framed{names_frame(0), names_frame(1)};
    if (!(framed[0] && framed[1]) || item.has("axis")) {
      Eigen::Matrix3d axes;
      const bool from_frame = !item.has("axis") && (framed[0] || framed[1]);
      if (from_frame) {
        const Anchor& a = anchors[framed[0] ? 0 : 1];
        axes = modelled_rotation(mechanism_.bodies_[static_cast<std::size_t>(a.body)], planar()) * a.E;
      } else {
        const Eigen::Vector3d fallback = planar() ? Eigen::Vector3d::UnitX() : Eigen::Vector3d::UnitZ();
        axes = axes_from(direction(item, "axis", fallback), planar());
      }
      for (std::size_t k = 0; k < 2; ++k) {
        const Anchor turned = anchor_at(anchors[k].body, Eigen::Vector3d::Zero(), axes);
        anchors[k].E = turned.E;
        anchors[k].angle = turned.angle;
      }
    }
  }
  if (axis == Axis::z && !planar() && item.has("angle")) {
    const Eigen::Matrix3d now = modelled_axes(anchors[0]).transpose() * modelled_axes(anchors[1]);
    anchors[1].E = (anchors[1].E * rotation_about_z(item.number("angle") - std::atan2(now(1, 0), now(0, 0)))).eval();
  }
  return anchors;
}

std::array<Anchor, 2> Builder::two_points(const ItemCopy& item) const {
  const auto between = item.attachments("between");
  std::array<Anchor, 2> anchors{anchor(between[0]), anchor(between[1])};
  if (!item.has("points")) return anchors;
  const auto points = item.points("points");
  for (std::size_t k = 0; k < 2; ++k) {
    if (!between[k].point.empty())
      fail("M140", fmt::format("'{}' names the point '{}' and gives `points` too", item.name(), between[k].point),
           item.place("points"), "keep one of them");
    anchors[k].p = points[k];
    if (anchors[k].body != ground) anchors[k].p -= mechanism_.bodies_[static_cast<std::size_t>(anchors[k].body)].center;
  }
  return anchors;
}

Eigen::Vector3d Builder::modelled_point(const Anchor& anchor) const {
  if (anchor.body == ground) return anchor.p;
  const Body& body = mechanism_.bodies_[static_cast<std::size_t>(anchor.body)];
  return body.at + modelled_rotation(body, planar()) * (anchor.p + body.center);
}

double Builder::modelled_angle(const Anchor& anchor) const {
  return anchor.angle + (anchor.body == ground ? 0 : mechanism_.bodies_[static_cast<std::size_t>(anchor.body)].angle);
}

Eigen::Matrix3d Builder::modelled_axes(const Anchor& anchor) const {
  if (anchor.body == ground) return anchor.E;
  return modelled_rotation(mechanism_.bodies_[static_cast<std::size_t>(anchor.body)], planar()) * anchor.E;
}

bool Builder::names_frames(const ItemCopy& item) const {
  for (const model::Attachment& end : item.attachments("between")) {
    const int index = body(end.body, end.place);
    if (index == ground || end.point.empty()) return false;
    const auto& frames = mechanism_.bodies_[static_cast<std::size_t>(index)].frames;
    if (std::none_of(frames.begin(), frames.end(), [&](const auto& f) { return f.name == end.point; })) return false;
  }
  return true;
}

void Builder::require_orientation(const ItemCopy& item, const Anchor& anchor, std::string_view field) const {
  if (anchor.body == ground || !mechanism_.bodies_[static_cast<std::size_t>(anchor.body)].particle) return;
  fail("M143",
       fmt::format("'{}' needs an orientation, but body '{}' is a particle", item.name(),
                   mechanism_.name(mechanism_.bodies_[static_cast<std::size_t>(anchor.body)].ref)),
       item.place(field), "make the body rigid, or use a part that needs only a point");
}

const Constraint& Builder::joint(const ItemCopy& item, std::string_view field) const {
  return joint(item.text(field), item.place(field));
}

const Constraint& Builder::joint(const std::string& name, const Place& place) const {
  const auto found = constraint_index_.find(name);
  if (found == constraint_index_.end()) fail("M119", fmt::format("joint '{}' does not exist", name), place);
  return mechanism_.constraints_[static_cast<std::size_t>(found->second)];
}

void Builder::check_pair(const ItemCopy& item, const Anchor& a, const Anchor& b) const {
  if (a.body == b.body)
    fail("M142",
         fmt::format("'{}' connects {} with itself", item.name(),
                     a.body == ground
                         ? "the ground"
                         : "body '" + mechanism_.name(mechanism_.bodies_[static_cast<std::size_t>(a.body)].ref) + "'"),
         item.place(item.has("between") ? "between" : "body"));
}

Target Builder::target(int body) const {
  if (body == ground) return {};
  return {mechanism_.pattern_.columns.begin(body), mechanism_.pattern_.columns.size(body),
          mechanism_.bodies_[static_cast<std::size_t>(body)].plane};
}

void Builder::lay_out(const ItemCopy& item, std::span<const RowInfo> info, Constraint& record) {
  gauss::Pattern& pattern = mechanism_.pattern_;
  record.ref = current_;
  record.row = pattern.m();
  const int index = constraint_count();
  const bool active = !rows_off_ && item.flag("active", true);

  // The nominal norm of a row in the inverse-mass metric: what the bodies' masses (lengths) or inertias (angles) say.
  double inverse_mass = 0, inverse_inertia = 0;
  for (int body : {record.a.body, record.b.body}) {
    if (body == ground) continue;
    const Body& b = mechanism_.bodies_[static_cast<std::size_t>(body)];
    if (b.mass > 0) inverse_mass += 1 / b.mass;
    const double inertia = planar() ? b.inertia(2, 2) : b.inertia.trace() / 3;
    if (inertia > 0) inverse_inertia += 1 / inertia;
  }
  for (std::size_t k = 0; k < info.size(); ++k) {
    using gauss::RowUnit;
    const bool angular = info[k].unit == RowUnit::angle || info[k].unit == RowUnit::angular_speed;
    if (angular)
      for (const Anchor* anchor : {&record.a, &record.b})
        require_orientation(item, *anchor, item.has("between") ? "between" : "body");
    pattern.rows.push_back({index, static_cast<int>(k), info[k].kind, info[k].unit});
    const double norm2 = angular ? inverse_inertia : inverse_mass;
    pattern.row_scale.push_back(norm2 > 0 ? 1 / std::sqrt(norm2) : 1);
    mechanism_.initially_active_.push_back(active);
    mechanism_.row_constraint_.push_back(index);
  }
  const auto columns = [&](int body) -> Columns {
    if (body == ground) return {};
    const int block = pattern.append_block(record.row, record.rows, body);
    return {pattern.A[static_cast<std::size_t>(block)].offset, pattern.columns.size(body),
            mechanism_.bodies_[static_cast<std::size_t>(body)].plane};
  };
  record.to_a = columns(record.a.body);
  record.to_b = columns(record.b.body);
  constraint_index_[mechanism_.name(current_)] = index;
  mechanism_.constraints_.push_back(record);
}

model::Function Builder::formula(const ItemCopy& item, std::string_view field) {
  return item.has(field) ? item.formulas(field).front() : model::Function{};
}

const Constraint& Builder::joint_with(const ItemCopy& item, Coordinate kind) const {
  const Constraint& found = joint(item, "joint");
  if (kind == Coordinate::angle && !found.measures_angle)
    fail("M148", fmt::format("joint '{}' has no angle", item.text("joint")), item.place("joint"),
         "revolute and cylindrical joints have one");
  if (kind == Coordinate::displacement && !found.slides)
    fail("M148", fmt::format("joint '{}' has no displacement", item.text("joint")), item.place("joint"),
         "prismatic and cylindrical joints have one");
  return found;
}

int Builder::use(const model::QuantityName& quantity, int force) {
  const auto [found, fresh] = used_index_.try_emplace(quantity.name, static_cast<int>(used_.size()));
  if (fresh) used_.push_back(quantity);
  uses_.resize(static_cast<std::size_t>(force) + 1);
  uses_.back().push_back({found->second, quantity.place});
  return found->second;
}

std::vector<int> Builder::use(const model::Function& function, int force) {
  if (function.quantities.size() > most_quantities)
    fail("M163", fmt::format("a formula may use at most {} quantities", most_quantities), function.place,
         "split it into several forces");
  std::vector<int> slots;
  for (const model::QuantityName& q : function.quantities) slots.push_back(use(q, force));
  return slots;
}

NameLookup Builder::name_lookup() const {
  const auto find_in = [](const std::unordered_map<std::string, int>& index) {
    return [&index](const std::string& name) {
      const auto found = index.find(name);
      return found == index.end() ? -1 : found->second;
    };
  };
  return {find_in(body_index_), find_in(constraint_index_), find_in(force_index_)};
}

void Builder::resolve_quantities() {
  const NameLookup lookup = name_lookup();
  std::vector<Diagnostic> mistakes;
  for (const model::QuantityName& name : used_) try {
      mechanism_.used_.push_back(find_quantity(mechanism_, lookup, name.name, name.place));
      const Quantity& q = mechanism_.used_.back();
      mechanism_.uses_potential_ |= q.source == Quantity::Source::potential;
      if (q.source == Quantity::Source::errors)
        fail("M162", fmt::format("'{}' tells how well a run is computed: a force cannot depend on it", q.name),
             name.place);
    } catch (const ModelError& error) {
      mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  for (const model::QuantityName& name : mechanism_.model_->output.quantities) try {
      mechanism_.output_.push_back(find_quantity(mechanism_, lookup, name.name, name.place));
    } catch (const ModelError& error) {
      mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  if (!mistakes.empty()) throw ModelError(mistakes);
}

// What `output: bodies:` and `joints:` name, in the order of the model.
void Builder::resolve_output() {
  const model::OutputSettings& output = mechanism_.model_->output;
  std::vector<Diagnostic> mistakes;
  const auto resolve = [&](const std::vector<model::QuantityName>& wanted, const auto& items, const auto& index,
                           const char* noun, const char* code, std::vector<int>& kept) {
    std::vector<std::string> names;  // of all, made only where patterns or mistakes need them
    const auto all_names = [&]() -> const std::vector<std::string>& {
      if (names.empty())
        for (const auto& item : items) names.push_back(mechanism_.name(item.ref));
      return names;
    };
    std::vector<unsigned char> chosen(items.size(), 0);
    for (const model::QuantityName& want : wanted) {
      bool found = false;
      if (const auto known = index.find(want.name); known != index.end()) {
        chosen[static_cast<std::size_t>(known->second)] = found = true;
      } else if (want.name.find_first_of("*?") != std::string::npos) {
        for (std::size_t k = 0; k < items.size(); ++k)
          if (model::matches(want.name, all_names()[k])) chosen[k] = found = true;
      }
      if (found) continue;
      const std::string near = nearest_name(want.name, all_names());
      mistakes.push_back({code, fmt::format("output: no {} is called '{}'", noun, want.name), want.place,
                          near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
    }
    for (std::size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k]) kept.push_back(static_cast<int>(k));
  };
  resolve(output.bodies, mechanism_.bodies_, body_index_, "body", "M117", mechanism_.output_bodies_);
  resolve(output.joints, mechanism_.constraints_, constraint_index_, "joint or driver", "M119",
          mechanism_.output_joints_);
  if (!mistakes.empty()) throw ModelError(mistakes);
}

void Builder::fail_circle(const std::vector<int>& path, int again) const {
  const auto name = [&](int force) { return mechanism_.name(mechanism_.forces_[static_cast<std::size_t>(force)].ref); };
  const auto first = std::find(path.begin(), path.end(), again);
  std::string circle;
  for (auto it = first; it != path.end(); ++it) circle += name(*it) + " → ";
  // The last on the path is the one whose formula closes the circle.
  Place place = mechanism_.place(mechanism_.forces_[static_cast<std::size_t>(path.back())].ref);
  for (const Use& use : uses_[static_cast<std::size_t>(path.back())])
    if (mechanism_.used_[static_cast<std::size_t>(use.quantity)].force == again) place = use.place;
  fail("M161", fmt::format("forces use one another in a circle: {}{}", circle, name(again)), place,
       "let one of them use the state (positions, speeds) or a reaction instead");
}

// Forces that use others come after them; those that use the solution, or one that does, come last (`add_feedback`).
// Depth first, without recursion: chains may be long.
void Builder::order_forces() {
  const std::size_t count = mechanism_.forces_.size();
  uses_.resize(count);
  std::vector<int> depth(count, -1);
  std::vector<unsigned char> fed(count, 0), open(count, 0);
  const auto quantity = [&](const Use& use) -> const Quantity& {
    return mechanism_.used_[static_cast<std::size_t>(use.quantity)];
  };
  for (std::size_t start = 0; start < count; ++start) {
    if (depth[start] >= 0) continue;
    std::vector<int> path{static_cast<int>(start)};
    std::vector<std::size_t> next{0};
    open[start] = 1;
    while (!path.empty()) {
      const auto f = static_cast<std::size_t>(path.back());
      if (next.back() < uses_[f].size()) {
        const int other = quantity(uses_[f][next.back()++]).force;
        if (other < 0 || depth[static_cast<std::size_t>(other)] >= 0) continue;
        if (open[static_cast<std::size_t>(other)]) fail_circle(path, other);
        open[static_cast<std::size_t>(other)] = 1;
        path.push_back(other);
        next.push_back(0);
        continue;
      }
      // A force that is fed counts its depth among those that are.
      for (const Use& use : uses_[f]) {
        const Quantity& q = quantity(use);
        if (q.source == Quantity::Source::solution || (q.force >= 0 && fed[static_cast<std::size_t>(q.force)]))
          fed[f] = 1;
      }
      depth[f] = 0;
      for (const Use& use : uses_[f])
        if (const int other = quantity(use).force; other >= 0 && fed[static_cast<std::size_t>(other)] == fed[f])
          depth[f] = std::max(depth[f], depth[static_cast<std::size_t>(other)] + 1);
      path.pop_back();
      next.pop_back();
    }
  }
  int plain = 0, last = 0;
  for (std::size_t f = 0; f < count; ++f) (fed[f] ? last : plain) = std::max(fed[f] ? last : plain, depth[f] + 1);
  mechanism_.feedback_stage_ = plain;
  mechanism_.stages_ = plain + last;
  for (std::size_t f = 0; f < count; ++f) mechanism_.force_stage_.push_back(fed[f] ? plain + depth[f] : depth[f]);
  for (std::size_t k = 0; k < mechanism_.used_.size(); ++k) {
    const Quantity& q = mechanism_.used_[k];
    const bool solution = q.source == Quantity::Source::solution;
    mechanism_.used_stage_.push_back(q.force >= 0 ? mechanism_.force_stage_[static_cast<std::size_t>(q.force)] + 1
                                     : solution   ? plain
                                                  : 0);
    if (!solution) continue;
    mechanism_.feedback_.push_back(static_cast<int>(k));
    auto& joints = mechanism_.feedback_constraints_;
    if (q.constraint >= 0 && std::find(joints.begin(), joints.end(), q.constraint) == joints.end())
      joints.push_back(q.constraint);
  }
}

void Builder::finish() {
  resolve_quantities();
  resolve_events();
  resolve_output();
  order_forces();

  gauss::Pattern& pattern = mechanism_.pattern_;
  pattern.layout_mass();
  pattern.version = 1;
  static std::atomic<std::uint64_t> stamp = 0;
  mechanism_.mass_stamp_ = ++stamp;
  for (const Body& body : mechanism_.bodies_) {
    if (mechanism_.dimension() == 2)
      mechanism_.planar_.push_back({body.v, !body.particle, body.mass, body.inertia(2, 2)});
    else
      mechanism_.spatial_.push_back(
          {body.q, body.v, body.particle, body.plane ? &body : nullptr, body.mass, body.inertia});
  }
  mechanism_.mass_.setZero(pattern.M_size);
  for (std::size_t k = 0; k < mechanism_.bodies_.size(); ++k) {
    const Body& body = mechanism_.bodies_[k];
    const int size = pattern.columns.size(static_cast<int>(k));
    double* M = mechanism_.mass_.data() + pattern.M_offset[k];
    for (int i = 0; i < body.translations(); ++i) M[i * size + i] = body.mass;
    if (body.flat && !body.particle) M[8] = body.inertia(2, 2);
    if (body.has_quaternion())
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) M[(3 + i) * 6 + 3 + j] = body.inertia(i, j);
  }

  // A typical length: the extent of all body origins, joint points and arms at the modelled pose.
  Eigen::Vector3d low = Eigen::Vector3d::Constant(1e300), high = -low;
  double arm = 0;
  for (const Body& body : mechanism_.bodies_) {
    low = low.cwiseMin(body.at);
    high = high.cwiseMax(body.at);
  }
  for (const Constraint& c : mechanism_.constraints_)
    for (const Anchor* a : {&c.a, &c.b}) {
      if (a->body == ground) {
        low = low.cwiseMin(a->p);
        high = high.cwiseMax(a->p);
      } else {
        arm = std::max(arm, a->p.norm());
      }
    }
  double& length = mechanism_.length_;
  length = std::max(arm, mechanism_.bodies_.empty() ? 0.0 : (high - low).norm());
  if (!(length > 0)) {
    for (const Body& body : mechanism_.bodies_)
      if (body.mass > 0) length = std::max(length, std::sqrt(body.inertia.trace() / body.mass));
    if (!(length > 0)) length = 1;
  }
  double fastest = std::sqrt(mechanism_.model_->gravity.norm() * length);
  for (std::size_t k = 0; k < mechanism_.bodies_.size(); ++k) {
    const int begin = pattern.columns.begin(static_cast<int>(k)), size = pattern.columns.size(static_cast<int>(k));
    const int translations = mechanism_.bodies_[k].translations();
    fastest = std::max(fastest, mechanism_.initial_v_.segment(begin, translations).norm());
    if (size > translations)
      fastest =
          std::max(fastest, length * mechanism_.initial_v_.segment(begin + translations, size - translations).norm());
  }
  mechanism_.speed_ = fastest > 0 ? fastest : length;
  for (const gauss::Row& row : pattern.rows) {
    const bool angular = row.unit == gauss::RowUnit::angle || row.unit == gauss::RowUnit::angular_speed;
    pattern.position_size.push_back(angular ? 1 : length);
    pattern.velocity_size.push_back(angular ? mechanism_.speed_ / length : mechanism_.speed_);
  }
}

std::unique_ptr<Mechanism> Mechanism::compile(std::shared_ptr<const model::Model> model) {
  return compile(std::move(model), standard_parts());
}

std::unique_ptr<Mechanism> Mechanism::compile(std::shared_ptr<const model::Model> model, const PartList& parts) {
  std::unique_ptr<Mechanism> mechanism(new Mechanism);
  mechanism->model_ = std::move(model);
  const model::Model& m = *mechanism->model_;
  Builder builder(*mechanism);
  std::vector<Diagnostic> mistakes;
  // Joints that refer to other joints come after those, wherever they stand in the file.
  const std::pair<model::Section, bool> order[] = {{model::Section::body, false},  {model::Section::joint, false},
                                                   {model::Section::joint, true},  {model::Section::driver, false},
                                                   {model::Section::force, false}, {model::Section::event, false}};
  for (const auto& [section, refers] : order) {
    for (std::size_t i = 0; i < m.items.size(); ++i) {
      const model::Item& item = m.items[i];
      if (item.section != section || (section == model::Section::joint && refers != refers_to_joints(*item.part)))
        continue;
      const Part* part = parts.find(section, item.part->type);
      if (!part)
        throw std::invalid_argument(fmt::format("{} type '{}' is in the model's catalogue, but not in this part list",
                                                model::item_name(section), item.part->type));
      try {
        for (int copy = 0; copy < item.count; ++copy) {
          builder.set_current({static_cast<int>(i), copy});
          part->build(ItemCopy(m, item, copy), builder);
        }
      } catch (const ModelError& error) {
        mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
      }
    }
    if (!mistakes.empty()) throw ModelError(mistakes);
  }
  if (mechanism->bodies_.empty())
    Builder::fail("M150", "the model has no body, so nothing can move", {}, "add one under 'bodies:'");
  builder.finish();
  return mechanism;
}

}  // namespace mortise::mechanism
