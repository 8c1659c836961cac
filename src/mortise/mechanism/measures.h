// Scalars of two frames that a joint can hold and a driver can prescribe: a length, a displacement, an angle, a
// coordinate. Each is a kernel of one row φ = value; `Held` subtracts a number, `Driven` a function of time.
#pragma once

#include <cmath>

#include "mortise/mechanism/group.h"

namespace mortise::mechanism {

// |p_b − p_a|
struct Length2 {
  static constexpr int dimension = 2;
  static constexpr RowInfo row{"length"};
  bool operator==(const Length2&) const = default;
  template <class T, int N>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    length(out, 0, a, b);
  }
};

struct Length3 {
  static constexpr int dimension = 3;
  static constexpr RowInfo row{"length"};
  bool operator==(const Length3&) const = default;
  template <class T, int N>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, N>& out) const {
    length(out, 0, a, b);
  }
};

// Displacement along the axis of frame a.
struct Along2 {
  static constexpr int dimension = 2;
  static constexpr RowInfo row{"along"};
  bool operator==(const Along2&) const = default;
  template <class T, int N>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    separation_along(out, 0, a, b, a.x);
  }
};

struct Along3 {
  static constexpr int dimension = 3;
  static constexpr RowInfo row{"along"};
  bool operator==(const Along3&) const = default;
  template <class T, int N>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, N>& out) const {
    separation_along(out, 0, a, b, Vec3<T>(a.E.col(2)));
  }
};

// Angle of frame b against frame a; planar: continuous over turns; spatial: about a's z axis, within half a turn of
// what it is compared with.
struct Turn2 {
  static constexpr int dimension = 2;
  static constexpr RowInfo row{"turn", gauss::RowKind::holonomic, gauss::RowUnit::angle};
  bool operator==(const Turn2&) const = default;
  template <class T, int N>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    turn(out, 0, a, b);
  }
};

struct Turn3 {
  static constexpr int dimension = 3;
  static constexpr RowInfo row{"turn", gauss::RowKind::holonomic, gauss::RowUnit::angle};
  bool operator==(const Turn3&) const = default;
  template <class T, int N>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, N>& out) const {
    turn(out, 0, a, b);
  }
};

// A world coordinate of a point: 0, 1, 2 for x, y, z.
struct Coordinate2 {
  static constexpr int dimension = 2;
  static constexpr RowInfo row{"coordinate"};
  bool operator==(const Coordinate2&) const = default;
  int axis = 0;
  template <class T, int N>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, N>& out) const {
    separation(out, 0, a, b, Vec2<T>(Vec2<T>::Unit(axis)));
  }
};

struct Coordinate3 {
  static constexpr int dimension = 3;
  static constexpr RowInfo row{"coordinate"};
  bool operator==(const Coordinate3&) const = default;
  int axis = 0;
  template <class T, int N>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, Rows3<T, N>& out) const {
    separation(out, 0, a, b, Vec3<T>(Vec3<T>::Unit(axis)));
  }
};

// A component of the relative angular velocity in world axes: a rate only, there is no angle behind it.
struct Spin3 {
  static constexpr int dimension = 3;
  static constexpr RowInfo row{"spin", gauss::RowKind::nonholonomic, gauss::RowUnit::angular_speed};
  bool operator==(const Spin3&) const = default;
  int axis = 0;
  template <class T, int N>
  void operator()(const Frame3<T>&, const Frame3<T>&, Rows3<T, N>& out) const {
    out.phi[0] = out.time[0] = out.bias[0] = T(0);
    out.a.r[0].setZero();
    out.b.r[0].setZero();
    out.a.w[0] = -Vec3<T>::Unit(axis);
    out.b.w[0] = Vec3<T>::Unit(axis);
  }
};

namespace detail {
// An angle in space is known up to full turns: compare it on the nearest one.
template <class Measure, class T>
T nearest_turn(T difference) {
  if constexpr (std::is_same_v<Measure, Turn3>)
    return nearest_to_zero(difference, 2 * M_PI);
  else
    return difference;
}
}  // namespace detail

template <class Measure, class Number = double>
struct Held {
  static constexpr int dimension = Measure::dimension, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{Measure::row}};
  Measure measure;
  Number value{0};
  template <class Frame, class Row>
  void operator()(const Frame& a, const Frame& b, Row& out) const {
    measure(a, b, out);
    out.phi[0] = detail::nearest_turn<Measure>(out.phi[0] - value);
  }
  bool like(const Held& other) const { return measure == other.measure; }
  template <class Get>
  Held<Measure, Pack> in_lanes(const Get& get) const {
    return {measure, get(&Held::value)};
  }
};

template <class Measure>
struct Driven {
  static constexpr int dimension = Measure::dimension, rows = 1;
  static constexpr bool driven = true;
  static constexpr std::array<RowInfo, 1> info{{Measure::row}};
  Measure measure;
  bool operator==(const Driven&) const = default;
  template <class Frame, class T, class Row>
  void operator()(const Frame& a, const Frame& b, const formula::Jet<T>& f, Row& out) const {
    measure(a, b, out);
    out.phi[0] = detail::nearest_turn<Measure>(out.phi[0] - f.value);
    out.time[0] -= f.first;
    out.bias[0] -= f.second;
  }
};

}  // namespace mortise::mechanism
