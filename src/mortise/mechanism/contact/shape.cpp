#include "mortise/mechanism/contact/shape.h"

#include <limits>

#include "mortise/mechanism/contact/touches.h"

namespace mortise::mechanism {

double ContactShape::reach() const {
  switch (kind) {
    case ShapeKind::sphere:
      return radius;
    case ShapeKind::capsule:
      return radius + half_length;
    case ShapeKind::box:
      return flat ? half.head<2>().norm() : half.norm();
    case ShapeKind::plane:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

namespace {

void touch_in_order(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const bool round = a.shape.kind == ShapeKind::sphere;
  switch (b.shape.kind) {
    case ShapeKind::sphere:
      return touch_balls(a.p, a.shape.radius, b.p, b.shape.radius, 0, reach, out);
    case ShapeKind::capsule:
      return round ? touch_sphere_capsule(a, b, reach, out) : touch_capsules(a, b, reach, out);
    case ShapeKind::box:
      if (round) return touch_ball_box(a.p, a.shape.radius, b, 0, reach, out);
      if (a.shape.kind == ShapeKind::capsule) return touch_capsule_box(a, b, reach, out);
      return a.shape.flat ? touch_flat_boxes(a, b, reach, out) : touch_boxes(a, b, reach, out);
    case ShapeKind::plane:
      if (round) return touch_ball_plane(a.p, a.shape.radius, b, 0, reach, out);
      if (a.shape.kind == ShapeKind::box) return touch_box_plane(a, b, reach, out);
      if (a.shape.kind == ShapeKind::plane) return;
      for (const int end : {0, 1}) {
        const double s = end == 0 ? -a.shape.half_length : a.shape.half_length;
        touch_ball_plane(a.p + s * a.R.col(2), a.shape.radius, b, end, reach, out);
      }
  }
}

}  // namespace

void find_touches(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  out.count = 0;
  if (a.shape.kind <= b.shape.kind) return touch_in_order(a, b, reach, out);
  touch_in_order(b, a, reach, out);
  for (int k = 0; k < out.count; ++k) out.touches[static_cast<std::size_t>(k)].normal *= -1;
}

}  // namespace mortise::mechanism
