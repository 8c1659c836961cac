// A linear plant under a sampled controller, and its exact motion: between samples u is constant, so that
//
//     (θ, θ̇, u) ← e^{T F} (θ, θ̇, u),      F = [ 0 1 0; −k/J −c/J 1/J; 0 0 0 ],
//
// with the exponential by its series at T/2¹⁰, squared ten times.
#pragma once

#include <Eigen/Core>

namespace mortise::test {

inline constexpr double plant_J = 0.4, plant_k = 3, plant_c = 0.2;

inline double controller(double angle, double rate) { return -20 * angle - 2.5 * rate; }

struct SampledReference {
  explicit SampledReference(double period) {
    Eigen::Matrix3d F = Eigen::Matrix3d::Zero();
    F(0, 1) = 1;
    F.row(1) << -plant_k / plant_J, -plant_c / plant_J, 1 / plant_J;
    F *= period / 1024;
    Eigen::Matrix3d term = Eigen::Matrix3d::Identity(), sum = term;
    for (int k = 1; k < 15; ++k) {
      term = (term * F / k).eval();
      sum += term;
    }
    for (int k = 0; k < 10; ++k) sum = (sum * sum).eval();
    transition = sum;
  }
  void step() {
    x[2] = controller(x[0], x[1]);
    x = (transition * x).eval();
  }

  Eigen::Matrix3d transition;
  Eigen::Vector3d x{1, 0, 0};  // θ, θ̇, u
};

}  // namespace mortise::test
