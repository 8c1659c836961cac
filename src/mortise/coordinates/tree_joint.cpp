#include "mortise/coordinates/tree_joint.h"

#include <algorithm>
#include <cmath>

namespace mortise::coordinates {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using geometry::Quaternion;

Matrix3d rotation(double angle) {
  Matrix3d R = Matrix3d::Identity();
  R(0, 0) = R(1, 1) = std::cos(angle);
  R(1, 0) = std::sin(angle);
  R(0, 1) = -R(1, 0);
  return R;
}

Quaternion turn_about_z(double angle) { return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)}; }

// B: it is its own inverse up to sign, so either body may be the parent.
constexpr Quaternion cross{0, M_SQRT1_2, 0, M_SQRT1_2};

}  // namespace

TreeJoint::TreeJoint(const Branch& branch, const mechanism::Mechanism& mechanism)
    : branch_(branch),
      body_(&mechanism.bodies()[static_cast<std::size_t>(branch.body)]),
      planar_(mechanism.dimension() == 2) {
  inner_ = geometry::from_matrix(branch.inner.E);
  outer_ = geometry::from_matrix(branch.outer.E);
  seat(Quaternion{});
}

void TreeJoint::seat(const Quaternion& K) {
  K_ = K;
  behind_ = K * outer_.conjugate();
}

void TreeJoint::seat(const Pose& P, const Pose& C) {
  if (planar_) return;
  const Quaternion d = (P.p * inner_).conjugate() * (C.p * outer_);
  const std::array<double, 4> x{d.w, d.x, d.y, d.z};
  std::array<double, 4> nearest{1, 0, 0, 0};
  switch (branch_.freedom) {
    case Freedom::fixed:
    case Freedom::prismatic: {
      const auto largest =
          std::max_element(x.begin(), x.end(), [](double s, double t) { return std::abs(s) < std::abs(t); });
      nearest[0] = 0;
      nearest[static_cast<std::size_t>(largest - x.begin())] = *largest < 0 ? -1 : 1;
      break;
    }
    case Freedom::revolute:
    case Freedom::cylindrical:
    case Freedom::planar:
      if (std::hypot(d.x, d.y) > std::hypot(d.w, d.z)) nearest = {0, 1, 0, 0};
      break;
    case Freedom::free:
    case Freedom::spherical:
    case Freedom::universal:
      break;
  }
  seat(Quaternion{nearest[0], nearest[1], nearest[2], nearest[3]});
}

void TreeJoint::turn(const double* x, const Pose& P, Pose& C) const {
  if (body_->particle) return;
  const Freedom freedom = branch_.freedom;
  if (planar_) {
    C.angle = freedom == Freedom::free       ? x[2]
              : freedom == Freedom::revolute ? P.angle + x[0]
                                             : P.angle + (branch_.inner.angle - branch_.outer.angle);
    C.R = rotation(C.angle);
    return;
  }
  switch (freedom) {
    case Freedom::free:
      if (body_->plane) {
        C.angle = x[2];
        C.p = geometry::from_axis_angle(body_->plane->col(2), x[2]) * body_->orientation;
      } else {
        C.p = Quaternion{x[3], x[4], x[5], x[6]};
      }
      break;
    case Freedom::spherical:
      C.p = branch_.absolute ? Quaternion{x[0], x[1], x[2], x[3]} : P.p * Quaternion{x[0], x[1], x[2], x[3]};
      break;
    case Freedom::universal:
      C.p = P.p * inner_ * turn_about_z(x[0]) * cross * turn_about_z(x[1]) * behind_;
      break;
    case Freedom::revolute:
    case Freedom::cylindrical:
    case Freedom::planar:
      C.p = P.p * inner_ * turn_about_z(x[branch_.slides]) * behind_;
      break;
    case Freedom::fixed:
    case Freedom::prismatic:
      C.p = P.p * inner_ * behind_;
      break;
  }
  C.p = C.p.normalized();
  C.R = geometry::matrix(C.p);
}

Directions TreeJoint::directions(const Pose& P, const Pose& C) const {
  Directions d;
  const auto add = [&](const Vector3d& e) { d.of[static_cast<std::size_t>(d.count++)] = e; };
  const Matrix3d E = P.R * branch_.inner.E;
  const Vector3d axis = planar_ ? Vector3d(Vector3d::UnitZ()) : Vector3d(E.col(2));
  switch (branch_.freedom) {
    case Freedom::free:
      if (body_->plane) {
        for (int j = 0; j < body_->v_size(); ++j) add(body_->plane->col(j));
      } else {
        for (int j = 0; j < branch_.slides; ++j) add(Vector3d::Unit(j));
        if (planar_ && !body_->particle) add(axis);
        for (int j = 0; j < 3 && body_->has_quaternion(); ++j) add(C.R.col(j));
      }
      break;
    case Freedom::fixed:
      break;
    case Freedom::revolute:
      add(axis);
      break;
    case Freedom::prismatic:
      add(E.col(planar_ ? 0 : 2));
      break;
    case Freedom::cylindrical:
      add(axis), add(axis);
      break;
    case Freedom::planar:
      add(E.col(0)), add(E.col(1)), add(axis);
      break;
    case Freedom::spherical:
      for (int j = 0; j < 3; ++j) add(C.R.col(j));
      break;
    case Freedom::universal:
      add(axis), add(C.R * branch_.outer.E.col(2));
      break;
  }
  return d;
}

Vector3d TreeJoint::point(const double* x, const Directions& d, const Pose& P) const {
  Vector3d at = Vector3d::Zero();
  if (branch_.freedom != Freedom::free)
    at = P.r + P.R * branch_.inner.p;
  else if (body_->plane)
    at = body_->height * body_->plane->col(2);
  for (int j = 0; j < branch_.slides; ++j) at += x[j] * d.of[static_cast<std::size_t>(j)];
  return at;
}

Vector3d TreeJoint::arm(const Pose& C) const {
  return branch_.freedom == Freedom::free ? Vector3d(Vector3d::Zero()) : Vector3d(-(C.R * branch_.outer.p));
}

void TreeJoint::lower(const Pose& P, const Pose& C, double* x, double* u) const {
  const Directions d = directions(P, C);
  const auto of = [&](int j) -> const Vector3d& { return d.of[static_cast<std::size_t>(j)]; };
  const Vector3d joint = C.r - arm(C);
  const Vector3d from =
      branch_.freedom == Freedom::free ? Vector3d(Vector3d::Zero()) : Vector3d(P.r + P.R * branch_.inner.p);
  const Vector3d rate = C.v - C.w.cross(arm(C)) - P.v - P.w.cross(joint - P.r),
                 spin = branch_.absolute ? C.w : Vector3d(C.w - P.w);
  for (int j = 0; j < branch_.slides; ++j) {
    x[j] = of(j).dot(joint - from);
    u[j] = of(j).dot(rate);
  }
  for (int j = branch_.slides; j < d.count; ++j) u[j] = of(j).dot(spin);

  double* turned = x + branch_.slides;
  const auto write = [&](const Quaternion& p) { turned[0] = p.w, turned[1] = p.x, turned[2] = p.y, turned[3] = p.z; };
  if (d.count == branch_.slides) return;
  if (planar_ || body_->plane) {
    turned[0] = branch_.freedom == Freedom::revolute ? C.angle - P.angle : C.angle;
    return;
  }
  const Quaternion r = (P.p * inner_).conjugate() * C.p * behind_.conjugate();  // turn(θ) without K
  switch (branch_.freedom) {
    case Freedom::free:
      write(C.p);
      break;
    case Freedom::spherical:
      write(branch_.absolute ? C.p : P.p.conjugate() * C.p);
      break;
    case Freedom::universal: {
      // Rz(θ₁) B Rz(θ₂) has w = −sin(σ)/√2, z = cos(σ)/√2, x = cos(δ)/√2, y = sin(δ)/√2 with σ, δ = (θ₁ ± θ₂)/2.
      const double sum = std::atan2(-r.w, r.z), difference = std::atan2(r.y, r.x);
      turned[0] = sum + difference;
      turned[1] = sum - difference;
      break;
    }
    default:
      turned[0] = 2 * std::atan2(r.z, r.w);
      break;
  }
}

}  // namespace mortise::coordinates
