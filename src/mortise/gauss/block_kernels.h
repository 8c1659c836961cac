// Products of small dense blocks with their sizes known to the compiler.
#pragma once

namespace mortise::gauss {

// to (rows × columns, its rows `stride` apart) −= V_row diag(r) V_colᵀ; both V row-major with `inner` columns. `sizes`:
// rows, columns, inner, stride.
using BlockUpdate = void (*)(double* to, const double* V_row, const double* V_col, const double* r, const int* sizes);

BlockUpdate block_update(int rows, int columns, int inner);

// A body with two pieces of rows, R and C, whitened and multiplied in one go: Y = diag(scale) A L⁻ᵀ of both (kept), and
// D_R += Y_R Y_Rᵀ (lower triangle), D_C += Y_C Y_Cᵀ, E += Y_R Y_Cᵀ. L: its inverse factor, or, where that is diagonal,
// its diagonal alone.
struct PairOfRows {
  const double* A[2];
  const double* scale[2];
  double* Y[2];
  double* D[2];
  double* E;
  int stride[3];  // of D_R, D_C and E
};
using PairKernel = void (*)(const PairOfRows& rows, const double* L);

// None where the sizes are not those of usual joints.
PairKernel pair_kernel(int rows_R, int rows_C, int size, bool diagonal);

}  // namespace mortise::gauss
