// A rod is balanced on a carriage with a redundant crank: two sampled controllers (gains: examples/python/e11) that
// read sensors as real ones are (steps of the encoder, noise, a sample late), and the linear model that says beforehand
// whether they can.
#include <mortise/mortise.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <iostream>
#include <numbers>

int main(int argc, char** argv) {
  using namespace mortise;
  const Model model = load_model(argc > 1 ? argv[1] : "examples/inverted-pendulum.yaml");
  const std::shared_ptr<const Mechanism> mechanism =
      Mechanism::compile(std::make_shared<const Model>(model), standard_parts());

  // About the upright pose: one root grows.
  const StateSpace linear = state_space(*mechanism, {"carriage.x", "rod.angle"});
  const double fastest = linear.A.eigenvalues().real().maxCoeff();
  std::cout << "the rod falls with " << fastest << " 1/s when nobody holds it\n";

  const double period = 0.005, upright = std::numbers::pi / 2;
  Simulation sim(mechanism);
  Sensor lean("rod.angle", {.resolution = 1e-4, .noise = 1e-4, .delay = 1});
  Sensor place("carriage.x", {.resolution = 1e-4});
  Pid hold({.p = 142.5, .d = 36.2, .filter = 0.01, .least = -80, .most = 80}, period);
  Pid centre({.p = 52.7, .d = 24, .filter = 0.01}, period);
  double away = 0;
  sim.every(period, [&](Simulation& s) {
    const double bump = s.t() < 0.1 ? 5 : 0;  // somebody runs into it
    s.set("push", centre(place.read(s)) - hold(lean.read(s) - upright) + bump);
    away = std::max(away, std::abs(s.get("rod.angle") - upright));
  });
  sim.advance_to(8);
  const double left = std::abs(sim.get("rod.angle") - upright);
  std::cout << "leant by " << away << " rad at most; by " << left << " rad after 8 s, carriage at "
            << sim.get("carriage.x") << " m\n";
  return fastest > 1 && away > 0.005 && left < 0.01 && std::abs(sim.get("carriage.x")) < 0.05 ? 0 : 1;
}
