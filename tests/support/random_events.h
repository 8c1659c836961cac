// Random sequences of events: chains of bodies that swing, are locked, let go and broken at random, and hit floors and
// stops; with the kinetic energy computed here, from masses and velocities alone.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/memory_run.h"

namespace mortise::test {

struct RandomEvents {
  std::string text;
  std::vector<double> mass, inertia;
};

inline RandomEvents random_events(unsigned seed) {
  std::mt19937_64 bits(seed);
  const auto any = [&](double low, double high) { return std::uniform_real_distribution<double>(low, high)(bits); };
  const auto one_of = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(bits); };
  RandomEvents out;
  const int bodies = 1 + one_of(3), loose = one_of(3);
  std::string items, joints, events, drivers;
  double x = 0, y = 0;
  for (int k = 0; k < bodies; ++k) {
    const double m = any(0.2, 3), J = any(0.02, 0.5), angle = any(-3, 0), l = any(0.3, 0.8);
    out.mass.push_back(m), out.inertia.push_back(J);
    items += fmt::format("  b{}: {{mass: {}, inertia: {}, at: [{}, {}], angle: {}, angular_velocity: {}}}\n", k, m, J,
                         x + 0.5 * l * std::cos(angle), y + 0.5 * l * std::sin(angle), angle, any(-3, 3));
    joints += fmt::format("  j{0}: {{type: revolute, between: [{1}, b{0}], at: [{2}, {3}]}}\n", k,
                          k == 0 ? "ground" : fmt::format("b{}", k - 1), x, y);
    // A brake that moves would be at odds with a stop on the same angle.
    const bool stopped = one_of(2);
    drivers += fmt::format("  brake{0}: {{type: rotation, joint: j{0}, function: {1}*sin(3*t), active: false}}\n", k,
                           stopped ? 0.0 : any(0, 0.5));
    x += l * std::cos(angle), y += l * std::sin(angle);
    const std::string lock =
        one_of(2) ? fmt::format("at: {}", any(0, 0.5)) : fmt::format("when: b{}.wz - {}, again: true", k, any(-2, 2));
    if (one_of(2)) events += fmt::format("  lock{0}: {{type: lock, joints: brake{0}, {1}}}\n", k, lock);
    if (one_of(2))
      events += fmt::format("  free{0}: {{type: unlock, joints: brake{0}, at: {1}, every: 0.2}}\n", k, any(0.1, 0.5));
    if (one_of(2)) events += fmt::format("  snap{0}: {{type: break, joints: j{0}, force: {1}}}\n", k, any(5, 60));
    if (stopped)
      events += fmt::format(
          "  stop{0}: {{type: limit, of: {{b{0}.angle: 1}}, minimum: {1}, maximum: {2}, restitution: {3}}}\n", k,
          angle - any(0.1, 1), angle + any(0.1, 1), one_of(3) == 0 ? 0.0 : any(0, 1));
    if (one_of(2))
      events += fmt::format(
          "  floor{0}: {{type: contact, between: [ground, b{0}], points: [[0, -3], [0, 0]], normal: [{1}, 1], "
          "radius: 0.1, restitution: {2}{3}}}\n",
          k, any(-0.3, 0.3), any(0, 0.9), one_of(2) ? fmt::format(", coefficient: {}", any(0.05, 0.8)) : "");
  }
  for (int k = 0; k < loose; ++k) {
    const double m = any(0.2, 3), J = any(0.02, 0.5);
    out.mass.push_back(m), out.inertia.push_back(J);
    items +=
        fmt::format("  ball{}: {{mass: {}, inertia: {}, at: [{}, {}], velocity: [{}, {}], angular_velocity: {}}}\n", k,
                    m, J, 3.0 + 0.7 * k, any(-1, 0), any(-2, 2), any(-2, 2), any(-5, 5));
    events += fmt::format(
        "  ground{0}: {{type: contact, between: [ground, ball{0}], points: [[3.5, -1.6], [0, 0]], normal: "
        "[{1}, 1], radius: 0.2, restitution: {2}{3}}}\n",
        k, any(-0.2, 0.2), one_of(3) == 0 ? 0.0 : any(0, 0.8),
        one_of(2) ? fmt::format(", coefficient: {}", any(0.05, 0.8)) : "");
    if (k == 1)
      events += fmt::format("  pair: {{type: contact, between: [ball0, ball1], radii: [0.2, 0.2], restitution: {}}}\n",
                            any(0, 1));
  }
  if (events.empty()) events = "  tick: {type: mark, at: 0.1}\n";
  out.text = fmt::format(
      "mortise: 1\ndimension: planar\ngravity: [0, -9.81]\nbodies:\n{}joints:\n{}drivers:\n{}events:\n{}"
      "analysis: {{until: 0.8, tolerance: 1e-7}}\noutput: {{every: 0.1}}\n",
      items, joints, drivers, events);
  return out;
}

struct RandomEventCount {
  int runs = 0, events = 0, impulses = 0, refused = 0;
  double worst = 0;  // |work − jump of the kinetic energy| over the energy
};

// Runs one; what the engine refuses with a named error counts as refused.
inline void try_random_events(unsigned seed, RandomEventCount& count) {
  const RandomEvents model = random_events(seed);
  const auto kinetic = [&](const Vector& v) {
    double sum = 0;
    for (std::size_t k = 0; k < model.mass.size(); ++k) {
      const auto i = static_cast<Eigen::Index>(3 * k);
      sum += 0.5 * model.mass[k] * (v[i] * v[i] + v[i + 1] * v[i + 1]) + 0.5 * model.inertia[k] * v[i + 2] * v[i + 2];
    }
    return sum;
  };
  Recorder recorder;
  ++count.runs;
  try {
    const auto m = compile(model.text);
    run(*m, recorder);
  } catch (const SolveError& error) {
    ++count.refused;
    ASSERT_TRUE(error.report().code.starts_with("S4")) << "seed " << seed;
    std::printf("seed %u: %s\n%s\n", seed, error.what(), model.text.c_str());
  }
  for (std::size_t k = 0; k < recorder.events.size();) {
    const auto frame = recorder.events[k].frame;
    double work = 0, impulse = 0;
    for (; k < recorder.events.size() && recorder.events[k].frame == frame; ++k) {
      work += recorder.events[k].work;
      impulse = std::max(impulse, recorder.events[k].impulse);
      ++count.events;
    }
    if (frame == 0 || frame >= recorder.frames.size()) continue;
    count.impulses += impulse > 0;
    const double before = kinetic(recorder.frames[frame - 1].v), after = kinetic(recorder.frames[frame].v);
    const double off = std::abs(work - (after - before)) / std::max(1.0, before);
    count.worst = std::max(count.worst, off);
    EXPECT_LT(off, 1e-10) << "seed " << seed << ", " << recorder.events[k - 1].what
                          << " at t = " << recorder.events[k - 1].t << "\n"
                          << model.text;
  }
}

}  // namespace mortise::test
