// Weight and energies of the bodies of a planar model: Q = (m g, 0), V = −Σ m g·r, T = ½ Σ (m v² + I ω²).
//
// Many bodies are added up in parts, on several threads: the parts do not depend on how many these are, and are added
// in order.
// Cost: one pass over the bodies.
#pragma once

#include <vector>

#include "mortise/linalg/parallel.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

struct PlanarEnergy {
  double potential = 0, kinetic = 0;
};

inline PlanarEnergy weigh_planar(const PlanarBody* body, const PlanarBody* end, const Eigen::Vector3d& g,
                                 const State& state, Vector& Q) {
  const double *q = state.q.data(), *v = state.v.data(), gx = g[0], gy = g[1];
  double* const force = Q.data();
  double potential = 0, twice = 0;
  for (; body != end; ++body) {
    const int k = body->begin;
    const double mass = body->mass, fx = mass * gx, fy = mass * gy;
    force[k] = fx;
    force[k + 1] = fy;
    potential -= fx * q[k] + fy * q[k + 1];
    double own = mass * (v[k] * v[k] + v[k + 1] * v[k + 1]);
    if (body->rigid) {
      force[k + 2] = 0;
      own += body->inertia * v[k + 2] * v[k + 2];
    }
    twice += own;
  }
  return {potential, 0.5 * twice};
}

inline PlanarEnergy weigh_planar(const std::vector<PlanarBody>& bodies, const Eigen::Vector3d& g, const State& state,
                                 Vector& Q) {
  constexpr std::size_t parts = 64;
  const PlanarBody* const first = bodies.data();
  if (bodies.size() < linalg::parallel_from) return weigh_planar(first, first + bodies.size(), g, state, Q);
  PlanarEnergy part[parts], all;
  const auto weigh = [&](std::size_t k) {
    const std::size_t begin = bodies.size() * k / parts, end = bodies.size() * (k + 1) / parts;
    part[k] = weigh_planar(first + begin, first + end, g, state, Q);
  };
  linalg::for_each_task(parts, [&weigh](std::size_t k) { weigh(k); });
  for (const PlanarEnergy& of : part) {
    all.potential += of.potential;
    all.kinetic += of.kinetic;
  }
  return all;
}

}  // namespace mortise::mechanism
