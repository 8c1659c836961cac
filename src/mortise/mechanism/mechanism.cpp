#include "mortise/mechanism/mechanism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mortise::mechanism {

namespace {

struct MechanismScratch final : Scratch {
  Motions motions;
};

geometry::Quaternion quaternion_at(ConstSpan q, int begin) {
  const double* p = q.data() + begin;
  return {p[0], p[1], p[2], p[3]};
}

}  // namespace

Count Mechanism::count() const {
  Count c;
  c.bodies = static_cast<int>(bodies_.size());
  for (const Constraint& item : constraints_) (item.driver ? c.drivers : c.joints)++;
  c.forces = static_cast<int>(forces_.size());
  c.coordinates = pattern_.n();
  for (std::size_t k = 0; k < pattern_.rows.size(); ++k) c.rows += initially_active_[k];
  return c;
}

std::string Mechanism::name(const ItemRef& ref) const {
  return model::ItemCopy(*model_, model_->items[static_cast<std::size_t>(ref.item)], ref.copy).name();
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
      state.q.segment<3>(body.q) = body.at + geometry::matrix(body.orientation) * body.center;
      if (!body.particle)
        state.q.segment<4>(body.q + 3) << body.orientation.w, body.orientation.x, body.orientation.y,
            body.orientation.z;
    }
  }
  state.v = initial_v_;
  state.v.conservativeResize(v_size());
  state.lambda.setZero(pattern_.m());
  state.work.setZero(work_count);
  state.active = initially_active_;
  return state;
}

void Mechanism::motions(ConstSpan q, ConstSpan v, Motions& out) const {
  if (dimension() == 2) {
    if (out.planar.size() != bodies_.size() + 1) out.planar.assign(bodies_.size() + 1, {});
    for_each_index(bodies_.size(), [&](std::size_t k) {
      const Body& body = bodies_[k];
      Motion2<double>& m = out.planar[k + 1];
      const double* x = q.data() + body.q;
      const double* u = v.data() + body.v;
      m.r = {x[0], x[1]};
      m.v = {u[0], u[1]};
      if (body.particle) return;
      m.angle = x[2];
      m.cos = std::cos(x[2]);
      m.sin = std::sin(x[2]);
      m.w = u[2];
    });
    return;
  }
  if (out.spatial.size() != bodies_.size() + 1) out.spatial.assign(bodies_.size() + 1, {});
  for_each_index(bodies_.size(), [&](std::size_t k) {
    const Body& body = bodies_[k];
    Motion3<double>& m = out.spatial[k + 1];
    m.r = Eigen::Map<const Eigen::Vector3d>(q.data() + body.q);
    m.v = Eigen::Map<const Eigen::Vector3d>(v.data() + body.v);
    if (body.particle) return;
    m.R = geometry::matrix(quaternion_at(q, body.q + 3));
    m.w.noalias() = m.R * Eigen::Map<const Eigen::Vector3d>(v.data() + body.v + 3);
  });
}

std::unique_ptr<Scratch> Mechanism::make_scratch() const { return std::make_unique<MechanismScratch>(); }

void Mechanism::evaluate(const State& state, unsigned needs, Scratch& scratch, Evaluation& out) const {
  Motions& motion = static_cast<MechanismScratch&>(scratch).motions;
  motions(as_span(state.q), as_span(state.v), motion);

  gauss::GaussProblem& problem = out.problem;
  std::copy(state.active.begin(), state.active.end(), problem.active.begin());
  for (const auto& group : constraint_groups_) group->evaluate(motion, state.t, out);
  for (int row = 0; row < pattern_.m(); ++row)
    if (!state.active[static_cast<std::size_t>(row)]) out.phi[row] = out.c_t[row] = problem.b[row] = 0;
  problem.multiply_A(as_span(state.v), as_span(out.phidot));
  out.phidot += out.c_t;

  if (needs & (need_dynamics | need_energy)) {
    problem.M = mass_;
    problem.Q.setZero();
    out.kinetic = out.potential = out.power_dissipated = out.power_applied = 0;
    const Eigen::Vector3d& g = model_->gravity;
    for (const Body& body : bodies_) {
      const double* q = state.q.data() + body.q;
      const double* v = state.v.data() + body.v;
      double* Q = problem.Q.data() + body.v;
      const int dim = dimension();
      for (int k = 0; k < dim; ++k) {
        Q[k] = body.mass * g[k];
        out.potential -= body.mass * g[k] * q[k];
        out.kinetic += 0.5 * body.mass * v[k] * v[k];
      }
      if (body.particle) continue;
      if (dim == 2) {
        out.kinetic += 0.5 * body.inertia(2, 2) * v[2] * v[2];
      } else {
        const Eigen::Map<const Eigen::Vector3d> w(v + 3);
        const Eigen::Vector3d spin = body.inertia * w;
        Eigen::Map<Eigen::Vector3d>(Q + 3) = -w.cross(spin);
        out.kinetic += 0.5 * w.dot(spin);
      }
    }
    for (const auto& group : force_groups_) group->apply(motion, state.t, needs, out);
  }
}

void Mechanism::qdot(ConstSpan q, ConstSpan v, Span out) const {
  for (const Body& body : bodies_) {
    const double* u = v.data() + body.v;
    double* o = out.data() + body.q;
    const int plain = dimension() == 2 ? (body.particle ? 2 : 3) : 3;
    for (int k = 0; k < plain; ++k) o[k] = u[k];
    if (dimension() == 3 && !body.particle) {
      const geometry::Quaternion rate = quaternion_at(q, body.q + 3) * geometry::Quaternion{0, u[3], u[4], u[5]};
      o[3] = 0.5 * rate.w, o[4] = 0.5 * rate.x, o[5] = 0.5 * rate.y, o[6] = 0.5 * rate.z;
    }
  }
}

// Translations as they are; ω (body axes) = 2 · vector part of q* ⊗ q̇.
void Mechanism::tangent(ConstSpan q, ConstSpan qdot, Span v) const {
  for (const Body& body : bodies_) {
    const double* u = qdot.data() + body.q;
    double* o = v.data() + body.v;
    const int plain = dimension() == 2 ? (body.particle ? 2 : 3) : 3;
    for (int k = 0; k < plain; ++k) o[k] = u[k];
    if (dimension() == 3 && !body.particle) {
      const geometry::Quaternion p = quaternion_at(q, body.q + 3);
      const geometry::Quaternion w = p.conjugate() * quaternion_at(qdot, body.q + 3);
      const double s = 2 / (p.norm() * p.norm());
      o[3] = s * w.x, o[4] = s * w.y, o[5] = s * w.z;
    }
  }
}

void Mechanism::retract(ConstSpan q, ConstSpan dv, Span out) const {
  for (const Body& body : bodies_) {
    const double* x = q.data() + body.q;
    const double* u = dv.data() + body.v;
    double* o = out.data() + body.q;
    const int plain = dimension() == 2 ? (body.particle ? 2 : 3) : 3;
    for (int k = 0; k < plain; ++k) o[k] = x[k] + u[k];
    if (dimension() == 3 && !body.particle) {
      const geometry::Quaternion p =
          (quaternion_at(q, body.q + 3) * geometry::exponential({u[3], u[4], u[5]})).normalized();
      o[3] = p.w, o[4] = p.x, o[5] = p.y, o[6] = p.z;
    }
  }
}

bool Mechanism::normalize(Span q) const {
  if (dimension() == 2) return false;
  bool moved = false;
  for (const Body& body : bodies_) {
    if (body.particle) continue;
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
    const int dim = dimension();
    for (int k = 0; k < dim; ++k) {
      q[static_cast<std::size_t>(body.q + k)] = length_;
      v[static_cast<std::size_t>(body.v + k)] = speed_;
    }
    if (body.particle) continue;
    for (int k = 0; k < (dim == 2 ? 1 : 4); ++k) q[static_cast<std::size_t>(body.q + dim + k)] = 1;
    for (int k = 0; k < (dim == 2 ? 1 : 3); ++k) v[static_cast<std::size_t>(body.v + dim + k)] = speed_ / length_;
  }
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
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const Body& body = bodies_[k];
    const int n_v = pattern_.columns.size(static_cast<int>(k)), n_q = n_v + (n_v == 6);
    if (range_bad(state.q, body.q, n_q) || range_bad(state.v, body.v, n_v)) {
      report.message = fmt::format("the motion of body '{}' is no longer finite", name(body.ref));
      report.advice = "a smaller tolerance or max_step; check the forces on this body";
      return report;
    }
  }
  Motions motion;
  motions(as_span(state.q), as_span(state.v), motion);
  for (const auto& group : constraint_groups_)
    if (const int item = group->first_non_finite(motion, state.t, report.place); item >= 0) {
      const Constraint& c = constraints_[static_cast<std::size_t>(item)];
      if (report.place.line == 0) report.place = place(c.ref);
      report.message =
          fmt::format("{} '{}' gives a number that is not finite", c.driver ? "driver" : "joint", name(c.ref));
      report.advice = c.driver ? "a function that is finite, with finite derivatives, at all times of the run"
                               : "check whether its points can coincide (a distance of zero has no direction)";
      return report;
    }
  for (const auto& group : force_groups_)
    if (const int item = group->first_non_finite(motion, state.t, report.place); item >= 0) {
      report.message = fmt::format("force '{}' is not finite", name(forces_[static_cast<std::size_t>(item)].ref));
      report.advice = "a formula that is finite at all times of the run";
      return report;
    }
  report.message = "the accelerations are not finite";
  report.advice = "a smaller tolerance, or look at the masses: they may be too far apart in size";
  return report;
}

Eigen::Matrix<double, 6, 1> Mechanism::reaction_on(const Constraint& c, const Anchor& at, const Motions& motion,
                                                   const Vector& A, ConstSpan lambda) const {
  Columns to = at.body == ground ? Columns{} : at.body == c.b.body ? c.to_b : at.body == c.a.body ? c.to_a : Columns{};
  for (const Involved& involved : c.bodies)
    if (involved.body == at.body) to = involved.to;
  Eigen::Matrix<double, 6, 1> f = Eigen::Matrix<double, 6, 1>::Zero(), out = f;
  for (int i = 0; i < c.rows; ++i)
    for (int j = 0; j < to.size; ++j)
      f[j] -= lambda[static_cast<std::size_t>(c.row + i)] * A[to.offset + i * to.size + j];
  if (to.size == 0) return out;
  // From the centre of mass to the point asked for.
  if (dimension() == 2) {
    const Eigen::Vector2d d = carry(at, motion.at2(at.body)).d;
    out.head<2>() = f.head<2>();
    if (to.size == 3) out[5] = f[2] - (d.x() * f[1] - d.y() * f[0]);
  } else {
    const Motion3<double>& m = motion.at3(at.body);
    out.head<3>() = f.head<3>();
    if (to.size == 6) out.tail<3>() = m.R * f.tail<3>() - (m.R * at.p).cross(out.head<3>());
  }
  return out;
}

void Mechanism::reactions(const Motions& motion, const Vector& A, ConstSpan lambda, Span out) const {
  const int width = dimension() == 2 ? 3 : 6;
  for (std::size_t k = 0; k < constraints_.size(); ++k) {
    const Constraint& c = constraints_[k];
    double* o = out.data() + static_cast<std::ptrdiff_t>(k) * width;
    if (c.over_several()) {
      const Eigen::Matrix<double, 6, 1> on = reaction_on(c, c.b, motion, A, lambda);
      o[0] = on[0], o[1] = on[1];
      if (width == 3)
        o[2] = on[5];
      else
        for (int i = 2; i < 6; ++i) o[i] = on[i];
      continue;
    }
    // On the second body; where that is the ground, the opposite of what the first feels, moved to the ground's point.
    const bool second = c.to_b.size > 0;
    const Columns& to = second ? c.to_b : c.to_a;
    const Anchor& anchor = second ? c.b : c.a;
    const double sign = second ? -1 : 1;
    Eigen::Matrix<double, 6, 1> f = Eigen::Matrix<double, 6, 1>::Zero();
    for (int i = 0; i < c.rows; ++i)
      for (int j = 0; j < to.size; ++j)
        f[j] += sign * lambda[static_cast<std::size_t>(c.row + i)] * A[to.offset + i * to.size + j];
    if (width == 3) {
      const Frame2<double> at = carry(anchor, motion.at2(anchor.body));
      o[0] = f[0];
      o[1] = f[1];
      o[2] = to.size == 3 ? f[2] - (at.d.x() * f[1] - at.d.y() * f[0]) : 0;
      if (!second) {
        const Eigen::Vector2d gap = c.b.p.head<2>() - at.p;
        o[2] -= gap.x() * f[1] - gap.y() * f[0];
      }
    } else {
      const Eigen::Vector3d force = f.head<3>();
      Eigen::Vector3d torque = Eigen::Vector3d::Zero();
      if (to.size == 6) {
        const Motion3<double>& m = motion.at3(anchor.body);
        torque = m.R * f.tail<3>() - (m.R * anchor.p).cross(force);
      }
      if (!second) torque -= (c.b.p - carry(anchor, motion.at3(anchor.body)).p).cross(force);
      Eigen::Map<Eigen::Vector3d>{o} = force;
      Eigen::Map<Eigen::Vector3d>{o + 3} = torque;
    }
  }
}

void Mechanism::poses(const Motions& motion, ConstSpan q, Span out) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
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
      const geometry::Quaternion p = body.particle ? geometry::Quaternion{} : quaternion_at(q, body.q + 3);
      o[3] = p.w, o[4] = p.x, o[5] = p.y, o[6] = p.z;
    }
  }
}

void Mechanism::velocities(const Motions& motion, Span out) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
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
  }
}

void Mechanism::accelerations(const Motions& motion, ConstSpan a, Span out) const {
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
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
      Eigen::Vector3d alpha = Eigen::Vector3d::Zero();
      if (!body.particle) alpha = m.R * Eigen::Vector3d(u[3], u[4], u[5]);
      Eigen::Map<Eigen::Vector3d>{o} = Eigen::Vector3d(u[0], u[1], u[2]) - alpha.cross(c) - m.w.cross(m.w.cross(c));
      Eigen::Map<Eigen::Vector3d>{o + 3} = alpha;
    }
  }
}

}  // namespace mortise::mechanism
