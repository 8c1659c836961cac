// The coordinate of two frames that a scalar force acts on, with its rate, and how the force enters a Load.
//
//   angle         of b against a about a's z axis       torque s on b about the axis
//   displacement  of b along a's axis, u·(p_b − p_a)     force s u on b
//   length        |p_b − p_a|                            force s u on b, u along the line
//
// s pushes towards larger values; its power is s times the rate.
#pragma once

#include <cmath>

#include "mortise/mechanism/builder.h"

namespace mortise::mechanism {

template <int Dimension>
struct JointCoordinate {
  using Kind = Builder::Coordinate;
  template <class T>
  using Vec = Eigen::Matrix<T, Dimension, 1>;
  Kind kind = Kind::angle;

  template <class T>
  struct Value {
    T x, rate;
    Vec<T> direction;  // of the force, or of the torque (spatial)
  };

  template <template <class> class FrameOf, class T>
  Value<T> measure(const FrameOf<T>& a, const FrameOf<T>& b) const {
    using std::atan2;
    Value<T> out;
    if (kind == Kind::length) {
      const Vec<T> s = b.p - a.p;
      out.x = s.norm();
      out.direction = s / out.x;
      out.rate = out.direction.dot(b.v - a.v);
    } else if constexpr (Dimension == 2) {
      out.direction = a.x;
      if (kind == Kind::angle) {
        out.x = b.angle - a.angle;
        out.rate = b.w - a.w;
      } else {
        out.x = a.x.dot(b.p - a.p);
        out.rate = a.x.dot(b.v - a.v) + a.w * perp(a.x).dot(b.p - a.p);
      }
    } else {
      out.direction = a.E.col(2);
      if (kind == Kind::angle) {
        out.x = atan2(a.E.col(1).dot(b.E.col(0)), a.E.col(0).dot(b.E.col(0)));
        out.rate = out.direction.dot(b.w - a.w);
      } else {
        out.x = out.direction.dot(b.p - a.p);
        out.rate = out.direction.dot(b.v - a.v) + a.w.cross(out.direction).dot(b.p - a.p);
      }
    }
    return out;
  }

  template <class T>
  void push(const Value<T>& at, const T& s, Load<Dimension, T>& out) const {
    if (kind != Kind::angle)
      out.force = s * at.direction;
    else if constexpr (Dimension == 2)
      out.torque = s;
    else
      out.torque = s * at.direction;
    out.value = s;
    out.coordinate = at.x;
    out.rate = at.rate;
  }
};

}  // namespace mortise::mechanism
