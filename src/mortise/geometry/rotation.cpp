#include "mortise/geometry/rotation.h"

#include <Eigen/Geometry>

namespace mortise::geometry {

Quaternion from_matrix(const Eigen::Matrix3d& R) {
  const Eigen::Quaterniond q(R);
  const Quaternion out = Quaternion{q.w(), q.x(), q.y(), q.z()}.normalized();
  return out.w < 0 ? Quaternion{-out.w, -out.x, -out.y, -out.z} : out;
}

Quaternion from_axis_angle(const Eigen::Vector3d& axis, double angle) {
  const Eigen::Vector3d v = axis.normalized() * std::sin(angle / 2);
  return {std::cos(angle / 2), v.x(), v.y(), v.z()};
}

Quaternion from_rpy(double roll, double pitch, double yaw) {
  return from_axis_angle(Eigen::Vector3d::UnitZ(), yaw) * from_axis_angle(Eigen::Vector3d::UnitY(), pitch) *
         from_axis_angle(Eigen::Vector3d::UnitX(), roll);
}

Quaternion from_euler(const char* sequence, bool intrinsic, const Eigen::Vector3d& angles) {
  Quaternion q;
  for (int k = 0; k < 3; ++k) {
    const Quaternion step = from_axis_angle(Eigen::Vector3d::Unit(sequence[k] - 'x'), angles[k]);
    q = intrinsic ? q * step : step * q;
  }
  return q;
}

Quaternion exponential(const Eigen::Vector3d& rotation_vector) {
  const double angle = rotation_vector.norm();
  // sin(θ/2)/θ by its series where the quotient would lose digits.
  const double s = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  return {std::cos(angle / 2), s * rotation_vector.x(), s * rotation_vector.y(), s * rotation_vector.z()};
}

Quaternion cayley(const Eigen::Vector3d& r) {
  const double quarter = r.squaredNorm() / 16, s = 1 / (1 + quarter);
  return {s * (1 - quarter), 0.5 * s * r.x(), 0.5 * s * r.y(), 0.5 * s * r.z()};
}

Eigen::Vector3d logarithm(const Quaternion& q) {
  const double sign = q.w < 0 ? -1 : 1;
  const Eigen::Vector3d v(sign * q.x, sign * q.y, sign * q.z);
  const double s = v.norm();
  const double factor = s < 1e-8 ? 2.0 : 2 * std::atan2(s, sign * q.w) / s;
  return factor * v;
}

void complete_triad(const Eigen::Vector3d& axis, Eigen::Vector3d& x, Eigen::Vector3d& y) {
  int smallest = 0;
  for (int k = 1; k < 3; ++k)
    if (std::abs(axis[k]) < std::abs(axis[smallest])) smallest = k;
  x = (Eigen::Vector3d::Unit(smallest) - axis[smallest] * axis).normalized();
  y = axis.cross(x);
}

}  // namespace mortise::geometry
