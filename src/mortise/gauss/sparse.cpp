#include "mortise/gauss/sparse.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>

#include "mortise/gauss/fronts.h"
#include "mortise/gauss/loops.h"
#include "mortise/gauss/mass_blocks.h"
#include "mortise/gauss/row_residual.h"
#include "mortise/gauss/sparse_layout.h"
#include "mortise/gauss/sparse_rows.h"
#include "mortise/gauss/stretches.h"
#include "mortise/gauss/with_size.h"
#include "mortise/linalg/parallel.h"

namespace mortise::gauss {

namespace {

constexpr double least_sure_pivot = 1e-4;  // see solve
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
constexpr double least_clear_pivot = 1e-5;  // see SparseFactor::clear
constexpr int most_steps = 20;

class Elimination final : public SparseFactor {
  using Piece = SparseLayout::Piece;

 public:
  Elimination(const Pattern& pattern, bool any_rank)
      : pattern_(pattern),
        mass_(pattern),
        layout_(pattern),
        S_(layout_.take_matrix()),
        rows_(pattern, layout_, mass_),
        stretches_(pattern, layout_, *S_),
        any_rank_(any_rank) {
    const auto m = index(pattern.m());
    dependent_.assign(m, 0);
    own_shift_.assign(m, 0);
    loops_ = has_loops(pattern);
    for (Vector* v : {&mu_, &c_, &residual_, &change_, &unseen_, &probe_}) v->setZero(pattern.m());
    x_.setZero(S_->size());
    w_.setZero(pattern.n());
    prepare_ = [this](int begin, int end) { rows_.add_due(begin, end, S_->values()); };
    eliminate_stretch_ = [this](int k, BlockLdlt::Pivots& pivots) {
      return stretches_.eliminate(k, pivots, carried_ ? &vectors_ : nullptr);
    };
    forward_stretch_ = [this](int k) { stretches_.forward(k, vectors_); };
    backward_stretch_ = [this](int k) { largest_[index(k)] = stretches_.backward(k, vectors_); };
    largest_.assign(stretches_.all().size(), 0);
  }

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    if (!factor_rows(problem, policy)) return false;
    estimate_least();
    return ready_ = true;
  }

  // The right-hand side goes along with the elimination where all that it needs is known before: blocks are read once
  // less.
  bool factor_and_solve(const GaussProblem& problem, const linalg::RankPolicy& policy,
                        GaussSolution& solution) override {
    resize(solution);
    if (stretches_.most() || S_->parts() == 1)
      carry_ = {problem.Q.data(), problem.b.data(), x_.data(), solution.a.data(), solution.lambda.data()};
    const bool regular = factor_rows(problem, policy);
    carry_ = {};
    if (!regular) return false;
    const bool along = carried_ && surely();
    if (along) finish(solution);  // before x_ is used for others
    estimate_least();
    ready_ = true;
    if (along)
      conclude(solution);
    else
      solve(as_span(problem.Q), as_span(problem.b), solution);
    return true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    if (!ready_) throw std::logic_error("sparse: solve without a factorisation");
    resize(solution);
    substitutions_ = steps_ = 0;
    if (surely() && walks_) {
      vectors_ = {Q.data(), b.data(), x_.data(), solution.a.data(), solution.lambda.data()};
      begin_along_stretches();
      S_->solve_but(x_.data(), forward_stretch_, backward_stretch_);
      end_along_stretches(solution);
    } else {
      begin_right(Q.data(), b.data());
      if (surely()) {
        begin_surely();
        S_->solve(x_.data());
        end_surely(solution);
      } else {
        solve_carefully(Q, solution);
      }
    }
    conclude(solution);
  }

  bool clear() const override {
    if (!(S_->least_pivot() - shift_ > least_clear_pivot)) return false;
    if (shift_ == 0) return true;
    const auto of_a_redundant_row = [&](const BlockLdlt::Small& small) { return small.pivot < 1e3 * shift_; };
    return rank_.redundant() == S_->small_pivots() &&
           std::all_of(S_->small().begin(), S_->small().end(), of_a_redundant_row);
  }

  bool factor_soft(const GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan kappa) override {
    ready_ = soft_ = false;
    if (!take(problem, policy)) return false;
    for (int i = 0; i < pattern_.m(); ++i) own_shift_[index(i)] = rows_.scale(i) * rows_.scale(i) * kappa[index(i)];
    soft_ = true;
    const bool regular = eliminate(0, 0);
    soft_ready_ = regular;
    soft_ = false;
    if (!regular) refusal_.kind = Refusal::Kind::dependent_rows;  // κ below the rounding of S
    return regular;
  }

  void solve_soft(ConstSpan r, Span lambda) override {
    if (!soft_ready_) throw std::logic_error("sparse: solve_soft without a soft factorisation");
    const int m = pattern_.m();
    for (int i = 0; i < m; ++i) x_[i] = rows_.scale(i) * r[index(i)];
    x_.tail(x_.size() - m).setZero();
    S_->solve(x_.data());
    for (int i = 0; i < m; ++i) lambda[index(i)] = rows_.scale(i) * x_[i];
  }

  bool factor_mass(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_ = {};
    ready_ = soft_ready_ = false;
    refusal_.block = mass_.factor(problem, policy);
    if (refusal_.block < 0) return true;
    refusal_.kind = Refusal::Kind::singular_mass;
    return false;
  }

  void divide_by_mass(ConstSpan x, Span y) override {
    mass_.whiten(x.data(), w_.data());
    mass_.unwhiten(w_.data(), y.data());
  }

  void forget() override {
    forget_dependent();
    estimated_at_ = -1;
    turn_ = 0;
    independent_from_ = 0;
  }

 private:
  bool factor_rows(const GaussProblem& problem, const linalg::RankPolicy& policy) {
    ready_ = false;
    policy_ = policy;
    violation_ = problem.violation;
    if (!take(problem, policy)) return false;
    const double cut = policy.pivot_cut(problem.violation);
    const double shift = policy.pivot_shift(problem.violation);
    bool regular = eliminate(redundant_ ? shift : 0, cut);
    if (!any_rank_ && (!regular || S_->small_pivots() > 0)) {
      refusal_.kind = Refusal::Kind::dependent_rows;
      return false;
    }
    if (shift_ == 0 && (!regular || !sure())) regular = eliminate(shift, cut);
    // Rounding ate the shift: growth in the elimination. A larger one costs steps, not accuracy.
    for (int tries = 0; !regular && tries < 3; ++tries) regular = eliminate(100 * shift_, cut);
    if (!regular) {
      refusal_.kind = Refusal::Kind::dependent_rows;
      return false;
    }
    decide_rank(problem, policy);
    if (shift_ > 0 && !redundant_) {  // rows are only nearly dependent: a shift would hide what they say
      const double before = shift_;
      if (!eliminate(0, cut)) eliminate(before, cut);
      if (!loops_ && shift_ == 0) {
        independent_ = rank_;
        independent_from_ = 1e-3 * S_->least_of_all();
      }
    }
    return true;
  }

  // No pivot says that rows may be redundant: none is small, or in a mechanism without loops, where the rows were found
  // to be independent with pivots like these (that of a chain's first hinge is as small as the chain is heavy).
  bool sure() const {
    return S_->small_pivots() == 0 || (independent_from_ > 0 && S_->least_of_all() > independent_from_);
  }

  // One substitution will do.
  bool surely() const { return shift_ == 0 && sure() && (!loops_ || S_->least_pivot() > least_sure_pivot); }

  void resize(GaussSolution& solution) const {
    solution.a.resize(pattern_.n());
    solution.lambda.resize(pattern_.m());
    solution.verdicts.resize(index(pattern_.m()));
  }
  void conclude(GaussSolution& solution) {
    solution.rank = rank_;
    solve_flops_.clear();
    solve_flops_.add(substitutions_ * S_->solve_flops() + 4.0 * (1 + steps_) * pattern_.A_size);
  }

  // What went along with the elimination.
  void finish(GaussSolution& solution) {
    substitutions_ = steps_ = 0;
    if (walks_) {
      S_->backward_but(x_.data(), backward_stretch_);
      end_along_stretches(solution);
    } else {
      S_->backward(x_.data());
      end_surely(solution);
    }
  }

  void begin_right(const double* Q, const double* b) {
    mass_.whiten(Q, w_.data());
    const int m = pattern_.m();
    double* __restrict c = c_.data();
    const double* __restrict scale = rows_.scale();
    if (rows_.all_active())
      for (int i = 0; i < m; ++i) c[i] = scale[i] * b[i];
    else
      for (int i = 0; i < m; ++i) c[i] = rows_.active(i) ? scale[i] * b[i] : 0;
  }

  // S is positive definite, and its rows are independent: what one substitution leaves is rounding.
  void begin_surely() {
    residual(x_);
    x_.tail(x_.size() - pattern_.m()).setZero();
  }
  void end_surely(GaussSolution& solution) {
    ++substitutions_;
    linalg::for_each_index(index(layout_.blocks()), [&](std::size_t k) {
      const int block = static_cast<int>(k), begin = pattern_.columns.begin(block);
      subtract_transposed(block, x_);
      mass_.unwhiten_block(block, w_.data() + begin, solution.a.data() + begin);
    });
    const int m = pattern_.m();
    double largest = 0, other = 0;
    double* __restrict lambda = solution.lambda.data();
    const double* __restrict scale = rows_.scale(), * __restrict x = x_.data();
    for (int i = 0; i < m; ++i) lambda[i] = scale[i] * x[i];
    for (int i = 0; i + 1 < m; i += 2) {  // one maximum need not wait for the other
      largest = std::max(largest, std::abs(x[i]));
      other = std::max(other, std::abs(x[i + 1]));
    }
    if (m % 2 == 1) other = std::max(other, std::abs(x[m - 1]));
    largest = std::max(largest, other);
    solution.residual = rounding * largest;
    if (rows_.all_active())
      return std::fill(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::independent);
    for (int i = 0; i < pattern_.m(); ++i)
      solution.verdicts[index(i)] = rows_.active(i) ? RowVerdict::independent : RowVerdict::inactive;
  }

  // The same where all rows are on: what is in no stretch as above, and the rest in two sweeps.
  void begin_along_stretches() {
    const auto whiten = [&](int block) {
      const int begin = pattern_.columns.begin(block);
      mass_.whiten_block(block, vectors_.Q + begin, w_.data() + begin);
    };
    const auto right = [&](int g) {
      const SparseLayout::Group& group = layout_.groups()[index(g)];
      for (int i = group.row; i < group.row + group.rows; ++i) c_[i] = rows_.scale(i) * vectors_.b[i];
      residual_of(g, x_);
    };
    const auto &blocks = stretches_.loose_blocks(), &groups = stretches_.loose_groups();
    linalg::for_each_index(blocks.size(), [&](std::size_t k) { whiten(blocks[k]); });
    for (const int block : stretches_.end_blocks()) whiten(block);
    linalg::for_each_index(groups.size(), [&](std::size_t k) { right(groups[k]); });
    for (const int g : stretches_.first_groups()) right(g);
    x_.tail(x_.size() - pattern_.m()).setZero();
  }
  // Before the elimination: the rows that the right-hand sides outside of the stretches need.
  void whiten_loose() {
    const auto& blocks = stretches_.loose_blocks();
    linalg::for_each_index(blocks.size(), [&](std::size_t k) { rows_.whiten(blocks[k]); });
    for (const int block : stretches_.end_blocks()) rows_.whiten(block);
  }
  void end_along_stretches(GaussSolution& solution) {
    const auto &blocks = stretches_.loose_blocks(), &groups = stretches_.loose_groups();
    ++substitutions_;
    linalg::for_each_index(blocks.size(), [&](std::size_t k) {
      const int begin = pattern_.columns.begin(blocks[k]);
      subtract_transposed(blocks[k], x_);
      mass_.unwhiten_block(blocks[k], w_.data() + begin, solution.a.data() + begin);
    });
    double largest = 0;
    for (const int g : groups) {
      const SparseLayout::Group& group = layout_.groups()[index(g)];
      for (int i = group.row; i < group.row + group.rows; ++i) {
        solution.lambda[i] = rows_.scale(i) * x_[i];
        largest = std::max(largest, std::abs(x_[i]));
      }
    }
    for (const double of_stretch : largest_) largest = std::max(largest, of_stretch);
    solution.residual = rounding * largest;
    std::fill(solution.verdicts.begin(), solution.verdicts.end(), RowVerdict::independent);
  }

  void solve_carefully(ConstSpan Q, GaussSolution& solution) {
    const int m = pattern_.m();
    residual(residual_);
    // Of the terms whose difference the residual is.
    const double size = m > 0 ? std::max(c_.lpNorm<Eigen::Infinity>(), (residual_ + c_).lpNorm<Eigen::Infinity>()) : 0;
    double left = substitute(rounding * size);
    // With all pivots clear of zero no row can contradict others: what is left is rounding.
    const bool conflict = left > policy_.inconsistency(violation_, rank_.smallest_kept, size) && rank_.redundant() > 0;
    if (conflict)
      left = compromise(Q, rounding * size);
    else if (shift_ > 0 && !solution.any_multipliers)
      for (int k = 0; k < 2; ++k) take_out_unseen(mu_);
    mass_.unwhiten(w_.data(), solution.a.data());
    solution.residual = left;
    for (int i = 0; i < m; ++i) {
      solution.lambda[i] = rows_.scale(i) * mu_[i];
      RowVerdict& verdict = solution.verdicts[index(i)];
      verdict = rows_.active(i) ? RowVerdict::independent : RowVerdict::inactive;
      if (rows_.active(i) && dependent_[index(i)])
        verdict = conflict && std::abs(residual_[i]) > 0.01 * left ? RowVerdict::conflicting : RowVerdict::redundant;
    }
  }

  void forget_dependent() {
    redundant_ = false;
    if (known_small_ >= 0) std::fill(dependent_.begin(), dependent_.end(), 0);
    known_small_ = -1;
  }

  // Pivots in a given order show that rows may be redundant, not how many are: that is decided front by front, anew
  // whenever the number of small pivots is another one (allocates).
  void decide_rank(const GaussProblem& problem, const linalg::RankPolicy& policy) {
    rank_ = {};
    rank_.rank = rank_.rows = rows_.active_rows();
    rank_.largest = 1;
    rank_.threshold = policy.threshold(problem.violation);
    rank_.smallest_kept = std::min(1.0, std::sqrt(std::max(0.0, S_->least_pivot() - shift_)));
    if (shift_ == 0) {
      forget_dependent();
      if (S_->small_pivots() > 0) rank_ = independent_;
      return;
    }
    if (S_->small_pivots() != known_small_) {
      if (!fronts_) {
        Vector column_size(pattern_.n());
        for (int b = 0; b < pattern_.columns.count(); ++b)
          for (int k = 0, size = pattern_.columns.size(b); k < size; ++k)
            column_size[pattern_.columns.begin(b) + k] =
                1 / std::sqrt(problem.M[pattern_.M_offset[index(b)] + k * (size + 1)]);
        std::vector<double> row_size;
        for (int i = 0; i < pattern_.m(); ++i) row_size.push_back(1 / pattern_.row_scale[index(i)]);
        fronts_ = std::make_unique<Fronts>(pattern_, column_size, row_size);
      }
      fronts_->factor(problem, policy);
      known_ = fronts_->rank();
      std::fill(dependent_.begin(), dependent_.end(), 0);
      for (const Dependency& d : fronts_->dependencies()) dependent_[index(d.row)] = 1;
      known_small_ = S_->small_pivots();
    }
    rank_ = known_;
    redundant_ = rank_.redundant() > 0;
  }

  // M = L Lᵀ and the rows of a problem. False: a mass is not positive definite.
  bool take(const GaussProblem& problem, const linalg::RankPolicy& policy) {
    refusal_.kind = Refusal::Kind::none;
    refusal_.block = -1;
    soft_ready_ = false;
    factor_flops_.clear();
    solve_flops_.clear();
    if (const int block = mass_.factor(problem, policy); block >= 0) {
      refusal_.kind = Refusal::Kind::singular_mass;
      refusal_.block = block;
      return false;
    }
    factor_flops_.add(mass_.flops());
    if (rows_.take(problem)) independent_from_ = 0;
    return true;
  }

  bool eliminate(double shift, double cut) {
    shift_ = shift;
    factor_flops_.add(layout_.product_flops() + S_->flops());
    carried_ = false;
    walks_ = shift == 0 && !soft_ && rows_.all_active() &&
             stretches_.take(mass_, rows_.A(), rows_.scale(), rows_.Y(), S_->values());
    if (!walks_) {
      S_->clear();
      add_fixed();
      if (carried_ = carry_.x && shift == 0 && !soft_ && S_->parts() == 1; carried_) {
        prepare_(0, S_->steps());
        begin_right(carry_.Q, carry_.b);
        begin_surely();
        return S_->factor(cut, {}, x_.data());
      }
      return S_->factor(cut + shift_, prepare_);
    }
    S_->clear_but();
    add_fixed();
    if (carried_ = carry_.x != nullptr; carried_) {
      vectors_ = carry_;
      whiten_loose();
      begin_along_stretches();
    }
    return S_->factor_but(cut, prepare_, eliminate_stretch_, carried_ ? x_.data() : nullptr);
  }

  // What is added to K whatever the bodies are; rows that are off get a diagonal entry of one.
  void add_fixed() {
    double* const K = S_->values();
    rows_.add_hubs(K);
    if (shift_ == 0 && !soft_ && rows_.all_active()) return;
    const auto& groups = layout_.groups();
    const auto& diagonals = layout_.diagonals();
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (int k = 0; k < groups[g].rows; ++k) {
        const int row = groups[g].row + k;
        const double own = soft_ ? own_shift_[index(row)] : shift_;
        K[diagonals[g].offset + k * (diagonals[g].stride + 1)] += rows_.active(row) ? own : 1;
      }
  }

  // Pivots are those of few rows; the least singular value of all (a ladder's is about 1.2 / windows) is estimated by
  // inverse iteration. Two substitutions are half a solution: they are made anew when the least pivot has changed.
  void estimate_least() {
    constexpr double same = 0.05;
    if (shift_ > 0 || rank_.rows == 0) return;
    const double pivot = S_->least_pivot();
    if (!(std::abs(pivot - estimated_at_) < same * pivot) || ++turn_ == 16) {
      estimated_at_ = pivot;
      turn_ = 0;
      for (Eigen::Index i = 0; i < probe_.size(); ++i) probe_[i] = i % 3 == 1 ? -1 : 1;
      precondition(probe_, probe_);
      const double once = probe_.norm();
      precondition(probe_, probe_);
      const double twice = probe_.norm();
      least_ = once > 0 && std::isfinite(twice) ? std::sqrt(once / twice) : 1;
    }
    rank_.smallest_kept = std::min(rank_.smallest_kept, least_);
  }

  // to = (S + shift I)⁻¹ from. Groups are the first nodes, in the order of their rows: row i is unknown i.
  void precondition(const Vector& from, Vector& to) {
    const auto m = from.size();
    x_.head(m) = from;
    x_.tail(x_.size() - m).setZero();  // of hubs
    S_->solve(x_.data());
    if (rows_.all_active())
      to = x_.head(m);
    else
      for (Eigen::Index i = 0; i < m; ++i) to[i] = rows_.active(static_cast<int>(i)) ? x_[i] : 0;
    ++substitutions_;
  }

  // to = Y w − c.
  void residual(Vector& to) {
    linalg::for_each_index(layout_.groups().size(), [&](std::size_t g) { residual_of(static_cast<int>(g), to); });
  }
  void residual_of(int g, Vector& to) {
    row_residual(layout_.groups()[index(g)], layout_.pieces_of(g), rows_.Y(), w_.data(), c_.data(), to.data());
  }
  double residual() {
    residual(residual_);
    return residual_.size() > 0 ? residual_.lpNorm<Eigen::Infinity>() : 0;
  }

  // w −= Yᵀμ.
  void subtract_transposed(const Vector& mu) {
    linalg::for_each_index(index(layout_.blocks()),
                           [&](std::size_t block) { subtract_transposed(static_cast<int>(block), mu); });
  }
  void subtract_transposed(int block, const Vector& mu) {
    const int size = pattern_.columns.size(block);
    double* const w = w_.data() + pattern_.columns.begin(block);
    with_size(size, [&](auto fixed) {
      constexpr int known = fixed.value;
      const int columns = known > 0 ? known : size;
      double kept[known > 0 ? known : 1];  // in registers while the pieces are gone through
      double* __restrict sum = known > 0 ? kept : w;
      if (known > 0) std::copy_n(w, columns, sum);
      for (const Piece& e : layout_.pieces_on(block)) {
        const double* __restrict Y = rows_.Y() + e.offset;
        const double* __restrict x = mu.data() + e.row;
        const auto subtract = [&](int rows) {
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) sum[j] -= Y[i * columns + j] * x[i];
        };
        e.rows == 2 ? subtract(2) : e.rows == 5 ? subtract(5) : subtract(e.rows);  // those of hinges, unrolled
      }
      if (known > 0) std::copy_n(sum, columns, w);
    });
  }

  // Proximal steps μ += (S + shift I)⁻¹ (Y w − c): a mode σ² of S is off by shift / (σ² + shift) of what it was. Ends
  // where the residual is rounding or grows no smaller: then only what S does not see is left of it.
  double improve(double left, double enough) {
    for (int step = 0; step < most_steps && left > enough; ++step) {
      precondition(residual_, change_);
      mu_ += change_;
      subtract_transposed(change_);
      ++steps_;
      const double before = left;
      left = residual();
      if (!(left < 0.7 * before)) break;
    }
    return left;
  }

  // Takes out of v what S does not see. X = shift (S + shift I)⁻¹ is one there, but for four digits, and nearly nothing
  // elsewhere; X²(3 − 2X) is one to eight digits, and of the rest there is the square left.
  void take_out_unseen(Vector& v) {
    const auto apply = [&](Vector& x) {
      precondition(x, x);
      x *= shift_;
    };
    change_ = v;
    apply(change_);
    apply(change_);
    v -= 3 * change_;
    apply(change_);
    v += 2 * change_;
  }

  // Rows that contradict one another: the part of the right-hand side that S does not see is given up, which leaves the
  // least squares of the scaled rows. The residual is that part.
  double compromise(ConstSpan Q, double enough) {
    mass_.whiten(Q.data(), w_.data());
    residual();
    mu_ = residual_;
    for (int k = 0; k < 3; ++k) take_out_unseen(mu_);
    unseen_ = residual_ - mu_;
    c_ += unseen_;
    residual_ = mu_;
    substitute(enough);
    take_out_unseen(mu_);
    residual_ += unseen_;
    c_ -= unseen_;
    return residual_.lpNorm<Eigen::Infinity>();
  }

  // μ and w from the residual in hand, to rounding of the rows if that can be.
  double substitute(double enough) {
    precondition(residual_, mu_);
    subtract_transposed(mu_);
    const double left = residual();
    return left > enough ? improve(left, enough) : left;
  }

  const Pattern& pattern_;
  MassBlocks mass_;
  SparseLayout layout_;
  std::unique_ptr<BlockLdlt> S_;
  SparseRows rows_;
  Stretches stretches_;
  bool any_rank_;
  std::function<void(int, int)> prepare_;
  // Stretches: whether the factorisation went along them, vectors of the solution in hand, the largest μ of each.
  bool walks_ = false, carried_ = false;  // and whether a right-hand side went along
  StretchVectors vectors_{}, carry_{};    // of it, or of a solution; of the problem, while it is factored and solved
  std::vector<double> largest_;
  std::function<bool(int, BlockLdlt::Pivots&)> eliminate_stretch_;
  std::function<void(int)> forward_stretch_, backward_stretch_;
  linalg::Rank rank_;
  linalg::RankPolicy policy_;
  double violation_ = 0;
  Vector w_, mu_, c_, residual_, change_, unseen_, probe_, x_;
  std::vector<unsigned char> dependent_;
  double shift_ = 0;
  int substitutions_ = 0, steps_ = 0;  // of the last solution
  bool ready_ = false, redundant_ = false, loops_ = true;
  std::vector<double> own_shift_;  // of soft rows, scaled
  bool soft_ = false, soft_ready_ = false;
  linalg::Rank independent_;        // without loops: the rank that was decided although pivots are small,
  double independent_from_ = 0;     // and down to which pivots that holds
  std::unique_ptr<Fronts> fronts_;  // made when it is first needed
  int known_small_ = -1;            // small pivots when it last decided
  linalg::Rank known_;
  int turn_ = 0;  // factorisations since the least singular value was estimated, and the least pivot then
  double estimated_at_ = -1, least_ = 1;
};

}  // namespace

std::unique_ptr<SparseFactor> make_sparse_factor(const Pattern& pattern, bool any_rank) {
  return std::make_unique<Elimination>(pattern, any_rank);
}

}  // namespace mortise::gauss
