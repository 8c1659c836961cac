#include "mortise/integrate/adams_coefficients.h"

#include <cmath>

namespace mortise::integrate {

void AdamsCoefficients::form(double h, int k, const Scalars& psi_of_history) {
  psi[1] = h;
  for (int i = 2; i <= k + 1; ++i) psi[i] = psi_of_history[i - 1] + h;
  beta[1] = 1;
  for (int i = 2; i <= k; ++i) beta[i] = beta[i - 1] * psi[i - 1] / psi_of_history[i - 1];
  sigma[1] = 1;
  for (int i = 1; i <= k; ++i) sigma[i + 1] = i * (h / psi[i]) * sigma[i];

  Scalars w{};  // g_{i,q} over q
  for (int q = 1; q <= k; ++q) w[q] = 1.0 / (q * (q + 1));
  g[1] = 1;
  g[2] = w[1];
  for (int i = 3; i <= k + 1; ++i) {
    const double alpha = h / psi[i - 1];
    for (int q = 1; q <= k + 2 - i; ++q) w[q] -= alpha * w[q + 1];
    g[i] = w[1];
  }
}

const AdamsCoefficients::Scalars& adams_error_constants() {
  static const AdamsCoefficients::Scalars constants = [] {
    // Σ_{i ≤ m} γ*ᵢ / (m + 1 − i) = 0 for m ≥ 1, γ*₀ = 1.
    AdamsCoefficients::Scalars gamma{};
    gamma[0] = 1;
    for (int m = 1; m < AdamsCoefficients::count; ++m)
      for (int i = 0; i < m; ++i) gamma[m] -= gamma[i] / (m + 1 - i);
    for (double& value : gamma) value = std::abs(value);
    return gamma;
  }();
  return constants;
}

void adams_dense_weights(double s, int terms, const AdamsCoefficients::Scalars& psi, AdamsCoefficients::Scalars& g) {
  // The factor (t − tₙ₋ᵢ₊₂)/ψᵢ₋₁ of the i-th basis polynomial is (s + ψᵢ₋₂)/ψᵢ₋₁ at the end of the integral.
  AdamsCoefficients::Scalars w{};
  for (int q = 1; q <= terms; ++q) w[q] = 1.0 / q;
  g[1] = 1;
  for (int i = 2; i <= terms; ++i) {
    const double at_end = (s + (i > 2 ? psi[i - 2] : 0.0)) / psi[i - 1];
    const double slope = s / psi[i - 1];
    for (int q = 1; q <= terms + 1 - i; ++q) w[q] = at_end * w[q] - slope * w[q + 1];
    g[i] = w[1];
  }
}

}  // namespace mortise::integrate
