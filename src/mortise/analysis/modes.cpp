#include "mortise/analysis/modes.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/analysis/methods.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

using Complex = std::complex<double>;
using ComplexVector = Eigen::VectorXcd;

Mode mode_of(Complex s, const ComplexVector& x) {
  Mode mode;
  mode.root = s;
  mode.omega = std::abs(s);
  mode.frequency = std::abs(s.imag()) / (2 * M_PI);
  mode.damping = mode.omega > 0 ? -s.real() / mode.omega : 0;
  // The phase at which the largest component is real.
  Eigen::Index at = 0;
  x.cwiseAbs().maxCoeff(&at);
  const ComplexVector turned = x * (std::abs(x[at]) / x[at]);
  mode.real = turned.real();
  mode.imaginary = turned.imag();
  return mode;
}

}  // namespace

std::vector<Mode> solve_modes(const Matrix& M, const Matrix& C, const Matrix& K, const linalg::RankPolicy& policy) {
  const Eigen::Index f = M.rows();
  std::vector<Mode> modes;
  if (f == 0) return modes;
  const Eigen::LLT<Matrix> mass(M);
  if (mass.info() != Eigen::Success) throw std::domain_error("the mass matrix is not positive definite");
  // x = L⁻ᵀ z: M becomes one.
  const auto white = [&](const Matrix& X) {
    const Matrix left = mass.matrixL().solve(X);
    return Matrix(mass.matrixL().solve(left.transpose()).transpose());
  };
  const auto back = [&](const ComplexVector& z) {
    ComplexVector x(f);
    x.real() = mass.matrixU().solve(Vector(z.real()));
    x.imag() = mass.matrixU().solve(Vector(z.imag()));
    return x;
  };
  Matrix k = white(K), c = white(C);
  // Motions with neither stiffness nor damping.
  const Eigen::JacobiSVD<Matrix> svd(k, Eigen::ComputeFullV);
  const double stiffest = svd.singularValues()[0], cut = policy.cut(stiffest, 0);
  const double dampest = c.size() ? c.cwiseAbs().maxCoeff() : 0;
  const double undamped = policy.cut(std::max(dampest, std::sqrt(stiffest)), 0);
  Eigen::Index still = 0;
  for (Eigen::Index j = 0; j < f; ++j) still += svd.singularValues()[j] <= cut;
  Matrix rigid(f, 0), rest = Matrix::Identity(f, f);
  if (still > 0) {
    const Matrix null = svd.matrixV().rightCols(still);
    const Eigen::JacobiSVD<Matrix> damped(c * null, Eigen::ComputeFullV);
    Eigen::Index free = 0;
    for (Eigen::Index j = 0; j < still; ++j)
      free += j >= damped.singularValues().size() || damped.singularValues()[j] <= undamped;
    rigid = null * damped.matrixV().rightCols(free);
    const Eigen::JacobiSVD<Matrix> all(rigid, Eigen::ComputeFullU);
    rest = all.matrixU().rightCols(f - free);
  }
  for (Eigen::Index j = 0; j < rigid.cols(); ++j) {
    Mode mode = mode_of(0, back(rigid.col(j).cast<Complex>()));
    mode.rigid = true;
    modes.push_back(mode);
  }
  const Eigen::Index r = rest.cols();
  if (r == 0) return modes;
  const Matrix k2 = rest.transpose() * k * rest, c2 = rest.transpose() * c * rest;
  // What the others drag along of the rigid motions: s² y + (s C₁₂ + K₁₂) x = 0.
  const Matrix k1 = rigid.transpose() * k * rest, c1 = rigid.transpose() * c * rest;
  const auto whole = [&](Complex s, const ComplexVector& x) {
    ComplexVector z = rest.cast<Complex>() * x;
    if (rigid.cols() > 0 && std::abs(s) > 0)
      z -= rigid.cast<Complex>() * ((s * c1.cast<Complex>() + k1.cast<Complex>()) * x) / (s * s);
    return back(z);
  };
  const double skew = (k2 - k2.transpose()).cwiseAbs().maxCoeff();
  std::vector<Mode> others;
  if (dampest <= undamped && skew <= 1e-7 * std::max(stiffest, cut)) {
    const Eigen::SelfAdjointEigenSolver<Matrix> eigen(0.5 * (k2 + k2.transpose()));
    for (Eigen::Index j = 0; j < r; ++j) {
      const double value = eigen.eigenvalues()[j];
      const ComplexVector x = eigen.eigenvectors().col(j).cast<Complex>();
      if (value >= 0) {
        others.push_back(mode_of(Complex(0, std::sqrt(value)), whole(Complex(0, std::sqrt(value)), x)));
      } else {
        for (const double sign : {1.0, -1.0}) {
          const Complex s(sign * std::sqrt(-value), 0);
          others.push_back(mode_of(s, whole(s, x)));
        }
      }
    }
  } else {
    Matrix companion = Matrix::Zero(2 * r, 2 * r);
    // Balanced by ω = √stiffest: both halves of the state are alike.
    const double w = stiffest > 0 ? std::sqrt(stiffest) : std::max(dampest, 1e-300);
    companion.topRightCorner(r, r) = Matrix::Identity(r, r) * w;
    companion.bottomLeftCorner(r, r) = -k2 / w;
    companion.bottomRightCorner(r, r) = -c2;
    const Eigen::EigenSolver<Matrix> eigen(companion);
    for (Eigen::Index j = 0; j < 2 * r; ++j) {
      const Complex s = eigen.eigenvalues()[j];
      if (s.imag() < 0) continue;  // its conjugate is here
      Mode mode = mode_of(s, whole(s, eigen.eigenvectors().col(j).head(r)));
      if (mode.omega <= 1e-9 * w) {  // stands still wherever it is put: damped, without stiffness
        mode.rigid = true;
        mode.root = 0;
        mode.omega = mode.frequency = mode.damping = 0;
      }
      others.push_back(mode);
    }
  }
  std::stable_sort(others.begin(), others.end(),
                   [](const Mode& a, const Mode& b) { return a.rigid != b.rigid ? a.rigid : a.omega < b.omega; });
  modes.insert(modes.end(), others.begin(), others.end());
  return modes;
}

ModesResult run_modes(const mechanism::Mechanism& m) {
  const model::AnalysisSettings& settings = m.model().analysis;
  ModesResult result;
  result.equilibrium = run_statics(m);
  Linearizer linearizer(m, settings);
  const Linearization at = linearizer.at(result.equilibrium.state, true);
  result.freedoms = static_cast<int>(at.N.cols());
  linalg::RankPolicy policy;
  policy.relative = 1e-10;
  try {
    result.modes = solve_modes(at.M, at.C, at.K, policy);
  } catch (const std::domain_error&) {
    throw SolveError(no_mass(m, result.equilibrium.state, at));
  }
  Matrix rigid(m.v_size(), 0);
  for (const Mode& mode : result.modes)
    if (mode.rigid) {
      rigid.conservativeResize(Eigen::NoChange, rigid.cols() + 1);
      rigid.rightCols(1) = at.N * mode.real;
    }
  localize(linearizer.tangent(), rigid);
  Eigen::Index next = 0;
  for (Mode& mode : result.modes) {
    mode.real = mode.rigid ? Vector(rigid.col(next++)) : Vector(at.N * mode.real);
    mode.imaginary = at.N * mode.imaginary;
    const double reach = linearizer.tangent().reach((mode.real.cwiseAbs2() + mode.imaginary.cwiseAbs2()).cwiseSqrt());
    if (reach > 0) {
      mode.real /= reach;
      mode.imaginary /= reach;
    }
    mode.words = motion_in_words(m, result.equilibrium.state, mode.real);
  }
  if (settings.modes > 0 && static_cast<std::size_t>(settings.modes) < result.modes.size())
    result.modes.resize(static_cast<std::size_t>(settings.modes));
  return result;
}

void animate(const mechanism::Mechanism& m, const ModesResult& result, std::size_t which, double amplitude, int frames,
             Sink& sink) {
  const Mode& mode = result.modes.at(which);
  const auto formulation = gauss::make_formulation("udwadia-kalaba");
  const auto stabilizer = stabilize::make_stabilizer("none");
  Motion motion(m, *formulation, *stabilizer, rank_policy(m.model().analysis));
  Observer observer(m, motion, false);
  const auto scratch = m.make_scratch();
  Evaluation e;
  e.resize(m.pattern());
  Frame frame;
  observer.resize(frame);
  gauss::GaussSolution solution;
  solution.resize(m.pattern());
  solution.lambda = result.equilibrium.state.lambda;
  sink.begin(observer.header(fmt::format("mode {} of modes: {:.6g} Hz", which + 1, mode.frequency)));
  const double period = mode.frequency > 0 ? 1 / mode.frequency : 1, size = amplitude * m.characteristic_length();
  const double omega = 2 * M_PI / period;
  for (int k = 0; k <= frames; ++k) {
    State state = result.equilibrium.state;
    state.t = period * k / frames;
    const double cos = std::cos(omega * state.t), sin = std::sin(omega * state.t);
    const Vector move = size * (cos * mode.real - sin * mode.imaginary);
    state.v = -size * omega * (sin * mode.real + cos * mode.imaginary);
    solution.a = -omega * omega * move;
    m.retract(as_span(result.equilibrium.state.q), as_span(move), as_span(state.q));
    m.evaluate(state, need_dynamics | need_energy, *scratch, e);
    observer.describe(state, solution, e, frame);
    sink.frame(frame);
  }
  RunSummary summary;
  summary.status = "done";
  sink.end(summary);
}

}  // namespace mortise::analysis
