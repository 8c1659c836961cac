// One branch of a tree: from its coordinates to the pose of the body, and back.
//
//     E_G = E_F · turn(θ),     p_G = p_F + Σ s_j d_j,        F the joint's frame on the parent P, G that on the body C
//
// turn(θ) = Rz(θ) K for hinges, cylinders and planes; K for sliders and welds; Rz(θ₁) B Rz(θ₂) for the cross of a
// universal joint (B half a turn about the line between x and z); any rotation for a ball. The rows of a joint, x_a·z_b
// = 0 and the like, also hold after half a turn of a frame: K is that half turn, taken from the start. All quaternions
// are followed with their signs, so that lifted states are those that a run in absolute coordinates has. Cost: a few
// quaternion products.
#pragma once

#include <array>

#include "mortise/coordinates/spanning_tree.h"

namespace mortise::coordinates {

// Motion of a body in world axes; a and alpha where the tree's rates are constant. In the plane z is the normal.
struct Pose {
  geometry::Quaternion p;
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  double angle = 0;  // planar, or held in a plane
  Eigen::Vector3d r = Eigen::Vector3d::Zero(), v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
  Eigen::Vector3d a = Eigen::Vector3d::Zero(), alpha = Eigen::Vector3d::Zero();
};

// The directions d_j of a joint's translations and e_j of its rotations, in world axes.
struct Directions {
  std::array<Eigen::Vector3d, 6> of;
  int count = 0;
};

class TreeJoint {
 public:
  TreeJoint(const Branch& branch, const mechanism::Mechanism& mechanism);

  // K from the poses at the start, or as remembered.
  void seat(const Pose& P, const Pose& C);
  void seat(const geometry::Quaternion& K);
  const geometry::Quaternion& seat() const { return K_; }

  // The rotation of the body, from coordinates x.
  void turn(const double* x, const Pose& P, Pose& C) const;
  // With both rotations known.
  Directions directions(const Pose& P, const Pose& C) const;
  // The joint's point on the body, from coordinates x, and from there to the centre of mass.
  Eigen::Vector3d point(const double* x, const Directions& directions, const Pose& P) const;
  Eigen::Vector3d arm(const Pose& C) const;
  // Coordinates and rates from two poses.
  void lower(const Pose& P, const Pose& C, double* x, double* u) const;

 private:
  Branch branch_;
  const mechanism::Body* body_;
  bool planar_;
  geometry::Quaternion K_, inner_, outer_, behind_;  // behind_ = K ⊗ outer_*
};

}  // namespace mortise::coordinates
