// Floating-point operations, counted by the algorithms themselves as they run: each adds what its loops have done (one
// for an addition, one for a multiplication). Calls into Eigen add the leading terms of the operation called; singular
// values are nominal, since their number of sweeps depends on the numbers.
//
// Source of the unit costs: specs/gigsp-and-genetic.md §4.
#pragma once

namespace mortise::linalg {

class Flops {
 public:
  void clear() { count_ = 0; }
  double count() const { return count_; }

  void add(double operations) { count_ += operations; }
  void dot(double n) { add(2 * n); }                                  // x·y, or y += s x
  void product(double m, double k, double n) { add(2 * m * k * n); }  // (m×k)(k×n)
  void gram(double m, double n) { add(m * m * n); }                   // Y Yᵀ of m×n, one triangle
  void cholesky(double n) { add(n * n * n / 3); }
  void lu(double n) { add(2 * n * n * n / 3); }
  void triangular(double n, double columns) { add(n * n * columns); }  // T X = B, n×n
  // Householder QR of rows×columns, R and the reflections only: Σ 4 (rows − j)(columns − j) over the steps.
  void qr(double rows, double columns) {
    const double k = rows < columns ? rows : columns;
    add(4 * (rows * columns * k - (rows + columns) * k * k / 2 + k * k * k / 3));
  }
  // `reflections` of length ≤ rows applied to a rows×columns matrix.
  void reflect(double rows, double columns, double reflections) {
    add(4 * columns * (rows * reflections - reflections * reflections / 2));
  }
  // Golub-Reinsch with both sets of vectors, nominal, for the long side first.
  void svd(double rows, double columns) {
    const double l = rows > columns ? rows : columns, s = rows > columns ? columns : rows;
    add(4 * l * l * s + 8 * l * s * s + 9 * s * s * s);
  }

 private:
  double count_ = 0;
};

}  // namespace mortise::linalg
