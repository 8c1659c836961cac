#include "mortise/view/scene_shapes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace mortise::view {

using mechanism::Body;
using mechanism::Mechanism;

namespace {

using Points = std::vector<Eigen::Vector3d>;

// Joint points and named points in the user's body frame.
Points marked_points(const Mechanism& m, const BodyShape& shape) {
  Points points;
  for (const Anchor& anchor : shape.points)
    points.push_back(anchor.p + m.bodies()[static_cast<std::size_t>(shape.body)].center);
  return points;
}

double diameter(const Points& points) {
  if (points.empty()) return 0;
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& p : points) box.extend(p);
  return box.diagonal().norm();
}

double bar_radius(double bar, double length) { return std::clamp(0.05 * bar, 0.012 * length, 0.04 * length); }

Shape rod_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b, double length) {
  Shape shape;
  shape.kind = Shape::Kind::rod;
  shape.points = {a, b};
  shape.size.x() = bar_radius((b - a).norm(), length);
  return shape;
}

Shape ball(const Eigen::Vector3d& at, double radius) {
  Shape shape;
  shape.at = at;
  shape.size.x() = radius;
  return shape;
}

// The plane through the points that fits best: its middle, and axes with the normal last; `flat`: they lie in it.
struct Fit {
  Eigen::Vector3d middle = Eigen::Vector3d::Zero();
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
  bool flat = false, straight = false;
};

Fit fit(const Points& points) {
  Fit out;
  for (const Eigen::Vector3d& p : points) out.middle += p / static_cast<double>(points.size());
  Eigen::Matrix3d spread = Eigen::Matrix3d::Zero();
  for (const Eigen::Vector3d& p : points) spread += (p - out.middle) * (p - out.middle).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(spread);
  const Eigen::Vector3d size = eigen.eigenvalues().cwiseMax(0).cwiseSqrt();
  out.axes << eigen.eigenvectors().col(2), eigen.eigenvectors().col(1),
      eigen.eigenvectors().col(2).cross(eigen.eigenvectors().col(1));
  out.straight = size[1] <= 1e-3 * size[2];
  out.flat = size[0] <= 1e-3 * size[2];
  return out;
}

Shape plate(const Points& points, const Fit& plane, double length) {
  std::vector<Eigen::Vector2d> flat;
  for (const Eigen::Vector3d& p : points) flat.emplace_back((plane.axes.transpose() * (p - plane.middle)).head<2>());
  Shape shape;
  shape.kind = Shape::Kind::plate;
  shape.at = plane.middle;
  shape.axes = Eigen::Quaterniond(plane.axes);
  shape.size.x() = bar_radius(diameter(points), length);
  for (const Eigen::Vector2d& p : convex_hull(flat)) shape.points.emplace_back(p.x(), p.y(), 0);
  return shape;
}

// The box of uniform density with this mass and inertia, as far as there is one.
Shape equal_box(const Body& body, int dimension, double length) {
  Shape shape;
  shape.kind = Shape::Kind::box;
  shape.at = body.center;
  const double least = 0.04 * length, most = length;
  const double mass = body.mass > 0 ? body.mass : 1;
  if (dimension == 2 || body.plane) {
    const double edge = std::clamp(std::sqrt(6 * body.inertia(2, 2) / mass), 4 * least, most);
    shape.size = {edge, edge, 4 * least};
    return shape;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(body.inertia);
  Eigen::Matrix3d axes = eigen.eigenvectors();
  if (axes.determinant() < 0) axes.col(2) *= -1;
  shape.axes = Eigen::Quaterniond(axes);
  const Eigen::Vector3d J = eigen.eigenvalues();
  for (int k = 0; k < 3; ++k)
    shape.size[k] = std::clamp(std::sqrt(std::max(0.0, 6 * (J.sum() - 2 * J[k]) / mass)), least, most);
  return shape;
}

std::vector<Shape> between_points(const Mechanism& m, const Body& body, const Points& points, double length) {
  std::vector<Shape> shapes;
  if (diameter(points) <= 1e-6 * length) {
    const Eigen::Vector3d from = points.empty() ? body.center : points.front();
    if ((from - body.center).norm() <= 0.02 * length) return {equal_box(body, m.dimension(), length)};
    shapes.push_back(rod_between(from, body.center, length));
    shapes.push_back(ball(body.center, 0.09 * length));
    return shapes;
  }
  const Fit plane = fit(points);
  if (points.size() == 2 || plane.straight) {
    const auto along = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
      return plane.axes.col(0).dot(a) < plane.axes.col(0).dot(b);
    };
    const auto [low, high] = std::minmax_element(points.begin(), points.end(), along);
    shapes.push_back(rod_between(*low, *high, length));
  } else if (plane.flat) {
    shapes.push_back(plate(points, plane, length));
  } else if (points.size() == 4) {
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = a + 1; b < 4; ++b) shapes.push_back(rod_between(points[a], points[b], length));
  } else {
    for (const Eigen::Vector3d& p : points) shapes.push_back(rod_between(plane.middle, p, length));
    shapes.push_back(ball(plane.middle, 2 * bar_radius(diameter(points), length)));
  }
  return shapes;
}

Shape disc(const Eigen::Vector3d& at, const Eigen::Matrix3d& axes, double radius) {
  Shape shape;
  shape.kind = Shape::Kind::cylinder;
  shape.at = at;
  shape.axes = Eigen::Quaterniond(axes);
  shape.size = {radius, 0.16 * radius, 0};
  return shape;
}

// Wheels and balls that joints speak of by their radii, at the joint's frames.
void add_wheels(const Mechanism& m, const std::vector<bool>& given, Scene& scene) {
  for (const mechanism::Constraint& c : m.constraints()) {
    if (c.driver || c.over_several()) continue;
    const model::Item& item = m.model().items[static_cast<std::size_t>(c.ref.item)];
    const model::ItemCopy copy(m.model(), item, c.ref.copy);
    const bool sphere = item.part->type.starts_with("rolling-sphere");
    const auto add = [&](const Anchor& anchor, double radius) {
      if (anchor.body == mechanism::ground || given[static_cast<std::size_t>(anchor.body)]) return;
      const Eigen::Vector3d at = anchor.p + m.bodies()[static_cast<std::size_t>(anchor.body)].center;
      scene.bodies[static_cast<std::size_t>(anchor.body)].shapes.push_back(sphere ? ball(at, radius)
                                                                                  : disc(at, anchor.E, radius));
    };
    if (copy.has("radius")) add(c.b, copy.number("radius"));
    if (copy.has("radius_first")) add(c.a, copy.number("radius_first"));
    if (copy.has("radius_second")) add(c.b, copy.number("radius_second"));
    if (copy.has("radii")) {
      const auto radii = copy.pair("radii");
      add(c.a, radii[0]);
      add(c.b, radii[1]);
    }
  }
}

// A tyre knows its centre and radius, and that it travels along x: in space its axis is taken to be y.
void add_tyres(const Mechanism& m, const std::vector<bool>& given, Scene& scene) {
  for (const mechanism::Force& force : m.forces()) {
    const model::Item& item = m.model().items[static_cast<std::size_t>(force.ref.item)];
    if (item.part->type != "tyre") continue;
    const model::ItemCopy copy(m.model(), item, force.ref.copy);
    const model::Attachment wheel = copy.attachment("body");
    const int body = m.find_body(wheel.body);
    const double radius = copy.number("radius", 0);
    if (body < 0 || given[static_cast<std::size_t>(body)] || !(radius > 0)) continue;
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    if (m.dimension() == 3) axes = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()).toRotationMatrix();
    Shape tyre = disc(point_on(m, body, wheel.point), axes, radius);
    tyre.size.y() = 0.5 * radius;
    scene.bodies[static_cast<std::size_t>(body)].shapes.push_back(tyre);
  }
}

}  // namespace

Eigen::Vector3d point_on(const Mechanism& m, int body, const std::string& point) {
  if (body < 0 || point.empty()) return Eigen::Vector3d::Zero();
  const Body& b = m.bodies()[static_cast<std::size_t>(body)];
  for (const auto& p : b.points)
    if (p.name == point) return p.at;
  for (const auto& f : b.frames)
    if (f.name == point) return f.at;
  return Eigen::Vector3d::Zero();
}

double typical_length(const Mechanism& m, const Skeleton& skeleton) {
  std::vector<double> sizes;
  for (const BodyShape& shape : skeleton.bodies) {
    const double size = diameter(marked_points(m, shape));
    if (size > 0) sizes.push_back(size);
  }
  if (sizes.empty()) return m.characteristic_length();
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

void add_shapes(const Mechanism& m, const Skeleton& skeleton, Scene& scene) {
  std::vector<bool> given;
  for (const SceneBody& body : scene.bodies) given.push_back(!body.shapes.empty());
  double heaviest = 0;
  for (const Body& body : m.bodies()) heaviest = std::max(heaviest, body.mass);
  std::vector<Points> spring_ends(scene.bodies.size());
  for (const SceneSpring& spring : scene.springs)
    for (std::size_t end = 0; end < 2; ++end)
      if (spring.bodies[end] >= 0) spring_ends[static_cast<std::size_t>(spring.bodies[end])].push_back(spring.at[end]);
  add_wheels(m, given, scene);
  add_tyres(m, given, scene);
  for (std::size_t k = 0; k < scene.bodies.size(); ++k) {
    if (given[k]) continue;
    std::vector<Shape>& shapes = scene.bodies[k].shapes;
    const Body& body = m.bodies()[k];
    if (body.particle) {
      shapes.push_back(ball({0, 0, 0}, scene.length * 0.1 * std::cbrt(heaviest > 0 ? body.mass / heaviest : 1)));
      continue;
    }
    Points points = marked_points(m, skeleton.bodies[k]);
    points.insert(points.end(), spring_ends[k].begin(), spring_ends[k].end());
    const bool wheel = !shapes.empty();
    if (!wheel || diameter(points) > 1e-6 * scene.length)
      for (Shape& shape : between_points(m, body, points, scene.length)) shapes.push_back(std::move(shape));
  }
}

}  // namespace mortise::view
