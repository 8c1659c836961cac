#include "mortise/mechanism/pack_mechanism.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <typeinfo>

#include "mortise/mechanism/event.h"
#include "mortise/mechanism/quantities.h"

namespace mortise::mechanism {

namespace {

using PackQuaternion = geometry::BasicQuaternion<Pack>;

PackQuaternion pack_quaternion(const Pack* p) { return {p[0], p[1], p[2], p[3]}; }

// The quaternion of a turn by 2·half about a unit vector n.
PackQuaternion turned_by(const Pack& half, const Vec3<Pack>& n) {
  Pack s, c;
  linalg::sincos(half, s, c);
  return {c, s * n.x(), s * n.y(), s * n.z()};
}

// geometry::exponential without a branch.
PackQuaternion pack_exponential(const Vec3<Pack>& rotation) {
  const Pack angle = rotation.norm();
  Pack s, c;
  linalg::sincos(Pack(0.5) * angle, s, c);
  const linalg::Mask small = angle < Pack(1e-4);
  const Pack share = select(small, Pack(0.5) - angle * angle / Pack(48), s / select(small, Pack(1), angle));
  return {c, share * rotation.x(), share * rotation.y(), share * rotation.z()};
}

template <class Groups>
std::vector<const void*> kernel_types(const Groups& groups) {
  std::vector<const void*> types;
  for (const auto& group : groups) types.push_back(&typeid(*group));
  return types;
}

}  // namespace

std::string PackMechanism::obstacle(const Mechanism& m) {
  if (!m.events().empty()) return fmt::format("event '{}'", m.name(m.events().front().ref));
  for (const Body& body : m.bodies_) {
    const bool spins =
        body.particle ||
        (body.flat ? body.inertia(2, 2) > 0 : Eigen::LLT<Eigen::Matrix3d>(body.inertia).info() == Eigen::Success);
    if (!(body.mass > 0) || !spins) return fmt::format("body '{}' without mass or inertia", m.name(body.ref));
  }
  if (!m.used_.empty()) return fmt::format("the quantity '{}' in a formula", m.used_.front().name);
  return {};
}

std::string PackMechanism::difference(const Mechanism& a, const Mechanism& b) {
  if (a.dimension() != b.dimension()) return "one is planar, one spatial";
  if (a.bodies_.size() != b.bodies_.size()) return fmt::format("{} bodies and {}", a.bodies_.size(), b.bodies_.size());
  for (std::size_t k = 0; k < a.bodies_.size(); ++k) {
    const Body &x = a.bodies_[k], &y = b.bodies_[k];
    if (x.particle != y.particle || x.flat != y.flat || (x.plane == nullptr) != (y.plane == nullptr))
      return fmt::format("body '{}' is of another kind", b.name(y.ref));
  }
  const auto part = [](const Mechanism& m, const ItemRef& ref) -> const std::string& {
    return m.model().items[static_cast<std::size_t>(ref.item)].part->type;
  };
  const auto items_differ = [&](const auto& x, const auto& y, const char* what) -> std::string {
    if (x.size() != y.size()) return fmt::format("{} {} and {}", x.size(), what, y.size());
    for (std::size_t k = 0; k < x.size(); ++k)
      if (part(a, x[k].ref) != part(b, y[k].ref)) return fmt::format("'{}' is of another type", b.name(y[k].ref));
    return {};
  };
  if (const std::string why = items_differ(a.constraints_, b.constraints_, "joints"); !why.empty()) return why;
  if (const std::string why = items_differ(a.forces_, b.forces_, "forces"); !why.empty()) return why;
  const gauss::Pattern &p = a.pattern_, &r = b.pattern_;
  const auto same_block = [](const gauss::RowBlock& x, const gauss::RowBlock& y) {
    return x.row == y.row && x.rows == y.rows && x.block == y.block && x.offset == y.offset;
  };
  const auto same_row = [](const gauss::Row& x, const gauss::Row& y) { return x.item == y.item && x.kind == y.kind; };
  if (!std::equal(p.A.begin(), p.A.end(), r.A.begin(), r.A.end(), same_block) ||
      !std::equal(p.rows.begin(), p.rows.end(), r.rows.begin(), r.rows.end(), same_row) ||
      kernel_types(a.constraint_groups_) != kernel_types(b.constraint_groups_) ||
      kernel_types(a.force_groups_) != kernel_types(b.force_groups_))
    return "joints are between other bodies";
  if (a.initially_active_ != b.initially_active_) return "other rows are on";
  return {};
}

PackMechanism::PackMechanism(const Copies& copies) : copies_(copies) {
  const Mechanism& m = first();
  const auto copy = [&](int lane) -> const Mechanism& { return *copies_[static_cast<std::size_t>(lane)]; };
  for (std::size_t k = 0; k < m.bodies_.size(); ++k) {
    const auto body = [&](int lane) -> const Body& { return copy(lane).bodies_[k]; };
    const Body& b = body(0);
    PackBody out{b.particle, b.flat, b.plane != nullptr, b.q, b.v, b.translations(), {}, {}, {}, {}, {}, {}};
    out.mass = gather([&](int lane) { return body(lane).mass; });
    out.height = gather([&](int lane) { return body(lane).height; });
    out.inertia = gather_matrix<3, 3>([&](int lane) -> const Eigen::Matrix3d& { return body(lane).inertia; });
    if (out.in_plane)
      out.plane = gather_matrix<3, 3>([&](int lane) -> const Eigen::Matrix3d& { return *body(lane).plane; });
    out.pull = gather_matrix<3, 1>([&](int lane) -> Eigen::Vector3d {
      const Eigen::Vector3d& g = copy(lane).model().gravity;
      return body(lane).plane ? Eigen::Vector3d(body(lane).plane->transpose() * g) : g;
    });
    out.orientation = {gather([&](int lane) { return body(lane).orientation.w; }),
                       gather([&](int lane) { return body(lane).orientation.x; }),
                       gather([&](int lane) { return body(lane).orientation.y; }),
                       gather([&](int lane) { return body(lane).orientation.z; })};
    bodies_.push_back(out);
  }
  for (Eigen::Index i = 0; i < m.mass_.size(); ++i)
    mass_.push_back(gather([&](int lane) { return copy(lane).mass_[i]; }));

  const auto into_lanes = [&](auto groups, auto& lanes, std::vector<std::size_t>& other) {
    for (std::size_t g = 0; g < (m.*groups).size(); ++g) {
      std::array<const typename std::decay_t<decltype(m.*groups)>::value_type::element_type*, pack_width> four;
      for (int lane = 0; lane < pack_width; ++lane) four[index(lane)] = (copy(lane).*groups)[g].get();
      if (auto found = four[0]->in_lanes(four))
        lanes.push_back(std::move(found));
      else
        other.push_back(g);
    }
  };
  into_lanes(&Mechanism::constraint_groups_, constraints_, other_constraints_);
  into_lanes(&Mechanism::force_groups_, forces_, other_forces_);
  std::vector<unsigned char> other(m.pattern_.rows.size(), 0);
  for (const Constraint& c : m.constraints_)
    for (const std::size_t g : other_constraints_)
      if (c.group == m.constraint_groups_[g].get())
        for (int row = c.row; row < c.row + c.rows; ++row) {
          other_rows_.push_back(row);
          other[static_cast<std::size_t>(row)] = 1;
        }
  for (const gauss::RowBlock& e : m.pattern_.A)
    if (other[static_cast<std::size_t>(e.row)]) other_blocks_.push_back(e);
}

std::vector<std::string> PackMechanism::copy_by_copy() const {
  const Mechanism& m = first();
  std::vector<std::string> names;
  for (const std::size_t g : other_constraints_) {
    const auto found = std::find_if(m.constraints_.begin(), m.constraints_.end(),
                                    [&](const Constraint& c) { return c.group == m.constraint_groups_[g].get(); });
    if (found != m.constraints_.end()) names.push_back(m.name(found->ref));
  }
  for (const std::size_t g : other_forces_) names.push_back(m.name(m.forces_[index(m.force_groups_[g]->first())].ref));
  return names;
}

void PackMechanism::prepare(Workspace& w) const {
  const Mechanism& m = first();
  const std::size_t slots = bodies_.size() + 1;
  if (m.dimension() == 2) {
    w.motions.planar.assign(slots, {});
    w.one.planar.assign(slots, {});
  } else {
    w.motions.spatial.assign(slots, {});
    w.one.spatial.assign(slots, {});
  }
  w.evaluation.resize(m.pattern());
  w.records.resize(m.forces_.size());
}

void PackMechanism::resize(PackEvaluation& e) const {
  const gauss::Pattern& p = first().pattern();
  for (std::vector<Pack>* v : {&e.phi, &e.phidot, &e.c_t, &e.b}) v->assign(index(p.m()), Pack(0));
  e.A.assign(index(p.A_size), Pack(0));
  e.Q.assign(index(p.n()), Pack(0));
}

void PackMechanism::motions(const Pack* q, const Pack* v, PackMotions& out) const {
  const bool planar = first().dimension() == 2;
  for (std::size_t k = 0; k < bodies_.size(); ++k) {
    const PackBody& body = bodies_[k];
    const Pack *x = q + body.q, *u = v + body.v;
    if (planar) {
      Motion2<Pack>& m = out.planar[k + 1];
      m.r = {x[0], x[1]};
      m.v = {u[0], u[1]};
      if (body.particle) continue;
      m.angle = x[2];
      linalg::sincos(x[2], m.sin, m.cos);
      m.w = u[2];
      continue;
    }
    Motion3<Pack>& m = out.spatial[k + 1];
    if (body.in_plane) {
      m.r = x[0] * body.plane.col(0) + x[1] * body.plane.col(1) + body.height * body.plane.col(2);
      m.v = u[0] * body.plane.col(0) + u[1] * body.plane.col(1);
      if (body.particle) continue;
      m.R = geometry::matrix(turned_by(Pack(0.5) * x[2], body.plane.col(2)) * body.orientation);
      m.w = u[2] * body.plane.col(2);
      continue;
    }
    m.r = {x[0], x[1], x[2]};
    m.v = {u[0], u[1], u[2]};
    if (body.particle) continue;
    m.R = geometry::matrix(pack_quaternion(x + 3));
    m.w = m.R * Vec3<Pack>(u[3], u[4], u[5]);
  }
}

void PackMechanism::take_lane(int lane, const PackMotions& from, Motions& to) const {
  const auto number = [lane](const Pack& x) { return x[lane]; };
  for (std::size_t k = 1; k < from.planar.size(); ++k) {
    const Motion2<Pack>& m = from.planar[k];
    Motion2<double>& o = to.planar[k];
    o.r = m.r.unaryExpr(number);
    o.v = m.v.unaryExpr(number);
    o.angle = m.angle[lane], o.cos = m.cos[lane], o.sin = m.sin[lane], o.w = m.w[lane];
  }
  for (std::size_t k = 1; k < from.spatial.size(); ++k) {
    const Motion3<Pack>& m = from.spatial[k];
    Motion3<double>& o = to.spatial[k];
    o.r = m.r.unaryExpr(number);
    o.v = m.v.unaryExpr(number);
    o.w = m.w.unaryExpr(number);
    o.R = m.R.unaryExpr(number);
  }
}

void PackMechanism::evaluate_copy_by_copy(double t, unsigned needs, Workspace& w, PackEvaluation& out) const {
  Evaluation& e = w.evaluation;
  const bool dynamic = (needs & (need_dynamics | need_energy)) != 0 && !other_forces_.empty();
  for (int lane = 0; lane < pack_width; ++lane) {
    const Mechanism& m = *copies_[static_cast<std::size_t>(lane)];
    take_lane(lane, w.motions, w.one);
    for (const std::size_t g : other_constraints_) m.constraint_groups_[g]->evaluate(w.one, t, e);
    for (const int row : other_rows_) {
      out.phi[index(row)].set(lane, e.phi[row]);
      out.c_t[index(row)].set(lane, e.c_t[row]);
      out.b[index(row)].set(lane, e.problem.b[row]);
    }
    for (const gauss::RowBlock& block : other_blocks_)
      for (int i = block.offset, end = i + block.rows * m.pattern_.columns.size(block.block); i < end; ++i)
        out.A[index(i)].set(lane, e.problem.A[i]);
    if (!dynamic) continue;
    e.problem.Q.setZero();
    e.potential = e.power_dissipated = e.power_applied = 0;
    const ForceContext context{t, {}, w.records, m.force_stage_, -1};
    for (const std::size_t g : other_forces_) m.force_groups_[g]->apply(w.one, context, needs, e);
    for (Eigen::Index i = 0; i < e.problem.Q.size(); ++i)
      out.Q[index(i)].set(lane, out.Q[index(i)][lane] + e.problem.Q[i]);
    out.potential.set(lane, out.potential[lane] + e.potential);
    out.dissipated.set(lane, out.dissipated[lane] + e.power_dissipated);
    out.applied.set(lane, out.applied[lane] + e.power_applied);
  }
}

void PackMechanism::evaluate(double t, const Pack* q, const Pack* v, unsigned needs, Workspace& w,
                             PackEvaluation& out) const {
  motions(q, v, w.motions);
  for (const auto& group : constraints_) group->evaluate(w.motions, t, out);
  if (needs & (need_dynamics | need_energy)) {
    out.kinetic = out.potential = out.dissipated = out.applied = Pack(0);
    const Pack half(0.5);
    for (const PackBody& body : bodies_) {
      const Pack *x = q + body.q, *u = v + body.v;
      Pack* Q = out.Q.data() + body.v;
      for (int k = 0; k < body.translations; ++k) {
        Q[k] = body.mass * body.pull[k];
        out.potential -= body.mass * body.pull[k] * x[k];
        out.kinetic += half * body.mass * u[k] * u[k];
      }
      if (body.in_plane) out.potential -= body.mass * body.pull[2] * body.height;
      if (body.particle) continue;
      if (body.flat) {
        Q[2] = Pack(0);
        out.kinetic += half * body.inertia(2, 2) * u[2] * u[2];
      } else {
        const Vec3<Pack> spin(u[3], u[4], u[5]), momentum = body.inertia * spin, turning = -spin.cross(momentum);
        for (int k = 0; k < 3; ++k) Q[3 + k] = turning[k];
        out.kinetic += half * spin.dot(momentum);
      }
    }
    for (const auto& group : forces_) group->apply(w.motions, t, out);
  }
  if (!other_constraints_.empty() || !other_forces_.empty()) evaluate_copy_by_copy(t, needs, w, out);
  const std::vector<unsigned char>& on = active();
  for (std::size_t row = 0; row < on.size(); ++row)
    if (!on[row]) out.phi[row] = out.c_t[row] = out.b[row] = Pack(0);
  multiply_A(out.A, v, out.phidot.data());
  for (std::size_t row = 0; row < on.size(); ++row) out.phidot[row] += out.c_t[row];
}

void PackMechanism::multiply_A(const std::vector<Pack>& A, const Pack* x, Pack* y) const {
  const gauss::Pattern& p = first().pattern();
  std::fill(y, y + p.m(), Pack(0));
  for (const gauss::RowBlock& e : p.A) {
    const Pack *a = A.data() + e.offset, *u = x + p.columns.begin(e.block);
    const int size = p.columns.size(e.block);
    for (int i = e.row; i < e.row + e.rows; ++i, a += size) {
      if (!active()[index(i)]) continue;
      Pack sum(0);
      for (int k = 0; k < size; ++k) sum += a[k] * u[k];
      y[i] += sum;
    }
  }
}

void PackMechanism::qdot(const Pack* q, const Pack* v, Pack* out) const {
  for (const PackBody& body : bodies_) {
    const Pack* u = v + body.v;
    Pack* o = out + body.q;
    const bool turns = !body.flat && !body.particle;
    const int plain = turns || body.particle ? body.translations : 3;
    for (int k = 0; k < plain; ++k) o[k] = u[k];
    if (!turns) continue;
    const PackQuaternion rate = pack_quaternion(q + body.q + 3) * PackQuaternion{Pack(0), u[3], u[4], u[5]};
    const Pack half(0.5);
    o[3] = half * rate.w, o[4] = half * rate.x, o[5] = half * rate.y, o[6] = half * rate.z;
  }
}

void PackMechanism::retract(const Pack* q, const Pack* dv, Pack* out) const {
  for (const PackBody& body : bodies_) {
    const Pack *x = q + body.q, *u = dv + body.v;
    Pack* o = out + body.q;
    const bool turns = !body.flat && !body.particle;
    const int plain = turns || body.particle ? body.translations : 3;
    for (int k = 0; k < plain; ++k) o[k] = x[k] + u[k];
    if (!turns) continue;
    const PackQuaternion p = (pack_quaternion(x + 3) * pack_exponential({u[3], u[4], u[5]})).normalized();
    o[3] = p.w, o[4] = p.x, o[5] = p.y, o[6] = p.z;
  }
}

void PackMechanism::normalize(Pack* q) const {
  for (const PackBody& body : bodies_) {
    if (body.flat || body.particle) continue;
    Pack* p = q + body.q + 3;
    const Pack norm2 = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
    const linalg::Mask unit = abs(norm2 - Pack(1)) <= Pack(4e-16);
    const Pack s = select(unit, Pack(1), Pack(1) / sqrt(norm2));
    for (int k = 0; k < 4; ++k) p[k] *= s;
  }
}

}  // namespace mortise::mechanism
