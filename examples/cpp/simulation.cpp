// A simulation under control: a pendulum is held upright by a controller that samples it a hundred times a second, is
// pushed, and the same moment is tried with two gains from a state that was kept.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>
#include <numbers>

int main() {
  using namespace mortise;
  Simulation sim(build(ModelBuilder::planar("Inverted pendulum")
                           .gravity({0, -9.81})
                           .input("torque", 0)
                           .input("push", 0)
                           .body("rod", {{"mass", 1},
                                         {"inertia", "1/12"},
                                         {"at", {0, 0.5}},
                                         {"angle", "90 deg"},
                                         {"points", Map{{"tip", {0.5, 0}}}}})
                           .joint("A", "revolute", {{"between", {"ground", "rod"}}, {"at", {0, 0}}})
                           .force("motor", "torque", {{"body", "rod"}, {"value", "input.torque"}})
                           .force("wind", "force", {{"body", "rod.tip"}, {"value", {"input.push", 0}}})
                           .analysis({{"integrator", "rkv56"}, {"tolerance", 1e-9}})));

  double gain = 60;
  int samples = 0;
  sim.every(0.01, [&](Simulation& s) {
    const double lean = s.get("rod.angle") - std::numbers::pi / 2;
    s.set("torque", -gain * lean - 5 * s.get("rod.wz"));
    ++samples;
  });

  sim.set("push", 8);  // for half a second
  sim.advance_to(0.5);
  sim.set("push", 0);
  const State moment = sim.state();

  double lean[2];
  for (int k = 0; k < 2; ++k) {
    sim.restore(moment);
    gain = k == 0 ? 60 : 20;
    sim.advance_to(1);
    lean[k] = sim.get("rod.angle") - std::numbers::pi / 2;
    std::cout << "gain " << gain << ": leans by " << lean[k] << " rad at " << sim.t() << " s, motor "
              << sim.get("input.torque") << " N m\n";
  }
  // The samples of the first half second (0 and 0.5 included), then twice those of the second.
  std::cout << samples << " samples\n";
  return samples == 51 + 2 * 50 && std::abs(lean[0]) < std::abs(lean[1]) && std::abs(lean[0]) < 0.01 ? 0 : 1;
}
