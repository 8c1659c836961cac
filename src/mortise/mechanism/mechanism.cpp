#include "mortise/mechanism/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/quantities.h"

namespace mortise::mechanism {

struct MechanismScratch final : Scratch {
  Motions motions;
  std::vector<ForceRecord> records;
  std::vector<double> used;  // values of the quantities that forces use
  Vector reactions;          // of the joints whose reactions forces use
  Vector row_time;           // ∂φ/∂t of all rows, where friction acts through some
  Evaluation ignored;        // where forces are evaluated for their records alone
};

namespace {

// The instant of an evaluation, as far as it is known before the forces.
Instant instant_at(const State& state, const MechanismScratch& scratch, const Evaluation& e) {
  Instant i;
  i.t = state.t;
  i.motions = &scratch.motions;
  i.q = as_span(state.q);
  i.v = as_span(state.v);
  i.work = as_span(state.work);
  i.inputs = as_span(state.inputs);
  i.forces = scratch.records;
  i.kinetic = e.kinetic;
  i.potential = e.potential;
  return i;
}

geometry::Quaternion quaternion_at(ConstSpan q, int begin) {
  const double* p = q.data() + begin;
  return {p[0], p[1], p[2], p[3]};
}

}  // namespace

// Held in a plane, a body has turned from the modelled pose by its angle about the normal.
geometry::Quaternion turned_in_plane(const Body& body, double angle) {
  const double half = 0.5 * angle;
  const Eigen::Vector3d n = std::sin(half) * body.plane->col(2);
  return geometry::Quaternion{std::cos(half), n.x(), n.y(), n.z()} * body.orientation;
}

geometry::Quaternion orientation_of(const Body& body, ConstSpan q) {
  if (body.particle) return {};
  if (!body.plane) return quaternion_at(q, body.q + 3);
  return turned_in_plane(body, q[static_cast<std::size_t>(body.q + 2)]);
}

Mechanism::Mechanism() : events_(std::make_unique<std::vector<Event>>()) {}
Mechanism::~Mechanism() = default;

Count Mechanism::count() const {
  Count c;
  c.bodies = static_cast<int>(bodies_.size());
  for (const Constraint& item : constraints_)
    if (model_->items[static_cast<std::size_t>(item.ref.item)].section != model::Section::event)
      (item.driver ? c.drivers : c.joints)++;
  for (const Force& item : forces_)
    c.forces += model_->items[static_cast<std::size_t>(item.ref.item)].section != model::Section::event;
  c.coordinates = pattern_.n();
  for (std::size_t k = 0; k < pattern_.rows.size(); ++k) c.rows += initially_active_[k];
  return c;
}

std::string Mechanism::name(const ItemRef& ref) const {
  return model::ItemCopy(*model_, model_->items[static_cast<std::size_t>(ref.item)], ref.copy).name() + ref.part;
}

Place Mechanism::place(const ItemRef& ref) const { return model_->items[static_cast<std::size_t>(ref.item)].place; }

int Mechanism::find_body(const std::string& wanted) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k)
    if (name(bodies_[k].ref) == wanted) return static_cast<int>(k);
  return -1;
}

int Mechanism::find_constraint(const std::string& wanted) const {
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    if (name(constraints_[k].ref) == wanted) return static_cast<int>(k);
  return -1;
}

int Mechanism::find_force(const std::string& wanted) const {
  for (std::size_t k = 0; k < forces_.size(); ++k)
    if (name(forces_[k].ref) == wanted) return static_cast<int>(k);
  return -1;
}

int Mechanism::find_event(const std::string& wanted) const {
  for (std::size_t k = 0; k < events_->size(); ++k)
    if (name((*events_)[k].ref) == wanted) return static_cast<int>(k);
  return -1;
}

Vector Mechanism::initial_inputs() const {
  const auto own = static_cast<Eigen::Index>(model_->input_values.size());
  Vector inputs(own + event_inputs_.size());
  inputs.head(own) = as_vector(ConstSpan(model_->input_values));
  inputs.tail(event_inputs_.size()) = event_inputs_;
  return inputs;
}

State Mechanism::initial_state() const {
  State state;
  state.q.setZero(q_size_);
  for (const Body& body : bodies_) {
    if (dimension() == 2) {
      const double c = std::cos(body.angle), s = std::sin(body.angle);
      state.q[body.q] = body.at.x() + c * body.center.x() - s * body.center.y();
      state.q[body.q + 1] = body.at.y() + s * body.center.x() + c * body.center.y();
      if (!body.particle) state.q[body.q + 2] = body.angle;
    } else {
      const Eigen::Vector3d center = body.at + geometry::matrix(body.orientation) * body.center;
      if (body.plane)
        state.q.segment<2>(body.q) = body.plane->leftCols<2>().transpose() * center;  // the angle counts from here
      else
        state.q.segment<3>(body.q) = center;
      if (body.has_quaternion())
        state.q.segment<4>(body.q + 3) << body.orientation.w, body.orientation.x, body.orientation.y,
            body.orientation.z;
    }
  }
  state.v = initial_v_;
  state.v.conservativeResize(v_size());
  state.lambda.setZero(pattern_.m());
  state.work.setZero(work_count);
  state.inputs = initial_inputs();
  state.active = initially_active_;
  return state;
}

void Mechanism::motions(ConstSpan q, ConstSpan v, Motions& out) const {
  dimension() == 2 ? place_bodies(planar_, q, v, out) : place_bodies(spatial_, q, v, out);
}

std::unique_ptr<Scratch> Mechanism::make_scratch() const {
  auto scratch = std::make_unique<MechanismScratch>();
  scratch->records.resize(forces_.size());
  scratch->used.resize(used_.size());
  scratch->row_time.setZero(row_friction_ ? pattern_.m() : 0);
  scratch->reactions.setZero(static_cast<Eigen::Index>(constraints_.size()) * (dimension() == 2 ? 3 : 6));
  return scratch;
}

// Stage by stage: the quantities that its forces need, then the forces.
void Mechanism::apply_stages(int begin, int end, Instant& instant, MechanismScratch& scratch, unsigned needs,
                             Evaluation& out) const {
  instant.forces = scratch.records;
  ForceContext context{instant.t, scratch.used, scratch.records,           force_stage_,
                       0,         instant.v,    as_span(scratch.row_time), instant.inputs};
  for (int stage = begin; stage < end; ++stage) {
    for (std::size_t k = 0; k < used_.size(); ++k)
      if (used_stage_[k] == stage && used_[k].source != Quantity::Source::solution)
        scratch.used[k] = used_[k].value(instant);
    context.stage = stage;
    for (const auto& group : force_groups_) group->apply(*instant.motions, context, needs, out);
  }
}

void Mechanism::evaluate(const State& state, unsigned needs, Scratch& given, Evaluation& out) const {
  MechanismScratch& scratch = static_cast<MechanismScratch&>(given);
  Motions& motion = scratch.motions;
  gauss::GaussProblem& problem = out.problem;
  const ConstSpan q = as_span(state.q), v = as_span(state.v);
  const bool dynamic = (needs & (need_dynamics | need_energy)) != 0;
  if (dynamic) {
    const Eigen::Vector3d& g = model_->gravity;
    const Energies energies = dimension() == 2 ? place_and_weigh(planar_, g, q, v, motion, problem.Q)
                                               : place_and_weigh(spatial_, g, q, v, motion, problem.Q);
    out.potential = energies.potential;
    out.kinetic = energies.kinetic;
    out.power_dissipated = out.power_applied = 0;
  } else {
    motions(q, v, motion);
  }

  std::copy(state.active.begin(), state.active.end(), problem.active.begin());
  for (const auto& group : constraint_groups_) group->evaluate(motion, state.t, out);
  if (row_friction_) scratch.row_time = out.c_t;
  if (holds_)
    for (int row = 0; row < pattern_.m(); ++row)
      if (const int slot = hold_slot_[static_cast<std::size_t>(row)]; slot >= 0) out.phi[row] -= state.inputs[slot];
  if (!state.active.empty() && std::memchr(state.active.data(), 0, state.active.size()))
    for (int row = 0; row < pattern_.m(); ++row)
      if (!state.active[static_cast<std::size_t>(row)])
        out.phi[row] = out.phidot[row] = out.c_t[row] = problem.b[row] = 0;

  if (dynamic) {
    if (problem.mass_stamp != mass_stamp_) problem.M = mass_;
    problem.mass_stamp = mass_stamp_;
    if (force_groups_.empty()) return;
    Instant instant = instant_at(state, scratch, out);
    if (uses_potential_) {
      // What forces store depends on the state alone: known before any of them is applied.
      const ForceContext all{state.t, scratch.used,     scratch.records,           force_stage_,
                             -1,      as_span(state.v), as_span(scratch.row_time), as_span(state.inputs)};
      const double gravity = out.potential;
      for (const auto& group : force_groups_) group->apply(motion, all, need_energy, out);
      instant.potential = out.potential;
      out.potential = gravity;
      out.power_dissipated = out.power_applied = 0;
    }
    apply_stages(0, feedback_stage_, instant, scratch, needs, out);
  }
}

void Mechanism::feedback(const State& state, ConstSpan a, ConstSpan lambda, Scratch& given, const Evaluation& e,
                         Span z) const {
  MechanismScratch& scratch = static_cast<MechanismScratch&>(given);
  const std::size_t width = dimension() == 2 ? 3 : 6;
  for (const int c : feedback_constraints_)
    reaction(c, scratch.motions, state.t, lambda,
             as_span(scratch.reactions).subspan(static_cast<std::size_t>(c) * width, width));
  Instant instant = instant_at(state, scratch, e);
  instant.a = a;
  instant.reaction = as_span(scratch.reactions);
  for (std::size_t k = 0; k < feedback_.size(); ++k)
    z[k] = used_[static_cast<std::size_t>(feedback_[k])].value(instant);
}

void Mechanism::add_feedback(const State& state, ConstSpan z, unsigned needs, Scratch& given, Evaluation& out) const {
  MechanismScratch& scratch = static_cast<MechanismScratch&>(given);
  for (std::size_t k = 0; k < feedback_.size(); ++k) scratch.used[static_cast<std::size_t>(feedback_[k])] = z[k];
  Instant instant = instant_at(state, scratch, out);
  apply_stages(feedback_stage_, stages_, instant, scratch, needs, out);
}

// What weight and typical speed make of the whole mechanism: m v²/l, and v²/l.
void Mechanism::feedback_sizes(Span z) const {
  double mass = 0;
  for (const Body& body : bodies_) mass += body.mass;
  const double acceleration = speed_ * speed_ / length_;
  for (std::size_t k = 0; k < feedback_.size(); ++k) {
    const std::string& unit = used_[static_cast<std::size_t>(feedback_[k])].unit;
    z[k] = unit == "N"         ? mass * acceleration
           : unit == "N m"     ? mass * acceleration * length_
           : unit == "rad/s^2" ? acceleration / length_
                               : acceleration;
  }
}

std::string Mechanism::feedback_name(int k) const {
  return used_[static_cast<std::size_t>(feedback_[static_cast<std::size_t>(k)])].name;
}

std::span<const ForceRecord> Mechanism::force_records(const Instant& known, Scratch& given) const {
  MechanismScratch& scratch = static_cast<MechanismScratch&>(given);
  Instant instant = known;
  if (row_friction_) {
    if (scratch.ignored.phi.size() != pattern_.m()) scratch.ignored.resize(pattern_);
    for (const auto& group : constraint_groups_) group->evaluate(*instant.motions, instant.t, scratch.ignored);
    scratch.row_time = scratch.ignored.c_t;
  }
  for (std::size_t k = 0; k < used_.size(); ++k)
    if (used_[k].source == Quantity::Source::solution) scratch.used[k] = used_[k].value(instant);
  apply_stages(0, stages_, instant, scratch, 0, scratch.ignored);
  return scratch.records;
}

void Mechanism::qdot(ConstSpan q, ConstSpan v, Span out) const {
  if (dimension() == 2) {
    std::copy(v.begin(), v.end(), out.begin());
    return;
  }
  linalg::for_each_index(spatial_.size(), [&](std::size_t index) {
    const SpatialBody& body = spatial_[index];
    const double* u = v.data() + body.v;
    double* o = out.data() + body.q;
    const int plain = body.plain();
    for (int k = 0; k < plain; ++k) o[k] = u[k];
    if (body.has_quaternion()) {
      const geometry::Quaternion rate = quaternion_at(q, body.q + 3) * geometry::Quaternion{0, u[3], u[4], u[5]};
      o[3] = 0.5 * rate.w, o[4] = 0.5 * rate.x, o[5] = 0.5 * rate.y, o[6] = 0.5 * rate.z;
    }
  });
}

// Translations as they are; ω (body axes) = 2 · vector part of q* ⊗ q̇.
void Mechanism::tangent(ConstSpan q, ConstSpan qdot, Span v) const {
  if (dimension() == 2) {
    std::copy(qdot.begin(), qdot.end(), v.begin());
    return;
  }
  linalg::for_each_index(spatial_.size(), [&](std::size_t index) {
    const SpatialBody& body = spatial_[index];
    const double* u = qdot.data() + body.q;
    double* o = v.data() + body.v;
    const int plain = body.plain();
    for (int k = 0; k < plain; ++k) o[k] = u[k];
    if (body.has_quaternion()) {
      const geometry::Quaternion p = quaternion_at(q, body.q + 3);
      const geometry::Quaternion w = p.conjugate() * quaternion_at(qdot, body.q + 3);
      const double s = 2 / (p.norm() * p.norm());
      o[3] = s * w.x, o[4] = s * w.y, o[5] = s * w.z;
    }
  });
}

namespace {

// q ⊕ δ, the rotation of a body by `turn`(rotation vector).
template <class Turn>
void move_bodies(const std::vector<SpatialBody>& bodies, ConstSpan q, ConstSpan dv, Span out, const Turn& turn) {
  linalg::for_each_index(bodies.size(), [&](std::size_t k) {
    const SpatialBody& body = bodies[k];
    const double* x = q.data() + body.q;
    const double* u = dv.data() + body.v;
    double* o = out.data() + body.q;
    const int plain = body.plain();
    for (int k = 0; k < plain; ++k) o[k] = x[k] + u[k];
    if (body.has_quaternion()) {
      const geometry::Quaternion p = (quaternion_at(q, body.q + 3) * turn({u[3], u[4], u[5]})).normalized();
      o[3] = p.w, o[4] = p.x, o[5] = p.y, o[6] = p.z;
    }
  });
}

}  // namespace

void Mechanism::retract(ConstSpan q, ConstSpan dv, Span out) const {
  if (dimension() == 2) {
    as_vector(out) = as_vector(q) + as_vector(dv);
    return;
  }
  move_bodies(spatial_, q, dv, out, [](const Eigen::Vector3d& turn) { return geometry::exponential(turn); });
}

void Mechanism::cayley(ConstSpan q, ConstSpan dv, Span out) const {
  if (dimension() == 2) return retract(q, dv, out);
  move_bodies(spatial_, q, dv, out, [](const Eigen::Vector3d& turn) { return geometry::cayley(turn); });
}

double Mechanism::largest_spin(ConstSpan v) const {
  double largest = 0;
  if (dimension() == 2) return largest;
  for (const Body& body : bodies_)
    if (body.has_quaternion())
      largest =
          std::max(largest, std::hypot(v[static_cast<std::size_t>(body.v + 3)], v[static_cast<std::size_t>(body.v + 4)],
                                       v[static_cast<std::size_t>(body.v + 5)]));
  return largest;
}

bool Mechanism::normalize(Span q) const {
  if (dimension() == 2) return false;
  bool moved = false;
  for (const SpatialBody& body : spatial_) {
    if (!body.has_quaternion()) continue;
    double* p = q.data() + body.q + 3;
    const double norm2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    if (std::abs(norm2 - 1) <= 4e-16) continue;
    const double s = 1 / std::sqrt(norm2);
    for (int k = 0; k < 4; ++k) p[k] *= s;
    moved = true;
  }
  return moved;
}

void Mechanism::typical_sizes(Span q, Span v) const {
  for (const Body& body : bodies_) {
    const int dim = body.translations();
    for (int k = 0; k < dim; ++k) {
      q[static_cast<std::size_t>(body.q + k)] = length_;
      v[static_cast<std::size_t>(body.v + k)] = speed_;
    }
    if (body.particle) continue;
    for (int k = dim; k < body.q_size(); ++k) q[static_cast<std::size_t>(body.q + k)] = 1;
    for (int k = dim; k < body.v_size(); ++k) v[static_cast<std::size_t>(body.v + k)] = speed_ / length_;
  }
}

double Mechanism::typical_energy() const {
  double mass = 0;
  for (const Body& body : bodies_) mass += body.mass;
  return mass > 0 ? 0.5 * mass * speed_ * speed_ : System::typical_energy();
}

std::string Mechanism::row_name(int row) const {
  const Constraint& c = constraints_[static_cast<std::size_t>(row_constraint_[static_cast<std::size_t>(row)])];
  return fmt::format("{}.{}", name(c.ref), c.row_names[static_cast<std::size_t>(row - c.row)]);
}

std::string Mechanism::block_name(int block) const { return name(bodies_[static_cast<std::size_t>(block)].ref); }

SolveReport Mechanism::blame_non_finite(const State& state) const {
  SolveReport report;
  report.code = "S410";
  report.time = state.t;
  const auto bad = [](double x) { return !std::isfinite(x); };
  const auto range_bad = [&](const Vector& x, int begin, int size) {
    return std::any_of(x.data() + begin, x.data() + begin + size, bad);
  };
  for (const Body& body : bodies_) {
    if (range_bad(state.q, body.q, body.q_size()) || range_bad(state.v, body.v, body.v_size())) {
      report.message = fmt::format("the motion of body '{}' is no longer finite", name(body.ref));
      report.advice = "a smaller tolerance or max_step; check the forces on this body";
      return report;
    }
  }
  const std::unique_ptr<Scratch> made = make_scratch();
  MechanismScratch& scratch = static_cast<MechanismScratch&>(*made);
  Evaluation evaluation;
  evaluation.resize(pattern_);
  evaluate(state, need_dynamics, scratch, evaluation);
  const Motions& motion = scratch.motions;
  for (const auto& group : constraint_groups_)
    if (const int item = group->first_non_finite(motion, state.t, report.place); item >= 0) {
      const Constraint& c = constraints_[static_cast<std::size_t>(item)];
      if (!report.place.known()) report.place = place(c.ref);
      report.message =
          fmt::format("{} '{}' gives a number that is not finite", c.driver ? "driver" : "joint", name(c.ref));
      report.advice =
          c.driver
              ? "a function that is finite, with finite derivatives, at all times of the run"
              : "check whether its points can coincide (a distance of zero has no direction) or lie far off its curve";
      return report;
    }
  const ForceContext context{state.t, scratch.used,     scratch.records,           force_stage_,
                             -1,      as_span(state.v), as_span(scratch.row_time), as_span(state.inputs)};
  for (const auto& group : force_groups_)
    if (const int item = group->first_non_finite(motion, context, report.place); item >= 0) {
      report.message = fmt::format("force '{}' is not finite", name(forces_[static_cast<std::size_t>(item)].ref));
      report.advice = "a formula that is finite at all times of the run";
      return report;
    }
  // Nothing but too large: the fastest body is where it began.
  Vector q_sizes(q_size_), v_sizes(v_size());
  typical_sizes(as_span(q_sizes), as_span(v_sizes));
  const Body* fastest = nullptr;
  double most = -1;
  for (const Body& body : bodies_)
    for (int k = body.v; k < body.v + body.v_size(); ++k)
      if (const double speed = std::abs(state.v[k]) / v_sizes[k]; speed > most) most = speed, fastest = &body;
  report.message = fmt::format("the accelerations are not finite; body '{}' is fastest, {:.1e} times what is typical",
                               name(fastest->ref), most);
  report.advice = "a smaller tolerance or step, or look at the masses: they may be too far apart in size";
  return report;
}

void Mechanism::reactions(const Motions& motion, double t, ConstSpan lambda, Span out) const {
  const std::size_t width = dimension() == 2 ? 3 : 6;
  linalg::for_each_index(constraints_.size(), [&](std::size_t k) {
    reaction(static_cast<int>(k), motion, t, lambda, out.subspan(k * width, width));
  });
}

void Mechanism::reaction(int constraint, const Motions& motion, double t, ConstSpan lambda, Span out) const {
  const Constraint& c = constraints_[static_cast<std::size_t>(constraint)];
  const Wrench w = reaction_on(c, c.b, motion, t, lambda);
  if (dimension() == 2)
    out[0] = w[0], out[1] = w[1], out[2] = w[5];
  else
    std::copy(w.begin(), w.end(), out.begin());
}

Wrench Mechanism::reaction_on(const Constraint& c, const Anchor& at, const Motions& motion, double t,
                              ConstSpan lambda) const {
  Wrench w = c.group->wrench(c.slot, at.body, motion, t, lambda);
  Eigen::Vector3d arm = Eigen::Vector3d::Zero();  // from the centre of mass to the point asked for
  if (dimension() == 2)
    arm.head<2>() = carry(at, motion.at2(at.body)).d;
  else
    arm = carry(at, motion.at3(at.body)).d;
  w.tail<3>() -= arm.cross(w.head<3>());
  return w;
}

void Mechanism::poses(const Motions& motion, ConstSpan q, Span out) const {
  linalg::for_each_index(bodies_.size(), [&](std::size_t k) {
    const Body& body = bodies_[k];
    if (dimension() == 2) {
      double* o = out.data() + 3 * k;
      const Motion2<double>& m = motion.planar[k + 1];
      o[0] = m.r.x() - (m.cos * body.center.x() - m.sin * body.center.y());
      o[1] = m.r.y() - (m.sin * body.center.x() + m.cos * body.center.y());
      o[2] = m.angle;
    } else {
      double* o = out.data() + 7 * k;
      const Motion3<double>& m = motion.spatial[k + 1];
      Eigen::Map<Eigen::Vector3d>{o} = m.r - m.R * body.center;
      const geometry::Quaternion p = orientation_of(body, q);
      o[3] = p.w, o[4] = p.x, o[5] = p.y, o[6] = p.z;
    }
  });
}

void Mechanism::velocities(const Motions& motion, Span out) const {
  linalg::for_each_index(bodies_.size(), [&](std::size_t k) {
    const Body& body = bodies_[k];
    if (dimension() == 2) {
      double* o = out.data() + 3 * k;
      const Motion2<double>& m = motion.planar[k + 1];
      const Eigen::Vector2d c(m.cos * body.center.x() - m.sin * body.center.y(),
                              m.sin * body.center.x() + m.cos * body.center.y());
      Eigen::Map<Eigen::Vector2d>{o} = m.v - m.w * perp(c);
      o[2] = m.w;
    } else {
      double* o = out.data() + 6 * k;
      const Motion3<double>& m = motion.spatial[k + 1];
      Eigen::Map<Eigen::Vector3d>{o} = m.v - m.w.cross(m.R * body.center);
      Eigen::Map<Eigen::Vector3d>{o + 3} = m.w;
    }
  });
}

Acceleration3 Mechanism::acceleration(int index, const Motion3<double>& m, ConstSpan a) const {
  const Body& body = bodies_[static_cast<std::size_t>(index)];
  const double* u = a.data() + body.v;
  Acceleration3 out;
  if (body.plane)
    out.linear = u[0] * body.plane->col(0) + u[1] * body.plane->col(1);
  else
    out.linear << u[0], u[1], u[2];
  if (body.particle) return out;
  if (body.plane)
    out.angular = u[2] * body.plane->col(2);
  else
    out.angular = m.R * Eigen::Vector3d(u[3], u[4], u[5]);
  return out;
}

void Mechanism::accelerations(const Motions& motion, ConstSpan a, Span out) const {
  linalg::for_each_index(bodies_.size(), [&](std::size_t k) {
    const Body& body = bodies_[k];
    const double* u = a.data() + body.v;
    if (dimension() == 2) {
      double* o = out.data() + 3 * k;
      const Motion2<double>& m = motion.planar[k + 1];
      const Eigen::Vector2d c(m.cos * body.center.x() - m.sin * body.center.y(),
                              m.sin * body.center.x() + m.cos * body.center.y());
      const double alpha = body.particle ? 0 : u[2];
      Eigen::Map<Eigen::Vector2d>{o} = Eigen::Vector2d(u[0], u[1]) - alpha * perp(c) + m.w * m.w * c;
      o[2] = alpha;
    } else {
      double* o = out.data() + 6 * k;
      const Motion3<double>& m = motion.spatial[k + 1];
      const Eigen::Vector3d c = m.R * body.center;
      const Acceleration3 at = acceleration(static_cast<int>(k), m, a);
      Eigen::Map<Eigen::Vector3d>{o} = at.linear - at.angular.cross(c) - m.w.cross(m.w.cross(c));
      Eigen::Map<Eigen::Vector3d>{o + 3} = at.angular;
    }
  });
}

}  // namespace mortise::mechanism
