#include "mortise/coordinates/mapped.h"

#include <algorithm>

namespace mortise::coordinates {

// ---- layout
// ------------------------------------------------------------------------------------------------------------------

int Mapped::append_block(int size) {
  pattern_.columns.append(size);
  return pattern_.columns.count() - 1;
}

void Mapped::append_body(int block, std::vector<int> columns) {
  const mechanism::Body& body = mechanism_.bodies()[body_.size()];
  const int width = static_cast<int>(columns.size());
  body_.push_back({block, std::move(columns), N_size_});
  N_size_ += body.v_size() * width;
}

void Mapped::keep_rows(int row, int count) {
  const gauss::Pattern& from = mechanism_.pattern();
  for (int i = row; i < row + count; ++i) {
    row_here_[index(i)] = pattern_.m();
    absolute_row_.push_back(i);
    pattern_.rows.push_back(from.rows[index(i)]);
    pattern_.row_scale.push_back(from.row_scale[index(i)]);
    pattern_.position_size.push_back(from.position_size[index(i)]);
    pattern_.velocity_size.push_back(from.velocity_size[index(i)]);
  }
}

void Mapped::append_own_row(int block, double scale, double velocity_size, std::string name) {
  own_.push_back({block, 0, scale, velocity_size, std::move(name)});
}

// Row blocks of one item whose bodies share a block become one.
void Mapped::finish() {
  const gauss::Pattern& from = mechanism_.pattern();
  for (const gauss::RowBlock& e : from.A) {
    const int row = row_here_[index(e.row)], block = body_[index(e.block)].block;
    if (row < 0) {
      target_.push_back(-1);
      continue;
    }
    const auto same = std::find_if(pattern_.A.begin(), pattern_.A.end(), [&](const gauss::RowBlock& to) {
      return to.row == row && to.rows == e.rows && to.block == block;
    });
    const std::size_t k =
        same == pattern_.A.end() ? index(pattern_.append_block(row, e.rows, block)) : index(same - pattern_.A.begin());
    target_.push_back(pattern_.A[k].offset);
  }
  for (OwnRow& own : own_) {
    const int row = pattern_.m();
    absolute_row_.push_back(-1);
    pattern_.rows.push_back({-1, 0, gauss::RowKind::holonomic, gauss::RowUnit::angle});
    pattern_.row_scale.push_back(own.scale);
    pattern_.position_size.push_back(1);
    pattern_.velocity_size.push_back(own.velocity_size);
    own.offset = pattern_.A[index(pattern_.append_block(row, 1, own.block))].offset;
  }
  finish_layout();
}

int Mapped::append_row_block(int row, int rows, int block) {
  return pattern_.A[index(pattern_.append_block(row, rows, block))].offset;
}

void Mapped::finish_layout() {
  pattern_.layout_mass();
  pattern_.version = mechanism_.pattern().version;
}

// ---- states
// ------------------------------------------------------------------------------------------------------------------

std::unique_ptr<Image> Mapped::sized_image() const {
  std::unique_ptr<Image> image = make_image();
  image->q.setZero(mechanism_.q_size());
  image->N.setZero(N_size_);
  image->gamma.setZero(mechanism_.v_size());
  return image;
}

void Mapped::velocities(Image& image, ConstSpan u, Span v) const {
  for (std::size_t k = 0; k < body_.size(); ++k) {
    const mechanism::Body& body = mechanism_.bodies()[k];
    const BodyColumns& c = body_[k];
    const double* N = image.N.data() + c.offset;
    const double* from = u.data() + pattern_.columns.begin(c.block);
    for (int i = 0; i < body.v_size(); ++i) {
      double sum = 0;
      for (const int column : c.columns) sum += *N++ * from[column];
      v[index(body.v + i)] = sum;
    }
  }
}

void Mapped::lift(const State& mapped, State& absolute) const {
  const std::unique_ptr<Image> image = sized_image();
  map(mapped, *image);
  absolute.t = mapped.t;
  absolute.q = image->q;
  absolute.v.resize(mechanism_.v_size());
  velocities(*image, as_span(mapped.v), as_span(absolute.v));
  absolute.work = mapped.work;
  absolute.inputs = mapped.inputs;
  absolute.lambda.setZero(mechanism_.pattern().m());
  absolute.active.assign(index(mechanism_.pattern().m()), 1);
  for (std::size_t i = 0; i < absolute_row_.size(); ++i)
    if (const int row = absolute_row_[i]; row >= 0) {
      absolute.lambda[row] = mapped.lambda[static_cast<Eigen::Index>(i)];
      absolute.active[index(row)] = mapped.active[i];
    }
}

void Mapped::lower(const State& absolute, State& mapped) const {
  mapped.t = absolute.t;
  mapped.q.setZero(q_size_);
  mapped.v.setZero(pattern_.n());
  lower_motion(absolute, as_span(mapped.q), as_span(mapped.v));
  mapped.work = absolute.work;
  mapped.inputs = absolute.inputs;
  mapped.lambda.setZero(pattern_.m());
  mapped.active.assign(index(pattern_.m()), 1);
  for (std::size_t i = 0; i < absolute_row_.size(); ++i)
    if (const int row = absolute_row_[i]; row >= 0) {
      mapped.lambda[static_cast<Eigen::Index>(i)] = absolute.lambda[row];
      mapped.active[i] = absolute.active[index(row)];
    }
}

// ---- evaluation
// --------------------------------------------------------------------------------------------------------------

std::unique_ptr<Scratch> Mapped::make_scratch() const {
  auto s = std::make_unique<MappedScratch>();
  s->inner = mechanism_.make_scratch();
  s->image = sized_image();
  s->absolute = mechanism_.initial_state();
  s->evaluation.resize(mechanism_.pattern());
  for (Vector* x : {&s->Q, &s->Q_free, &s->a, &s->Q_rest, &s->M_a}) x->setZero(mechanism_.v_size());
  s->lambda.setZero(mechanism_.pattern().m());
  std::size_t widest = 0;
  for (const BodyColumns& c : body_) widest = std::max(widest, c.columns.size());
  s->work.setZero(std::max<Eigen::Index>(6 * static_cast<Eigen::Index>(widest), mechanism_.v_size()));
  return s;
}

void Mapped::evaluate(const State& state, unsigned needs, Scratch& given, Evaluation& out) const {
  MappedScratch& s = static_cast<MappedScratch&>(given);
  map(state, *s.image);
  s.absolute.t = state.t;
  s.absolute.q = s.image->q;
  velocities(*s.image, as_span(state.v), as_span(s.absolute.v));
  s.absolute.work = state.work;
  s.absolute.inputs = state.inputs;
  for (std::size_t i = 0; i < absolute_row_.size(); ++i)
    if (absolute_row_[i] >= 0) s.absolute.active[index(absolute_row_[i])] = state.active[i];
  mechanism_.evaluate(s.absolute, needs, *s.inner, s.evaluation);

  std::copy(state.active.begin(), state.active.end(), out.problem.active.begin());
  reduce_rows(s, state, out);
  if (!own_.empty()) own_rows(state, out);
  if (!(needs & (need_dynamics | need_energy))) return;
  gauss::GaussProblem& inner = s.evaluation.problem;
  if (inner.C.size() > 0) inner.Q += inner.C;
  s.Q_free = s.Q = inner.Q;
  reduce_mass(s, out);
  out.kinetic = s.evaluation.kinetic;
  out.potential = s.evaluation.potential;
  out.power_dissipated = s.evaluation.power_dissipated;
  out.power_applied = s.evaluation.power_applied;
}

// A* = A N and b* = b − Aγ of the rows that stay; φ, φ̇ and c_t are what they were.
void Mapped::reduce_rows(MappedScratch& s, const State& state, Evaluation& out) const {
  const gauss::GaussProblem& inner = s.evaluation.problem;
  out.problem.A.setZero();
  for (std::size_t i = 0; i < absolute_row_.size(); ++i) {
    const auto here = static_cast<Eigen::Index>(i);
    const int row = absolute_row_[i];
    if (row < 0) continue;
    out.phi[here] = s.evaluation.phi[row];
    out.phidot[here] = s.evaluation.phidot[row];
    out.c_t[here] = s.evaluation.c_t[row];
    out.problem.b[here] = inner.b[row];
  }
  reduce_blocks(s, state, out);
}

void Mapped::reduce_blocks(MappedScratch& s, const State& state, Evaluation& out) const {
  const gauss::Pattern& from = mechanism_.pattern();
  const gauss::GaussProblem& inner = s.evaluation.problem;
  for (std::size_t k = 0; k < from.A.size(); ++k) {
    if (target_[k] < 0) continue;
    const gauss::RowBlock& e = from.A[k];
    const BodyColumns& c = body_[index(e.block)];
    const int size = from.columns.size(e.block), begin = from.columns.begin(e.block);
    const int stride = pattern_.columns.size(c.block), row = row_here_[index(e.row)];
    const int width = static_cast<int>(c.columns.size());
    const double* A = inner.A.data() + e.offset;
    const double* N = s.image->N.data() + c.offset;
    double* to = out.problem.A.data() + target_[k];
    for (int i = 0; i < e.rows; ++i, A += size, to += stride) {
      if (!state.active[index(row + i)]) continue;
      for (int j = 0; j < width; ++j) {
        double sum = 0;
        for (int l = 0; l < size; ++l) sum += A[l] * N[l * width + j];
        to[c.columns[index(j)]] += sum;
      }
      for (int l = 0; l < size; ++l) out.problem.b[row + i] -= A[l] * s.image->gamma[begin + l];
    }
  }
}

// M* = NᵀMN, Q* = Nᵀ(Q − Mγ), body by body.
void Mapped::reduce_mass(MappedScratch& s, Evaluation& out) const {
  const gauss::Pattern& from = mechanism_.pattern();
  const gauss::GaussProblem& inner = s.evaluation.problem;
  out.problem.M.setZero();
  for (std::size_t k = 0; k < body_.size(); ++k) {
    const BodyColumns& c = body_[k];
    const int size = from.columns.size(static_cast<int>(k));
    const int width = static_cast<int>(c.columns.size()), stride = pattern_.columns.size(c.block);
    const double* M = inner.M.data() + from.M_offset[k];
    const double* N = s.image->N.data() + c.offset;
    double* MN = s.work.data();
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < width; ++j) {
        double sum = 0;
        for (int l = 0; l < size; ++l) sum += M[i * size + l] * N[l * width + j];
        MN[i * width + j] = sum;
      }
    double* to = out.problem.M.data() + pattern_.M_offset[index(c.block)];
    for (int i = 0; i < width; ++i)
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int l = 0; l < size; ++l) sum += N[l * width + i] * MN[l * width + j];
        const int row = c.columns[index(i)], column = c.columns[index(j)];
        to[row * stride + column] += sum;
        if (i != j) to[column * stride + row] += sum;
      }
  }
  Vector& rest = s.work;
  inner.multiply_M(as_span(s.image->gamma), {rest.data(), index(from.n())});
  for (int i = 0; i < from.n(); ++i) rest[i] = inner.Q[i] - rest[i];
  out.problem.Q.setZero();
  add_transposed(*s.image, {rest.data(), index(from.n())}, as_span(out.problem.Q));
}

// out += NᵀQ
void Mapped::add_transposed(Image& image, ConstSpan Q, Span out) const {
  for (std::size_t k = 0; k < body_.size(); ++k) {
    const mechanism::Body& body = mechanism_.bodies()[k];
    const BodyColumns& c = body_[k];
    const double* N = image.N.data() + c.offset;
    double* to = out.data() + pattern_.columns.begin(c.block);
    for (int i = 0; i < body.v_size(); ++i)
      for (const int column : c.columns) to[column] += *N++ * Q[index(body.v + i)];
  }
}

void Mapped::lift_acceleration(ConstSpan own, Scratch& given, Span absolute) const {
  const MappedScratch& s = static_cast<const MappedScratch&>(given);
  velocities(*s.image, own, absolute);
  as_vector(absolute) += s.image->gamma;
}

// ---- loads that depend on the solution
// ---------------------------------------------------------------------------------------

void Mapped::lift_solution(ConstSpan a, ConstSpan lambda, Scratch& given, Span absolute_a, Span absolute_lambda) const {
  MappedScratch& s = static_cast<MappedScratch&>(given);
  recover(a, lambda, s);
  std::copy(s.a.begin(), s.a.end(), absolute_a.begin());
  std::copy(s.lambda.begin(), s.lambda.end(), absolute_lambda.begin());
}

void Mapped::recover(ConstSpan a, ConstSpan lambda, MappedScratch& s) const {
  lift_acceleration(a, s, as_span(s.a));
  s.lambda.setZero();
  for (std::size_t i = 0; i < absolute_row_.size(); ++i)
    if (absolute_row_[i] >= 0) s.lambda[absolute_row_[i]] = lambda[i];
  fulfilled_multipliers(s);
}

void Mapped::feedback(const State&, ConstSpan a, ConstSpan lambda, Scratch& given, const Evaluation&, Span z) const {
  MappedScratch& s = static_cast<MappedScratch&>(given);
  recover(a, lambda, s);
  mechanism_.feedback(s.absolute, as_span(s.a), as_span(s.lambda), *s.inner, s.evaluation, z);
}

void Mapped::add_feedback(const State&, ConstSpan z, unsigned needs, Scratch& given, Evaluation& out) const {
  MappedScratch& s = static_cast<MappedScratch&>(given);
  s.evaluation.problem.Q.setZero();
  s.evaluation.power_dissipated = s.evaluation.power_applied = 0;
  s.evaluation.potential = out.potential;
  mechanism_.add_feedback(s.absolute, z, needs, *s.inner, s.evaluation);
  s.Q = s.Q_free + s.evaluation.problem.Q;
  add_transposed(*s.image, as_span(s.evaluation.problem.Q), as_span(out.problem.Q));
  out.potential = s.evaluation.potential;
  out.power_dissipated += s.evaluation.power_dissipated;
  out.power_applied += s.evaluation.power_applied;
}

// ---- messages
// ----------------------------------------------------------------------------------------------------------------

std::string Mapped::row_name(int row) const {
  const int absolute = absolute_row_[index(row)];
  return absolute >= 0 ? mechanism_.row_name(absolute) : own_[index(row - own_row(0))].name;
}

SolveReport Mapped::blame_non_finite(const State& state) const {
  State absolute;
  lift(state, absolute);
  return mechanism_.blame_non_finite(absolute);
}

}  // namespace mortise::coordinates
