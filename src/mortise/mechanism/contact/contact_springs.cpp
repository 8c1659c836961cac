#include "mortise/mechanism/contact/contact_springs.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mortise::mechanism {

using Eigen::Vector3d;

namespace {

// Nothing to push.
bool idle(ConstSpan memory) {
  const int phase = static_cast<int>(memory[0]);
  return phase == ContactSprings::apart || phase == ContactSprings::parted;
}

}  // namespace

Vector3d ContactSprings::velocity(int body, const Vector3d& x, const Motions& motions) const {
  if (body == ground) return Vector3d::Zero();
  if (mechanism->dimension() == 2) {
    const Motion2<double>& m = motions.at2(body);
    return {m.v.x() - m.w * (x.y() - m.r.y()), m.v.y() + m.w * (x.x() - m.r.x()), 0};
  }
  const Motion3<double>& m = motions.at3(body);
  return m.v + m.w.cross(x - m.r);
}

ContactSprings::Depth ContactSprings::depth(const Pair& pair, const Motions& motions) const {
  const bool planar = mechanism->dimension() == 2;
  Manifold manifold;
  find_touches(placed(pair.ball, motions, planar), placed(pair.other, motions, planar),
               std::numeric_limits<double>::infinity(), manifold);
  const Touch& touch = manifold[0];
  Depth out;
  out.x = -touch.gap;
  out.normal = touch.normal;
  out.point = touch.point;
  out.rate = -touch.normal.dot(velocity(pair.other.body, touch.point, motions) -
                               velocity(pair.ball.body, touch.point, motions));
  return out;
}

ContactSprings::Push ContactSprings::push(const Pair& pair, ConstSpan memory, double x, double rate) {
  Push out;
  switch (static_cast<int>(memory[0])) {
    case loading:
      out.force = std::max(0.0, pair.k * x);
      out.stored = 0.5 * pair.k * x * std::max(0.0, x) - memory[3];
      break;
    case returning: {
      const double stretch = std::max(0.0, x - memory[1]);
      out.force = pair.k / pair.eta * stretch;
      out.stored = 0.5 * out.force * stretch;
      break;
    }
    case resting: {
      const double elastic = pair.k * std::max(0.0, x - memory[1]);
      out.force = x > memory[1] ? std::max(0.0, elastic + pair.damping * rate) : 0;
      out.stored = 0.5 * elastic * std::max(0.0, x - memory[1]);
      out.dissipated = (out.force - elastic) * rate;
      break;
    }
    default:
      break;
  }
  return out;
}

double ContactSprings::tolerance(int number) const {
  const Pair& pair = pairs[index(number)];
  return 1e-10 * std::max(pair.ball.size, pair.other.size);
}

double ContactSprings::witness(int number, int which, const Motions& motions, ConstSpan inputs) const {
  const Pair& pair = pairs[index(number)];
  const double* memory = inputs.data() + pair.slot;
  const int phase = static_cast<int>(memory[0]);
  const bool second = phase == returning || phase == parted;
  if (which == 1 && !second) return 1;
  const Depth d = depth(pair, motions);
  switch (phase) {
    case loading:
      return d.rate;
    case returning:
      return which == 0 ? d.x - memory[1] : memory[2] - d.x;
    case parted:
      return which == 0 ? d.x : -d.rate;
    case resting:
      return d.x;
    default:
      return -d.x;
  }
}

double ContactSprings::advance(int number, const Motions& motions, Span inputs, const char*& what) const {
  const Pair& pair = pairs[index(number)];
  double* memory = inputs.data() + pair.slot;
  const Depth d = depth(pair, motions);
  const auto set = [&](Phase phase, double origin, double most, double lost) {
    memory[0] = phase, memory[1] = origin, memory[2] = most, memory[3] = lost;
  };
  const double inside = tolerance(number);
  switch (static_cast<int>(memory[0])) {
    case apart:
      what = "touches";
      set(loading, 0, 0, 0);
      return 0;
    case loading: {
      if (d.x <= inside) {
        what = "parts";
        set(apart, 0, 0, 0);
        return 0;
      }
      const double lost = 0.5 * (1 - pair.eta) * pair.k * d.x * d.x, before = memory[3];
      what = pair.eta > 0 ? "returns" : "rests";
      if (pair.eta > 0)
        set(returning, (1 - pair.eta) * d.x, d.x, lost);
      else
        set(resting, d.x, d.x, 0);
      return lost - before;
    }
    case returning:
      if (d.rate > 0) {
        what = "touches";
        set(loading, 0, memory[2], memory[3]);
      } else if (memory[1] <= inside) {
        what = "parts";
        set(apart, 0, 0, 0);
      } else {
        what = "parts";
        set(parted, memory[1], 0, 0);
      }
      return 0;
    case parted:
      if (d.x <= inside) {
        what = "";
        set(apart, 0, 0, 0);
      } else {
        what = "rests";
        set(resting, d.x, 0, 0);
      }
      return 0;
    default:
      what = "parts";
      set(apart, 0, 0, 0);
      return 0;
  }
}

double ContactSprings::begin(int number, const Motions& motions, Span inputs) const {
  const Pair& pair = pairs[index(number)];
  const Depth d = depth(pair, motions);
  const double near = 10 * tolerance(number);
  inputs[index(pair.slot)] = std::abs(d.x) <= near ? loading : apart;
  return d.x > near ? d.x : 0;
}

void ContactSprings::add(int body, const Vector3d& x, const Vector3d& force, const Motions& motions, Vector& Q) const {
  if (body == ground) return;
  const Body& of = mechanism->bodies()[index(body)];
  if (mechanism->dimension() == 2) {
    const Motion2<double>& m = motions.at2(body);
    Q[of.v] += force.x();
    Q[of.v + 1] += force.y();
    if (!of.particle) Q[of.v + 2] += (x.x() - m.r.x()) * force.y() - (x.y() - m.r.y()) * force.x();
    return;
  }
  const Motion3<double>& m = motions.at3(body);
  const Vector3d torque = (x - m.r).cross(force);
  if (of.plane) {
    Q[of.v] += of.plane->col(0).dot(force);
    Q[of.v + 1] += of.plane->col(1).dot(force);
    if (!of.particle) Q[of.v + 2] += of.plane->col(2).dot(torque);
    return;
  }
  Q.segment<3>(of.v) += force;
  if (!of.particle) Q.segment<3>(of.v + 3) += m.R.transpose() * torque;
}

void ContactSprings::apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const {
  for (const Item& item : items) {
    const auto number = static_cast<std::size_t>(item.item);
    if (context.stage >= 0 && context.stages[number] != context.stage) continue;
    ForceRecord& record = context.records[number];
    record = {};
    for (std::size_t k = item.begin; k < item.end; ++k) {
      const Pair& pair = pairs[k];
      const ConstSpan memory = context.inputs.subspan(index(pair.slot), slots);
      if (idle(memory)) continue;
      const Depth d = depth(pair, motions);
      const Push p = push(pair, memory, d.x, d.rate);
      record.coordinate = std::max(record.coordinate, d.x);
      record.value += p.force;
      record.power -= p.force * d.rate;
      out.potential += p.stored;
      out.power_dissipated += p.dissipated;
      const Vector3d force = p.force * d.normal;  // on the second
      if (pair.other.body == ground || pair.ball.body == ground)
        for (int i = 0; i < 3; ++i) record.force[i] += pair.other.body == ground ? -force[i] : force[i];
      if (!(needs & need_dynamics)) continue;
      add(pair.other.body, d.point, force, motions, out.problem.Q);
      add(pair.ball.body, d.point, -force, motions, out.problem.Q);
    }
  }
}

int ContactSprings::first_non_finite(const Motions& motions, const ForceContext& context, Place& place) const {
  for (const Item& item : items)
    for (std::size_t k = item.begin; k < item.end; ++k) {
      const ConstSpan memory = context.inputs.subspan(index(pairs[k].slot), slots);
      if (idle(memory)) continue;
      const Depth d = depth(pairs[k], motions);
      const Push p = push(pairs[k], memory, d.x, d.rate);
      if (std::isfinite(p.force + p.stored + p.dissipated)) continue;
      place = item.place;
      return item.item;
    }
  return -1;
}

}  // namespace mortise::mechanism
