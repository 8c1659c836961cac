#include "mortise/analysis/linearize.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "mortise/analysis/methods.h"
#include "mortise/stabilize/stabilizer.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

Linearizer::Linearizer(const mechanism::Mechanism& m, const model::AnalysisSettings& settings)
    : mechanism_(m),
      policy_(rank_policy(settings)),
      formulation_(make_formulation(settings)),
      stabilizer_(stabilize::make_stabilizer("none")),
      motion_(m, *formulation_, *stabilizer_, policy_),
      scratch_(m.make_scratch()),
      tangent_(m) {
  own_.resize(m.pattern());
  Vector q_sizes(m.q_size());
  v_sizes_.setOnes(m.v_size());
  m.typical_sizes(as_span(q_sizes), as_span(v_sizes_));
}

const Evaluation& Linearizer::evaluate(const State& state) {
  if (mechanism_.feedback_size() > 0) {
    State copy = state;
    gauss::GaussSolution solution;
    solution.resize(mechanism_.pattern());
    motion_.accelerate(copy, solution);
    return motion_.evaluation();
  }
  mechanism_.evaluate(state, need_dynamics, *scratch_, own_);
  if (own_.problem.C.size() > 0) own_.problem.Q += own_.problem.C;
  if (!std::isfinite(own_.problem.Q.sum() + own_.problem.A.sum())) throw SolveError(mechanism_.blame_non_finite(state));
  return own_;
}

Vector Linearizer::remainder(const State& state, const Vector& lambda) {
  const Evaluation& e = evaluate(state);
  Vector pull(mechanism_.v_size());
  e.problem.multiply_At(as_span(lambda), as_span(pull));
  return e.problem.Q - pull;
}

Linearization Linearizer::forces_at(const State& given) {
  State state = given;
  state.v.setZero();
  const Evaluation& e = evaluate(state);
  if (!scaled_) tangent_.scale_rows(e);
  scaled_ = true;
  Linearization out;
  out.N = tangent_.free_motions(e, policy_);
  out.force = out.N.transpose() * e.problem.Q;
  out.load = e.problem.Q.size() ? e.problem.Q.cwiseProduct(tangent_.sizes()).cwiseAbs().maxCoeff() : 0;
  gauss::GaussProblem problem;
  tangent_.problem(e, problem);
  const auto factor = gauss::make_formulation("udwadia-kalaba")->prepare(tangent_.pattern());
  gauss::GaussSolution solution;
  solution.resize(tangent_.pattern());
  if (!factor->factor(problem, policy_)) throw SolveError(not_unique(state.t, factor->refusal().missing));
  const Vector zero = Vector::Zero(mechanism_.pattern().m());
  factor->solve(as_span(e.problem.Q), as_span(zero), solution);
  out.lambda = solution.lambda;
  return out;
}

Linearization Linearizer::at(const State& given, bool damping) {
  State state = given;
  state.v.setZero();
  Linearization out = forces_at(state);
  const Eigen::Index f = out.N.cols();
  {
    const Evaluation& e = evaluate(state);
    Vector y(mechanism_.v_size());
    out.M.resize(f, f);
    for (Eigen::Index k = 0; k < f; ++k) {
      const Vector u = out.N.col(k);
      e.problem.multiply_M(as_span(u), as_span(y));
      out.M.col(k) = out.N.transpose() * y;
    }
    out.M = (0.5 * (out.M + out.M.transpose())).eval();
  }
  const double h = 1e-3 * mechanism_.characteristic_length();
  out.K.resize(f, f);
  out.C.setZero(f, f);
  for (Eigen::Index k = 0; k < f; ++k) {
    const Vector u = out.N.col(k);
    out.K.col(k) = -out.N.transpose() * slope(
                                            [&](double s) {
                                              State there = state;
                                              const Vector move = s * u;
                                              mechanism_.retract(as_span(state.q), as_span(move), as_span(there.q));
                                              return remainder(there, out.lambda);
                                            },
                                            h);
    if (!damping) continue;
    out.C.col(k) = -out.N.transpose() * slope(
                                            [&](double s) {
                                              State there = state;
                                              there.v = s * u;
                                              return Vector(evaluate(there).problem.Q);
                                            },
                                            speed());
  }
  return out;
}

double Linearizer::speed() const { return 1e-4 * v_sizes_.cwiseQuotient(tangent_.sizes()).minCoeff(); }

Matrix Linearizer::input_forces(const State& given, const Matrix& N) {
  State state = given;
  state.v.setZero();
  const std::vector<std::string>& names = mechanism_.model().input_names;
  Matrix out(N.cols(), static_cast<Eigen::Index>(names.size()));
  for (Eigen::Index k = 0; k < out.cols(); ++k) {
    const double h = input_step(state.inputs[k]);
    const auto moved = [&](double s) {
      State there = state;
      there.inputs[k] += s;
      return there;
    };
    out.col(k) = N.transpose() * slope([&](double s) { return Vector(evaluate(moved(s)).problem.Q); }, h);
  }
  return out;
}

SolveReport no_mass(const mechanism::Mechanism& m, const State& state, const Linearization& at) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(at.M);
  SolveReport report;
  report.code = "S473";
  report.message = "a motion that the joints allow has no mass: it has no frequency";
  report.details.push_back("without mass: " + motion_in_words(m, state, at.N * eigen.eigenvectors().col(0)));
  report.advice = "give mass or inertia to what moves there, or hold it";
  return report;
}

}  // namespace mortise::analysis
