#include "mortise/integrate/alpha/step_matrix.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::integrate {

namespace {

constexpr double proximity = 1e-10;  // κ
constexpr double suspicious = 1e-6;  // a pivot of rows below this: they may be redundant
constexpr double small_move = 1e-7;  // of differences, relative to typical sizes

}  // namespace

StepMatrix::StepMatrix(const System& system, const std::vector<std::vector<int>>& couplings,
                       std::vector<unsigned char> hold_velocity)
    : system_(system), hold_velocity_(std::move(hold_velocity)) {
  const gauss::Pattern& pattern = system.pattern();
  const int blocks = pattern.columns.count(), n = pattern.n(), m = pattern.m();
  scale_ = pattern.row_scale;
  scale_.resize(index(m), 1.0);
  std::vector<int> group_of_row(index(m));
  for (int row = 0; row < m; ++row) {
    if (row == 0 || pattern.rows[index(row)].item != pattern.rows[index(row - 1)].item) groups_.push_back({row, 0});
    ++groups_.back().rows;
    group_of_row[index(row)] = static_cast<int>(groups_.size()) - 1;
  }
  // Blocks in the rows of one item feel one another by geometric stiffness; those of a force by the force.
  std::vector<std::vector<int>> together = couplings;
  std::vector<std::vector<int>> of_group(groups_.size());
  for (const gauss::RowBlock& at : pattern.A) of_group[index(group_of_row[index(at.row)])].push_back(at.block);
  for (std::vector<int>& list : of_group) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    together.push_back(list);
  }
  colouring_ = graph::colour(blocks, together);

  std::vector<gauss::BlockLu::Node> nodes;
  std::vector<std::pair<int, int>> edges;
  for (int b = 0; b < blocks; ++b) {
    nodes.push_back({pattern.columns.size(b), false});
    widest_ = std::max(widest_, pattern.columns.size(b));
    for (const int other : colouring_.neighbours[index(b)])
      if (other > b) edges.emplace_back(b, other);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    nodes.push_back({groups_[g].rows, true});
    for (const int b : of_group[g]) edges.emplace_back(blocks + static_cast<int>(g), b);
  }
  lu_ = std::make_unique<gauss::BlockLu>(nodes, edges);
  for (const gauss::RowBlock& at : pattern.A) {
    const int group = group_of_row[index(at.row)];
    pieces_.push_back({group, at.row, at.rows, at.block, pattern.columns.size(at.block), at.offset,
                       lu_->place(blocks + group, at.block), lu_->place(at.block, blocks + group)});
  }
  for (int b = 0; b < blocks; ++b) {
    first_coupling_.push_back(static_cast<int>(couplings_.size()));
    for (const int other : colouring_.neighbours[index(b)]) couplings_.push_back({other, lu_->place(other, b)});
  }
  first_coupling_.push_back(static_cast<int>(couplings_.size()));

  Vector q_sizes = Vector::Ones(system.q_size());
  v_sizes_.setOnes(n);
  system.typical_sizes(as_span(q_sizes), as_span(v_sizes_));
  for (double& size : v_sizes_)
    if (!std::isfinite(size) || !(size > 0)) size = 1;
  const double time = n > 0 && std::isfinite(q_sizes[0]) ? q_sizes[0] / v_sizes_[0] : 1;
  x_sizes_ = time * v_sizes_;
  A_.setZero(pattern.A_size);
  turns_.setZero(pattern.M_size);
  active_.assign(index(m), 1);
  for (Vector* v : {&move_, &r_, &r_moved_, &tangent_, &steps_}) v->setZero(n);
  for (Vector* v : {&q_end_, &dq_}) v->setZero(system.q_size());
  for (Vector* v : {&scaled_, &unseen_, &twice_}) v->setZero(m);
  unknowns_.setZero(lu_->size());
  H_.assign(lu_->values_count(), 0.0);
}

bool StepMatrix::form(const StepTrial& trial, Residual& residual) {
  lu_->clear();
  moved_.t = trial.state->t;
  moved_.q = trial.state->q;
  moved_.v = trial.state->v;
  moved_.lambda = trial.state->lambda;
  moved_.inputs = trial.state->inputs;
  moved_.active = trial.state->active;
  difference(trial, residual);
  std::copy_n(lu_->values(), H_.size(), H_.begin());
  find_turns(trial);
  write_rows();
  return factor();
}

bool StepMatrix::refresh_rows(const State& state, Residual& residual) {
  residual.rows_at(state);
  A_ = residual.evaluation().problem.A;
  active_ = residual.evaluation().problem.active;
  const gauss::Pattern& pattern = system_.pattern();
  turns_.setZero();
  for (int b = 0; b < pattern.columns.count(); ++b)
    for (int k = 0; k < pattern.columns.size(b); ++k)
      turns_[pattern.M_offset[index(b)] + k * (pattern.columns.size(b) + 1)] = 1;
  std::copy(H_.begin(), H_.end(), lu_->values());
  write_rows();
  return factor();
}

bool StepMatrix::factor() {
  const int blocks = system_.pattern().columns.count();
  if (!lu_->factor()) {
    vanished_ = lu_->vanished() < blocks ? lu_->vanished() : -1;
    return false;
  }
  redundant_ = redundant_ || lu_->least_waiting_pivot() < suspicious;
  return true;
}

// H: M, and what the residual answers to moves of x and v in the proportion in which w moves them.
void StepMatrix::difference(const StepTrial& trial, Residual& residual) {
  const gauss::Pattern& pattern = system_.pattern();
  const gauss::Blocks& columns = pattern.columns;
  residual.at(moved_, as_span(*trial.w), r_);
  const gauss::GaussProblem& p = residual.evaluation().problem;
  A_ = p.A;
  active_ = p.active;
  double* const values = lu_->values();
  for (int b = 0; b < columns.count(); ++b) {
    const int size = columns.size(b);
    std::copy_n(p.M.data() + pattern.M_offset[index(b)], size * size, values + lu_->place(b, b));
  }
  for (int i = 0; i < pattern.n(); ++i)
    steps_[i] = small_move *
                std::min(x_sizes_[i] / trial.per_x, std::max(v_sizes_[i], std::abs(trial.state->v[i])) / trial.per_v);
  sweeps_ = 1;
  for (const std::vector<int>& members : colouring_.members)
    for (int k = 0; k < widest_; ++k) {
      move_ = *trial.x;
      moved_.v = trial.state->v;
      bool any = false;
      for (const int b : members) {
        if (columns.size(b) <= k) continue;
        const int i = columns.begin(b) + k;
        move_[i] += trial.per_x * steps_[i];
        moved_.v[i] += trial.per_v * steps_[i];
        any = true;
      }
      if (!any) break;
      system_.retract(as_span(*trial.q), as_span(move_), as_span(moved_.q));
      residual.at(moved_, as_span(*trial.w), r_moved_);
      ++sweeps_;
      for (const int b : members) {
        const int size = columns.size(b);
        if (size <= k) continue;
        const double per = 1 / steps_[columns.begin(b) + k];
        for (int c = first_coupling_[index(b)]; c < first_coupling_[index(b) + 1]; ++c) {
          const Coupling& to = couplings_[index(c)];
          const int begin = columns.begin(to.row), rows = columns.size(to.row);
          for (int i = 0; i < rows; ++i) values[to.place + i * size + k] += per * (r_moved_[begin + i] - r_[begin + i]);
        }
      }
    }
}

// T, all blocks at once: column k is the tangent vector at the end of a move of the k-th component of each x.
void StepMatrix::find_turns(const StepTrial& trial) {
  const gauss::Pattern& pattern = system_.pattern();
  q_end_ = trial.state->q;
  for (int k = 0; k < widest_; ++k) {
    move_ = *trial.x;
    for (int b = 0; b < pattern.columns.count(); ++b)
      if (pattern.columns.size(b) > k) {
        const int i = pattern.columns.begin(b) + k;
        move_[i] += small_move * x_sizes_[i];
      }
    system_.retract(as_span(*trial.q), as_span(move_), as_span(dq_));
    dq_ -= q_end_;
    system_.tangent(as_span(q_end_), as_span(dq_), as_span(tangent_));
    for (int b = 0; b < pattern.columns.count(); ++b) {
      const int size = pattern.columns.size(b), begin = pattern.columns.begin(b);
      if (size <= k) continue;
      const double per = 1 / (small_move * x_sizes_[begin + k]);
      for (int i = 0; i < size; ++i) turns_[pattern.M_offset[index(b)] + i * size + k] = per * tangent_[begin + i];
    }
  }
}

void StepMatrix::write_rows() {
  const gauss::Pattern& pattern = system_.pattern();
  double* const values = lu_->values();
  const int blocks = pattern.columns.count();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const int rows = groups_[g].rows, place = lu_->place(blocks + static_cast<int>(g), blocks + static_cast<int>(g));
    for (int i = 0; i < rows; ++i)
      values[place + i * (rows + 1)] = active_[index(groups_[g].row + i)] ? -proximity : -1;
  }
  for (const Piece& piece : pieces_) {
    const Group& group = groups_[index(piece.group)];
    const double* T = turns_.data() + pattern.M_offset[index(piece.block)];
    for (int i = 0; i < piece.rows; ++i) {
      const int row = piece.row + i, in_group = row - group.row;
      if (!active_[index(row)]) continue;
      const double scale = scale_[index(row)];
      const double* const A = A_.data() + piece.offset + i * piece.size;
      double* const lower = values + piece.lower + in_group * piece.size;
      for (int k = 0; k < piece.size; ++k) {
        values[piece.upper + k * group.rows + in_group] += scale * A[k];
        if (hold_velocity_[index(row)])
          lower[k] += scale * A[k];
        else
          for (int j = 0; j < piece.size; ++j) lower[j] += scale * A[k] * T[k * piece.size + j];
      }
    }
  }
}

// What of u no motion can change: X²(3 − 2X) u with X = κ (Σ + κ)⁻¹, Σ = A T H⁻¹Aᵀ. X is one there but for its error,
// X²(3 − 2X) but for the square of it; elsewhere it is nearly nothing.
void StepMatrix::find_unseen(const Vector& u) {
  const Eigen::Index n = system_.v_size(), m = u.size();
  const auto apply = [&](const Vector& from, Vector& to) {
    unknowns_.head(n).setZero();
    unknowns_.tail(m) = -from;
    lu_->solve(unknowns_.data());
    to = proximity * unknowns_.tail(m);
  };
  apply(u, unseen_);
  apply(unseen_, twice_);
  apply(twice_, unseen_);
  unseen_ = 3 * twice_ - 2 * unseen_;
}

void StepMatrix::solve(ConstSpan f, ConstSpan g, Span delta, Span delta_lambda) {
  const Eigen::Index n = system_.v_size(), m = scaled_.size();
  for (Eigen::Index i = 0; i < m; ++i) scaled_[i] = active_[index(i)] ? scale_[index(i)] * g[index(i)] : 0;
  if (redundant_) {
    find_unseen(scaled_);
    scaled_ -= unseen_;
  }
  unknowns_.head(n) = as_vector(f);
  unknowns_.tail(m) = scaled_;
  lu_->solve(unknowns_.data());
  as_vector(delta) = unknowns_.head(n);
  for (Eigen::Index i = 0; i < m; ++i)
    delta_lambda[index(i)] = active_[index(i)] ? scale_[index(i)] * unknowns_[n + i] : 0;
}

void StepMatrix::shorten(Span lambda) {
  if (!redundant_) return;
  for (Eigen::Index i = 0; i < scaled_.size(); ++i)
    scaled_[i] = active_[index(i)] ? lambda[index(i)] / scale_[index(i)] : 0;
  find_unseen(scaled_);
  for (Eigen::Index i = 0; i < scaled_.size(); ++i)
    lambda[index(i)] = active_[index(i)] ? scale_[index(i)] * (scaled_[i] - unseen_[i]) : 0;
}

}  // namespace mortise::integrate
