// Gauss problems with a solution known beforehand and conditions as ordered, for comparing formulations.
#pragma once

#include "gauss/problem_builder.h"

namespace mortise::gauss::testing {

struct Order {
  int n = 12, m = 8, rank = 8;  // of the rows that are on
  double smallest = 0.1;        // singular values of the scaled rows in the mass metric: from 1 down to this
  double mass_condition = 10;   // of the largest block
  int off = 0;                  // rows that are off, in between
  bool scaled = false;          // nominal row norms other than one
  bool consistent = true;
};

// Block by block, eigenvalues from 1 down to 1/condition; every other block diagonal.
Matrix conditioned_mass(std::mt19937& random, const Blocks& columns, double condition);

// What is drawn: a and the shortest λ with M a + Aᵀλ = Q, A a = b.
struct Known {
  Vector a, lambda;
};

Known draw(OwnedProblem& p, std::mt19937& random, const Order& order);

inline double relative(const Vector& got, const Vector& wanted) {
  return (got - wanted).norm() / std::max(wanted.norm(), 1e-12);
}

}  // namespace mortise::gauss::testing
