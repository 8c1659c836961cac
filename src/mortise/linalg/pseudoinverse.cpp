#include "mortise/linalg/pseudoinverse.h"

#include <limits>

namespace mortise::linalg {

bool Pseudoinverse::begin(const Matrix& A, Matrix& P) {
  rank_ = {};
  rank_.rows = static_cast<int>(A.rows());
  rank_.smallest_kept = 1;
  flops_.clear();
  P.setZero(A.cols(), A.rows());
  if (A.allFinite()) return A.size() > 0;
  P.setConstant(std::numeric_limits<double>::quiet_NaN());
  return false;
}

void Pseudoinverse::found(int rank, double largest, double cut, double smallest_kept, double largest_dropped) {
  rank_.rank = rank;
  rank_.largest = largest;
  if (!(largest > 0)) return;
  rank_.threshold = cut / largest;
  rank_.largest_dropped = largest_dropped / largest;
  if (rank > 0) rank_.smallest_kept = smallest_kept / largest;
}

}  // namespace mortise::linalg
