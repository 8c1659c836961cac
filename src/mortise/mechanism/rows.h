// Constraint rows as joints write them, and the few primitives of which all of them are made.
//
// A row k between frame a (on the first body) and frame b (on the second) is
//
//     φ_k = 0,     Σ_{s=a,b} ( r_s·v_s + w_s·ω_s ) + time_k = 0,     Σ_s ( r_s·v̇_s + w_s·ω̇_s ) + bias_k = 0,
//
// with v the velocity of the centre of mass and ω the angular velocity, all in world components. `bias` holds every
// term of φ̈ (or of the time derivative of a velocity row) that is free of accelerations, explicit time included, so
// that b = −bias. The carrier of a frame turns these columns into those of its velocity block. Source:
// specs/formulations.md §2, joint rows.
#pragma once

#include <array>
#include <cmath>

#include "mortise/mechanism/frame.h"

namespace mortise::mechanism {

template <class T, int N>
struct Rows2 {
  struct Side {
    std::array<Vec2<T>, N> r;
    std::array<T, N> w;
  };
  std::array<T, N> phi, time, bias;
  Side a, b;
};

template <class T, int N>
struct Rows3 {
  struct Side {
    std::array<Vec3<T>, N> r, w;
  };
  std::array<T, N> phi, time, bias;
  Side a, b;
};

// An angle in space is known up to full turns, what is geared to one up to its share of a turn: the value nearest to
// zero. A row that is compared so is continuous over any number of turns, without memory.
template <class T>
T nearest_to_zero(const T& value, double period) {
  using std::floor;
  return value - T(period) * floor(value / T(period) + T(0.5));
}

// out_k = f·(row i of x) + g·(row j of y): for rows that are sums of others.
template <class Rows, class X, class Y, class T>
void combine(Rows& out, int k, const T& f, const X& x, int i, const T& g, const Y& y, int j) {
  out.phi[k] = f * x.phi[i] + g * y.phi[j];
  out.time[k] = f * x.time[i] + g * y.time[j];
  out.bias[k] = f * x.bias[i] + g * y.bias[j];
  out.a.r[k] = f * x.a.r[i] + g * y.a.r[j];
  out.a.w[k] = f * x.a.w[i] + g * y.a.w[j];
  out.b.r[k] = f * x.b.r[i] + g * y.b.r[j];
  out.b.w[k] = f * x.b.w[i] + g * y.b.w[j];
}

// ---- planar
// -----------------------------------------------------------------------------------------------------------

// e·(p_b − p_a) = 0 with e fixed in the world.
template <class T, int N>
MORTISE_INLINE void separation(Rows2<T, N>& out, int k, const Frame2<T>& a, const Frame2<T>& b, const Vec2<T>& e) {
  out.phi[k] = e.dot(b.p - a.p);
  out.time[k] = T(0);
  out.bias[k] = e.dot(b.c - a.c);
  out.a.r[k] = -e;
  out.b.r[k] = e;
  out.a.w[k] = -e.dot(perp(a.d));
  out.b.w[k] = e.dot(perp(b.d));
}

// u·(p_b − p_a) = 0 with u carried by a.
template <class T, int N>
void separation_along(Rows2<T, N>& out, int k, const Frame2<T>& a, const Frame2<T>& b, const Vec2<T>& u) {
  const Vec2<T> s = b.p - a.p, sdot = b.v - a.v, udot = a.w * perp(u);
  out.phi[k] = u.dot(s);
  out.time[k] = T(0);
  out.bias[k] = -a.w * a.w * u.dot(s) + T(2) * udot.dot(sdot) + u.dot(b.c - a.c);
  out.a.r[k] = -u;
  out.b.r[k] = u;
  out.a.w[k] = perp(u).dot(s) - u.dot(perp(a.d));
  out.b.w[k] = u.dot(perp(b.d));
}

// angle_b − angle_a = 0.
template <class T, int N>
void turn(Rows2<T, N>& out, int k, const Frame2<T>& a, const Frame2<T>& b) {
  out.phi[k] = b.angle - a.angle;
  out.time[k] = T(0);
  out.bias[k] = T(0);
  out.a.r[k].setZero();
  out.b.r[k].setZero();
  out.a.w[k] = T(-1);
  out.b.w[k] = T(1);
}

// |p_b − p_a| = 0 (a length is subtracted by the caller).
template <class T, int N>
void length(Rows2<T, N>& out, int k, const Frame2<T>& a, const Frame2<T>& b) {
  using std::sqrt;
  const Vec2<T> s = b.p - a.p, sdot = b.v - a.v;
  const T l = sqrt(s.dot(s));
  const Vec2<T> u = s / l;
  const T ldot = u.dot(sdot);
  separation(out, k, a, b, u);
  out.phi[k] = l;
  out.bias[k] += (sdot.dot(sdot) - ldot * ldot) / l;
}

// ---- spatial
// ----------------------------------------------------------------------------------------------------------

// e·(p_b − p_a) = 0 with e fixed in the world.
template <class T, int N>
MORTISE_INLINE void separation(Rows3<T, N>& out, int k, const Frame3<T>& a, const Frame3<T>& b, const Vec3<T>& e) {
  out.phi[k] = e.dot(b.p - a.p);
  out.time[k] = T(0);
  out.bias[k] = e.dot(b.c - a.c);
  out.a.r[k] = -e;
  out.b.r[k] = e;
  out.a.w[k] = -a.d.cross(e);
  out.b.w[k] = b.d.cross(e);
}

// u·(p_b − p_a) = 0 with u carried by a ("dot-2").
template <class T, int N>
void separation_along(Rows3<T, N>& out, int k, const Frame3<T>& a, const Frame3<T>& b, const Vec3<T>& u) {
  const Vec3<T> s = b.p - a.p, sdot = b.v - a.v, udot = a.w.cross(u);
  out.phi[k] = u.dot(s);
  out.time[k] = T(0);
  out.bias[k] = a.w.cross(udot).dot(s) + T(2) * udot.dot(sdot) + u.dot(b.c - a.c);
  out.a.r[k] = -u;
  out.b.r[k] = u;
  out.a.w[k] = u.cross(s) - a.d.cross(u);
  out.b.w[k] = b.d.cross(u);
}

// u·w = 0 with u carried by a and w by b ("dot-1").
template <class T, int N>
MORTISE_INLINE void perpendicular(Rows3<T, N>& out, int k, const Frame3<T>& a, const Frame3<T>& b, const Vec3<T>& u,
                                  const Vec3<T>& w) {
  const Vec3<T> udot = a.w.cross(u), wdot = b.w.cross(w), n = u.cross(w);
  out.phi[k] = u.dot(w);
  out.time[k] = T(0);
  out.bias[k] = a.w.cross(udot).dot(w) + T(2) * udot.dot(wdot) + u.dot(b.w.cross(wdot));
  out.a.r[k].setZero();
  out.b.r[k].setZero();
  out.a.w[k] = n;
  out.b.w[k] = -n;
}

// |p_b − p_a| = 0 (a length is subtracted by the caller).
template <class T, int N>
void length(Rows3<T, N>& out, int k, const Frame3<T>& a, const Frame3<T>& b) {
  using std::sqrt;
  const Vec3<T> s = b.p - a.p, sdot = b.v - a.v;
  const T l = sqrt(s.dot(s));
  const Vec3<T> u = s / l;
  const T ldot = u.dot(sdot);
  separation(out, k, a, b, u);
  out.phi[k] = l;
  out.bias[k] += (sdot.dot(sdot) - ldot * ldot) / l;
}

// The angle of b's x axis about a's z axis, from a's x axis: atan2(s, c), s = y_a·x_b, c = x_a·x_b. Exact off the
// manifold of the joint too, where the two z axes differ.
template <class T, int N>
void turn(Rows3<T, N>& out, int k, const Frame3<T>& a, const Frame3<T>& b) {
  using std::atan2;
  Rows3<T, 2> dots;
  perpendicular(dots, 0, a, b, Vec3<T>(a.E.col(1)), Vec3<T>(b.E.col(0)));  // s
  perpendicular(dots, 1, a, b, Vec3<T>(a.E.col(0)), Vec3<T>(b.E.col(0)));  // c
  const T s = dots.phi[0], c = dots.phi[1], rho = s * s + c * c;
  const auto rate = [&](int j) { return dots.a.w[j].dot(a.w) + dots.b.w[j].dot(b.w); };
  const T sdot = rate(0), cdot = rate(1);
  out.phi[k] = atan2(s, c);
  out.time[k] = T(0);
  out.bias[k] =
      (c * dots.bias[0] - s * dots.bias[1]) / rho - T(2) * (c * cdot + s * sdot) * (c * sdot - s * cdot) / (rho * rho);
  out.a.r[k].setZero();
  out.b.r[k].setZero();
  out.a.w[k] = (c * dots.a.w[0] - s * dots.a.w[1]) / rho;
  out.b.w[k] = (c * dots.b.w[0] - s * dots.b.w[1]) / rho;
}

}  // namespace mortise::mechanism
