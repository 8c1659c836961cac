// What maps along a spanning tree of the joints share: their states. Coordinates of each branch are those of its joint
// (tree_joint.h): angles and displacements whose rates are the velocities, and quaternions with angular velocities in
// body axes. How N is kept, and what becomes of M and A, is that of the map: tree.cpp, natural.cpp.
//
// Loads that depend on reactions need λ of tree joints, too: from the leaves to the roots, Aᵀλ = Q − M a of one body
// has the rows of its own joint as its only unknowns. Where rows are redundant this choice of λ is not the shortest
// one.
#pragma once

#include "mortise/coordinates/mapped.h"
#include "mortise/coordinates/tree_joint.h"

namespace mortise::coordinates {

class TreeCoordinates : public Mapped {
 public:
  const std::vector<Branch>& tree() const { return tree_; }

  void remember(Memory& memory) const override;
  // A block may hold all bodies: names the one without mass or inertia, if there is one.
  std::string block_name(int block) const override;
  void qdot(ConstSpan q, ConstSpan v, Span out) const override;
  void tangent(ConstSpan q, ConstSpan rate, Span v) const override;
  void retract(ConstSpan q, ConstSpan dv, Span out) const override;
  void cayley(ConstSpan q, ConstSpan dv, Span out) const override;
  double largest_spin(ConstSpan v) const override;
  bool normalize(Span q) const override;
  void typical_sizes(Span q, Span v) const override;

 protected:
  // Parents come before their children.
  TreeCoordinates(const Mechanism& mechanism, std::vector<Branch> tree);

  bool planar() const { return planar_; }
  const TreeJoint& joint(std::size_t k) const { return joints_[k]; }
  // Where each joint sits: from the memory of the start, or from its poses.
  void seat(const State& start);
  // The rows of all constraints that are no joints of the tree stay.
  void keep_cut_rows();
  std::vector<Pose> poses_of(const State& absolute) const;  // ground first, bodies in the order of the mechanism
  void lower_motion(const State& absolute, Span q, Span v) const override;
  void fulfilled_multipliers(MappedScratch& scratch) const override;
  // The pose in the body's own coordinates, and what the rates do to it with ü = 0: of q and γ the body's parts.
  void write_pose(const Branch& b, const Pose& C, Image& image) const;

 private:
  template <class Plain, class Turned>
  void for_each_part(const Plain& plain, const Turned& turned) const;

  bool planar_;
  std::vector<Branch> tree_;
  std::vector<TreeJoint> joints_;
};

}  // namespace mortise::coordinates
