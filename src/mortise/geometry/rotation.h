// Rotations: unit quaternions (Euler parameters), w first in our own accessors, and the small vector algebra of bodies.
//
// A quaternion q maps body components to world components: x_W = R(q) x_B. With ω the angular velocity in body axes,
// q̇ = ½ q ⊗ (0, ω).
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace mortise::geometry {

template <class T>
using Vec3 = Eigen::Matrix<T, 3, 1>;
template <class T>
using Mat3 = Eigen::Matrix<T, 3, 3>;
template <class T>
using Vec2 = Eigen::Matrix<T, 2, 1>;

struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;

  double norm() const { return std::sqrt(w * w + x * x + y * y + z * z); }
  Quaternion normalized() const;
  Quaternion conjugate() const { return {w, -x, -y, -z}; }
};

Quaternion operator*(const Quaternion& p, const Quaternion& q);  // Hamilton product: R(p q) = R(p) R(q)

// R(q) for unit q, in the form that is orthogonal to first order off the unit sphere too.
Eigen::Matrix3d matrix(const Quaternion& q);
Quaternion from_matrix(const Eigen::Matrix3d& R);
Quaternion from_axis_angle(const Eigen::Vector3d& axis, double angle);  // axis need not be normalised; right hand
Quaternion from_rpy(double roll, double pitch, double yaw);             // Rz(yaw) Ry(pitch) Rx(roll)
// Three rotations about the axes named by `sequence` ("zxz", "xyz", …); intrinsic: about the carried axes.
Quaternion from_euler(const char* sequence, bool intrinsic, const Eigen::Vector3d& angles);

Quaternion exponential(const Eigen::Vector3d& rotation_vector);
Eigen::Vector3d logarithm(const Quaternion& q);  // shortest: |result| ≤ π

template <class T>
Mat3<T> skew(const Vec3<T>& w) {
  Mat3<T> S;
  S << T(0), -w.z(), w.y(), w.z(), T(0), -w.x(), -w.y(), w.x(), T(0);
  return S;
}

// Two unit vectors that complete `axis` (unit) to a right-handed triad (x, y, axis).
void complete_triad(const Eigen::Vector3d& axis, Eigen::Vector3d& x, Eigen::Vector3d& y);

}  // namespace mortise::geometry
