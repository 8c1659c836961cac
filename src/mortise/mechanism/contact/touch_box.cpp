// Boxes against planes and boxes.
//
// Two boxes: of all separating axes (the faces of both, in space the products of their edges) the one of the largest
// separation, or the least overlap, is the normal (Gottschalk, Lin, Manocha, SIGGRAPH 1996: these axes are enough). At
// a face, the face of the other box that looks at it is clipped by the sides of the first (Sutherland and Hodgman): up
// to eight points. At two edges there is one point. Where boxes are apart and their nearest parts lie beside the face,
// these are looked for among all corners and edges and join in.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "mortise/mechanism/contact/touches.h"

namespace mortise::mechanism {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

Vector3d corner(const PlacedShape& box, int k) {
  Vector3d x = box.p;
  for (int i = 0; i < (box.shape.flat ? 2 : 3); ++i)
    x += ((k >> i & 1) ? 1.0 : -1.0) * box.shape.half[i] * box.R.col(i);
  return x;
}

}  // namespace

void touch_box_plane(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const Vector3d n = b.R.col(2);
  const int corners = a.shape.flat ? 4 : 8;
  for (int k = 0; k < corners; ++k) {
    const Vector3d x = corner(a, k);
    const double gap = n.dot(x - b.p);
    if (gap <= reach) out.add({x - 0.5 * gap * n, -n, gap, k});
  }
}

namespace {

double extent(const PlacedShape& box, const Vector3d& along) {
  double sum = 0;
  for (int i = 0; i < (box.shape.flat ? 2 : 3); ++i) sum += box.shape.half[i] * std::abs(along.dot(box.R.col(i)));
  return sum;
}

struct Corner {
  Vector3d x;
  int id = 0;
};

// A convex polygon of few corners (a segment in the plane) that planes cut.
struct Polygon {
  std::array<Corner, 12> corners;
  int count = 0;
  bool closed = true;

  void add(const Corner& c) { corners[static_cast<std::size_t>(count++)] = c; }
  const Corner& operator[](int k) const { return corners[static_cast<std::size_t>(k)]; }

  // Keeps what lies where n·x ≤ d. A cut makes two corners at most: one enters, one leaves.
  void cut(const Vector3d& n, double d, int number) {
    Polygon out;
    out.closed = closed;
    for (int k = 0; k < count; ++k) {
      const Corner &from = (*this)[k], &to = (*this)[(k + 1) % count];
      const double f = n.dot(from.x) - d, t = n.dot(to.x) - d;
      if (f <= 0) out.add(from);
      if (!closed && k + 1 == count) break;
      if ((f < 0 && t > 0) || (f > 0 && t < 0))
        out.add({from.x + f / (f - t) * (to.x - from.x), 4 + 2 * number + (f > 0)});
    }
    *this = out;
  }
};

// The face `axis` of `of`, on the side `sign`, against one face of `other`, clipped. `first`: `of` is the first.
// Returns the least gap.
double clip_face(const PlacedShape& of, const PlacedShape& other, int axis, double sign, int facing, bool first,
                 double reach, Manifold& out) {
  const bool flat = of.shape.flat;
  const int sides = flat ? 2 : 3;
  const Vector3d n = sign * of.R.col(axis);
  const double side = n.dot(other.R.col(facing)) > 0 ? -1 : 1;
  const Vector3d centre = other.p + side * other.shape.half[facing] * other.R.col(facing);
  const int u = (facing + 1) % sides;
  const Vector3d x = other.shape.half[u] * other.R.col(u);
  Polygon polygon;
  if (flat) {
    polygon.closed = false;
    polygon.add({centre - x, 0});
    polygon.add({centre + x, 1});
  } else {
    const int v = (facing + 2) % 3;
    const Vector3d y = other.shape.half[v] * other.R.col(v);
    polygon.add({centre - x - y, 0});
    polygon.add({centre + x - y, 1});
    polygon.add({centre + x + y, 2});
    polygon.add({centre - x + y, 3});
  }
  int number = 0;
  for (int i = 0; i < sides; ++i) {
    if (i == axis) continue;
    for (const double way : {1.0, -1.0}) {
      const Vector3d outwards = way * of.R.col(i);
      polygon.cut(outwards, outwards.dot(of.p) + of.shape.half[i], number++);
    }
  }
  const double level = n.dot(of.p) + of.shape.half[axis];
  const int face = 2 * axis + (sign > 0) + (first ? 0 : 6);
  double least = 1e300;
  for (int k = 0; k < polygon.count; ++k) {
    const double gap = n.dot(polygon[k].x) - level;
    least = std::min(least, gap);
    if (gap <= reach) out.add({polygon[k].x - 0.5 * gap * n, first ? n : Vector3d(-n), gap, 16 * face + polygon[k].id});
  }
  return least;
}

// With the face of `other` that looks at it most; where its deepest corner lies beside the face, with the next ones.
void touch_at_face(const PlacedShape& of, const PlacedShape& other, int axis, double sign, double separation,
                   bool first, double reach, Manifold& out) {
  const int sides = of.shape.flat ? 2 : 3;
  const Vector3d n = sign * of.R.col(axis);
  std::array<int, 3> faces{0, 1, 2};
  const auto looks = [&](int i) { return std::abs(n.dot(other.R.col(i))); };
  if (looks(1) > looks(0)) std::swap(faces[0], faces[1]);
  if (sides == 3 && looks(faces[2]) > looks(faces[1])) std::swap(faces[1], faces[2]);
  if (looks(faces[1]) > looks(faces[0])) std::swap(faces[0], faces[1]);
  for (int k = 0; k < sides; ++k) {
    const double least = clip_face(of, other, axis, sign, faces[static_cast<std::size_t>(k)], first, reach, out);
    if (least <= (separation < 0 ? 0.5 * separation : reach)) return;
  }
}

struct Axis {
  double separation = -1e300;
  int face = 0;
  double sign = 1;
};

// The face of `of` that separates most.
Axis best_face(const PlacedShape& of, const PlacedShape& other) {
  Axis best;
  const Vector3d between = other.p - of.p;
  for (int i = 0; i < (of.shape.flat ? 2 : 3); ++i) {
    const Vector3d n = of.R.col(i);
    const double along = n.dot(between), separation = std::abs(along) - of.shape.half[i] - extent(other, n);
    if (separation > best.separation) best = {separation, i, along < 0 ? -1.0 : 1.0};
  }
  return best;
}

// The nearest points of two boxes that are apart by no more than `reach`: a corner of one and the other box, or an edge
// of each. Added where they are nearer than all that is known.
void touch_nearest(const PlacedShape& a, const PlacedShape& b, double separation, double reach, Manifold& out) {
  constexpr int feature = 16 * 12 + 9;
  double least = reach;
  for (int k = 0; k < out.count; ++k) least = std::min(least, out[k].gap);
  if (least <= separation + 1e-9 * (a.shape.reach() + b.shape.reach())) return;
  const bool flat = a.shape.flat;
  Manifold one;
  Touch best;
  best.gap = least;
  const auto better = [&](double sign) {
    if (one.count > 0 && one[0].gap < best.gap) best = one[0], best.normal *= sign, best.feature = feature;
  };
  for (int k = 0; k < (flat ? 4 : 8); ++k) {
    one.count = 0;
    touch_ball_box(corner(a, k), 0, b, 0, best.gap, one);
    better(1);
    one.count = 0;
    touch_ball_box(corner(b, k), 0, a, 0, best.gap, one);
    better(-1);
  }
  if (!flat)
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) {
        const int u = i / 4, v = j / 4;  // the edge's direction; which of four by the signs of the others
        Vector3d ca = a.p, cb = b.p;
        for (int w = 1; w < 3; ++w) {
          ca += ((i >> (w - 1) & 1) ? 1.0 : -1.0) * a.shape.half[(u + w) % 3] * a.R.col((u + w) % 3);
          cb += ((j >> (w - 1) & 1) ? 1.0 : -1.0) * b.shape.half[(v + w) % 3] * b.R.col((v + w) % 3);
        }
        double s, t;
        nearest_on_segments(ca, a.R.col(u), a.shape.half[u], cb, b.R.col(v), b.shape.half[v], s, t);
        one.count = 0;
        touch_balls(ca + s * a.R.col(u), 0, cb + t * b.R.col(v), 0, 0, best.gap, one);
        better(1);
      }
  if (best.gap < least) out.add(best);
}

void touch_at_edges(const PlacedShape& a, const PlacedShape& b, int i, int j, const Vector3d& n, double separation,
                    Manifold& out) {
  Vector3d pa = a.p, pb = b.p;
  for (int k = 0; k < 3; ++k) {
    if (k != i) pa += (n.dot(a.R.col(k)) > 0 ? 1.0 : -1.0) * a.shape.half[k] * a.R.col(k);
    if (k != j) pb -= (n.dot(b.R.col(k)) > 0 ? 1.0 : -1.0) * b.shape.half[k] * b.R.col(k);
  }
  double s, t;
  nearest_on_segments(pa, a.R.col(i), a.shape.half[i], pb, b.R.col(j), b.shape.half[j], s, t);
  const Vector3d xa = pa + s * a.R.col(i), xb = pb + t * b.R.col(j), between = xb - xa;
  // At an end of an edge: other parts are nearer.
  if (separation > 0 && between.norm() > 1.000001 * separation) return;
  out.add({0.5 * (xa + xb), n, separation, 16 * 12 + 3 * i + j});
}

}  // namespace

void touch_flat_boxes(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const Axis own = best_face(a, b), other = best_face(b, a);
  if (std::max(own.separation, other.separation) > reach) return;
  const double tie = 1e-9 * (a.shape.reach() + b.shape.reach());
  if (own.separation >= other.separation - tie)
    touch_at_face(a, b, own.face, own.sign, own.separation, true, reach, out);
  else
    touch_at_face(b, a, other.face, other.sign, other.separation, false, reach, out);
  if (const double apart = std::max(own.separation, other.separation); apart > 0)
    touch_nearest(a, b, apart, reach, out);
}

void touch_boxes(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const Axis own = best_face(a, b), other = best_face(b, a);
  const double face = std::max(own.separation, other.separation);
  if (face > reach) return;
  const Vector3d between = b.p - a.p;
  double edges = -1e300;
  int best_i = 0, best_j = 0;
  Vector3d normal = Vector3d::UnitY();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      Vector3d n = a.R.col(i).cross(b.R.col(j));
      const double length = n.norm();
      if (length < 1e-6) continue;  // parallel: faces say the same
      n /= length;
      if (n.dot(between) < 0) n = -n;
      const double separation = n.dot(between) - extent(a, n) - extent(b, n);
      if (separation > edges) edges = separation, best_i = i, best_j = j, normal = n;
    }
  if (edges > reach) return;
  const double tie = 1e-9 * (a.shape.reach() + b.shape.reach());
  if (edges > face + tie)
    touch_at_edges(a, b, best_i, best_j, normal, edges, out);
  else if (own.separation >= other.separation - tie)
    touch_at_face(a, b, own.face, own.sign, own.separation, true, reach, out);
  else
    touch_at_face(b, a, other.face, other.sign, other.separation, false, reach, out);
  if (const double apart = std::max(face, edges); apart > 0) touch_nearest(a, b, apart, reach, out);
}

}  // namespace mortise::mechanism
