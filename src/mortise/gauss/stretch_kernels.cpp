#include "mortise/gauss/stretch_kernels.h"

namespace mortise::gauss {

namespace {

// Y = diag(scale) A L⁻ᵀ of one joint and body.
template <int R, int W, bool diagonal>
[[gnu::always_inline]] inline void whiten_joint(const double* __restrict A, const double* __restrict scale,
                                                const double* __restrict L, double* __restrict Y) {
  for (int i = 0; i < R; ++i)
    for (int j = 0; j < W; ++j) {
      if constexpr (diagonal) {
        Y[i * W + j] = scale[i] * A[i * W + j] * L[j];
      } else {
        double sum = 0;
        for (int l = 0; l <= j; ++l) sum += A[i * W + l] * L[j * W + l];
        Y[i * W + j] = scale[i] * sum;
      }
    }
}

template <int W>
[[gnu::always_inline]] inline double dot(const double* __restrict a, const double* __restrict b) {
  double sum = a[0] * b[0];
  for (int k = 1; k < W; ++k) sum += a[k] * b[k];
  return sum;
}

// w = L⁻¹Q of one body.
template <int W, bool diagonal>
[[gnu::always_inline]] inline void whiten_load(const double* __restrict L, const double* __restrict Q,
                                               double* __restrict w) {
  for (int i = 0; i < W; ++i) {
    if constexpr (diagonal) {
      w[i] = L[i] * Q[i];
    } else {
      double sum = 0;
      for (int k = 0; k <= i; ++k) sum += L[i * W + k] * Q[k];
      w[i] = sum;
    }
  }
}

// D (lower triangle) becomes C − I below the diagonal; r: the reciprocals of its pivots. Two columns at a time: their
// pivots are a and d/a with d = a c − b², so that one division does not wait for the other.
template <int R>
[[gnu::always_inline]] inline bool factor_pairs(double* __restrict D, double* __restrict r) {
  for (int j = 0; j < R; j += 2) {
    const double a = D[j * R + j];
    if (!(a > 0)) return false;
    r[j] = 1 / a;
    if (j + 1 == R) break;
    const double b = D[(j + 1) * R + j], d = a * D[(j + 1) * R + j + 1] - b * b;
    if (!(d > 0)) return false;
    r[j + 1] = a / d;
    const double c = D[(j + 1) * R + j] = b * r[j];
    double first[R], second[R];  // columns before they are divided
    for (int i = j + 2; i < R; ++i) {
      first[i] = D[i * R + j];
      second[i] = D[i * R + j + 1] - first[i] * c;
      D[i * R + j] = first[i] * r[j];
      D[i * R + j + 1] = second[i] * r[j + 1];
    }
    for (int i = j + 2; i < R; ++i)
      for (int k = j + 2; k <= i; ++k) D[i * R + k] -= first[i] * D[k * R + j] + second[i] * D[k * R + j + 1];
  }
  return true;
}

// With `loaded` the right-hand side goes along, in the order of operations of `forward`.
template <int R, int W, bool diagonal, bool loaded>
bool eliminate_stretch(const StretchData& s, const StretchVectors* v, double most, double* largest,
                       StretchKernels::Note note, void* to) {
  double handed[R * R];  // D of the step at hand, but for its own body
  for (int k = 0; k < R * R; ++k) handed[k] = s.K[k];
  const double *A_own = s.A_own, *A_next = s.A_next, *scale = s.scale, *L = s.L;
  double *Y_own = s.Y_own, *Y_next = s.Y_next, *K = s.K;
  double worst = *largest;
  const double *Q = loaded ? v->Q : nullptr, *b = loaded ? v->b : nullptr;
  double* x_to = loaded ? v->x : nullptr;
  double load[R] = {},
         taken[R] = {};  // what the body before made of this right-hand side, and the step before took of it
  for (int n = 0; n < s.count; ++n) {
    double own[R * W], next[R * W], D[R * R], V[R * R], r[R], x[R];
    whiten_joint<R, W, diagonal>(A_own, scale, L, own);
    whiten_joint<R, W, diagonal>(A_next, scale + s.row_step, L, next);
    if constexpr (loaded) {
      double w[W];
      whiten_load<W, diagonal>(L, Q, w);
      for (int i = 0; i < R; ++i)
        x[i] = n == 0 ? x_to[i] : (dot<W>(own + i * W, w) + load[i] - scale[i] * b[i]) - taken[i];
      for (int i = 0; i < R; ++i) load[i] = dot<W>(next + i * W, w);
    }
    for (int i = 0; i < R; ++i)
      for (int j = 0; j <= i; ++j) D[i * R + j] = handed[i * R + j] + dot<W>(own + i * W, own + j * W);
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < R; ++j) V[i * R + j] = dot<W>(next + i * W, own + j * W);
    for (int k = 0; k < R * W; ++k) Y_own[k] = own[k];
    for (int k = 0; k < R * W; ++k) Y_next[k] = next[k];
    if (!factor_pairs<R>(D, r)) return false;
    for (int i = 0; i < R; ++i)
      for (int j = 1; j < R; ++j)
        for (int k = 0; k < j; ++k) V[i * R + j] -= D[j * R + k] * V[i * R + k];
    for (int j = 0; j < R; ++j) {
      if (r[j] > most)
        note(to, n, j, r[j]);
      else if (r[j] > worst)
        worst = r[j];
    }
    if constexpr (loaded) {
      for (int j = 1; j < R; ++j)
        for (int k = 0; k < j; ++k) x[j] -= D[j * R + k] * x[k];
      for (int j = 0; j < R; ++j) x_to[j] = x[j] *= r[j];
      for (int i = 0; i < R; ++i) taken[i] = dot<R>(V + i * R, x);
      Q += s.column_step, b += s.row_step, x_to += s.row_step;
    }
    for (int i = 0; i < R; ++i) {
      double scaled[R];
      for (int k = 0; k < R; ++k) scaled[k] = V[i * R + k] * r[k];
      for (int j = 0; j <= i; ++j) handed[i * R + j] = dot<W>(next + i * W, next + j * W) - dot<R>(scaled, V + j * R);
    }
    for (int i = 0; i < R; ++i) {
      for (int j = 0; j < i; ++j) K[i * R + j] = D[i * R + j];
      K[i * R + i] = r[i];
    }
    for (int k = 0; k < R * R; ++k) K[R * R + k] = V[k];
    A_own += s.own_step, Y_own += s.own_step, A_next += s.next_step, Y_next += s.next_step;
    scale += s.row_step, L += s.L_step, K += 2 * R * R;
  }
  for (int i = 0; i < R; ++i)
    for (int j = 0; j <= i; ++j) s.K_behind[i * R + j] += handed[i * R + j];
  if constexpr (loaded)
    for (int i = 0; i < R; ++i) x_to[i] -= taken[i];
  *largest = worst;
  return true;
}

template <int R, int W, bool diagonal>
bool eliminate(const StretchData& s, const StretchVectors* v, double most, double* largest, StretchKernels::Note note,
               void* to) {
  return v ? eliminate_stretch<R, W, diagonal, true>(s, v, most, largest, note, to)
           : eliminate_stretch<R, W, diagonal, false>(s, v, most, largest, note, to);
}

template <int R, int W, bool diagonal>
void forward(const StretchData& s, const StretchVectors& v) {
  const double *own = s.Y_own, *next = s.Y_next, *scale = s.scale, *L = s.L, *K = s.K, *Q = v.Q, *b = v.b;
  double* x_to = v.x;
  double x[R], w[W];
  for (int i = 0; i < R; ++i) x[i] = x_to[i];
  whiten_load<W, diagonal>(L, Q, w);
  for (int n = 0; n < s.count; ++n) {
    double load[R];  // what this body makes of the next right-hand side
    for (int i = 0; i < R; ++i) load[i] = dot<W>(next + i * W, w);
    for (int j = 1; j < R; ++j)
      for (int k = 0; k < j; ++k) x[j] -= K[j * R + k] * x[k];
    for (int j = 0; j < R; ++j) x_to[j] = x[j] *= K[j * R + j];
    double taken[R];
    for (int i = 0; i < R; ++i) taken[i] = dot<R>(K + R * R + i * R, x);
    own += s.own_step, next += s.next_step, scale += s.row_step, L += s.L_step, K += 2 * R * R;
    x_to += s.row_step, Q += s.column_step, b += s.row_step;
    if (n + 1 == s.count) {
      for (int i = 0; i < R; ++i) x_to[i] -= taken[i];
    } else {
      whiten_load<W, diagonal>(L, Q, w);
      for (int i = 0; i < R; ++i) x[i] = (dot<W>(own + i * W, w) + load[i] - scale[i] * b[i]) - taken[i];
    }
  }
}

template <int R, int W, bool diagonal>
double backward(const StretchData& s, const StretchVectors& v) {
  const std::ptrdiff_t last = s.count - 1;
  const double *own = s.Y_own + last * s.own_step, *next = s.Y_next + last * s.next_step;
  const double *scale = s.scale + last * s.row_step, *L = s.L + last * s.L_step, *K = s.K + last * 2 * R * R;
  const double* Q = v.Q + last * s.column_step;
  double *x_to = v.x + last * s.row_step, *a = v.a + last * s.column_step, *lambda = v.lambda + last * s.row_step;
  double after[R], largest = 0;
  for (int i = 0; i < R; ++i) after[i] = x_to[s.row_step + i];
  for (int n = s.count - 1; n >= 0; --n) {
    double x[R], w[W], sum[R];
    for (int i = 0; i < R; ++i) x[i] = x_to[i];
    const double* V = K + R * R;
    for (int k = 0; k < R; ++k) {
      sum[k] = V[k] * after[0];
      for (int i = 1; i < R; ++i) sum[k] += V[i * R + k] * after[i];
    }
    for (int k = 0; k < R; ++k) x[k] -= K[k * R + k] * sum[k];
    for (int j = R - 1; j > 0; --j)
      for (int k = 0; k < j; ++k) x[k] -= K[j * R + k] * x[j];
    whiten_load<W, diagonal>(L, Q, w);
    for (int j = 0; j < W; ++j) {
      double force = 0;
      for (int i = 0; i < R; ++i) force += own[i * W + j] * x[i];
      for (int i = 0; i < R; ++i) force += next[i * W + j] * after[i];
      w[j] -= force;
    }
    for (int j = 0; j < W; ++j) {
      if constexpr (diagonal) {
        a[j] = L[j] * w[j];
      } else {
        double moved = 0;
        for (int k = j; k < W; ++k) moved += L[k * W + j] * w[k];
        a[j] = moved;
      }
    }
    for (int i = 0; i < R; ++i) {
      lambda[i] = scale[i] * x[i];
      const double size = x[i] < 0 ? -x[i] : x[i];
      largest = size > largest ? size : largest;
      after[i] = x_to[i] = x[i];
    }
    own -= s.own_step, next -= s.next_step, scale -= s.row_step, L -= s.L_step, K -= 2 * R * R;
    x_to -= s.row_step, Q -= s.column_step, a -= s.column_step, lambda -= s.row_step;
  }
  return largest;
}

template <int R, int W, bool diagonal>
constexpr StretchKernels kernels_of{eliminate<R, W, diagonal>, forward<R, W, diagonal>, backward<R, W, diagonal>};

}  // namespace

const StretchKernels* stretch_kernels(int rows, int columns, bool diagonal) {
  if (columns == 3 && diagonal)
    return rows == 2 ? &kernels_of<2, 3, true> : rows == 3 ? &kernels_of<3, 3, true> : nullptr;
  if (columns != 6) return nullptr;
  switch (rows) {
    case 3:
      return diagonal ? &kernels_of<3, 6, true> : &kernels_of<3, 6, false>;
    case 4:
      return diagonal ? &kernels_of<4, 6, true> : &kernels_of<4, 6, false>;
    case 5:
      return diagonal ? &kernels_of<5, 6, true> : &kernels_of<5, 6, false>;
    case 6:
      return diagonal ? &kernels_of<6, 6, true> : &kernels_of<6, 6, false>;
    default:
      return nullptr;
  }
}

}  // namespace mortise::gauss
