// By the complete orthogonal decomposition of householder_cod.h, the one that the formulations solve with: here its
// A⁺ is written out column by column. The rows of A are pivoted on, where Varga's method pivots on the columns.
//
// Rank: `largest` is the longest row of A; kept and dropped are the pivots of the rows, each relative to it.
//
// Source: as householder_cod.h. Error about 3e-16 times the condition.
// Cost for m ≤ n: 2nm² − 2m³/3 to factor when all rows are kept, 2r²(m − r) more when not; a column 4nr, so that
// A⁺ takes 6nm² in all. Each column also brings (A⁺)ᵀA⁺e_i, which solve() computes with it and which is counted.
#include "mortise/linalg/householder_cod.h"
#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {
namespace {

class Cod final : public Pseudoinverse {
 public:
  void invert(const Matrix& A, const RankPolicy& policy, double violation, Matrix& P) override {
    const int m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
    if (!begin(A, P)) return;
    if (cod_.n() != n || cod_.m() != m) {
      cod_.resize(n, m);
      e_.resize(m);
      y_.resize(n);
      mu_.resize(m);
    }
    cod_.clear();
    for (int i = 0; i < m; ++i) Eigen::Map<Vector>(cod_.column(i), n) = A.row(i).transpose();
    cod_.factor(policy, violation);
    const Rank& rank = cod_.rank();
    found(rank.rank, rank.largest, policy.cut(rank.largest, violation), rank.smallest_kept * rank.largest,
          rank.largest_dropped * rank.largest);
    flops_.add(cod_.flops());
    if (rank.rank == 0) return;

    e_.setZero();
    for (int i = 0; i < m; ++i) {
      e_[i] = 1;
      cod_.solve(as_span(e_), as_span(y_), as_span(mu_));
      e_[i] = 0;
      P.col(i) = y_;
    }
    const double r = rank.rank, columns = m;
    flops_.reflect(n, columns, r);
    flops_.triangular(r, 2 * columns);
    flops_.add(8 * r * (m - r) * columns);
  }

 private:
  CompleteOrthogonal cod_;
  Vector e_, y_, mu_;
};

}  // namespace

std::unique_ptr<Pseudoinverse> make_cod_pseudoinverse() { return std::make_unique<Cod>(); }

}  // namespace mortise::linalg
