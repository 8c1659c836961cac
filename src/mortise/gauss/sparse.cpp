#include "mortise/gauss/sparse.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "mortise/gauss/block_ldlt.h"
#include "mortise/gauss/fronts.h"
#include "mortise/gauss/whitened_rows.h"
#include "mortise/gauss/with_size.h"

namespace mortise::gauss {

namespace {

constexpr int most_joints = 40;             // of a body that is eliminated on paper
constexpr double least_clear_pivot = 1e-5;  // see SparseFactor::clear
constexpr int most_steps = 20;

// Rows that belong to one item and are next to one another: a node of the elimination.
struct RowGroup {
  int row, rows;
};

class Elimination final : public SparseFactor {
 public:
  explicit Elimination(const Pattern& pattern) : pattern_(pattern), rows_(pattern) {
    find_groups(pattern);
    find_hubs();
    lay_out();
    w_.setZero(pattern.n());
    for (Vector* v : {&mu_, &c_, &residual_, &change_, &unseen_, &probe_}) v->setZero(pattern.m());
    x_.setZero(S_->size());
    dependent_.assign(index(pattern.m()), 0);
  }

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    refusal_.kind = Refusal::Kind::none;
    refusal_.block = -1;
    ready_ = false;
    policy_ = policy;
    violation_ = problem.violation;
    factor_flops_.clear();
    solve_flops_.clear();
    if (const int block = rows_.factor(problem, policy); block >= 0) {
      refusal_.kind = Refusal::Kind::singular_mass;
      refusal_.block = block;
      return false;
    }
    factor_flops_.add(rows_.flops());
    const double cut = policy.pivot_cut(problem.violation);
    const double shift = policy.pivot_shift(problem.violation);
    bool regular = eliminate(redundant_ ? shift : 0, cut);
    if (shift_ == 0 && (!regular || S_->small_pivots() > 0)) regular = eliminate(shift, cut);
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
    }
    estimate_least();
    return ready_ = true;
  }

  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    if (!ready_) throw std::logic_error("sparse: solve without a factorisation");
    const int n = rows_.n(), m = rows_.m();
    solution.a.resize(n);
    solution.lambda.resize(m);
    solution.verdicts.resize(index(m));
    rows_.whiten(Q.data(), w_.data());
    rows_.multiply(w_.data(), residual_.data());
    double size = 0;  // of the terms whose difference the residual is
    for (int i = 0; i < m; ++i) {
      c_[i] = rows_.active(i) ? rows_.scale(i) * b[index(i)] : 0;
      size = std::max({size, std::abs(residual_[i]), std::abs(c_[i])});
    }
    residual_ -= c_;
    substitutions_ = steps_ = 0;
    const double enough = 4 * std::numeric_limits<double>::epsilon() * size;
    double left = substitute(enough);
    // With all pivots clear of zero no row can contradict others: what is left is rounding.
    const double bound = policy_.inconsistency(violation_, rank_.smallest_kept, size);
    const bool conflict = left > bound && rank_.redundant() > 0;
    if (conflict)
      left = compromise(Q, enough);
    else if (shift_ > 0)
      take_out_unseen(mu_);
    rows_.unwhiten(w_.data(), solution.a.data());
    solution.residual = left;
    for (int i = 0; i < m; ++i) {
      const bool active = rows_.active(i);
      solution.lambda[i] = active ? rows_.scale(i) * mu_[i] : 0;
      RowVerdict& verdict = solution.verdicts[index(i)];
      verdict = !active ? RowVerdict::inactive : RowVerdict::independent;
      if (active && dependent_[index(i)])
        verdict = conflict && std::abs(residual_[i]) > 0.01 * left ? RowVerdict::conflicting : RowVerdict::redundant;
    }
    solution.rank = rank_;
    solve_flops_.clear();
    solve_flops_.add(substitutions_ * S_->solve_flops());
    for (const auto& block : rows_.blocks()) solve_flops_.add(4.0 * (1 + steps_) * block.rows * block.size);
  }

  bool clear() const override {
    if (!(S_->least_pivot() - shift_ > least_clear_pivot)) return false;
    if (shift_ == 0) return true;
    const auto of_a_redundant_row = [&](const BlockLdlt::Small& small) { return small.pivot < 1e3 * shift_; };
    return rank_.redundant() == S_->small_pivots() &&
           std::all_of(S_->small().begin(), S_->small().end(), of_a_redundant_row);
  }

  void forget() override {
    redundant_ = false;
    known_small_ = -1;
    turn_ = 0;
  }

 private:
  // Pivots in a given order show that rows may be redundant, not how many are: that is decided front by front, anew
  // whenever the number of small pivots is another one (allocates).
  void decide_rank(const GaussProblem& problem, const linalg::RankPolicy& policy) {
    rank_ = {};
    rank_.rank = rank_.rows = rows_.active_rows();
    rank_.largest = 1;
    rank_.threshold = policy.threshold(problem.violation);
    rank_.smallest_kept = std::min(1.0, std::sqrt(std::max(0.0, S_->least_pivot() - shift_)));
    if (shift_ == 0) {
      std::fill(dependent_.begin(), dependent_.end(), 0);
      known_small_ = -1;
      redundant_ = false;
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

  void find_groups(const Pattern& p) {
    group_of_row_.resize(index(p.m()));
    for (int i = 0; i < p.m(); ++i) {
      const bool same = i > 0 && p.rows[index(i)].item == p.rows[index(i - 1)].item && groups_.back().rows < 6;
      if (same)
        ++groups_.back().rows;
      else
        groups_.push_back({i, 1});
      group_of_row_[index(i)] = static_cast<int>(groups_.size()) - 1;
    }
  }

  // A body is a hub when it would join many groups of rows.
  void find_hubs() {
    std::map<int, std::vector<int>> with;  // groups of each velocity block, by its first column
    std::map<int, int> size;
    for (const WhitenedRows::Block& e : rows_.blocks())
      for (int i = e.row; i < e.row + e.rows; ++i) {
        auto& list = with[e.begin];
        const int group = group_of_row_[index(i)];
        if (list.empty() || list.back() != group) list.push_back(group);
        size[e.begin] = e.size;
      }
    for (auto& [begin, list] : with) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
      if (static_cast<int>(list.size()) <= most_joints) continue;
      hub_node_[begin] = static_cast<int>(hubs_.size());
      hubs_.push_back({begin, size[begin]});
    }
  }

  // Pieces of row blocks that lie in one group, by velocity block.
  struct Piece {
    int group, row, rows, offset, size;  // row within the group; offset of its values in Y
  };

  void lay_out() {
    std::map<int, std::vector<Piece>> pieces;
    for (const WhitenedRows::Block& e : rows_.blocks())
      for (int i = 0; i < e.rows;) {
        const int g = group_of_row_[index(e.row + i)];
        const RowGroup& group = groups_[index(g)];
        const int rows = std::min(e.rows - i, group.row + group.rows - (e.row + i));
        pieces[e.begin].push_back({g, e.row + i - group.row, rows, e.offset + i * e.size, e.size});
        i += rows;
      }
    std::vector<BlockLdlt::Node> nodes;
    std::vector<unsigned char> held(groups_.size(), 1);  // by hubs alone: no pivot before one of them is gone
    for (const auto& [begin, list] : pieces)
      if (!hub_node_.contains(begin))
        for (const Piece& p : list) held[index(p.group)] = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) nodes.push_back({groups_[g].rows, 1, held[g] != 0});
    for (const RowGroup& hub : hubs_) nodes.push_back({hub.rows, -1, false});
    std::vector<std::pair<int, int>> edges;
    for (const auto& [begin, list] : pieces) {
      const auto hub = hub_node_.find(begin);
      for (std::size_t i = 0; i < list.size(); ++i)
        if (hub != hub_node_.end())
          edges.push_back({list[i].group, static_cast<int>(groups_.size()) + hub->second});
        else
          for (std::size_t j = 0; j < i; ++j) edges.push_back({list[i].group, list[j].group});
    }
    S_ = std::make_unique<BlockLdlt>(nodes, edges);

    for (const auto& [begin, list] : pieces) {
      const auto hub = hub_node_.find(begin);
      for (std::size_t i = 0; i < list.size(); ++i) {
        const Piece& e = list[i];
        if (hub != hub_node_.end()) {
          const BlockLdlt::Place to = S_->between(e.group, static_cast<int>(groups_.size()) + hub->second);
          copies_.push_back({to.offset + (to.transposed ? e.row : e.row * to.stride), to.stride, e.offset, e.rows,
                             e.size, to.transposed});
          continue;
        }
        for (std::size_t j = 0; j <= i; ++j) {
          const Piece& f = list[j];
          if (e.group == f.group) {
            // The lower triangle of a diagonal block is read.
            const BlockLdlt::Place to = S_->diagonal(e.group);
            const bool lower = e.row >= f.row;
            const Piece &r = lower ? e : f, &c = lower ? f : e;
            products_.push_back(
                {to.offset + r.row * to.stride + c.row, to.stride, r.offset, c.offset, r.rows, c.rows, e.size});
            continue;
          }
          const BlockLdlt::Place to = S_->between(e.group, f.group);
          const Piece &r = to.transposed ? f : e, &c = to.transposed ? e : f;
          products_.push_back(
              {to.offset + r.row * to.stride + c.row, to.stride, r.offset, c.offset, r.rows, c.rows, e.size});
        }
      }
    }
    for (const Product& p : products_) product_flops_ += 2.0 * p.rows * p.columns * p.size;
    std::sort(products_.begin(), products_.end(), [](const Product& a, const Product& b) { return a.to < b.to; });
    for (std::size_t g = 0; g < groups_.size(); ++g) diagonals_.push_back(S_->diagonal(static_cast<int>(g)));
    for (std::size_t h = 0; h < hubs_.size(); ++h)
      diagonals_.push_back(S_->diagonal(static_cast<int>(groups_.size() + h)));
  }

  bool eliminate(double shift, double cut) {
    shift_ = shift;
    assemble();
    factor_flops_.add(product_flops_ + S_->flops());
    return S_->factor(cut + shift_);
  }

  // K = [S + shift I, Y_h; Y_hᵀ, −I]; rows that are off get a diagonal entry of one.
  void assemble() {
    S_->clear();
    double* const K = S_->values();
    const double* const Y = rows_.values();
    for (const Product& p : products_) {
      const double *E = Y + p.row, *F = Y + p.column;
      double* to = K + p.to;
      with_size(p.size, [&](auto fixed) {
        const int size = fixed.value ? fixed.value : p.size;
        for (int i = 0; i < p.rows; ++i)
          for (int j = 0; j < p.columns; ++j) {
            double sum = 0;
            for (int k = 0; k < size; ++k) sum += E[i * size + k] * F[j * size + k];
            to[i * p.stride + j] += sum;
          }
      });
    }
    for (const Copy& c : copies_)
      for (int i = 0; i < c.rows; ++i)
        for (int k = 0; k < c.size; ++k)
          K[c.to + (c.transposed ? k * c.stride + i : i * c.stride + k)] = Y[c.from + i * c.size + k];
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (int k = 0; k < groups_[g].rows; ++k) {
        double& d = K[diagonals_[g].offset + k * diagonals_[g].stride + k];
        d += rows_.active(groups_[g].row + k) ? shift_ : 1;
      }
    for (std::size_t h = groups_.size(); h < diagonals_.size(); ++h)
      for (int k = 0; k < diagonals_[h].stride; ++k) K[diagonals_[h].offset + k * diagonals_[h].stride + k] = -1;
  }

  // Pivots are those of few rows; the least singular value of all (a ladder's is about 1.2 / windows) is estimated by
  // inverse iteration, every fourth time: it changes slowly, and two substitutions are half a solution.
  void estimate_least() {
    if (shift_ > 0 || rank_.rows == 0) return;
    if (turn_++ % 4 == 0) {
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
    for (Eigen::Index i = 0; i < m; ++i) to[i] = rows_.active(static_cast<int>(i)) ? x_[i] : 0;
    ++substitutions_;
  }

  // residual_ = Y w − c, and its largest entry.
  double residual() {
    rows_.multiply(w_.data(), residual_.data());
    residual_ -= c_;
    return residual_.size() > 0 ? residual_.lpNorm<Eigen::Infinity>() : 0;
  }

  // Proximal steps μ += (S + shift I)⁻¹ (Y w − c): a mode σ² of S is off by shift / (σ² + shift) of what it was. Ends
  // where the residual is rounding or grows no smaller: then only what S does not see is left of it.
  double improve(double left, double enough) {
    for (int step = 0; step < most_steps && left > enough; ++step) {
      precondition(residual_, change_);
      mu_ += change_;
      rows_.subtract_transposed(change_.data(), w_.data());
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
    rows_.whiten(Q.data(), w_.data());
    rows_.multiply(w_.data(), residual_.data());
    residual_ -= c_;
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
    rows_.subtract_transposed(mu_.data(), w_.data());
    const double left = residual();
    return left > enough ? improve(left, enough) : left;
  }

  struct Product {
    int to, stride, row, column, rows, columns, size;  // K at `to` += Y_row Y_columnᵀ
  };
  struct Copy {
    int to, stride, from, rows, size;
    bool transposed;
  };

  const Pattern& pattern_;
  WhitenedRows rows_;
  std::vector<RowGroup> groups_, hubs_;  // hubs: first column and size
  std::vector<int> group_of_row_;
  std::map<int, int> hub_node_;  // by first column
  std::unique_ptr<BlockLdlt> S_;
  std::vector<Product> products_;
  std::vector<Copy> copies_;
  std::vector<BlockLdlt::Place> diagonals_;
  linalg::Rank rank_;
  linalg::RankPolicy policy_;
  double violation_ = 0;
  Vector w_, mu_, c_, residual_, change_, unseen_, probe_, x_;
  std::vector<unsigned char> dependent_;
  double shift_ = 0;
  int substitutions_ = 0, steps_ = 0;  // of the last solution
  double product_flops_ = 0;
  bool ready_ = false, redundant_ = false;
  std::unique_ptr<Fronts> fronts_;  // made when it is first needed
  int known_small_ = -1;            // small pivots when it last decided
  linalg::Rank known_;
  long turn_ = 0;
  double least_ = 1;
};

}  // namespace

std::unique_ptr<SparseFactor> make_sparse_factor(const Pattern& pattern) {
  return std::make_unique<Elimination>(pattern);
}

}  // namespace mortise::gauss
