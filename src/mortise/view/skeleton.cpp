#include "mortise/view/skeleton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace mortise::view {

using mechanism::Body;
using mechanism::Constraint;
using mechanism::Mechanism;

namespace {

// Joints whose first anchor is a place that can be seen; a coordinate joint's, say, is the world's origin.
bool has_place(std::string_view type) {
  return type == "revolute" || type == "prismatic" || type == "cylindrical" || type == "universal" ||
         type == "spherical" || type == "fixed" || type == "distance";
}

void add_point(std::vector<Anchor>& points, const Anchor& point, double apart) {
  for (const Anchor& p : points)
    if ((p.p - point.p).norm() <= apart) return;
  points.push_back(point);
}

Anchor on_body(int body, const Eigen::Vector3d& from_center) {
  Anchor anchor;
  anchor.body = body;
  anchor.p = from_center;
  return anchor;
}

// The rail of a sliding joint, on its first body, one characteristic length to both sides.
Rod rail(const Constraint& c, int dimension, double length) {
  const Eigen::Vector3d axis = c.a.E.col(dimension == 2 ? 0 : 2) * 0.5 * length;
  Rod rod{c.a, c.a, true};
  rod.a.p -= axis;
  rod.b.p += axis;
  return rod;
}

void add_joint(const Mechanism& m, const Constraint& c, double apart, Skeleton& out) {
  const std::string& type = m.model().items[static_cast<std::size_t>(c.ref.item)].part->type;
  if (c.driver) return;
  for (const Anchor* anchor : {&c.a, &c.b})
    if (anchor->body != mechanism::ground)
      add_point(out.bodies[static_cast<std::size_t>(anchor->body)].points, *anchor, apart);
  if (!has_place(type)) return;
  const bool slides = type == "prismatic" || type == "cylindrical";
  if (slides) out.rods.push_back(rail(c, m.dimension(), m.characteristic_length()));
  if (type == "distance") out.rods.push_back({c.a, c.b, false});
  bool grounded = false;
  for (const Anchor* anchor : {&c.a, &c.b}) {
    if (anchor->body != mechanism::ground) continue;
    grounded = true;
    const bool known = std::any_of(out.pivots.begin(), out.pivots.end(),
                                   [&](const GroundPivot& p) { return (p.anchor.p - anchor->p).norm() <= apart; });
    if (!known) out.pivots.push_back({m.name(c.ref), *anchor});
  }
  if (type == "distance") {
    for (const Anchor* anchor : {&c.a, &c.b})
      if (anchor->body != mechanism::ground && !out.bodies[static_cast<std::size_t>(anchor->body)].particle)
        out.joints.push_back(*anchor);
  } else if (!grounded || slides) {
    out.joints.push_back(c.b.body == mechanism::ground ? c.a : c.b);
  }
}

double cross(const Eigen::Vector2d& o, const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  return (a.x() - o.x()) * (b.y() - o.y()) - (a.y() - o.y()) * (b.x() - o.x());
}

const char* sign(double value) { return value < 0 ? "−1" : "1"; }

// Area of the rectangle around the projected points.
double filled_area(const Camera& camera, const std::vector<Eigen::Vector3d>& points) {
  Eigen::AlignedBox2d box;
  for (const Eigen::Vector3d& p : points) box.extend(camera(p));
  if (box.isEmpty()) return 0;
  const Eigen::Vector2d size = box.sizes() + Eigen::Vector2d::Constant(1e-3 * box.sizes().maxCoeff());
  return size.prod();
}

}  // namespace

Skeleton make_skeleton(const Mechanism& m) {
  Skeleton out;
  out.dimension = m.dimension();
  const double apart = 1e-9 * m.characteristic_length();
  for (std::size_t k = 0; k < m.bodies().size(); ++k)
    out.bodies.push_back({static_cast<int>(k), m.name(m.bodies()[k].ref), m.bodies()[k].particle, {}});
  for (const Constraint& c : m.constraints())
    if (!c.over_several()) add_joint(m, c, apart, out);
  for (BodyShape& shape : out.bodies) {
    const Body& body = m.bodies()[static_cast<std::size_t>(shape.body)];
    const auto mark = [&](const std::string& name, const Eigen::Vector3d& at) {
      const Anchor anchor = on_body(shape.body, at - body.center);
      add_point(shape.points, anchor, apart);
      out.tracers.push_back({shape.name + "." + name, anchor});
    };
    for (const auto& p : body.points) mark(p.name, p.at);
    for (const auto& f : body.frames) mark(f.name, f.at);
  }
  out.has_points = !out.tracers.empty();
  if (!out.has_points)
    for (const BodyShape& shape : out.bodies)
      out.tracers.push_back(
          {shape.name, on_body(shape.body, -m.bodies()[static_cast<std::size_t>(shape.body)].center)});
  return out;
}

Eigen::Vector3d world_point(const Anchor& anchor, const Motions& motions, int dimension) {
  if (anchor.body == mechanism::ground) return anchor.p;
  if (dimension == 3) {
    const auto& m = motions.at3(anchor.body);
    return m.r + m.R * anchor.p;
  }
  const auto& m = motions.at2(anchor.body);
  return {m.r.x() + m.cos * anchor.p.x() - m.sin * anchor.p.y(), m.r.y() + m.sin * anchor.p.x() + m.cos * anchor.p.y(),
          0};
}

Camera choose_camera(const Mechanism& m, const std::vector<Eigen::Vector3d>& points) {
  if (m.dimension() == 2) return {};
  int axis = 2;
  if (m.model().gravity.norm() > 0) m.model().gravity.cwiseAbs().maxCoeff(&axis);
  const bool down = m.model().gravity[axis] > 0;
  const Eigen::Vector3d world_up = (down ? -1.0 : 1.0) * Eigen::Vector3d::Unit(axis);
  Camera best;
  double best_area = -1;
  for (const double first : {1.0, -1.0})
    for (const double second : {-1.0, 1.0}) {
      Eigen::Vector3d from = world_up;
      from[(axis + 1) % 3] = first;
      from[(axis + 2) % 3] = second;
      Camera camera;
      camera.right = world_up.cross(from).normalized();
      camera.up = from.cross(camera.right).normalized();
      camera.caption = fmt::format("isometric, seen from ({}, {}, {}), {}{} up", sign(from.x()), sign(from.y()),
                                   sign(from.z()), down ? "−" : "", "xyz"[axis]);
      const double area = filled_area(camera, points);
      if (area > best_area * (1 + 1e-6)) best = camera, best_area = area;
    }
  return best;
}

std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> points) {
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return a.x() != b.x() ? a.x() < b.x() : a.y() < b.y(); });
  if (points.size() < 3) return points;
  const double size = (points.back() - points.front()).norm();
  const double flat = 1e-9 * std::max(size * size, 1e-300);
  std::vector<Eigen::Vector2d> hull;
  for (int side = 0; side < 2; ++side) {
    const std::size_t base = hull.size();
    for (const Eigen::Vector2d& p : points) {
      while (hull.size() >= base + 2 && cross(hull[hull.size() - 2], hull.back(), p) <= flat) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

}  // namespace mortise::view
