#include "mortise/mechanism/moving_bodies.h"

#include <cmath>

#include "mortise/linalg/parallel.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

namespace {

MORTISE_INLINE void place(const PlanarBody& body, const double* q, const double* v, Motion2<double>& m) {
  const double *x = q + body.begin, *u = v + body.begin;
  m.r = Eigen::Map<const Eigen::Vector2d>(x);  // in one piece, as joints read it soon after
  m.v = Eigen::Map<const Eigen::Vector2d>(u);
  if (!body.rigid) return;
  const double angle = x[2], cos = std::cos(angle), sin = std::sin(angle);  // one call
  m.angle = angle;
  m.cos = cos;
  m.sin = sin;
  m.w = u[2];
}

void place_held(const Body& body, const double* q, const double* v, Motion3<double>& m) {
  const auto axes = body.plane->leftCols<2>();
  const Eigen::Vector3d n = body.plane->col(2);
  m.r = axes * Eigen::Map<const Eigen::Vector2d>(q + body.q) + body.height * n;
  m.v = axes * Eigen::Map<const Eigen::Vector2d>(v + body.v);
  if (body.particle) return;
  m.R = geometry::matrix(turned_in_plane(body, q[body.q + 2]));
  m.w = v[body.v + 2] * n;
}

MORTISE_INLINE void place(const SpatialBody& body, const double* q, const double* v, Motion3<double>& m) {
  if (body.held) return place_held(*body.held, q, v, m);
  const double *x = q + body.q, *u = v + body.v;
  m.r = Eigen::Map<const Eigen::Vector3d>(x);
  m.v = Eigen::Map<const Eigen::Vector3d>(u);
  if (body.particle) return;
  m.R = geometry::matrix(geometry::Quaternion{x[3], x[4], x[5], x[6]});
  m.w.noalias() = m.R * Eigen::Map<const Eigen::Vector3d>(u + 3);
}

// Adds to V and to 2 T.
MORTISE_INLINE void weigh(const PlanarBody& body, const Eigen::Vector3d& g, const double* q, const double* v, double* Q,
                          double& potential, double& twice) {
  const double *x = q + body.begin, *u = v + body.begin;
  double* const force = Q + body.begin;
  const double fx = body.mass * g[0], fy = body.mass * g[1];
  force[0] = fx;
  force[1] = fy;
  potential -= fx * x[0] + fy * x[1];
  double own = body.mass * (u[0] * u[0] + u[1] * u[1]);
  if (body.rigid) {
    force[2] = 0;
    own += body.inertia * u[2] * u[2];
  }
  twice += own;
}

void weigh_held(const Body& body, const Eigen::Vector3d& g, const double* q, const double* v, double* Q,
                double& potential, double& twice) {
  const Eigen::Vector3d pull = body.plane->transpose() * g;
  const double *x = q + body.q, *u = v + body.v;
  double* const force = Q + body.v;
  for (int k = 0; k < 2; ++k) {
    force[k] = body.mass * pull[k];
    potential -= body.mass * pull[k] * x[k];
    twice += body.mass * u[k] * u[k];
  }
  potential -= body.mass * pull[2] * body.height;
  if (body.particle) return;
  force[2] = 0;
  twice += body.inertia(2, 2) * u[2] * u[2];
}

MORTISE_INLINE void weigh(const SpatialBody& body, const Eigen::Vector3d& g, const double* q, const double* v,
                          double* Q, double& potential, double& twice) {
  if (body.held) return weigh_held(*body.held, g, q, v, Q, potential, twice);
  const double *x = q + body.q, *u = v + body.v;
  double* const force = Q + body.v;
  for (int k = 0; k < 3; ++k) {
    const double pull = body.mass * g[k];
    force[k] = pull;
    potential -= pull * x[k];
    twice += body.mass * u[k] * u[k];
  }
  if (body.particle) return;
  const Eigen::Map<const Eigen::Vector3d> w(u + 3);
  const Eigen::Vector3d spin = body.inertia * w;
  Eigen::Map<Eigen::Vector3d>{force + 3} = -w.cross(spin);
  twice += w.dot(spin);
}

template <class Body, class Place>
void place_all(const std::vector<Body>& bodies, ConstSpan q, ConstSpan v, std::vector<Place>& out) {
  linalg::for_each_index(bodies.size(), [&](std::size_t k) { place(bodies[k], q.data(), v.data(), out[k + 1]); });
}

template <class Body, class Place>
Energies place_and_weigh_parts(const std::vector<Body>& bodies, const Eigen::Vector3d& g, ConstSpan q, ConstSpan v,
                               std::vector<Place>& places, Vector& Q) {
  constexpr std::size_t parts = 64;
  const auto go = [&](std::size_t begin, std::size_t end) {
    double potential = 0, twice = 0;
    for (std::size_t k = begin; k < end; ++k) {
      place(bodies[k], q.data(), v.data(), places[k + 1]);
      weigh(bodies[k], g, q.data(), v.data(), Q.data(), potential, twice);
    }
    return Energies{potential, 0.5 * twice};
  };
  if (bodies.size() < linalg::parallel_from) return go(0, bodies.size());
  Energies part[parts], all;
  const auto one = [&](std::size_t k) { part[k] = go(bodies.size() * k / parts, bodies.size() * (k + 1) / parts); };
  linalg::for_each_task(parts, [&one](std::size_t k) { one(k); });
  for (const Energies& of : part) {
    all.potential += of.potential;
    all.kinetic += of.kinetic;
  }
  return all;
}

template <class Place>
void make_room(std::size_t bodies, std::vector<Place>& places) {
  if (places.size() != bodies + 1) places.assign(bodies + 1, {});
}

}  // namespace

void place_bodies(const std::vector<PlanarBody>& bodies, ConstSpan q, ConstSpan v, Motions& out) {
  make_room(bodies.size(), out.planar);
  place_all(bodies, q, v, out.planar);
}

void place_bodies(const std::vector<SpatialBody>& bodies, ConstSpan q, ConstSpan v, Motions& out) {
  make_room(bodies.size(), out.spatial);
  place_all(bodies, q, v, out.spatial);
}

Energies place_and_weigh(const std::vector<PlanarBody>& bodies, const Eigen::Vector3d& g, ConstSpan q, ConstSpan v,
                         Motions& out, Vector& Q) {
  make_room(bodies.size(), out.planar);
  return place_and_weigh_parts(bodies, g, q, v, out.planar, Q);
}

Energies place_and_weigh(const std::vector<SpatialBody>& bodies, const Eigen::Vector3d& g, ConstSpan q, ConstSpan v,
                         Motions& out, Vector& Q) {
  make_room(bodies.size(), out.spatial);
  return place_and_weigh_parts(bodies, g, q, v, out.spatial, Q);
}

}  // namespace mortise::mechanism
