// Gauss' principle at one instant: of all accelerations that the constraints allow, the one nearest to the free motion,
//
//     minimise (a − M⁻¹Q)ᵀ M (a − M⁻¹Q)   subject to   A a = b,
//
// with the stationarity condition   M a + Aᵀλ = Q.   Constraints push the bodies with −Aᵀλ.
//
// The same struct with other right-hand sides is velocity projection (Q = M v, b = −c_t), a position step (Q = 0,
// b = −φ) and an impulse (Q = M v⁻, b = −c_t): factor once, solve many times.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "mortise/gauss/pattern.h"
#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::gauss {

struct LocalRows;

struct GaussProblem {
  const Pattern* pattern = nullptr;
  Vector M;                           // values of the diagonal blocks, laid out by the pattern
  std::uint64_t mass_stamp = 0;       // equal stamps, but for 0, mean equal M: no need to compare
  Vector A;                           // values of the row blocks, laid out by the pattern
  Vector Q, b;                        // n, m
  Vector C;                           // n, or empty: forces of the constraints that do work (specs/formulations.md, UP)
  std::vector<unsigned char> active;  // m; a row that is off counts as a zero row with b = 0: sizes stay
  double violation = 0;               // scaled distance of the pose from the constraint manifold, for the rank decision
  // Where the rows come from, A = Ĉ J (gauss/local_rows.h), for formulations that make use of it; not owned.
  const LocalRows* local = nullptr;

  void resize(const Pattern& p);

  // y = A x, y = Aᵀ λ (overwrites), and y = M x; inactive rows count as zero.
  void multiply_A(ConstSpan x, Span y) const;
  void multiply_At(ConstSpan lambda, Span y) const;
  void multiply_M(ConstSpan x, Span y) const;
  // Dense copies for the laboratory formulations and tests (allocate).
  Matrix dense_M() const;
  Matrix dense_A() const;
};

enum class RowVerdict : std::uint8_t { independent, redundant, conflicting, vanished, inactive };

struct GaussSolution {
  Vector a;       // n
  Vector lambda;  // m; minimum norm in the scaled rows' metric where it is not unique; 0 on inactive rows
  linalg::Rank rank;
  double residual = 0;               // max |row_scale · (A a − b)|: what no acceleration can fulfil
  bool any_multipliers = false;      // asked for: multipliers that fit will do, those of least norm are not needed
  std::vector<RowVerdict> verdicts;  // m; which rows the factorisation kept; filled by formulations that can

  void resize(const Pattern& p);
};

}  // namespace mortise::gauss
