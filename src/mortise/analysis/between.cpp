#include "mortise/analysis/between.h"

namespace mortise::analysis {

namespace {

// q̈ = N(q) a + Ṅ v. q̇ = N(q) v is affine in q and linear in v, so that Ṅ v = N(q̇) v − N(0) v.
void second_derivative(const mechanism::Mechanism& m, const Vector& q, const Vector& qdot, const Vector& v,
                       const Vector& a, Vector& out) {
  Vector turned(q.size()), plain(q.size());
  const Vector zero = Vector::Zero(q.size());
  out.resize(q.size());
  m.qdot(as_span(q), as_span(a), as_span(out));
  m.qdot(as_span(qdot), as_span(v), as_span(turned));
  m.qdot(as_span(zero), as_span(v), as_span(plain));
  out += turned - plain;
}

}  // namespace

void state_between(const mechanism::Mechanism& m, Motion& motion, const Frame& first, const Frame& second, double t,
                   State& state) {
  const double h = second.t - first.t, s = (t - first.t) / h;
  const Frame* ends[2] = {&first, &second};
  Vector qdot[2], qddot[2], power[2];
  for (int k = 0; k < 2; ++k) {
    Vector y(motion.size()), rates(motion.size());
    State at = state;
    at.q = ends[k]->q;
    at.v = ends[k]->v;
    at.work = ends[k]->work;
    motion.pack(at, as_span(y));
    motion.rates(ends[k]->t, as_span(y), as_span(rates));
    qdot[k] = rates.head(m.q_size());
    power[k] = rates.tail(work_count);
    second_derivative(m, ends[k]->q, qdot[k], ends[k]->v, ends[k]->a, qddot[k]);
  }
  // The nearer of the two signs of each quaternion: q and −q are the same rotation.
  Vector q1 = second.q;
  if (m.dimension() == 3)
    for (const mechanism::Body& body : m.bodies())
      if (body.has_quaternion() && first.q.segment<4>(body.q + 3).dot(q1.segment<4>(body.q + 3)) < 0) {
        q1.segment<4>(body.q + 3) *= -1;
        qdot[1].segment<4>(body.q + 3) *= -1;
        qddot[1].segment<4>(body.q + 3) *= -1;
      }
  const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
  const Vector dq = q1 - first.q, d0 = h * qdot[0], d1 = h * qdot[1], c0 = h * h * qddot[0], c1 = h * h * qddot[1];
  // In powers of s: q₀ + d₀ s + ½c₀ s² + A s³ + B s⁴ + C s⁵.
  const Vector A = 10 * dq - 6 * d0 - 4 * d1 - 1.5 * c0 + 0.5 * c1;
  const Vector B = -15 * dq + 8 * d0 + 7 * d1 + 1.5 * c0 - c1;
  const Vector C = 6 * dq - 3 * d0 - 3 * d1 - 0.5 * c0 + 0.5 * c1;
  state.t = t;
  state.q = first.q + s * d0 + 0.5 * s2 * c0 + s3 * A + s4 * B + s5 * C;
  const Vector rate = (d0 + s * c0 + 3 * s2 * A + 4 * s3 * B + 5 * s4 * C) / h;
  state.v.resize(m.v_size());
  m.tangent(as_span(state.q), as_span(rate), as_span(state.v));
  m.normalize(as_span(state.q));
  const Vector dw = second.work - first.work;
  state.work = first.work + h * (s3 - 2 * s2 + s) * power[0] + (3 * s2 - 2 * s3) * dw + h * (s3 - s2) * power[1];
}

}  // namespace mortise::analysis
