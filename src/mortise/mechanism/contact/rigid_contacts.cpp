#include "mortise/mechanism/contact/rigid_contacts.h"

#include <algorithm>
#include <cmath>

#include "mortise/mechanism/event.h"

namespace mortise::mechanism {

using Eigen::Vector3d;

std::unique_ptr<RigidContacts> RigidContacts::of(const Mechanism& mechanism) {
  std::vector<const ContactSet*> sets;
  for (const Event& event : mechanism.events())
    if (event.kind == Event::Kind::rigid) sets.push_back(event.contacts.get());
  if (sets.empty()) return nullptr;
  return std::make_unique<RigidContacts>(mechanism, sets);
}

RigidContacts::RigidContacts(const Mechanism& mechanism, const std::vector<const ContactSet*>& sets)
    : mechanism_(mechanism), planar_(mechanism.dimension() == 2) {
  std::size_t most = 0;
  for (const ContactSet* of : sets) {
    Set set;
    set.set = of;
    set.key = pieces_;
    const std::vector<ContactPiece>& pieces = set.set->pieces;
    for (std::size_t k = 0; k < pieces.size(); ++k)
      (pieces[k].at.shape.kind == ShapeKind::plane ? set.planes : set.bounded).push_back(static_cast<int>(k));
    pieces_ += pieces.size();
    most = std::max(most, pieces.size());
    sets_.push_back(std::move(set));
  }
  placed_.resize(most);
  travel_.resize(most);
  bounds_.reserve(most);
}

// The largest speed of any point of a ball about a piece's centre.
double RigidContacts::speed(int body, double size, const Vector3d& centre) const {
  if (body == ground) return 0;
  if (planar_) {
    const Motion2<double>& m = motions_.at2(body);
    return m.v.norm() + std::abs(m.w) * ((centre.head<2>() - m.r).norm() + size);
  }
  const Motion3<double>& m = motions_.at3(body);
  return m.v.norm() + m.w.norm() * ((centre - m.r).norm() + size);
}

void RigidContacts::find(ConstSpan q, ConstSpan v, double h, std::vector<ContactPoint>& out) {
  mechanism_.motions(q, v, motions_);
  pair_ = 0;
  for (std::size_t k = 0; k < sets_.size(); ++k) find(sets_[k], static_cast<int>(k), h, out);
}

// Where the pieces are, and how far they may come: by their own speed, and by what an impact may give them, a part of
// their size at most (a body that is hit goes on next step anyway).
void RigidContacts::place(const Set& of, double h) {
  const std::vector<ContactPiece>& pieces = of.set->pieces;
  double fastest = 0;
  for (std::size_t k = 0; k < pieces.size(); ++k) {
    placed_[k] = placed(pieces[k], motions_, planar_);
    travel_[k] = h * speed(pieces[k].body, pieces[k].size, placed_[k].p);
    fastest = std::max(fastest, travel_[k]);
  }
  for (std::size_t k = 0; k < pieces.size(); ++k)
    if (pieces[k].body != ground) travel_[k] += std::min(fastest, 0.1 * pieces[k].size) + 1e-4 * pieces[k].size;
}

void RigidContacts::find(const Set& of, int number, double h, std::vector<ContactPoint>& out) {
  place(of, h);
  bounds_.clear();
  for (const int k : of.bounded) {
    const PlacedShape& at = placed_[index(k)];
    Vector3d extent = Vector3d::Constant(at.shape.radius);
    if (at.shape.kind == ShapeKind::capsule) extent += at.shape.half_length * at.R.col(2).cwiseAbs();
    if (at.shape.kind == ShapeKind::box) extent = at.R.cwiseAbs() * at.shape.half;
    extent += Vector3d::Constant(travel_[index(k)]);
    bounds_.push_back({at.p - extent, at.p + extent});
  }
  for (const auto& [i, j] : broad_.find(bounds_)) touch(of, number, of.bounded[index(i)], of.bounded[index(j)], out);
  for (const int plane : of.planes)
    for (const int k : of.bounded) {
      const PlacedShape& at = placed_[index(k)];
      const PlacedShape& half = placed_[index(plane)];
      if (half.R.col(2).dot(at.p - half.p) <= of.set->pieces[index(k)].size + travel_[index(k)])
        touch(of, number, k, plane, out);
    }
}

void RigidContacts::row(int side, int body, const Vector3d& x, const Vector3d& direction, double* J) const {
  if (body == ground) return;
  const double sign = side == 0 ? -1 : 1;
  const Body& of = mechanism_.bodies()[index(body)];
  if (planar_) {
    const Motion2<double>& m = motions_.at2(body);
    const double dx = x.x() - m.r.x(), dy = x.y() - m.r.y();
    J[0] = sign * direction.x();
    J[1] = sign * direction.y();
    J[2] = of.particle ? 0 : sign * (dx * direction.y() - dy * direction.x());
    return;
  }
  const Motion3<double>& m = motions_.at3(body);
  const Vector3d turn = (x - m.r).cross(direction);
  if (of.plane) {
    J[0] = sign * of.plane->col(0).dot(direction);
    J[1] = sign * of.plane->col(1).dot(direction);
    J[2] = of.particle ? 0 : sign * of.plane->col(2).dot(turn);
    return;
  }
  for (int i = 0; i < 3; ++i) J[i] = sign * direction[i];
  if (of.particle) return;
  const Vector3d own = m.R.transpose() * turn;
  for (int i = 0; i < 3; ++i) J[3 + i] = sign * own[i];
}

void RigidContacts::touch(const Set& of, int number, int i, int j, std::vector<ContactPoint>& out) {
  const ContactSet& set = *of.set;
  if (!set.may_touch(i, j)) return;
  const ContactPiece &a = set.pieces[index(i)], &b = set.pieces[index(j)];
  find_touches(placed_[index(i)], placed_[index(j)], travel_[index(i)] + travel_[index(j)], manifold_);
  if (manifold_.count == 0) return;
  ++pair_;
  for (int k = 0; k < manifold_.count; ++k) {
    const Touch& touch = manifold_[k];
    ContactPoint point;
    point.key = (((of.key + index(i)) * pieces_ + of.key + index(j)) << 8) + static_cast<std::uint64_t>(touch.feature);
    point.set = number;
    point.pair = pair_;
    point.block[0] = a.body;
    point.block[1] = b.body;
    point.gap = touch.gap;
    point.restitution = set.restitution;
    point.friction = set.friction;
    point.rest_speed = set.rest_speed;
    std::array<Vector3d, 3> directions{touch.normal, {-touch.normal.y(), touch.normal.x(), 0}, Vector3d::Zero()};
    if (!planar_) geometry::complete_triad(touch.normal, directions[1], directions[2]);
    for (int d = 0; d <= tangents(); ++d) {
      row(0, a.body, touch.point, directions[index(d)], point.J[0][d]);
      row(1, b.body, touch.point, directions[index(d)], point.J[1][d]);
    }
    out.push_back(point);
  }
}

void RigidContacts::mute(Span inputs) const {
  const auto n = mechanism_.v_size();
  for (const Set& set : sets_) std::fill_n(inputs.begin() + set.set->slot, own_slots + n, 0.0);
}

void RigidContacts::report(std::span<const ContactPoint> points, ConstSpan impulses, double h, Span inputs) const {
  mute(inputs);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const ContactPoint& point = points[k];
    const Span own = inputs.subspan(index(sets_[index(point.set)].set->slot));
    own[2] = std::max(own[2], -point.gap);
    const double* p = impulses.data() + 3 * k;
    if (!(p[0] > 0)) continue;
    own[0] += 1;
    own[1] += p[0] / h;
    const bool grounded = point.block[0] < 0 || point.block[1] < 0;
    for (int d = 0; d <= tangents(); ++d)
      for (int side = 0; side < 2; ++side) {
        const int body = point.block[side];
        if (body < 0) continue;
        const Body& of = mechanism_.bodies()[index(body)];
        const double* J = point.J[side][d];
        for (int i = 0; i < of.v_size(); ++i) own[index(own_slots + of.v + i)] += J[i] * p[d] / h;
        if (!grounded) continue;
        if (of.plane)
          for (int i = 0; i < 3; ++i)
            own[index(3 + i)] += (of.plane->col(0)[i] * J[0] + of.plane->col(1)[i] * J[1]) * p[d] / h;
        else
          for (int i = 0; i < of.translations(); ++i) own[index(3 + i)] += J[i] * p[d] / h;
      }
  }
}

void RigidContactForce::apply(const Motions&, const ForceContext& context, unsigned needs, Evaluation& out) const {
  for (const Item& item : items) {
    const auto number = static_cast<std::size_t>(item.item);
    if (context.stage >= 0 && context.stages[number] != context.stage) continue;
    ForceRecord& record = context.records[number];
    record = {};
    const ConstSpan own = context.inputs.subspan(static_cast<std::size_t>(item.slot));
    record.value = own[1];
    record.coordinate = own[2];
    for (std::size_t i = 0; i < 3; ++i) record.force[i] = own[3 + i];
    if (own[0] == 0) continue;
    const ConstSpan force = own.subspan(RigidContacts::own_slots, context.v.size());
    for (std::size_t i = 0; i < force.size(); ++i) record.power += force[i] * context.v[i];
    if (needs & need_dynamics)
      for (std::size_t i = 0; i < force.size(); ++i) out.problem.Q[static_cast<Eigen::Index>(i)] += force[i];
  }
}

}  // namespace mortise::mechanism
