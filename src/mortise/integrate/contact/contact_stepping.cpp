#include "mortise/integrate/contact/contact_stepping.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/error.h"

namespace mortise::integrate {

namespace {

constexpr const char* last_name = "contact-stepping.last";
constexpr std::size_t contact_scalars = 6;
constexpr int first_sweeps = 20;

}  // namespace

ContactStepping::ContactStepping(const Settings& settings) : BasicIntegrator(settings, "contact-stepping") {
  if (!(settings.step > 0)) throw std::invalid_argument("integrator contact-stepping needs a step");
}

void ContactStepping::set_contacts(std::unique_ptr<Contacts> contacts) {
  contacts_ = std::move(contacts);
  system_ = nullptr;
}

void ContactStepping::bind(Flow& flow) {
  motion_ = flow.motion();
  if (!motion_) throw std::invalid_argument("integrator contact-stepping needs a mechanical system, not any flow");
  if (system_ == &motion_->system() && solver_) return;
  system_ = &motion_->system();
  if (system_->feedback_size() > 0) {
    SolveReport report;
    report.code = "S494";
    report.message = "contact-stepping cannot have forces that depend on reactions or accelerations";
    for (int k = 0; k < std::min(system_->feedback_size(), 6); ++k)
      report.details.push_back("asked for: " + system_->feedback_name(k));
    report.advice = "friction by a given preload, or an integrator such as adams with contacts as springs or events";
    throw SolveError(report);
  }
  const gauss::Pattern& pattern = system_->pattern();
  solver_ = std::make_unique<ContactSolver>(pattern, contacts_ ? contacts_->tangents() : 0);
  scratch_ = system_->make_scratch();
  evaluation_.resize(pattern);
  solution_.resize(pattern);
  solution_.any_multipliers = false;
  state_.q.setZero(system_->q_size());
  state_.lambda.setZero(pattern.m());
  state_.work.setZero(work_count);
  state_.v.setZero(pattern.n());
  for (Vector* v : {&v_, &v_free_, &v_new_, &average_, &momentum_, &work_, &Q_old_}) v->setZero(pattern.n());
  b_.setZero(pattern.m());
  c_t_.setZero(pattern.m());
  q_mid_.setZero(system_->q_size());
  q_try_ = q_mid_;
  y_new_.setZero(flow.size());
  Vector q_sizes = Vector::Ones(system_->q_size()), v_sizes = Vector::Ones(pattern.n());
  system_->typical_sizes(as_span(q_sizes), as_span(v_sizes));
  speed_ = v_sizes.size() > 0 ? v_sizes[0] : 1;
  length_ = q_sizes.size() > 0 ? q_sizes[0] : 1;
  marked_.assign(index(solver_->clusters()), 0);
  impacted_ = marked_;
  row_cluster_.assign(index(pattern.m()), -1);
  for (const gauss::RowBlock& block : pattern.A)
    for (int row = block.row; row < block.row + block.rows; ++row)
      row_cluster_[index(row)] = solver_->cluster(block.block);
}

void ContactStepping::forget_contacts() {
  last_.clear();
  last_h_ = 0;
  points_.clear();
  impulses_.clear();
}

void ContactStepping::start(Flow& flow, double t, ConstSpan y) {
  bind(flow);
  state_.active = motion_->active();
  inputs_ = motion_->inputs();
  state_.inputs = inputs_;
  if (contacts_) contacts_->mute(as_span(state_.inputs));
  begin(flow, t, y);
  forget_contacts();
  t0_ = t;
  j_ = 0;
}

void ContactStepping::evaluate(double t, const Vector& q, const Vector& v) {
  state_.t = t;
  state_.q = q;
  state_.v = v;
  ++counters_.evaluations;
  system_->evaluate(state_, need_dynamics, *scratch_, evaluation_);
  gauss::GaussProblem& p = evaluation_.problem;
  if (p.C.size() > 0) p.Q += p.C;
  if (!std::isfinite(p.Q.sum() + p.b.sum() + evaluation_.phidot.sum()))
    throw SolveError(system_->blame_non_finite(state_));
}

// Mid-point rule: forces at the middle and at the mean of both velocities, found by iteration.
void ContactStepping::free_motion(double t, double h) {
  constexpr int most = 50;
  const int nq = system_->q_size();
  work_ = (0.5 * h) * v_;
  q_mid_ = y_.head(nq);
  system_->retract(as_span(q_mid_), as_span(work_), as_span(q_mid_));
  average_ = v_;
  double before = std::numeric_limits<double>::infinity();
  for (int turn = 0;; ++turn) {
    evaluate(t + 0.5 * h, q_mid_, average_);
    const gauss::GaussProblem& p = evaluation_.problem;
    if (turn == 0) {
      c_t_ = evaluation_.c_t;
      if (!c_t_.isZero(0)) {
        evaluate(t, q_mid_, average_);
        c_t_ = evaluation_.c_t;
        evaluate(t + h, q_mid_, average_);
        c_t_ = 0.5 * (c_t_ + evaluation_.c_t);
        evaluate(t + 0.5 * h, q_mid_, average_);
      }
      if (!solver_->factor(p, motion_->policy())) motion_->refuse(t, solver_->refusal());
      p.multiply_M(as_span(static_cast<const Vector&>(v_)), as_span(momentum_));
    } else if (p.Q == Q_old_) {
      break;
    }
    Q_old_ = p.Q;
    p.multiply_A(as_span(static_cast<const Vector&>(v_)), as_span(b_));
    b_ = -2 * c_t_ - b_;  // A ½(v + v_f) = −½(c_t + c_t⁺)
    work_ = momentum_ + h * p.Q;
    solver_->free(as_span(static_cast<const Vector&>(work_)), as_span(static_cast<const Vector&>(b_)), solution_);
    v_free_ = solution_.a;
    work_ = 0.5 * (v_ + v_free_) - average_;
    const double gap = work_.lpNorm<Eigen::Infinity>() /
                       std::max({speed_, average_.lpNorm<Eigen::Infinity>(), v_free_.lpNorm<Eigen::Infinity>()});
    average_ += work_;
    if (!std::isfinite(gap)) throw SolveError(system_->blame_non_finite(state_));
    if (turn > 0 && (gap <= 1e-14 || (gap <= 1e-11 && gap >= 0.5 * before))) break;
    before = gap;
    if (turn == most) {
      SolveReport report;
      report.code = "S495";
      report.time = t;
      report.message = "forces that depend on velocities are too strong for the step of contact-stepping";
      Eigen::Index worst = 0;
      work_.cwiseAbs().maxCoeff(&worst);
      const gauss::Blocks& columns = p.pattern->columns;
      int block = 0;
      while (columns.begin(block) + columns.size(block) <= worst) ++block;
      report.details.push_back(fmt::format("those on '{}': no agreement within {} iterations at h = {:.3g} s",
                                           system_->block_name(block), most, h));
      report.advice = "a smaller `step`, or less damping";
      throw SolveError(report);
    }
  }
}

// One pair. Returns whether anything bounced.
bool ContactStepping::impact_of_pair(std::size_t first, std::size_t last, double h) {
  const ConstSpan v = as_span(static_cast<const Vector&>(v_));
  bool any = false;
  for (std::size_t k = first; k < last; ++k) {
    const ContactPoint& point = points_[k];
    const double g = point.gap, drift = drift_[k], rate = solver_->rate(k, 0, v);
    targets_[k] = std::min(0.0, -g / h - drift);
    const double slow = std::max(point.rest_speed, 2 * std::abs(drift));
    if (!(point.restitution > 0) || rate >= -slow || g + h * (rate + drift) >= 0) continue;
    const double e2 = point.restitution * point.restitution, lift = 2 * drift / h * g;
    const double square = e2 * (rate * rate - lift) + lift;
    if (!(square > 0) || !(rate * rate > lift)) continue;
    targets_[k] = std::min(std::sqrt(square), -rate);
    any = true;
  }
  if (!any) return false;
  const int rows = 1 + contacts_->tangents();
  std::fill(own_.begin() + static_cast<std::ptrdiff_t>(3 * first), own_.begin() + static_cast<std::ptrdiff_t>(3 * last),
            0.0);
  for (std::size_t k = first; k < last; ++k)
    for (int row = 0; row < rows; ++row) before_[3 * k + index(row)] = solver_->rate(k, row, v);
  const bool joints = meets_joints(points_[first]);
  const double kinetic_before = joints ? kinetic_of_pair(points_[first]) : 0;
  ContactSolver::Sweeps how;
  how.wanted = 1e-14 * std::max(speed_, v_.lpNorm<Eigen::Infinity>());
  solver_->sweep(first, last, targets_, how, own_, as_span(v_));
  // What the pair gains: Σ p·½(γ⁻ + γ⁺). Friction and restitution together may gain (Kane's paradox): then less of
  // both.
  double start = 0, change = 0;
  for (std::size_t k = first; k < last; ++k)
    for (int row = 0; row < rows; ++row) {
      const std::size_t at = 3 * k + index(row);
      start += own_[at] * before_[at];
      change += own_[at] * (solver_->rate(k, row, v) - before_[at]);
    }
  // Joints hold the rows of the middle of the step, and velocities come from those of its beginning: what that is worth
  // is in the kinetic energy, beside what drivers give.
  if (joints) {
    double drivers = 0;
    for (std::size_t k = first; k < last; ++k)
      for (int row = 0; row < rows; ++row) drivers += own_[3 * k + index(row)] * solver_->driven(k, row);
    start = kinetic_of_pair(points_[first]) - kinetic_before - drivers - 0.5 * change;
  }
  double share = 1, gain = start + 0.5 * change;
  if (gain > 0) {
    share = start < 0 && change > 0 ? -2 * start / change : 0;
    gain = 0;
  }
  for (std::size_t k = first; k < last; ++k)
    for (int row = 0; row < rows; ++row) {
      const std::size_t at = 3 * k + index(row);
      if (share != 1) solver_->apply(k, row, (share - 1) * own_[at], as_span(v_));
      impulses_[at] += share * own_[at];
      driven_ += share * own_[at] * solver_->driven(k, row);
    }
  dissipated_ -= gain;
  if (share > 0)
    for (const int block : points_[first].block)
      if (block >= 0) impacted_[index(solver_->cluster(block))] = 1;
  return share > 0;
}

void ContactStepping::impacts(double h) {
  constexpr int most = 50;
  for (int turn = 0; turn < most; ++turn) {
    bool any = false;
    for (std::size_t first = 0; first < points_.size();) {
      std::size_t last = first + 1;
      while (last < points_.size() && points_[last].pair == points_[first].pair) ++last;
      any = impact_of_pair(first, last, h) || any;
      first = last;
    }
    if (!any) return;
  }
}

// Impulses of the step before, at the contacts that it had, too.
void ContactStepping::begin_with_last(double h) {
  std::fill(own_.begin(), own_.end(), 0.0);
  if (last_.empty() || !(last_h_ > 0)) return;
  const double scale = h / last_h_;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto found = std::lower_bound(last_.begin(), last_.end(), points_[k].key,
                                        [](const Last& l, std::uint64_t key) { return l.key < key; });
    if (found == last_.end() || found->key != points_[k].key) continue;
    for (int row = 0; row <= contacts_->tangents(); ++row) {
      const double p = scale * found->p[row];
      own_[3 * k + index(row)] = p;
      if (p != 0) solver_->apply(k, row, p, as_span(v_new_));
    }
  }
}

void ContactStepping::mark() {
  std::fill(marked_.begin(), marked_.end(), 0);
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (own_[3 * k] != 0)
      for (const int block : points_[k].block)
        if (block >= 0) marked_[index(solver_->cluster(block))] = 1;
}

// Velocities that bodies move with: those of the end of the step where contacts act, the mean elsewhere.
void ContactStepping::find_velocities_of_way() {
  const gauss::Pattern& pattern = system_->pattern();
  for (int block = 0; block < pattern.columns.count(); ++block) {
    const int begin = pattern.columns.begin(block), size = pattern.columns.size(block);
    if (marked(block))
      average_.segment(begin, size) = v_new_.segment(begin, size);
    else
      average_.segment(begin, size) = 0.5 * (v_.segment(begin, size) + v_new_.segment(begin, size));
  }
}

// Forces and powers at those velocities, for the ledger: an applied force does work on what bodies did, not on what
// they would have done without contacts. Bodies that were hit and feel forces that depend on velocities count among
// those on which contacts act: their mean velocity was another.
void ContactStepping::find_forces_of_way(double t, double h) {
  const gauss::Pattern& pattern = system_->pattern();
  for (int turn = 0; turn < 2; ++turn) {
    find_velocities_of_way();
    evaluate(t + 0.5 * h, q_mid_, average_);
    bool more = false;
    for (int block = 0; turn == 0 && block < pattern.columns.count(); ++block) {
      const int begin = pattern.columns.begin(block), size = pattern.columns.size(block);
      const auto cluster = index(solver_->cluster(block));
      if (impacted_[cluster] && !marked_[cluster] &&
          h * (evaluation_.problem.Q - Q_old_).segment(begin, size).lpNorm<Eigen::Infinity>() >
              1e-12 * momentum_.segment(begin, size).lpNorm<Eigen::Infinity>())
        marked_[cluster] = more = true;
    }
    if (!more) break;
  }
  Q_old_ = evaluation_.problem.Q;
}

bool ContactStepping::meets_joints(const ContactPoint& point) const {
  return std::any_of(std::begin(point.block), std::end(point.block),
                     [&](int block) { return block >= 0 && solver_->jointed(block); });
}

double ContactStepping::kinetic_of_pair(const ContactPoint& point) const {
  const int one = solver_->cluster(point.block[0]), other = solver_->cluster(point.block[1]);
  return kinetic_of_cluster(one, v_) + (other == one ? 0 : kinetic_of_cluster(other, v_));
}

double ContactStepping::kinetic_of_cluster(int cluster, const Vector& v) const {
  if (cluster < 0) return 0;
  const gauss::Pattern& pattern = system_->pattern();
  double sum = 0;
  for (const int block : solver_->members(cluster)) {
    const int begin = pattern.columns.begin(block), size = pattern.columns.size(block);
    const double* M = evaluation_.problem.M.data() + pattern.M_offset[index(block)];
    for (int i = 0; i < size; ++i)
      for (int k = 0; k < size; ++k) sum += 0.5 * v[begin + i] * M[i * size + k] * v[begin + k];
  }
  return sum;
}

double ContactStepping::potential(double t, const Vector& q) {
  state_.t = t;
  state_.q = q;
  state_.v.setZero();
  system_->evaluate(state_, need_dynamics | need_energy, *scratch_, evaluation_);
  return evaluation_.potential;
}

double ContactStepping::kinetic_of_marked(const Vector& v) {
  const gauss::Pattern& pattern = system_->pattern();
  evaluation_.problem.multiply_M(as_span(v), as_span(work_));
  double sum = 0;
  for (int block = 0; block < pattern.columns.count(); ++block)
    if (marked(block))
      sum += 0.5 * v.segment(pattern.columns.begin(block), pattern.columns.size(block))
                       .dot(work_.segment(pattern.columns.begin(block), pattern.columns.size(block)));
  return sum;
}

// Persistent contact: v_new_ from v_free_.
void ContactStepping::contact(double h) {
  double largest = speed_ * 1e-3;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    targets_[k] = std::min(0.0, -points_[k].gap / h);
    largest = std::max(largest, std::abs(solver_->rate(k, 0, as_span(static_cast<const Vector&>(v_new_)))));
  }
  begin_with_last(h);
  ContactSolver::Sweeps how;
  how.wanted = settings_.tolerance * largest;
  const int most = static_cast<int>(std::clamp<std::size_t>(60000 / points_.size(), 40, 2000));
  islands_.find(*solver_, points_);
  int done = 0;
  for (const int until : {std::min(first_sweeps, most), std::min(10 * first_sweeps, most), most}) {
    how.most = until - done;
    if (how.most == 0) continue;
    if (solver_->sweep(0, points_.size(), targets_, how, own_, as_span(v_new_)) <= how.wanted) return;
    done = until;
    if (done < most && roles_fit(how.wanted)) return;
  }
  ++short_;
}

// Island by island, those that are small enough.
bool ContactStepping::roles_fit(double wanted) {
  bool all = true;
  for (std::size_t k = 0; k < islands_.size(); ++k)
    all = roles_.solve(*solver_, points_, islands_[k], targets_, wanted, own_, as_span(v_new_)) && all;
  return all;
}

// The loss of energy where contacts act; velocities are scaled down where sweeps that ended early would make it a gain.
void ContactStepping::guard(double h) {
  const gauss::Pattern& pattern = system_->pattern();
  const Vector& Q = Q_old_;
  const double old = kinetic_of_marked(v_), now = kinetic_of_marked(v_new_);
  double given = 0;
  for (int block = 0; block < pattern.columns.count(); ++block)
    if (marked(block))
      given += h * Q.segment(pattern.columns.begin(block), pattern.columns.size(block))
                       .dot(v_new_.segment(pattern.columns.begin(block), pattern.columns.size(block)));
  double driven = 0;
  bool drives = false;
  for (int row = 0; row < pattern.m(); ++row)
    if (const double c = c_t_[row]; c != 0 && row_cluster_[index(row)] >= 0) {
      const double work = solution_.lambda[row] * c;
      driven_ += work;
      if (!marked_[index(row_cluster_[index(row)])]) continue;
      driven += work;
      drives = true;
    }
  for (std::size_t k = 0; k < points_.size(); ++k)
    for (int row = 0; row <= contacts_->tangents(); ++row) {
      const double work = own_[3 * k + index(row)] * solver_->driven(k, row);
      driven += work;
      driven_ += work;
    }
  double loss = old - now + given + driven;
  if (loss < 0 && !drives && now > 0) {
    const double share = std::min(1.0, (given + std::sqrt(given * given + 4 * now * old)) / (2 * now));
    for (int block = 0; block < pattern.columns.count(); ++block)
      if (marked(block)) v_new_.segment(pattern.columns.begin(block), pattern.columns.size(block)) *= share;
    loss = 0;
  }
  dissipated_ += loss;
}

// Penetration at the end of the step, as far as it is known: work_ is the shortest way that takes a share of it back.
bool ContactStepping::shift(double h) {
  constexpr double share = 0.3;
  const ConstSpan v = as_span(static_cast<const Vector&>(v_new_));
  bool needed = false;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    deepest_ = std::max(deepest_, -points_[k].gap);
    const double left = points_[k].gap + h * solver_->rate(k, 0, v);
    needed = needed || left < -1e-8 * length_;
    targets_[k] = left < 0 ? -share * left : -left;
  }
  if (!needed || !(dissipated_ > 0)) return false;
  work_.setZero();
  std::fill(before_.begin(), before_.end(), 0.0);
  ContactSolver::Sweeps how;
  how.most = 30;
  how.wanted = 1e-9 * length_;
  how.friction = false;
  solver_->sweep(0, points_.size(), targets_, how, before_, as_span(work_));
  return true;
}

// Goes that way as far as the energy that the step lost pays for it; returns what it costs.
double ContactStepping::lift(double t_new, Vector& q) {
  const double before = potential(t_new, q);
  double cost = 0;
  for (int turn = 0; turn < 3; ++turn) {
    system_->retract(as_span(static_cast<const Vector&>(q)), as_span(static_cast<const Vector&>(work_)),
                     as_span(q_try_));
    cost = potential(t_new, q_try_) - before;
    if (cost <= dissipated_) {
      q = q_try_;
      return cost;
    }
    work_ *= (1 - 1e-9) * dissipated_ / cost;
  }
  return 0;
}

void ContactStepping::take_step(double t_new, double h) {
  const int nq = system_->q_size(), nv = system_->v_size();
  const gauss::Pattern& pattern = system_->pattern();
  const double t = t_new - h;
  v_ = y_.segment(nq, nv);
  dissipated_ = driven_ = 0;
  free_motion(t, h);
  points_.clear();
  if (contacts_)
    contacts_->find(as_span(static_cast<const Vector&>(y_)).subspan(0, index(nq)),
                    as_span(static_cast<const Vector&>(v_free_)), h, points_);
  std::fill(marked_.begin(), marked_.end(), 0);
  impulses_.assign(3 * points_.size(), 0);
  std::fill(impacted_.begin(), impacted_.end(), 0);
  bool shifts = false;
  if (points_.empty()) {
    v_new_ = v_free_;
    for (int row = 0; row < pattern.m(); ++row) driven_ += solution_.lambda[row] * c_t_[row];
  } else {
    own_.resize(3 * points_.size());
    before_.resize(3 * points_.size());
    targets_.resize(points_.size());
    drift_.resize(points_.size());
    solver_->begin(points_, as_span(static_cast<const Vector&>(c_t_)));
    for (std::size_t k = 0; k < points_.size(); ++k)
      drift_[k] = solver_->rate(k, 0, as_span(static_cast<const Vector&>(v_free_))) -
                  solver_->rate(k, 0, as_span(static_cast<const Vector&>(v_)));
    v_new_ = v_free_ - v_;
    impacts(h);
    v_new_ += v_;
    contact(h);
    mark();
    find_forces_of_way(t, h);
    guard(h);
    for (std::size_t k = 0; k < own_.size(); ++k) impulses_[k] += own_[k];
    shifts = shift(h);
    ++contact_steps_;
  }
  const double lost_by_forces = h * evaluation_.power_dissipated, applied = h * evaluation_.power_applied;
  if (!std::isfinite(v_new_.sum() + dissipated_)) throw SolveError(system_->blame_non_finite(state_));
  next_.clear();
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (own_[3 * k] != 0) next_.push_back({points_[k].key, {own_[3 * k], own_[3 * k + 1], own_[3 * k + 2]}});
  std::sort(next_.begin(), next_.end(), [](const Last& a, const Last& b) { return a.key < b.key; });
  last_.swap(next_);
  last_h_ = h;

  // Positions.
  q_mid_ = y_.head(nq);
  find_velocities_of_way();
  average_ *= h;
  system_->retract(as_span(static_cast<const Vector&>(q_mid_)), as_span(static_cast<const Vector&>(average_)),
                   as_span(q_mid_));
  const double stored = shifts ? lift(t_new, q_mid_) : 0;
  y_new_.head(nq) = q_mid_;
  y_new_.segment(nq, nv) = v_new_;
  y_new_[nq + nv + work_dissipated] = y_[nq + nv + work_dissipated] + lost_by_forces + dissipated_ - stored;
  y_new_[nq + nv + work_applied] = y_[nq + nv + work_applied] + applied;
  y_new_[nq + nv + work_constraint] = y_[nq + nv + work_constraint] + driven_;
  if (contacts_) {
    contacts_->report(points_, impulses_, h, as_span(inputs_));
    motion_->set_inputs(inputs_);
  }
  flow_->settle(t_new, as_span(y_new_));

  const ConstSpan q = as_span(static_cast<const Vector&>(y_new_)).subspan(0, index(nq));
  system_->qdot(q, as_span(static_cast<const Vector&>(v_new_)), as_span(ydot_).subspan(0, index(nq)));
  ydot_.segment(nq, nv) = (y_new_.segment(nq, nv) - y_.segment(nq, nv)) / h;
  ydot_.tail(work_count) = (y_new_.tail(work_count) - y_.tail(work_count)) / h;
  y_old_.swap(y_);
  y_.swap(y_new_);
  t_old_ = t_;
  t_ = t_new;
}

StepReport ContactStepping::step(double stop) {
  remaining(stop);
  const double grid = settings_.step, near = 1e-9 * grid;
  double j = j_ + 1, t_new = t0_ + j * grid;
  if (stop < t_new - near) {
    j = j_;
    t_new = stop;
  } else if (stop <= t_new + near) {
    t_new = stop;
  }
  if (!(t_new > t_)) underflow(grid, std::abs(t_) * 2.3e-16, 1, 0);
  const double h = t_new - t_;
  take_step(t_new, std::abs(h - grid) <= near ? grid : h);
  j_ = j;
  ++counters_.steps;
  return {t_, t_ - t_old_, 1};
}

void ContactStepping::dense(double t, Span out) const {
  if (dense_at_ends(t, out)) return;
  as_vector(out) = y_old_ + (t - t_old_) / (t_ - t_old_) * (y_ - y_old_);
}

std::vector<std::string> ContactStepping::remarks() const {
  std::vector<std::string> out;
  if (deepest_ > 1e-6 * length_)
    out.push_back(fmt::format("bodies in contact were inside one another by up to {:.2g} m", deepest_));
  if (short_ > 0)
    out.push_back(fmt::format("in {} of {} steps with contacts the sweeps ended before the tolerance of {:.1g} was met",
                              short_, contact_steps_, settings_.tolerance));
  return out;
}

void ContactStepping::save(Memory& memory) const {
  const double own[contact_scalars] = {
      t0_, j_, last_h_, deepest_, static_cast<double>(short_), static_cast<double>(contact_steps_)};
  save_common(memory, own);
  const Span slot = memory.slot(last_name, 1 + 4 * last_.size());
  slot[0] = static_cast<double>(last_.size());
  for (std::size_t k = 0; k < last_.size(); ++k) {
    slot[1 + 4 * k] = static_cast<double>(last_[k].key);  // below 2⁵³
    for (std::size_t i = 0; i < 3; ++i) slot[2 + 4 * k + i] = last_[k].p[i];
  }
}

void ContactStepping::load(Flow& flow, const Memory& memory) {
  bind(flow);
  state_.active = motion_->active();
  inputs_ = motion_->inputs();
  state_.inputs = inputs_;
  if (contacts_) contacts_->mute(as_span(state_.inputs));
  forget_contacts();
  double own[contact_scalars];
  load_common(flow, memory, own);
  t0_ = own[0], j_ = own[1], last_h_ = own[2], deepest_ = own[3];
  short_ = static_cast<long>(own[4]), contact_steps_ = static_cast<long>(own[5]);
  const ConstSpan slot = memory.read(last_name);
  if (slot.empty() || slot.size() != 1 + 4 * static_cast<std::size_t>(slot[0]))
    throw std::invalid_argument("the checkpoint does not fit integrator contact-stepping");
  last_.resize((slot.size() - 1) / 4);
  for (std::size_t k = 0; k < last_.size(); ++k)
    last_[k] = {static_cast<std::uint64_t>(slot[1 + 4 * k]), {slot[2 + 4 * k], slot[3 + 4 * k], slot[4 + 4 * k]}};
}

}  // namespace mortise::integrate
