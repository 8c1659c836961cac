// Eliminations and solutions along a stretch of an open chain (gauss/stretches.h), unrolled for the sizes of usual
// joints: step n has the rows of one joint, body n lies between the joints n and n + 1.
//
//     Y = diag(scale) A L⁻ᵀ,   D_n ← D_n + Y_n Y_nᵀ = C diag(p) Cᵀ,   V = Y_{n+1} Y_nᵀ C⁻ᵀ,
//     D_{n+1} = Y_{n+1} Y_{n+1}ᵀ − V p⁻¹ Vᵀ           (Y_n, Y_{n+1}: both on body n)
//
// D and the right-hand side are handed from step to step in registers, nothing is looked up.
// Cost: of one step about 4 rows² columns + 2 rows³ operations, each value of A and Y once.
#pragma once

#include <cstddef>

namespace mortise::gauss {

// The places of the first step, and how far those of the next one are.
struct StretchData {
  int count;
  double* K;                           // D of the first step: D and V of rows² each, step after step
  double* K_behind;                    // D of the step behind
  const double *A_own, *A_next;        // of the first body: its rows of joint 0 and of joint 1
  double *Y_own, *Y_next;              //
  std::ptrdiff_t own_step, next_step;  //
  const double* scale;                 // of the first row
  std::ptrdiff_t row_step;             // and of all vectors by rows
  const double* L;                     // of the first body: its inverse factor, or the diagonal alone
  std::ptrdiff_t L_step;
  std::ptrdiff_t column_step;  // of all vectors by velocities
};

// Vectors of a solution, from the first row and velocity on. `x`: by rows, at the first one what is left of its
// right-hand side, and so behind the last.
struct StretchVectors {
  const double *Q, *b;
  double *x, *a, *lambda;
};

struct StretchKernels {
  // `note(to, n, k, r)`: of reciprocal pivots above `most`; the largest of the others is left in `largest`. False: a
  // pivot has the wrong sign. With vectors it does what `forward` does as well, while the blocks are at hand.
  using Note = void (*)(void* to, int n, int k, double r);
  bool (*eliminate)(const StretchData& s, const StretchVectors* v, double most, double* largest, Note note, void* to);
  void (*forward)(const StretchData& s, const StretchVectors& v);
  double (*backward)(const StretchData& s, const StretchVectors& v);  // the largest |x|
};

// None for other sizes.
const StretchKernels* stretch_kernels(int rows, int columns, bool diagonal);

}  // namespace mortise::gauss
