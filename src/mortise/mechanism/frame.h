// Frames carried by bodies: all that a joint or force sees of the bodies it connects.
//
// A body is known by the motion of its centre of mass and its rotation; an Anchor fixes a frame on it; a Frame2/Frame3
// is that frame at one instant, in world components. Kernels are templates on the scalar T.
#pragma once

#include <Eigen/Geometry>

#include "mortise/geometry/rotation.h"

namespace mortise::mechanism {

using geometry::Mat3;
using geometry::Vec2;
using geometry::Vec3;

constexpr int ground = -1;

// For what every joint does at every evaluation: left to itself the compiler makes calls of it.
#define MORTISE_INLINE [[gnu::always_inline]] inline

// Motion of a body at one instant, world components; ω and the velocity of the centre of mass included.
template <class T>
struct Motion2 {
  Vec2<T> r = Vec2<T>::Zero(), v = Vec2<T>::Zero();
  T angle{0}, cos{1}, sin{0}, w{0};
};

template <class T>
struct Motion3 {
  Vec3<T> r = Vec3<T>::Zero(), v = Vec3<T>::Zero(), w = Vec3<T>::Zero();
  Mat3<T> R = Mat3<T>::Identity();
};

// A frame fixed on a body: `p` from the centre of mass, axes as columns of E, both in body components.
struct Anchor {
  int body = ground;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();
  Eigen::Matrix3d E = Eigen::Matrix3d::Identity();
  double angle = 0;  // planar: of the x axis against the body's
};

// What of it counts in the plane: loops over many joints wait for memory.
struct PlanarAnchor {
  PlanarAnchor() = default;
  explicit PlanarAnchor(const Anchor& of)
      : p{of.p.x(), of.p.y()}, x{of.E(0, 0), of.E(1, 0)}, angle(of.angle), body(of.body) {}
  double p[2] = {}, x[2] = {1, 0}, angle = 0;
  int body = ground;
};

// Of a joint that sees points alone.
struct PlanarPoint {
  PlanarPoint() = default;
  explicit PlanarPoint(const Anchor& of) : p{of.p.x(), of.p.y()}, body(of.body) {}
  explicit operator PlanarAnchor() const {
    PlanarAnchor out;
    out.p[0] = p[0], out.p[1] = p[1], out.body = body;
    return out;
  }
  double p[2] = {};
  int body = ground;
};

// Turns a plane vector by +90°.
template <class T>
MORTISE_INLINE Vec2<T> perp(const Vec2<T>& a) {
  return {-a.y(), a.x()};
}

template <class T>
struct Frame2 {
  Vec2<T> p;  // position
  Vec2<T> d;  // arm from the centre of mass
  Vec2<T> x;  // x axis; the y axis is perp(x)
  Vec2<T> v;  // velocity of the point
  Vec2<T> c;  // centripetal acceleration −ω² d
  T angle;    // of the x axis, continuous over turns
  T w;        // angular velocity
};

template <class T>
struct Frame3 {
  Vec3<T> p, d, v, c;  // as above; c = ω×(ω×d)
  Vec3<T> w;           // angular velocity, world components
  Mat3<T> E;           // axes as columns
};

// `A`: a PlanarAnchor, or one whose numbers are of type T (mechanism/lanes.h).
template <class T, class A>
MORTISE_INLINE Frame2<T> carry(const A& anchor, const Motion2<T>& m) {
  // By components: a vector that is written in halves and then read as a whole keeps the processor waiting.
  Frame2<T> f;
  const T x = m.cos * T(anchor.p[0]) - m.sin * T(anchor.p[1]), y = m.sin * T(anchor.p[0]) + m.cos * T(anchor.p[1]);
  const T square = -m.w * m.w;
  f.d = {x, y};
  f.p = {m.r.x() + x, m.r.y() + y};
  f.x = {m.cos * T(anchor.x[0]) - m.sin * T(anchor.x[1]), m.sin * T(anchor.x[0]) + m.cos * T(anchor.x[1])};
  f.v = {m.v.x() - m.w * y, m.v.y() + m.w * x};
  f.c = {square * x, square * y};
  f.angle = m.angle + T(anchor.angle);
  f.w = m.w;
  return f;
}

template <class T>
MORTISE_INLINE Frame2<T> carry(const PlanarPoint& point, const Motion2<T>& m) {
  return carry(PlanarAnchor(point), m);
}

template <class T>
MORTISE_INLINE Frame2<T> carry(const Anchor& anchor, const Motion2<T>& m) {
  return carry(PlanarAnchor(anchor), m);
}

template <class T, class A>
MORTISE_INLINE Frame3<T> carry(const A& anchor, const Motion3<T>& m) {
  Frame3<T> f;
  f.d = m.R * anchor.p.template cast<T>();
  f.p = m.r + f.d;
  const Vec3<T> wd = m.w.cross(f.d);
  f.v = m.v + wd;
  f.c = m.w.cross(wd);
  f.w = m.w;
  f.E = m.R * anchor.E.template cast<T>();
  return f;
}

}  // namespace mortise::mechanism
