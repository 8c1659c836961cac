#include "mortise/integrate/trapezoidal/characteristic.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace mortise::integrate {

ConstraintModes constraint_modes(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy) {
  ConstraintModes out;
  for (int i = 0; i < problem.pattern->m(); ++i)
    if (problem.active[index(i)]) out.rows.push_back(i);
  const Eigen::LLT<Matrix> M(problem.dense_M());
  if (M.info() != Eigen::Success || M.rcond() < policy.mass)
    throw std::invalid_argument("the mass matrix is singular: constraint modes divide by it");
  const Matrix all = problem.dense_A();
  Matrix A(out.rows.size(), all.cols());
  for (std::size_t k = 0; k < out.rows.size(); ++k) A.row(static_cast<Eigen::Index>(k)) = all.row(out.rows[k]);
  if (out.rows.empty()) return out;
  const Matrix Y = M.matrixL().solve(A.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(Y.transpose() * Y);
  out.s = modes.eigenvalues().cwiseMax(0);
  out.shapes = modes.eigenvectors();
  return out;
}

namespace {

// x² + 2bx + c = 0.
ModeRoots quadratic(double b, double c) {
  const std::complex<double> root = std::sqrt(std::complex<double>(b * b - c));
  return {-b + root, -b - root};
}

bool feedback(const OneMode& m) { return m.scheme.scheme.starts_with("baumgarte"); }
bool holonomic(const OneMode& m) { return m.kind != gauss::RowKind::nonholonomic; }

ModeRoots of_matrix(const Matrix& T) {
  const Eigen::EigenSolver<Matrix> eigen(T, false);
  ModeRoots out;
  for (const std::complex<double>& z : eigen.eigenvalues())
    if (std::abs(z) > 1e-9) out.push_back(z);
  std::sort(out.begin(), out.end(), [](auto x, auto y) { return std::abs(x) > std::abs(y); });
  return out;
}

}  // namespace

ModeRoots continuous_exponents(const OneMode& m) {
  const ImplicitSettings& c = m.scheme;
  ModeRoots out;
  if (feedback(m)) {
    if (!holonomic(m)) return {-c.gamma};
    // The integral form has a double root, (C + D t) e^{−γt}.
    return c.scheme == "baumgarte-integral" ? ModeRoots{-c.gamma, -c.gamma} : quadratic(c.alpha, c.beta * c.beta);
  }
  if (c.scheme == "history") out.push_back(0);
  if (!holonomic(m)) {
    out.push_back(-m.s / c.epsilon);
  } else {
    const double frequency = std::sqrt(m.s / c.epsilon);
    out.push_back({0, frequency});
    out.push_back({0, -frequency});
  }
  return out;
}

ModeRoots discrete_roots(const OneMode& m) {
  const ImplicitSettings& c = m.scheme;
  const bool rule = m.formula == ImplicitFormula::trapezoidal;
  const double delta = reach_of(m.formula, m.h);
  // What the formula makes of e^{pt}.
  const auto of = [&](std::complex<double> p) {
    return rule ? (1.0 + p * delta) / (1.0 - p * delta) : 1.0 / (1.0 - p * delta);
  };
  if (c.scheme == "baumgarte-explicit" || (c.scheme == "baumgarte-integral" && holonomic(m))) {
    // Rows of speeds hold no positions: φ goes along, with a z = 1 of its own.
    return of_matrix(holonomic(m) ? step_matrix(m) : Matrix(step_matrix(m).bottomRightCorner(5, 5)));
  }
  ModeRoots out;
  for (const std::complex<double> p : continuous_exponents(m)) out.push_back(of(p));
  return out;
}

double spectral_radius(const ModeRoots& roots) {
  double radius = 0;
  for (const std::complex<double>& z : roots) radius = std::max(radius, std::abs(z));
  return radius;
}

// M = 1, A = √s: φ = √s q, φ̈ = −s λ. Rows of the unknowns are built one after the other, each as a combination of the
// old ones (e, d, g, λ, μ, I) = (φ, φ̇, φ̈, λ, λ̇, ∫φ dt).
Matrix step_matrix(const OneMode& m) {
  const ImplicitSettings& c = m.scheme;
  const double h = m.h, delta = reach_of(m.formula, h), kept = memory_of(m.formula) * delta, s = m.s, eps = c.epsilon;
  using Row = Eigen::Matrix<double, 1, 6>;
  const auto old = [](int k) { return Row(Row::Unit(k)); };
  const Row e = old(0), d = old(1), g = old(2), lambda = old(3), mu = old(4), sum = old(5);
  const Row h_d = d + kept * g, h_e = e + kept * d;                      // histories
  const Row e_trial = e + h * d + 0.5 * h * h * g, d_trial = d + h * g;  // of the predictor
  const bool hol = holonomic(m);
  const double alpha = c.alpha, beta2 = c.beta * c.beta, gamma = c.gamma;
  Row next = Row::Zero();  // λ⁺
  if (c.scheme == "anchored-iterated")
    next = hol ? Row((h_e + delta * h_d) / (eps + delta * delta * s)) : Row(h_d / (eps + delta * s));
  else if (c.scheme == "anchored")
    next =
        hol ? Row((e + kept * d + delta * h_d) / (eps + delta * delta * s)) : Row((d + kept * g) / (eps + delta * s));
  else if (c.scheme == "history")
    next = hol ? Row((eps * (lambda + kept * mu) + delta * h_d) / (eps + delta * delta * s))
               : Row(eps * (lambda + kept * mu) / (eps + delta * s));
  else if (hol && c.scheme == "baumgarte-implicit")
    next = (2 * alpha * h_d + beta2 * (h_e + delta * h_d)) / (s * (1 + 2 * alpha * delta + beta2 * delta * delta));
  else if (hol && c.scheme == "baumgarte-integral")
    next = (h_d + 2 * gamma * e_trial + gamma * gamma * (sum + kept * e + delta * e_trial)) / (delta * s);
  else if (hol)
    next = (2 * alpha * d_trial + beta2 * e_trial) / s;
  else if (c.scheme == "baumgarte-implicit")
    next = gamma * h_d / (s * (1 + gamma * delta));
  else
    next = gamma * d_trial / s;
  const Row g_next = -s * next, d_next = h_d + delta * g_next, e_next = h_e + delta * d_next;
  Matrix T(6, 6);
  T.row(0) = e_next;
  T.row(1) = d_next;
  T.row(2) = g_next;
  T.row(3) = next;
  // What a scheme does not ask for is not carried on.
  T.row(4) = c.scheme == "history" ? Row((next - lambda - kept * mu) / delta) : Row(Row::Zero());
  T.row(5) = c.scheme == "baumgarte-integral" ? Row(sum + kept * e + delta * e_next) : Row(Row::Zero());
  return T;
}

}  // namespace mortise::integrate
