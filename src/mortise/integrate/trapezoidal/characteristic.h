// How errors of constraints fade: continuous decay and the roots of the discrete schemes, constraint mode by mode.
//
// The modes of the rows are those of S = A M⁻¹Aᵀ, S y_k = s_k y_k. Of the soft multipliers ε λ̇ = φ̇ an error in mode k
// goes like e^{pt} with
//
//     rows of speeds       p = γ_k = −s_k/ε           (the eigenproblem (γ I + S/ε) y = 0: a rate for every mode)
//     holonomic rows       p = ±i √(s_k/ε)            (an oscillator without damping: nothing fades)
//
// and Baumgarte's with −γ, and with the roots of p² + 2αp + β² = 0, whatever the mode. A scheme of the implicit step
// makes of a mode in one step z^n instead of e^{pnh}; `discrete_roots` are the z of the parts that carry an error on,
// `step_matrix` is the map itself of one mode, S = s, A constant, no loads, for (φ, φ̇, φ̈, λ, λ̇, ∫φ dt). |z| = 1 beside
// z = 1 is ringing, z = 1 a drift that stays, |z| > 1 the end of the run.
//
// Source: specs/nasa-4-stabilization.md §2.5: 004 paper 4 eq. (27) with its sign repaired; the discrete part is ours.
// Cost: m³.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "mortise/gauss/problem.h"
#include "mortise/integrate/integrator.h"
#include "mortise/integrate/trapezoidal/implicit_formula.h"

namespace mortise::integrate {

struct ConstraintModes {
  std::vector<int> rows;  // that are on, in the order of the shapes
  Vector s;               // ascending; zero where rows depend on one another
  Matrix shapes;          // one a column, of unit length
  double reciprocal_condition() const { return s.size() > 0 && s[s.size() - 1] > 0 ? s[0] / s[s.size() - 1] : 0; }
};
// Throws std::invalid_argument where M is singular.
ConstraintModes constraint_modes(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy);

using ModeRoots = std::vector<std::complex<double>>;

// One mode of one kind of row under a scheme of implicit steps (ImplicitSettings, ε given).
struct OneMode {
  gauss::RowKind kind = gauss::RowKind::holonomic;
  double s = 1, h = 0.01;
  ImplicitFormula formula = ImplicitFormula::trapezoidal;
  ImplicitSettings scheme = {};
};
ModeRoots continuous_exponents(const OneMode& mode);
// Closed forms; of baumgarte-explicit and baumgarte-integral, which have none worth printing, by `step_matrix`.
ModeRoots discrete_roots(const OneMode& mode);
double spectral_radius(const ModeRoots& roots);
Matrix step_matrix(const OneMode& mode);  // 6 × 6, without correctors

}  // namespace mortise::integrate
