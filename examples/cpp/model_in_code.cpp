// A model written in C++: a pendulum, simulated, saved as YAML and read back.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>
#include <numbers>

int main() {
  using namespace mortise;
  // [readme]
  const Model model = build(ModelBuilder::planar("Pendulum")
                                .gravity({0, -9.81})
                                .parameter("L", 1.2)
                                .parameter("m", 2)
                                .body("rod", {{"mass", "m"}, {"inertia", "m*L^2/12"}, {"at", {"L/2", 0}}})
                                .joint("A", "revolute", {{"between", {"ground", "rod"}}, {"at", {0, 0}}})
                                .analysis({{"until", 5}, {"tolerance", 1e-10}}));
  Simulation sim(model);
  for (int k = 0; k < 10; ++k) {
    sim.step(0.1);
    std::cout << sim.t() << " s: " << sim.get("A.angle") << " rad, " << sim.get("A.reaction.fy") << " N\n";
  }
  save_model(model, "pendulum.yaml");
  // [/readme]

  // From rest on the horizontal: θ̇² = 2 (m g L/2) |sin θ| / J, with J = m L²/3 about the pin.
  const double angle = sim.get("A.angle"), rate = sim.get("rod.wz");
  const double energy = rate * rate - 3 * 9.81 / 1.2 * -std::sin(angle);
  Simulation again(load_model("pendulum.yaml"));
  for (int k = 0; k < 10; ++k) again.step(0.1);
  std::cout << "energy is off by " << energy << "; the saved model gives " << again.get("A.angle") << " rad\n";
  return std::abs(energy) < 1e-7 && again.get("A.angle") == angle ? 0 : 1;
}
