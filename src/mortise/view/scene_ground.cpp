#include "mortise/view/scene_ground.h"

#include <cmath>

#include "mortise/mechanism/contact/contact_set.h"

namespace mortise::view {

using mechanism::PlacedShape;
using mechanism::ShapeKind;

namespace {

// The part of a plane above which the bodies move, with a margin. The third axis of the plane is its normal, outwards.
Shape slab(const PlacedShape& plane, const Eigen::AlignedBox3d& room, const Scene& scene) {
  Shape out;
  out.kind = Shape::Kind::box;
  out.axes = Eigen::Quaterniond(plane.R);
  Eigen::AlignedBox3d along;  // in the axes of the plane
  for (int k = 0; k < 8; ++k)
    along.extend(plane.R.transpose() * (room.corner(static_cast<Eigen::AlignedBox3d::CornerType>(k)) - plane.p));
  const double thick = 0.03 * scene.length, margin = 0.1 * room.diagonal().norm() + 0.1 * scene.length;
  out.size = along.sizes() + Eigen::Vector3d::Constant(2 * margin);
  out.size.z() = thick;
  Eigen::Vector3d middle = along.center();
  middle.z() = -0.5 * thick;
  out.at = plane.p + plane.R * middle;
  if (scene.dimension == 2)  // across the picture as deep as the bodies are drawn
    for (int axis = 0; axis < 2; ++axis)
      if (std::abs(plane.R(2, axis)) > 0.5) out.size[axis] = 0.3 * scene.length;
  return out;
}

Shape solid(const PlacedShape& placed) {
  Shape out;
  out.at = placed.p;
  out.axes = Eigen::Quaterniond(placed.R);
  out.kind = placed.shape.kind == ShapeKind::box       ? Shape::Kind::box
             : placed.shape.kind == ShapeKind::capsule ? Shape::Kind::capsule
                                                       : Shape::Kind::sphere;
  if (out.kind == Shape::Kind::box)
    out.size = 2 * placed.shape.half;
  else
    out.size = {placed.shape.radius, 2 * placed.shape.half_length, 0};
  return out;
}

}  // namespace

void add_ground(const mechanism::Mechanism& m, const std::vector<Eigen::AlignedBox3d>& reach, Scene& scene) {
  for (const mechanism::Force& force : m.forces()) {
    const std::string& type = m.model().items[static_cast<std::size_t>(force.ref.item)].part->type;
    if (!type.starts_with("contact-")) continue;
    const mechanism::ContactGround ground = mechanism::contact_ground(m, force.ref);
    Eigen::AlignedBox3d room;
    for (const int body : ground.bodies) room.extend(reach[static_cast<std::size_t>(body)]);
    for (const PlacedShape& shape : ground.shapes) {
      if (shape.shape.kind != ShapeKind::plane) {
        scene.ground.push_back(solid(shape));
        if (scene.dimension == 2 && scene.ground.back().kind == Shape::Kind::box)
          scene.ground.back().size.z() = 0.3 * scene.length;
        continue;
      }
      const bool wall = scene.dimension == 3 && shape.R.col(2).dot(scene.up) < 0.3;
      if (!wall && !room.isEmpty()) scene.ground.push_back(slab(shape, room, scene));
    }
  }
}

}  // namespace mortise::view
