// A program outside of this repository: a point mass on a line, a name with a typing error, and a pendulum.
#include <mortise/mortise.h>

#include <iostream>

int main() {
  using namespace mortise;

  gauss::Pattern pattern;
  pattern.columns.append(2);
  pattern.rows.push_back({});
  pattern.append_block(0, 1, 0);
  pattern.layout_mass();

  gauss::GaussProblem problem;
  problem.resize(pattern);
  problem.active[0] = 1;
  problem.A << 3, 4;
  const Vector velocity = Vector::Ones(2);
  Vector row(1);
  problem.multiply_A({velocity.data(), 2}, {row.data(), 1});

  const std::string name = nearest_name("revolut", {"revolute", "prismatic"});
  std::cout << "A v = " << row[0] << ", nearest name: " << name << '\n';

  Simulation sim(build(ModelBuilder::planar("Pendulum")
                           .gravity({0, -9.81})
                           .body("arm", {{"mass", 1}, {"inertia", 0.1}, {"at", {1, 0}}})
                           .joint("A", "revolute", {{"between", {"ground", "arm"}}, {"at", {0, 0}}})));
  sim.step(0.1);
  std::cout << "after 0.1 s the arm is at y = " << sim.get("arm.y") << " m\n";
  return row[0] == 7 && name == "revolute" && sim.get("arm.y") < 0 ? 0 : 1;
}
