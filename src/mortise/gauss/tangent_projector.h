// A⁺ and the projector E = I − A⁺A on the motions that the constraints leave free.
//
// Formed as it is written, E carries the rounding of A⁺, which grows with the condition of A, and E² = E holds to that
// only; a matrix E M E would then have small false singular values. So E is made symmetric and sent through
// E ← E²(3 − 2E), which squares the distance to a projector, twice.
//
// Source: specs/formulations.md §2 (LS2, UP), with the clean-up of §3 applied to E itself.
// Cost: one pseudoinverse of m×n, 2n²m and four products of n×n.
#pragma once

#include <memory>
#include <string>

#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss {

class TangentProjector {
 public:
  TangentProjector(int n, int m, const std::string& pseudoinverse);

  void project(const Matrix& A, const linalg::RankPolicy& policy, double violation, linalg::Flops& flops);
  const Matrix& P() const { return P_; }  // A⁺
  const Matrix& E() const { return E_; }
  const linalg::Rank& rank() const { return inverse_->rank(); }

 private:
  std::unique_ptr<linalg::Pseudoinverse> inverse_;
  Matrix P_, E_, E2_, work_;
};

}  // namespace mortise::gauss
