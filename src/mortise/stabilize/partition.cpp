// Coordinate partitioning: only the independent coordinates are integrated in earnest; in every evaluation the
// dependent ones follow from them through the constraints,
//
//     φ(q_i, q_d) = 0   by Newton,  q_d ← q_d − A_d⁺ φ,          v_d = −A_d⁺ (A_i v_i + c_t),
//
// so that constraints hold at every evaluation and independent coordinates are never moved. The integrator carries all
// coordinates, but the dependent ones only as the first guess of Newton's iteration; after each accepted step they are
// replaced. (On rotations "coordinates" are the directions of the velocities: a correction turns a body only about its
// dependent axes.)
//
// The dependent columns are those that column-pivoted elimination of A picks: the best conditioned A_d at that pose.
// They are picked anew when A_d has become ten times worse conditioned than it was, or worse than 1e4; or once, as in
// the paper (`partition: once`), which then fails where A_d turns singular. Every checkpoint picks anew, so that a
// resumed run is the same. Rows of rolling and the like hold velocities only: positions have a partition of their own,
// of the holonomic rows.
//
// Near a pose where the rank falls every A_d is badly conditioned; a step that lands very close to it may fail (S433),
// where projection passes.
//
// Source: specs/formulations.md §3 (coordinate_partition, step_state). Cost: two decompositions O(n m²) an iteration.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "mortise/linalg/householder_cod.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/kinds.h"
#include "mortise/system/measure.h"

namespace mortise::stabilize {
namespace {

constexpr double worst_condition = 1e4, worse_than_chosen = 10;
constexpr double rounding_level = 4e-15;
constexpr double rounding_of_rows = 1e-11;  // where an iteration that no longer gains may end
constexpr int most_iterations = 20;

// The rows of A that count, with the columns split into dependent and independent ones.
class Split {
 public:
  void resize(const gauss::Pattern& p) {
    rows_.resize(p.n(), p.m());
    columns_.resize(p.m(), p.n());
    dependent_.assign(static_cast<std::size_t>(p.n()), 0);
    mu_.setZero(p.m());
  }
  void forget() { chosen_ = false; }
  bool chosen() const { return chosen_; }
  const std::vector<unsigned char>& dependent() const { return dependent_; }

  // Picks the columns: pivoted elimination among the columns of A, each in units of its typical size.
  void choose(const gauss::GaussProblem& problem, const std::vector<unsigned char>& counts, const Vector& v_sizes,
              const linalg::RankPolicy& policy) {
    columns_.clear();
    each(problem, counts,
         [&](int row, int column, double value) { columns_.column(column)[row] += value * v_sizes[column]; });
    columns_.factor(policy, problem.violation);
    const auto fates = columns_.fates();
    for (std::size_t j = 0; j < dependent_.size(); ++j) dependent_[j] = fates[j] == linalg::RowFate::kept;
    rank_ = columns_.rank().rank;
    factor(problem, counts, policy);
    at_choice_ = smallest_pivot();
    chosen_ = true;
  }

  // Decomposes A_d; false when the choice has become a bad one.
  bool factor(const gauss::GaussProblem& problem, const std::vector<unsigned char>& counts,
              const linalg::RankPolicy& policy) {
    rows_.clear();
    each(problem, counts, [&](int row, int column, double value) {
      if (dependent_[static_cast<std::size_t>(column)]) rows_.column(row)[column] += value;
    });
    rows_.factor(policy, problem.violation);
    return rows_.rank().rank == rank_ && worst_condition * rows_.rank().smallest_kept > 1 &&
           worse_than_chosen * smallest_pivot() > at_choice_;
  }
  bool singular() const { return rows_.rank().rank < rank_; }

  // δ = −A_d⁺ e, zero on the independent columns; e holds the rows' own (unscaled) errors.
  void solve(const gauss::GaussProblem& problem, const std::vector<unsigned char>& counts, const Vector& error,
             Vector& right, Vector& move) {
    for (int i = 0; i < right.size(); ++i)
      right[i] =
          counts[static_cast<std::size_t>(i)] ? -problem.pattern->row_scale[static_cast<std::size_t>(i)] * error[i] : 0;
    rows_.solve(as_span(right), as_span(move), as_span(mu_));
    for (int j = 0; j < move.size(); ++j)
      if (!dependent_[static_cast<std::size_t>(j)]) move[j] = 0;
  }

 private:
  template <class Visit>
  static void each(const gauss::GaussProblem& problem, const std::vector<unsigned char>& counts, Visit&& visit) {
    const gauss::Pattern& p = *problem.pattern;
    for (const gauss::RowBlock& e : p.A) {
      const int size = p.columns.size(e.block), begin = p.columns.begin(e.block);
      for (int i = 0; i < e.rows; ++i) {
        if (!counts[static_cast<std::size_t>(e.row + i)]) continue;
        const double scale = p.row_scale[static_cast<std::size_t>(e.row + i)];
        for (int k = 0; k < size; ++k) visit(e.row + i, begin + k, scale * problem.A[e.offset + i * size + k]);
      }
    }
  }

  // What A_d holds its weakest direction with; not relative to A_d itself, which may vanish as a whole.
  double smallest_pivot() const { return rows_.rank().largest * rows_.rank().smallest_kept; }

  linalg::CompleteOrthogonal rows_, columns_;
  std::vector<unsigned char> dependent_;
  Vector mu_;
  int rank_ = 0;
  double at_choice_ = 1;
  bool chosen_ = false;
};

class Partition final : public Stabilizer {
 public:
  explicit Partition(const Settings& settings)
      : once_(settings.partition_once), wanted_(std::max(rounding_level, settings.norm_tolerance)) {}
  std::string name() const override { return "partition"; }
  bool projects() const override { return true; }
  void forget() override {
    position_.forget();
    velocity_.forget();
  }

  void complete(State& state, Motion& motion) override { correct(state, motion); }
  bool after_step(State& state, Motion& motion) override { return correct(state, motion); }

 private:
  void prepare(const System& system) {
    const gauss::Pattern& p = system.pattern();
    evaluation_.resize(p);
    scratch_ = system.make_scratch();
    position_.resize(p);
    velocity_.resize(p);
    v_sizes_.setOnes(p.n());
    Vector q_sizes = Vector::Ones(system.q_size());
    system.typical_sizes(as_span(q_sizes), as_span(v_sizes_));
    right_.setZero(p.m());
    move_.setZero(p.n());
    holonomic_.assign(static_cast<std::size_t>(p.m()), 0);
    all_.assign(static_cast<std::size_t>(p.m()), 0);
    system_ = &system;
  }

  void evaluate(const State& state, const Motion& motion) {
    system_->evaluate(state, need_constraints, *scratch_, evaluation_);
    const gauss::Pattern& p = system_->pattern();
    if (!std::isfinite(evaluation_.phi.sum() + evaluation_.phidot.sum() + evaluation_.problem.A.sum()))
      throw SolveError(system_->blame_non_finite(state));
    const Violation off = motion.violation(evaluation_);
    evaluation_.problem.violation = std::max(off.position, off.velocity);
    for (int i = 0; i < p.m(); ++i) {
      const std::size_t row = static_cast<std::size_t>(i);
      all_[row] = evaluation_.problem.active[row];
      holonomic_[row] = all_[row] && p.rows[row].kind == gauss::RowKind::holonomic;
    }
  }

  void factor(Split& split, const std::vector<unsigned char>& counts, const State& state, const Motion& motion) {
    const gauss::GaussProblem& problem = evaluation_.problem;
    if (!split.chosen()) return split.choose(problem, counts, v_sizes_, motion.policy());
    if (split.factor(problem, counts, motion.policy())) return;
    if (!once_) return split.choose(problem, counts, v_sizes_, motion.policy());
    if (split.singular()) fail(state, "the partition chosen at the start is singular here", "positions", 0);
  }

  bool correct(State& state, Motion& motion) {
    if (system_ != &motion.system()) prepare(motion.system());
    const gauss::Pattern& p = system_->pattern();
    bool moved = false;
    evaluate(state, motion);
    double error = scaled_max(evaluation_.phi, p.position_size);
    for (int iteration = 0; error > wanted_; ++iteration) {
      factor(position_, holonomic_, state, motion);
      position_.solve(evaluation_.problem, holonomic_, evaluation_.phi, right_, move_);
      system_->retract(as_span(state.q), as_span(move_), as_span(state.q));
      moved = true;
      evaluate(state, motion);
      const double now = scaled_max(evaluation_.phi, p.position_size);
      if (now > 0.5 * error && now < rounding_of_rows) break;
      if (iteration == most_iterations) fail(state, "Newton's iteration does not converge", "positions", now);
      error = now;
    }
    error = scaled_max(evaluation_.phidot, p.velocity_size);
    for (int iteration = 0; error > wanted_; ++iteration) {
      factor(velocity_, all_, state, motion);
      velocity_.solve(evaluation_.problem, all_, evaluation_.phidot, right_, move_);
      state.v += move_;
      moved = true;
      evaluation_.problem.multiply_A(as_span(state.v), as_span(evaluation_.phidot));
      evaluation_.phidot += evaluation_.c_t;
      const double now = scaled_max(evaluation_.phidot, p.velocity_size);
      if (now > 0.5 * error && now < rounding_of_rows) break;
      if (iteration == 5) fail(state, "the velocities contradict one another", "velocities", now);
      error = now;
    }
    return moved;
  }

  [[noreturn]] void fail(const State& state, const char* why, const char* what, double error) const {
    SolveReport report;
    report.code = "S433";
    report.time = state.t;
    report.message = fmt::format("coordinate partitioning: {} ({}, scaled error {:.1e})", why, what, error);
    report.advice = once_ ? "stabilize: {type: partition, partition: auto}, or projection" : "stabilize: projection";
    throw SolveError(report);
  }

  bool once_;
  double wanted_;
  const System* system_ = nullptr;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  Split position_, velocity_;
  std::vector<unsigned char> holonomic_, all_;
  Vector v_sizes_, right_, move_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_partition(const Settings& settings) { return std::make_unique<Partition>(settings); }

}  // namespace mortise::stabilize
