#include "mortise/analysis/efforts.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "mortise/analysis/kinematics.h"
#include "mortise/analysis/methods.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

Efforts::Efforts(const mechanism::Mechanism& m, const model::AnalysisSettings& settings)
    : mechanism_(m),
      formulation_(make_formulation(settings)),
      stabilizer_(stabilize::make_stabilizer("none")),
      policy_(rank_policy(settings)),
      motion_(m, *formulation_, *stabilizer_, policy_),
      loose_(formulation_->prepare(m.pattern())) {
  std::vector<std::string> drivers;
  std::vector<double> weights;
  for (const mechanism::Constraint& c : m.constraints()) {
    if (!c.driver) continue;
    drivers.push_back(m.name(c.ref));
    for (int row = c.row; row < c.row + c.rows; ++row) {
      const auto unit = m.pattern().rows[static_cast<std::size_t>(row)].unit;
      double weight =
          unit == gauss::RowUnit::angle || unit == gauss::RowUnit::angular_speed ? m.characteristic_length() : 1;
      for (const model::DriverWeight& own : settings.weights)
        if (own.driver == drivers.back()) weight = own.weight;
      rows_.push_back(row);
      weights.push_back(weight);
    }
  }
  if (rows_.empty())
    throw ModelError(Diagnostic{"M471", "inverse dynamics asks what drivers do, and the model has none",
                                settings.place_type, "add a driver, or type: dynamics", false});
  for (const model::DriverWeight& own : settings.weights)
    if (std::find(drivers.begin(), drivers.end(), own.driver) == drivers.end()) {
      const std::string near = nearest_name(own.driver, drivers);
      throw ModelError(Diagnostic{"M470", fmt::format("'weights' are of drivers, and '{}' is none", own.driver),
                                  own.place, near.empty() ? "" : fmt::format("did you mean '{}'?", near), false});
    }
  weights_ = as_vector(ConstSpan(weights));
  step_.resize(m.pattern());
}

Vector Efforts::shares(const Vector& missing) {
  // û = û₀ + Z y with the least |D (û₀ + Z y)|.
  const auto d = static_cast<Eigen::Index>(rows_.size());
  Vector scale(d);
  for (Eigen::Index k = 0; k < d; ++k)
    scale[k] = mechanism_.pattern().row_scale[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
  Vector u = pseudo_ * missing.cwiseProduct(scale);
  if (Z_.cols() > 0) {
    const Vector D = scale.cwiseQuotient(weights_);
    const Matrix DZ = D.asDiagonal() * Z_;
    u -= Z_ * DZ.colPivHouseholderQr().solve(D.cwiseProduct(u));
  }
  return u.cwiseProduct(scale);
}

void Efforts::solve(State& state, gauss::GaussSolution& out) {
  motion_.accelerate(state, out, need_energy);
  const Evaluation& e = motion_.evaluation();
  const auto d = static_cast<Eigen::Index>(rows_.size());
  problem_ = e.problem;
  Vector on = Vector::Zero(d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)]);
    on[k] = problem_.active[row];
    problem_.active[row] = 0;
  }
  if (!loose_->factor(problem_, policy_)) {
    SolveReport report;
    report.code = "S471";
    report.time = state.t;
    report.message = "without its drivers the mechanism has motions with neither mass nor constraint";
    report.advice = "give mass to every body that drivers hold";
    throw SolveError(report);
  }
  const int n = mechanism_.v_size(), m = mechanism_.pattern().m();
  Vector unit = Vector::Zero(m), load(n), y(m), right = Vector::Zero(m);
  const auto at = [&](const Vector& rows, Eigen::Index k) { return rows[rows_[static_cast<std::size_t>(k)]]; };
  G_.setZero(d, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    if (on[k] == 0) continue;
    unit.setZero();
    unit[rows_[static_cast<std::size_t>(k)]] = 1;
    e.problem.multiply_At(as_span(unit), as_span(load));
    loose_->solve(as_span(load), as_span(right), step_);
    e.problem.multiply_A(as_span(step_.a), as_span(y));
    for (Eigen::Index i = 0; i < d; ++i) G_(i, k) = at(y, i);
  }
  for (Eigen::Index k = 0; k < d; ++k) {
    const double s = mechanism_.pattern().row_scale[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
    G_.row(k) *= s;
    G_.col(k) *= s;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (G_ + G_.transpose()));
  const Vector& values = eigen.eigenvalues();
  const double cut = policy_.squared_cut(values.cwiseAbs().maxCoeff(), e.problem.violation, n + m);
  Vector inverse = Vector::Zero(d);
  free_ = 0;
  for (Eigen::Index k = 0; k < d; ++k) {
    if (values[k] > cut)
      inverse[k] = 1 / values[k];
    else
      ++free_;
  }
  pseudo_ = eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose();
  Z_ = eigen.eigenvectors().leftCols(free_);
  free_ -= static_cast<int>(d - static_cast<Eigen::Index>(on.sum()));

  // Efforts, then once more with what rounding left of b_D − A_D a.
  Vector u = Vector::Zero(d);
  gauss::GaussSolution& s = step_;
  for (int pass = 0; pass < 3; ++pass) {
    unit.setZero();
    for (Eigen::Index k = 0; k < d; ++k) unit[rows_[static_cast<std::size_t>(k)]] = u[k];
    e.problem.multiply_At(as_span(unit), as_span(load));
    load += e.problem.Q;
    loose_->solve(as_span(load), as_span(e.problem.b), s);
    if (pass == 2) break;
    e.problem.multiply_A(as_span(s.a), as_span(y));
    Vector missing(d);
    for (Eigen::Index k = 0; k < d; ++k) missing[k] = on[k] * (at(e.problem.b, k) - at(y, k));
    u += shares(missing);
    if (Z_.cols() > 0) {  // the least of the sum, not the sum of the least
      Vector scale(d);
      for (Eigen::Index k = 0; k < d; ++k)
        scale[k] = mechanism_.pattern().row_scale[static_cast<std::size_t>(rows_[static_cast<std::size_t>(k)])];
      const Vector D = scale.cwiseQuotient(weights_);
      const Matrix DZ = D.asDiagonal() * Z_;
      u -= scale.asDiagonal() * Z_ * DZ.colPivHouseholderQr().solve(u.cwiseQuotient(weights_));
    }
    u = u.cwiseProduct(on);
  }
  out.lambda = s.lambda;
  for (Eigen::Index k = 0; k < d; ++k) out.lambda[rows_[static_cast<std::size_t>(k)]] = -u[k];
  state.lambda = out.lambda;
}

}  // namespace mortise::analysis
