// Random mechanisms for coordinate tests: bodies hung in a random tree by joints of every kind, loops closed by rods,
// springs between them; and random states that fulfil all constraints.
#pragma once

#include <fmt/format.h>

#include "mechanism/workbench.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::test {

inline std::string numbers(Random& random, int count, double size) {
  std::string out;
  for (int k = 0; k < count; ++k) out += fmt::format("{}{:.6f}", k ? ", " : "", uniform(random, -size, size));
  return "[" + out + "]";
}

inline std::string pick(Random& random, const std::vector<std::string>& from) {
  return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
}

// `loops`: rods that close them, up to two. With a driven hinge at the root every other time.
inline std::string random_machine(Random& random, int dimension, int bodies, int loops) {
  const bool planar = dimension == 2;
  const std::vector<std::string> kinds =
      planar ? std::vector<std::string>{"revolute", "prismatic", "revolute", "fixed"}
             : std::vector<std::string>{"revolute",  "prismatic", "cylindrical", "spherical", "universal",
                                        "spherical", "revolute",  "planar",      "fixed"};
  std::string text = fmt::format("mortise: 1\ndimension: {}\ngravity: {}\nbodies:\n", planar ? "planar" : "spatial",
                                 planar ? "[0.3, -9.81]" : "[0.4, 0.2, -9.81]");
  for (int k = 0; k < bodies; ++k) {
    text +=
        fmt::format("  b{}: {{mass: {:.4f}, at: {}, center: {}, points: {{P: {}}}, ", k, uniform(random, 0.5, 2),
                    numbers(random, dimension, 1.5), numbers(random, dimension, 0.3), numbers(random, dimension, 0.5));
    if (planar)
      text += fmt::format("inertia: {:.4f}, angle: {:.4f}}}\n", uniform(random, 0.1, 0.5), uniform(random, -3, 3));
    else
      text += fmt::format(
          "inertia: {{xx: {:.4f}, yy: {:.4f}, zz: {:.4f}, xy: {:.4f}, xz: 0.02, yz: -0.03}}, "
          "orientation: {{rpy: {}}}}}\n",
          uniform(random, 0.3, 0.45), uniform(random, 0.3, 0.45), uniform(random, 0.3, 0.45),
          uniform(random, -0.05, 0.05), numbers(random, 3, 1.5));
  }
  text += "joints:\n";
  const bool driven = loops == 0 && uniform(random, 0, 1) < 0.5;
  for (int k = 0; k < bodies; ++k) {
    const int before = std::uniform_int_distribution<int>(-1, k - 1)(random);
    std::string first = before < 0 ? "ground" : fmt::format("b{}", before), second = fmt::format("b{}", k);
    if (uniform(random, 0, 1) < 0.5) std::swap(first, second);
    const std::string kind = k == 0 && driven ? "revolute" : pick(random, kinds);
    if (kind == "planar" && k % 2) continue;  // hangs free
    text += fmt::format("  j{}: {{type: {}, between: [{}, {}], at: {}", k, kind, first, second,
                        numbers(random, dimension, 1.5));
    if (kind == "universal") {
      const Eigen::Quaterniond turn = Eigen::Quaterniond(uniform(random, -1, 1), uniform(random, -1, 1),
                                                         uniform(random, -1, 1), uniform(random, -1, 1))
                                          .normalized();
      const Eigen::Vector3d u = turn * Eigen::Vector3d::UnitZ(), w = turn * Eigen::Vector3d::UnitX();
      text += fmt::format(", axis: [{:.17g}, {:.17g}, {:.17g}], axis_second: [{:.17g}, {:.17g}, {:.17g}]", u.x(), u.y(),
                          u.z(), w.x(), w.y(), w.z());
    } else if (kind == "prismatic" || (!planar && kind != "spherical" && kind != "fixed")) {
      text += ", axis: " + numbers(random, dimension, 1);
    }
    text += "}\n";
  }
  for (int k = 0; k < loops; ++k)
    text +=
        fmt::format("  rod{}: {{type: distance, between: [b{}.P, {}]}}\n", k, bodies - 1, k == 0 ? "ground" : "b0.P");
  if (driven) text += "drivers:\n  motor: {type: rotation, joint: j0, function: 0.3*t + 0.2*t^2}\n";
  text += fmt::format("forces:\n  spring: {{type: spring, between: [b0.P, b{}.P], stiffness: 8, length: 0.5}}\n",
                      bodies - 1);
  return text;
}

// The nearest admissible state to a random one; time 0, so that drivers agree with the pose.
inline State admissible_state(const Mechanism& mechanism, Random& random) {
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion(mechanism, *formulation, *stabilizer, {});
  State state = random_state(mechanism, random, 0.05, 0.1);
  state.t = 0;
  motion.project(state, Motion::Start::fresh);
  return state;
}

// A system that is evaluated, as Evaluator is of a mechanism.
struct Probe {
  explicit Probe(const System& of) : system(of), scratch(of.make_scratch()) { evaluation.resize(of.pattern()); }
  const Evaluation& operator()(const State& state) {
    system.evaluate(state, need_constraints | need_dynamics | need_energy, *scratch, evaluation);
    return evaluation;
  }
  const System& system;
  std::unique_ptr<Scratch> scratch;
  Evaluation evaluation;
};

// The state after time h on the motion with constant derivative `a` of the velocities.
inline State along(const System& system, const State& state, const Vector& a, double h) {
  constexpr int steps = 4;
  const double s = h / steps;
  State out = state;
  const auto rate = [&](const Vector& q, double t) {
    const Vector v = state.v + t * a;
    Vector r(q.size());
    system.qdot(as_span(q), as_span(v), as_span(r));
    return r;
  };
  for (int k = 0; k < steps; ++k) {
    const double t = k * s;
    const Vector k1 = rate(out.q, t), k2 = rate(out.q + s / 2 * k1, t + s / 2),
                 k3 = rate(out.q + s / 2 * k2, t + s / 2), k4 = rate(out.q + s * k3, t + s);
    out.q += s / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  out.v += h * a;
  out.t += h;
  return out;
}

}  // namespace mortise::test
