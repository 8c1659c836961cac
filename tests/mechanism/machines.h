// Mechanisms that several tests run: a four-bar linkage of spatial revolutes in any units, place and order, and a run.
#pragma once

#include <fmt/format.h>

#include <Eigen/Geometry>

#include "mechanism/workbench.h"
#include "mortise/analysis/dynamics.h"

namespace mortise::test {

// A planar four-bar with four spatial hinges: 20 rows for 18 coordinates, rank 17.
struct SpatialFourBar {
  double length = 1, mass = 1;                          // how many units make a metre and a kilogram
  Eigen::Matrix3d world = Eigen::Matrix3d::Identity();  // turns the whole model
  bool reordered = false;
  std::string crank = "crank", coupler = "coupler", rocker = "rocker";
  std::string analysis = "{until: 1, tolerance: 1e-12}";

  std::string vector(double x, double y, double z, double scale) const {
    const Eigen::Vector3d v = world * Eigen::Vector3d(x, y, z) * scale;
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
  }

  std::string text() const {
    const Eigen::Quaterniond turn(world);
    const auto body = [&](const std::string& name, double m, double x, double y) {
      return fmt::format(
          "  {}: {{mass: {:.17g}, inertia: [{:.17g}, {:.17g}, {:.17g}], at: {}, center: [{:.17g}, 0, 0], orientation: "
          "{{quaternion: {{w: {:.17g}, x: {:.17g}, y: {:.17g}, z: {:.17g}}}}}}}\n",
          name, m * mass, 0.02 * m * mass * length * length, 0.05 * m * mass * length * length,
          0.06 * m * mass * length * length, vector(x, y, 0, length), 0.05 * length, turn.w(), turn.x(), turn.y(),
          turn.z());
    };
    const auto hinge = [&](const char* name, const std::string& a, const std::string& b, double x, double y) {
      return fmt::format("  {}: {{type: revolute, between: [{}, {}], at: {}, axis: {}}}\n", name, a, b,
                         vector(x, y, 0, length), vector(0, 0, 1, 1));
    };
    std::vector<std::string> bodies{body(crank, 1, 0.1, 0.25), body(coupler, 2, 0.75, 0.65),
                                    body(rocker, 1.5, 1.2, 0.35)};
    std::vector<std::string> joints{hinge("A", "ground", crank, 0, 0), hinge("B", crank, coupler, 0.2, 0.5),
                                    hinge("C", coupler, rocker, 1.3, 0.8), hinge("D", "ground", rocker, 1.1, -0.1)};
    if (reordered) {
      std::reverse(bodies.begin(), bodies.end());
      std::swap(joints[0], joints[2]);
      std::swap(joints[1], joints[3]);
    }
    std::string out = "mortise: 1\ndimension: spatial\ngravity: " + vector(0, -9.81, 0, length) + "\nbodies:\n";
    for (const std::string& b : bodies) out += b;
    out += "joints:\n";
    for (const std::string& j : joints) out += j;
    out += fmt::format(
        "forces:\n  S: {{type: spring, between: [{}, {}], stiffness: {:.17g}, damping: {:.17g}, length: {:.17g}}}\n"
        "  F: {{type: force, body: {}, value: {}}}\nanalysis: {}\n",
        crank, rocker, 30 * mass, 0.5 * mass, 0.9 * length, coupler, vector(2, 1, 0, mass * length), analysis);
    return out;
  }
};

inline analysis::DynamicsResult run(const Mechanism& mechanism) { return analysis::run_dynamics(mechanism, {}); }

}  // namespace mortise::test
