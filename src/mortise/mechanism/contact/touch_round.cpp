// Balls against balls, planes and boxes, and capsules, which are the union of the balls along a segment: each of those
// is a constraint of its own. The nearest pair is always among the touches; where capsules lie along one another or on
// a face, the balls at their ends join in, so that they rest without rocking.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "mortise/mechanism/contact/touches.h"

namespace mortise::mechanism {

using Eigen::Vector3d;

void touch_balls(const Vector3d& a, double radius_a, const Vector3d& b, double radius_b, int feature, double reach,
                 Manifold& out) {
  const Vector3d between = b - a;
  const double distance = between.norm(), gap = distance - radius_a - radius_b;
  if (!(gap <= reach)) return;
  Touch touch;
  touch.normal = distance > 1e-12 * (radius_a + radius_b) ? Vector3d(between / distance) : Vector3d::UnitY();
  touch.point = a + (radius_a + 0.5 * gap) * touch.normal;
  touch.gap = gap;
  touch.feature = feature;
  out.add(touch);
}

void touch_ball_plane(const Vector3d& centre, double radius, const PlacedShape& plane, int feature, double reach,
                      Manifold& out) {
  const Vector3d n = plane.R.col(2);
  const double gap = n.dot(centre - plane.p) - radius;
  if (!(gap <= reach)) return;
  out.add({centre - (radius + 0.5 * gap) * n, -n, gap, feature});
}

void touch_ball_box(const Vector3d& centre, double radius, const PlacedShape& box, int feature, double reach,
                    Manifold& out) {
  const int sides = box.shape.flat ? 2 : 3;
  const Vector3d& half = box.shape.half;
  const Vector3d c = box.R.transpose() * (centre - box.p);
  Vector3d nearest = c;
  bool inside = true;
  for (int i = 0; i < sides; ++i) {
    nearest[i] = std::clamp(c[i], -half[i], half[i]);
    inside = inside && std::abs(c[i]) < half[i];
  }
  Touch touch;
  if (inside) {
    int face = 0;
    for (int i = 1; i < sides; ++i)
      if (half[i] - std::abs(c[i]) < half[face] - std::abs(c[face])) face = i;
    const double sign = c[face] < 0 ? -1 : 1;
    nearest[face] = sign * half[face];
    touch.normal = -sign * box.R.col(face);
    touch.gap = -(half[face] - std::abs(c[face])) - radius;
  } else {
    const Vector3d away = nearest - c;
    const double distance = away.norm();
    touch.gap = distance - radius;
    if (distance > 1e-12 * box.shape.reach()) {
      touch.normal = box.R * (away / distance);
    } else {  // the centre lies on the surface
      int face = 0;
      for (int i = 1; i < sides; ++i)
        if (std::abs(c[i]) - half[i] > std::abs(c[face]) - half[face]) face = i;
      touch.normal = (c[face] < 0 ? 1.0 : -1.0) * box.R.col(face);
    }
  }
  if (!(touch.gap <= reach)) return;
  touch.point = 0.5 * (box.p + box.R * nearest + centre + radius * touch.normal);
  touch.feature = feature;
  out.add(touch);
}

void touch_sphere_capsule(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const Vector3d d = b.R.col(2);
  const double s = std::clamp(d.dot(a.p - b.p), -b.shape.half_length, b.shape.half_length);
  touch_balls(a.p, a.shape.radius, b.p + s * d, b.shape.radius, 0, reach, out);
}

void nearest_on_segments(const Vector3d& ca, const Vector3d& da, double ha, const Vector3d& cb, const Vector3d& db,
                         double hb, double& s, double& t) {
  const Vector3d r = cb - ca;
  const double c = da.dot(db), ra = da.dot(r), rb = db.dot(r), sine2 = 1 - c * c;
  if (sine2 > 1e-12) {
    s = std::clamp((ra - c * rb) / sine2, -ha, ha);
  } else {
    const double lower = std::max(-ha, ra - hb), upper = std::min(ha, ra + hb);
    s = std::clamp(0.5 * (lower + upper), -ha, ha);
  }
  t = std::clamp(c * s - rb, -hb, hb);
  s = std::clamp(c * t + ra, -ha, ha);
}

void touch_capsules(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const Vector3d da = a.R.col(2), db = b.R.col(2);
  const double ha = a.shape.half_length, hb = b.shape.half_length;
  double s, t;
  nearest_on_segments(a.p, da, ha, b.p, db, hb, s, t);
  touch_balls(a.p + s * da, a.shape.radius, b.p + t * db, b.shape.radius, 0, reach, out);
  constexpr double aligned = 0.2;  // sine of the angle below which ends count too
  if (out.count == 0 || da.cross(db).norm() > aligned) return;
  for (const int end : {0, 1}) {
    const double own = end == 0 ? -ha : ha;
    const Vector3d p = a.p + own * da;
    const double other = std::clamp(db.dot(p - b.p), -hb, hb);
    if (own != s) touch_balls(p, a.shape.radius, b.p + other * db, b.shape.radius, 1 + end, reach, out);
  }
  for (const int end : {0, 1}) {
    const double own = end == 0 ? -hb : hb;
    const Vector3d p = b.p + own * db;
    const double other = std::clamp(da.dot(p - a.p), -ha, ha);
    if (own != t) touch_balls(a.p + other * da, a.shape.radius, p, b.shape.radius, 3 + end, reach, out);
  }
}

namespace {

// The parameter at which the segment c + s d, |s| ≤ h (box axes), is nearest to the box: the slope of the squared
// distance is piecewise linear and rises; of a range of zeros the middle.
double nearest_to_box(const Vector3d& c, const Vector3d& d, double h, const Vector3d& half, int sides) {
  const auto slope = [&](double s) {
    double sum = 0;
    for (int i = 0; i < sides; ++i) {
      const double x = c[i] + s * d[i];
      sum += (x - std::clamp(x, -half[i], half[i])) * d[i];
    }
    return sum;
  };
  std::array<double, 8> knots{-h, h};
  std::size_t count = 2;
  for (int i = 0; i < sides; ++i)
    for (const double edge : {-half[i], half[i]})
      if (d[i] != 0)
        if (const double s = (edge - c[i]) / d[i]; std::abs(s) < h) knots[count++] = s;
  std::sort(knots.begin(), knots.begin() + static_cast<std::ptrdiff_t>(count));
  const double tiny = 1e-14 * (half.norm() + h);
  double low = -h, high = h, from = h, to = -h;  // last knot below zero, first above; first and last at zero
  for (std::size_t k = 0; k < count; ++k) {
    const double value = slope(knots[k]);
    if (value < -tiny) low = knots[k];
    if (std::abs(value) <= tiny) from = std::min(from, knots[k]), to = std::max(to, knots[k]);
    if (value > tiny) high = std::min(high, knots[k]);
  }
  if (from <= to) return 0.5 * (from + to);
  const double a = slope(low), b = slope(high);
  return b > a ? std::clamp(low - a * (high - low) / (b - a), low, high) : low;
}

}  // namespace

void touch_capsule_box(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out) {
  const int sides = b.shape.flat ? 2 : 3;
  const Vector3d& half = b.shape.half;
  const Vector3d c = b.R.transpose() * (a.p - b.p), d = b.R.transpose() * a.R.col(2);
  const double h = a.shape.half_length, radius = a.shape.radius;
  const double s = nearest_to_box(c, d, h, half, sides);
  const Vector3d nearest = c + s * d;
  bool deep = true;
  for (int i = 0; i < sides; ++i) deep = deep && std::abs(nearest[i]) < half[i];
  if (deep) {
    // The segment itself is inside: out through the face that needs the least way.
    int face = 0;
    double least = 0, sign = 1;
    for (int i = 0; i < sides; ++i)
      for (const double side : {1.0, -1.0})
        if (const double way = half[i] - side * c[i] + h * std::abs(d[i]); (i == 0 && side > 0) || way < least)
          least = way, face = i, sign = side;
    const double end = sign * d[face] > 0 ? -h : h;
    const Vector3d inner = c + end * d;
    Vector3d surface = inner;
    surface[face] = sign * half[face];
    const Vector3d n = -sign * b.R.col(face);
    out.add({0.5 * (b.p + b.R * (surface + inner) + b.p + radius * n), n, -least - radius, 0});
    return;
  }
  touch_ball_box(b.p + b.R * nearest, radius, b, 0, reach, out);
  if (out.count == 0) return;
  for (const int end : {0, 1}) {
    const double own = end == 0 ? -h : h;
    if (own != s) touch_ball_box(b.p + b.R * (c + own * d), radius, b, 1 + end, reach, out);
  }
}

}  // namespace mortise::mechanism
