// The scalars of variable-step Adams formulas in terms of modified divided differences.
//
// Interpolate f at tₙ, tₙ₋₁, … by the Newton polynomial. With the lengths ψᵢ(n) = tₙ − tₙ₋ᵢ and the differences
//
//     φᵢ(n) = ψ₁(n) ψ₂(n) ⋯ ψᵢ₋₁(n) f[tₙ, …, tₙ₋ᵢ₊₁]          (backward differences when the step is constant)
//
// a step of h to tₙ₊₁ needs, beside ψᵢ(n+1) = h + ψᵢ₋₁(n),
//
//     αᵢ = h / ψᵢ(n+1)
//     βᵢ = Π_{j<i} ψⱼ(n+1)/ψⱼ(n)       turns φᵢ(n) into φ*ᵢ(n), the difference in the new lengths; 1 at constant step
//     σᵢ = Π_{j<i} j αⱼ                scales a difference to what it would be at constant step h
//     gᵢ                               ∫ over the step of the i-th Newton basis polynomial, divided by h
//
// The gᵢ come from repeated integrals g_{i,q}: multiplying an integrand by a linear factor mixes the q-fold with the
// (q+1)-fold integral, so that with g_{1,q} = 1/q and g_{2,q} = 1/(q(q+1)),
//
//     g_{i,q} = g_{i−1,q} − α_{i−1} g_{i−1,q+1},               gᵢ = g_{i,1}.
//
// Source: Shampine and Gordon, Computer Solution of Ordinary Differential Equations, 1975, chapter 5.
// Cost: O(k²) scalar operations a step (about a hundred at order 12), formed anew each time: nothing to keep in step.
// Indices run from 1 as in the book.
#pragma once

#include <array>

namespace mortise::integrate {

struct AdamsCoefficients {
  static constexpr int highest_order = 12;
  static constexpr int count = highest_order + 3;  // indices 0 (unused) … highest_order + 2
  using Scalars = std::array<double, count>;

  Scalars psi{}, beta{}, sigma{}, g{};

  // For a step of h with predictor order k, from the lengths ψ(n) of the history: ψ, β up to k, σ, g up to k + 1.
  void form(double h, int k, const Scalars& psi_of_history);
};

// |γ*ₖ|, the error constants of the Adams-Moulton formulas at constant step: ½, 1/12, 1/24, 19/720, …
const AdamsCoefficients::Scalars& adams_error_constants();

// Integrals of the Newton basis of the current history from tₙ to tₙ + s, divided by s: with them
// y(tₙ + s) = yₙ + s Σ_{i ≤ terms} gᵢ φᵢ(n).
void adams_dense_weights(double s, int terms, const AdamsCoefficients::Scalars& psi, AdamsCoefficients::Scalars& g);

}  // namespace mortise::integrate
