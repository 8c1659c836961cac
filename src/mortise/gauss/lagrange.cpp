#include "mortise/gauss/lagrange.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/gauss/whitened_rows.h"
#include "mortise/linalg/ldlt.h"

namespace mortise::gauss {

namespace {

// Two row blocks that meet in one velocity block: Y_e Y_fᵀ is added to S at (e.row, f.row), e not before f.
struct Pair {
  int e, f;
  bool overlap;  // they share rows: only the lower triangle of what they give counts
};

class LagrangeFactor final : public Factor {
 public:
  explicit LagrangeFactor(const Pattern& pattern) : rows_(pattern) {
    S_.resize(pattern.m());
    w_.setZero(pattern.n());
    mu_.setZero(pattern.m());
    residual_.setZero(pattern.m());
    refusal_.rows.reserve(index(pattern.m()));
    const auto& blocks = rows_.blocks();
    for (int f = 0; f < static_cast<int>(blocks.size()); ++f)
      for (int e = 0; e < static_cast<int>(blocks.size()); ++e) {
        const auto &E = blocks[index(e)], &F = blocks[index(f)];
        if (E.begin != F.begin || E.size == 0 || F.size == 0) continue;
        const bool overlap = E.row < F.row + F.rows && F.row < E.row + E.rows;
        if (overlap || E.row > F.row) pairs_.push_back({e, f, overlap});
      }
  }

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_.kind = Refusal::Kind::none;
    refusal_.block = -1;
    refusal_.rows.clear();
    refusal_.pivot = 0;
    ready_ = false;
    factor_flops_.clear();
    solve_flops_.clear();
    if (const int block = rows_.factor(problem, policy); block >= 0) {
      refusal_.kind = Refusal::Kind::singular_mass;
      refusal_.block = block;
      return false;
    }
    factor_flops_.add(rows_.flops());
    assemble();
    factor_flops_.cholesky(rows_.m());
    const double threshold = policy.gram_threshold(problem.violation, rows_.active_rows());
    if (!S_.factor(threshold)) {
      refusal_.kind = Refusal::Kind::dependent_rows;
      refusal_.pivot = std::sqrt(S_.pivot());
      S_.dependent_rows(policy.significance, refusal_.rows);
      return false;
    }
    rank_ = {};
    rank_.rank = rank_.rows = rows_.active_rows();
    rank_.largest = 1;
    rank_.smallest_kept = std::sqrt(S_.pivot());
    rank_.threshold = std::sqrt(threshold);
    return ready_ = true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    if (!ready_) throw std::logic_error("lagrange: solve without a factorisation");
    const int n = rows_.n(), m = rows_.m();
    solve_flops_.clear();
    solve_flops_.triangular(m, 2);
    for (const auto& block : rows_.blocks()) solve_flops_.add(6.0 * block.rows * block.size);
    solution.a.resize(n);
    solution.lambda.resize(m);
    solution.verdicts.resize(index(m));
    rows_.whiten(Q.data(), w_.data());
    rows_.multiply(w_.data(), mu_.data());
    for (int i = 0; i < m; ++i)
      if (rows_.active(i)) mu_[i] -= rows_.scale(i) * b[index(i)];
    S_.solve(as_span(mu_));
    rows_.subtract_transposed(mu_.data(), w_.data());
    rows_.unwhiten(w_.data(), solution.a.data());
    rows_.multiply(w_.data(), residual_.data());
    solution.residual = 0;
    for (int i = 0; i < m; ++i) {
      const bool active = rows_.active(i);
      solution.lambda[i] = active ? rows_.scale(i) * mu_[i] : 0;
      solution.verdicts[index(i)] = active ? RowVerdict::independent : RowVerdict::inactive;
      if (active)
        solution.residual = std::max(solution.residual, std::abs(residual_[i] - rows_.scale(i) * b[index(i)]));
    }
    solution.rank = rank_;
  }

 private:
  // The lower triangle of S = Y Yᵀ; rows that are off get only a diagonal entry, of the size of the others'.
  void assemble() {
    S_.clear();
    const std::size_t stride = index(S_.column_stride());
    double* S = rows_.m() > 0 ? S_.column(0) : nullptr;
    for (const Pair& pair : pairs_) {
      const auto &E = rows_.blocks()[index(pair.e)], &F = rows_.blocks()[index(pair.f)];
      const double* Y_e = rows_.values() + E.offset;
      const double* Y_f = rows_.values() + F.offset;
      const int size = E.size;
      for (int j = 0; j < F.rows; ++j) {
        double* column = S + stride * index(F.row + j) + E.row;
        const int first = pair.overlap ? std::max(0, F.row + j - E.row) : 0;
        for (int i = first; i < E.rows; ++i) {
          double sum = 0;
          if (size == 3) {
            sum = Y_e[i * 3] * Y_f[j * 3] + Y_e[i * 3 + 1] * Y_f[j * 3 + 1] + Y_e[i * 3 + 2] * Y_f[j * 3 + 2];
          } else {
            for (int k = 0; k < size; ++k) sum += Y_e[i * size + k] * Y_f[j * size + k];
          }
          column[i] += sum;
        }
        factor_flops_.add(2.0 * size * std::max(0, E.rows - first));
      }
    }
    if (rows_.active_rows() == rows_.m()) return;
    double largest = 0;
    for (int i = 0; i < rows_.m(); ++i) largest = std::max(largest, S_.column(i)[i]);
    for (int i = 0; i < rows_.m(); ++i)
      if (!rows_.active(i)) S_.column(i)[i] = largest > 0 ? largest : 1;
  }

  WhitenedRows rows_;
  std::vector<Pair> pairs_;
  linalg::Ldlt S_;
  linalg::Rank rank_;
  Vector w_, mu_, residual_;
  bool ready_ = false;
};

}  // namespace

std::unique_ptr<Factor> Lagrange::prepare(const Pattern& pattern) const {
  return std::make_unique<LagrangeFactor>(pattern);
}

}  // namespace mortise::gauss
