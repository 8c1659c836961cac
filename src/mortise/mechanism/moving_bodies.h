// What evaluations need of bodies, close together: loops over many bodies wait for memory.
//
// Motions of the bodies at a state, and in the same pass their weight, gyroscopic torques and energies:
//
//     Q = (m g, −ω × J ω),   V = −Σ m g·r,   T = ½ Σ (m v² + ω·J ω).
//
// Many bodies are gone through in parts, on several threads: the parts do not depend on how many these are, and their
// sums are added in order.
// Cost: one pass over the bodies.
#pragma once

#include <vector>

#include "mortise/mechanism/group.h"

namespace mortise::mechanism {

struct Body;

// Of a planar model.
struct PlanarBody {
  int begin = 0;  // in q and in v
  bool rigid = true;
  double mass = 0, inertia = 0;
};

// Of a spatial model.
struct SpatialBody {
  int q = 0, v = 0;  // where it begins in each
  bool particle = false;
  const Body* held = nullptr;  // a body held in a plane, which is seldom: all of it
  double mass = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // body axes

  bool has_quaternion() const { return !held && !particle; }
  int plain() const { return held && particle ? 2 : 3; }  // coordinates that are velocities
};

struct Energies {
  double potential = 0, kinetic = 0;
};

void place_bodies(const std::vector<PlanarBody>& bodies, ConstSpan q, ConstSpan v, Motions& out);
void place_bodies(const std::vector<SpatialBody>& bodies, ConstSpan q, ConstSpan v, Motions& out);

// The same, and what weighs on them, which overwrites Q.
Energies place_and_weigh(const std::vector<PlanarBody>& bodies, const Eigen::Vector3d& g, ConstSpan q, ConstSpan v,
                         Motions& out, Vector& Q);
Energies place_and_weigh(const std::vector<SpatialBody>& bodies, const Eigen::Vector3d& g, ConstSpan q, ConstSpan v,
                         Motions& out, Vector& Q);

}  // namespace mortise::mechanism
