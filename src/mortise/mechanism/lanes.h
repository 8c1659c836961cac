// Four copies of a mechanism side by side: motions, frames and rows with linalg::Pack as their scalar.
//
// A group of kernels that has a lane form gives it (`ConstraintGroup::in_lanes`, `ForceGroup::in_lanes`): the items of
// the same group of four mechanisms, their constants gathered lane by lane, one virtual call a group and no branch
// inside. A group that has none (formulas of what a kernel measures, curves, rows of the user's own) is evaluated lane
// by lane with the kernels of double; pack_mechanism.h does that.
#pragma once

#include <array>
#include <type_traits>
#include <vector>

#include "mortise/linalg/pack.h"
#include "mortise/mechanism/frame.h"

namespace mortise::mechanism {

using linalg::Mask;
using linalg::Pack;
using linalg::pack_width;

// Slot 0 is the ground, as in Motions.
struct PackMotions {
  std::vector<Motion2<Pack>> planar;
  std::vector<Motion3<Pack>> spatial;

  const Motion2<Pack>& at2(int body) const { return planar[static_cast<std::size_t>(body + 1)]; }
  const Motion3<Pack>& at3(int body) const { return spatial[static_cast<std::size_t>(body + 1)]; }
};

// As Evaluation, for four copies; laid out by the pattern that they share.
struct PackEvaluation {
  std::vector<Pack> phi, phidot, c_t, b;  // m
  std::vector<Pack> A, Q;
  Pack kinetic, potential, dissipated, applied;  // energies [J] and powers [W]
};

template <class Get>
Pack gather(Get&& get) {
  Pack out;
  for (int lane = 0; lane < pack_width; ++lane) out.set(lane, get(lane));
  return out;
}

template <int Rows, int Columns, class Get>
Eigen::Matrix<Pack, Rows, Columns> gather_matrix(Get&& get) {
  Eigen::Matrix<Pack, Rows, Columns> out;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Columns; ++j) out(i, j) = gather([&](int lane) { return get(lane)(i, j); });
  return out;
}

// A frame on a body, and where its columns go: `offset` in the values of A or in Q, `size` columns (0: ground).
struct PackSide {
  int body = ground, offset = 0, size = 0;
  bool in_plane = false;
  Vec3<Pack> p;
  Pack x[2], angle;  // planar
  Mat3<Pack> E, plane;
};

// `anchor(lane)` and `plane(lane)` (null: none) of the four copies; offset and size are those of the first.
template <class GetAnchor, class GetPlane>
PackSide gather_side(GetAnchor&& anchor, GetPlane&& plane, int offset, int size) {
  PackSide side;
  side.body = anchor(0).body;
  side.offset = offset;
  side.size = size;
  side.angle = gather([&](int lane) { return PlanarAnchor(anchor(lane)).angle; });
  for (int k = 0; k < 2; ++k) {
    side.p[k] = gather([&](int lane) { return anchor(lane).p[k]; });
    side.x[k] = gather([&](int lane) { return PlanarAnchor(anchor(lane)).x[k]; });
  }
  if constexpr (std::is_same_v<std::decay_t<decltype(anchor(0))>, Anchor>) {
    side.p[2] = gather([&](int lane) { return anchor(lane).p[2]; });
    side.E = gather_matrix<3, 3>([&](int lane) -> const Eigen::Matrix3d& { return anchor(lane).E; });
  }
  side.in_plane = plane(0) != nullptr;
  if (side.in_plane) side.plane = gather_matrix<3, 3>([&](int lane) -> const Eigen::Matrix3d& { return *plane(lane); });
  return side;
}

class PackConstraints {
 public:
  virtual ~PackConstraints() = default;
  virtual void evaluate(const PackMotions& motions, double t, PackEvaluation& out) const = 0;
};

class PackForces {
 public:
  virtual ~PackForces() = default;
  virtual void apply(const PackMotions& motions, double t, PackEvaluation& out) const = 0;
};

}  // namespace mortise::mechanism
