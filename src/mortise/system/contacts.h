// Contacts that bodies may make, as a velocity-level integrator sees them: points with a gap, a normal and tangents as
// rows of velocities. Who knows the shapes fills them in (mechanism/contact/); who steps asks once a step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise {

struct ContactPoint {
  std::uint64_t key = 0;    // the same contact has the same key from step to step
  int set = 0;              // of the user's contact items, which one
  int pair = 0;             // points of the same two shapes follow one another and share this number
  int block[2] = {-1, -1};  // velocity blocks of the two bodies; −1: ground
  double gap = 0;           // negative: inside
  double restitution = 0, friction = 0;
  double rest_speed = 0;  // approaches slower than this do not bounce
  // What the velocities of either block are worth along the normal and the tangents: rate k = Σ J[side][k] · v[block].
  // The rate along the normal is that of the gap.
  double J[2][3][6] = {};
};

class Contacts {
 public:
  virtual ~Contacts() = default;
  virtual int tangents() const = 0;  // a point: 1 in the plane, 2 in space
  // Points that may close within a time h at the velocities v; in an order that depends on the numbers of bodies and
  // shapes alone. Allocates only while more of them are met than ever before.
  virtual void find(ConstSpan q, ConstSpan v, double h, std::vector<ContactPoint>& out) = 0;
  // What is told to users: writes the forces of the last step (impulses / h, 3 numbers a point) into State::inputs.
  virtual void report(std::span<const ContactPoint> points, ConstSpan impulses, double h, Span inputs) const = 0;
  // Takes these forces out of State::inputs, where the mechanism would feel them.
  virtual void mute(Span inputs) const = 0;
};

}  // namespace mortise
