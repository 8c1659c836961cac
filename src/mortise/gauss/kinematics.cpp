#include "mortise/gauss/kinematics.h"

#include <Eigen/QR>
#include <string>

#include "mortise/linalg/gram_schmidt.h"

namespace mortise::gauss {

Matrix free_motions(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  const Pattern& p = *problem.pattern;
  const Matrix A = problem.dense_A();
  linalg::RowGramSchmidt rows;
  rows.resize(p.m(), p.n());
  rows.begin(p.m(), p.n());
  for (int i = 0; i < p.m(); ++i)
    for (int k = 0; k < p.n(); ++k) rows.row(i)[k] = p.row_scale[static_cast<std::size_t>(i)] * A(i, k);
  rows.factor(policy, problem.violation);
  const int r = rows.rank().rank;
  if (r == 0) return Matrix::Identity(p.n(), p.n());
  Matrix H(p.n(), r);
  for (int k = 0; k < r; ++k) H.col(k) = Eigen::Map<const Vector>(rows.H(k), p.n());
  const Matrix Q = Eigen::HouseholderQR<Matrix>(H).householderQ();
  return Q.rightCols(p.n() - r);
}

void check_driven(const GaussProblem& problem, const linalg::RankPolicy& policy) {
  Matrix motions = free_motions(problem, policy);
  if (motions.cols() == 0) return;
  SolveReport report;
  report.code = "S425";
  report.message = std::to_string(motions.cols()) + (motions.cols() == 1 ? " motion is" : " motions are") +
                   " neither driven nor held: the constraints alone do not say how the system moves";
  for (Eigen::Index k = 0; k < motions.cols(); ++k) {
    Eigen::Index largest = 0;
    motions.col(k).cwiseAbs().maxCoeff(&largest);
    report.details.push_back("free mostly along velocity " + std::to_string(largest));
  }
  report.advice = "a driver for each of them, or dynamics instead of kinematics";
  throw NotDriven(std::move(report), std::move(motions));
}

}  // namespace mortise::gauss
