// A program outside of this repository: a point mass on a line, and a name with a typing error.
#include <mortise/error.h>
#include <mortise/gauss/problem.h>

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
  return row[0] == 7 && name == "revolute" ? 0 : 1;
}
