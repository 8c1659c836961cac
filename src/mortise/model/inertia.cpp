#include "mortise/model/inertia.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <array>

namespace mortise::model {

namespace {

// Slots xx, yy, zz, xy, xz, yz.
using Slots = std::array<double, 6>;

Eigen::Matrix3d tensor_of(const Slots& s) {
  Eigen::Matrix3d J;
  J << s[0], s[3], s[4], s[3], s[1], s[5], s[4], s[5], s[2];
  return J;
}

}  // namespace

InertiaVerdict judge_inertia(const Eigen::Matrix3d& tensor, double tolerance) {
  const double scale = tensor.cwiseAbs().maxCoeff();
  if (scale == 0) return InertiaVerdict::physical;
  const Eigen::Vector3d J =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor / scale, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack = tolerance * J.cwiseAbs().sum();
  if (J[0] < -slack) return InertiaVerdict::negative;
  if (J[0] + J[1] < J[2] - slack) return InertiaVerdict::triangle;
  return InertiaVerdict::physical;
}

std::string inertia_cure(const Eigen::Matrix3d& tensor) {
  const Slots s{tensor(0, 0), tensor(1, 1), tensor(2, 2), tensor(0, 1), tensor(0, 2), tensor(1, 2)};
  const auto physical = [](const Slots& slots) { return judge_inertia(tensor_of(slots)) == InertiaVerdict::physical; };
  static constexpr std::array<const char*, 6> names{"xx", "yy", "zz", "xy", "xz", "yz"};

  // Two flipped products are a mirrored body with the same moments, so one flip stands for one or three.
  if (physical({s[0], s[1], s[2], -s[3], -s[4], -s[5]}))
    return fmt::format(
        "with the signs of the products reversed (xy: {:.6g}, xz: {:.6g}, yz: {:.6g}) it would be: here xy = -∫xy dm",
        -s[3], -s[4], -s[5]);
  for (std::size_t k = 0; k < 3; ++k)
    if (s[k] < 0) {
      Slots flipped = s;
      flipped[k] = -s[k];
      if (physical(flipped)) return fmt::format("{}: {:.6g} would be physical", names[k], flipped[k]);
    }
  if (physical({s[0], s[3], s[5], s[1], s[2], s[4]}))
    return fmt::format(
        "the values look like the row order xx, xy, xz, yy, yz, zz: xx: {:.6g}, yy: {:.6g}, zz: {:.6g}, xy: {:.6g}, "
        "xz: {:.6g}, yz: {:.6g} would be physical",
        s[0], s[3], s[5], s[1], s[2], s[4]);
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = a + 1; b < 6; ++b) {
      Slots swapped = s;
      std::swap(swapped[a], swapped[b]);
      if (s[a] != s[b] && physical(swapped))
        return fmt::format("with {} and {} exchanged it would be physical", names[a], names[b]);
    }
  return "";
}

}  // namespace mortise::model
