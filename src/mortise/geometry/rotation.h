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

template <class T>
struct BasicQuaternion {
  T w{1}, x{0}, y{0}, z{0};

  T norm() const {
    using std::sqrt;
    return sqrt(w * w + x * x + y * y + z * z);
  }
  BasicQuaternion normalized() const {
    const T s = T(1) / norm();
    return {w * s, x * s, y * s, z * s};
  }
  BasicQuaternion conjugate() const { return {w, -x, -y, -z}; }
};
using Quaternion = BasicQuaternion<double>;

// Hamilton product: R(p q) = R(p) R(q)
template <class T>
BasicQuaternion<T> operator*(const BasicQuaternion<T>& p, const BasicQuaternion<T>& q) {
  return {p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z, p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
          p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x, p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w};
}

// R(q) for unit q, in the form that is orthogonal to first order off the unit sphere too.
template <class T>
Mat3<T> matrix(const BasicQuaternion<T>& q) {
  const T s = T(2) / (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z), one(1);
  Mat3<T> R;
  R << one - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y - q.w * q.z), s * (q.x * q.z + q.w * q.y),
      s * (q.x * q.y + q.w * q.z), one - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z - q.w * q.x),
      s * (q.x * q.z - q.w * q.y), s * (q.y * q.z + q.w * q.x), one - s * (q.x * q.x + q.y * q.y);
  return R;
}

Quaternion from_matrix(const Eigen::Matrix3d& R);
Quaternion from_axis_angle(const Eigen::Vector3d& axis, double angle);  // axis need not be normalised; right hand
Quaternion from_rpy(double roll, double pitch, double yaw);             // Rz(yaw) Ry(pitch) Rx(roll)
// Three rotations about the axes named by `sequence` ("zxz", "xyz", …); intrinsic: about the carried axes.
Quaternion from_euler(const char* sequence, bool intrinsic, const Eigen::Vector3d& angles);

Quaternion exponential(const Eigen::Vector3d& rotation_vector);
// Cayley's map of a rotation vector: (1 + r/4)(1 − r/4)⁻¹ in quaternions, a turn by 4 atan(|r|/4) about r. What the
// mid-point rule for q̇ = ½ q ⊗ (0, ω) makes of r = h ω, with Δ = 1 + |r|²/16 (specs/nasa-1-staggered.md §2.8).
Quaternion cayley(const Eigen::Vector3d& rotation_vector);
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
