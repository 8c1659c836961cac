#include "mortise/view/paraview_scene.h"

#include <algorithm>

namespace mortise::view {

namespace {

Eigen::Vector3d point_velocity(const Anchor& anchor, const Motions& motions, int dimension) {
  if (anchor.body == mechanism::ground) return Eigen::Vector3d::Zero();
  if (dimension == 3) {
    const auto& m = motions.at3(anchor.body);
    return m.v + m.w.cross(m.R * anchor.p);
  }
  const auto& m = motions.at2(anchor.body);
  const double x = m.cos * anchor.p.x() - m.sin * anchor.p.y(), y = m.sin * anchor.p.x() + m.cos * anchor.p.y();
  return {m.v.x() - m.w * y, m.v.y() + m.w * x, 0};
}

void add_cell(ParaviewScene& scene, std::initializer_list<std::int64_t> points, int item) {
  scene.connectivity.insert(scene.connectivity.end(), points);
  scene.offsets.push_back(std::ssize(scene.connectivity));
  scene.types.push_back(points.size() == 1 ? 1 : 3);
  scene.cell_item.push_back(item);
}

// Numbers in the model of what the frames keep: all of them, or those of the list.
std::vector<int> kept_numbers(std::size_t all, const std::vector<std::uint32_t>* list) {
  std::vector<int> out;
  for (std::size_t k = 0; k < (list ? list->size() : all); ++k)
    out.push_back(list ? static_cast<int>((*list)[k]) : static_cast<int>(k));
  return out;
}

}  // namespace

ParaviewScene make_scene(const mechanism::Mechanism& m, const analysis::RunHeader& header) {
  const Skeleton skeleton = make_skeleton(m);
  ParaviewScene scene;
  scene.dimension = m.dimension();
  scene.offsets.push_back(0);
  const std::vector<int> bodies = kept_numbers(m.bodies().size(), header.kept ? &header.kept->bodies : nullptr);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    const BodyShape& shape = skeleton.bodies[static_cast<std::size_t>(bodies[k])];
    const auto center = std::ssize(scene.points);
    const int item = static_cast<int>(k);
    Anchor origin;
    origin.body = shape.body;
    scene.points.push_back({origin, 0, item, -1});
    add_cell(scene, {center}, item);
    for (const Anchor& anchor : shape.points) {
      scene.points.push_back({anchor, 0, item, -1});
      add_cell(scene, {center, std::ssize(scene.points) - 1}, item);
    }
  }
  const int width = m.dimension() == 3 ? 6 : 3;
  const std::vector<int> joints = kept_numbers(m.constraints().size(), header.kept ? &header.kept->joints : nullptr);
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const mechanism::Constraint& c = m.constraints()[static_cast<std::size_t>(joints[k])];
    const auto known = [&](const Anchor& anchor) {
      return anchor.body == mechanism::ground || std::find(bodies.begin(), bodies.end(), anchor.body) != bodies.end();
    };
    if (!known(c.b)) continue;  // the frames do not tell where it is
    scene.points.push_back({c.b, 1, static_cast<int>(k), width * joints[k]});
    add_cell(scene, {std::ssize(scene.points) - 1}, static_cast<int>(k));
  }
  return scene;
}

void fill(const ParaviewScene& scene, const mechanism::Mechanism& m, const analysis::Frame& frame, ParaviewFrame& out) {
  Motions motions;
  m.motions(as_span(frame.q), as_span(frame.v), motions);
  const std::size_t size = 3 * scene.points.size();
  for (std::vector<double>* array : {&out.points, &out.velocity, &out.force, &out.torque}) array->assign(size, 0);
  out.t = frame.t;
  for (std::size_t k = 0; k < scene.points.size(); ++k) {
    const ParaviewScene::Point& point = scene.points[k];
    const auto put = [&](std::vector<double>& array, const Eigen::Vector3d& v) {
      for (int i = 0; i < 3; ++i) array[3 * k + static_cast<std::size_t>(i)] = v[i];
    };
    put(out.points, world_point(point.anchor, motions, scene.dimension));
    put(out.velocity, point_velocity(point.anchor, motions, scene.dimension));
    if (point.reaction < 0) continue;
    const auto r = [&](int i) { return frame.reaction[point.reaction + i]; };
    put(out.force, scene.dimension == 3 ? Eigen::Vector3d(r(0), r(1), r(2)) : Eigen::Vector3d(r(0), r(1), 0));
    put(out.torque, scene.dimension == 3 ? Eigen::Vector3d(r(3), r(4), r(5)) : Eigen::Vector3d(0, 0, r(2)));
  }
}

}  // namespace mortise::view
