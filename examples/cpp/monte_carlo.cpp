// Monte Carlo over initial states: a thousand double pendulums that begin almost alike, side by side in SIMD lanes and
// on all threads, and how fast they part. Each keeps its own energy: that is the check.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>
#include <random>

int main() {
  using namespace mortise;
  const std::shared_ptr<const Mechanism> pendulum = Mechanism::compile(std::make_shared<const Model>(
      build(ModelBuilder::planar("Double pendulum")
                .gravity({0, -9.81})
                .body("upper", "rigid", {{"mass", 1}, {"inertia", "1/12"}, {"at", {0.5, 0}}})
                .body("lower", "rigid", {{"mass", 1}, {"inertia", "1/12"}, {"at", {1.5, 0}}})
                .joint("A", "revolute", {{"between", {"ground", "upper"}}, {"at", {0, 0}}})
                .joint("B", "revolute", {{"between", {"upper", "lower"}}, {"at", {1, 0}}}))));

  // Copies share the mechanism and differ in their states; speeds need not fit the joints, the batch brings them there.
  std::mt19937_64 random(1);
  std::normal_distribution<double> spread(0, 1e-3);
  std::vector<BatchCopy> copies;
  for (int k = 0; k < 1000; ++k) {
    State start = pendulum->initial_state();
    start.v[2] += spread(random);
    start.v[5] += spread(random);
    copies.push_back({pendulum, start});
  }
  Batch batch(copies, {.step = 1e-3});
  std::vector<double> energy;
  for (int k = 0; k < batch.size(); ++k) energy.push_back(batch.look(k).kinetic + batch.look(k).potential);

  double lost = 0;
  for (int second = 1; second <= 3; ++second) {
    batch.advance(second);
    double mean = 0, square = 0;
    for (int k = 0; k < batch.size(); ++k) {
      const analysis::BatchLook at = batch.look(k);
      const double angle = at.state.q[5];
      mean += angle / batch.size();
      square += angle * angle / batch.size();
      lost = std::max(lost, std::abs(at.kinetic + at.potential - energy[static_cast<std::size_t>(k)]));
    }
    std::cout << "after " << second << " s the lower arm stands at " << mean << " rad, standard deviation "
              << std::sqrt(std::max(0.0, square - mean * mean)) << "\n";
  }
  std::cout << "energy lost in the worst copy: " << lost << " J\n";
  return lost < 1e-6 ? 0 : 1;
}
