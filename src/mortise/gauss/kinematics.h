// Pure kinematics with the equations of dynamics: M = I, Q = 0 gives the shortest a with A a = b. That is the motion
// only if the rows, drivers among them, leave no freedom.
//
// Source: specs/gigsp-and-genetic.md §2, pure kinematics (4.8), (4.9).
#pragma once

#include "mortise/error.h"
#include "mortise/gauss/problem.h"

namespace mortise::gauss {

// S425: the rows leave motions free.
class NotDriven : public SolveError {
 public:
  NotDriven(SolveReport report, Matrix motions) : SolveError(std::move(report)), motions_(std::move(motions)) {}
  const Matrix& motions() const { return motions_; }  // n × missing, orthonormal: A of each is zero

 private:
  Matrix motions_;
};

// The velocities that the rows leave free, as orthonormal columns. Allocates.
Matrix free_motions(const GaussProblem& problem, const linalg::RankPolicy& policy);
// Throws NotDriven when there are any.
void check_driven(const GaussProblem& problem, const linalg::RankPolicy& policy);

}  // namespace mortise::gauss
