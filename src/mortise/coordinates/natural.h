// Natural partitioning: the velocities of a mechanism by those of its joints, u̇ = A u̇ⁱ with B A = 0, where A is written
// down joint by joint, without a numerical inverse. From the parent P to the body C, in world axes (tree_joint.h),
//
//     w_C = X w_P + H η,     X = [1 −r̃; 0 1],  r = r_C − r_P,    H = [d; 0] a slide,  [e × arm; e] a turn
//     a ball:                X = [1 −r̃; 0 0],  r to the joint,   H = [e × arm; e]:  η is ω of C itself, in its axes
//     γ = Ȧ u̇ⁱ               by the same recursion with ü = 0 (tree.cpp; α = 0 for a ball)
//
// so the block row of C is X times that of P, with H on the diagonal: branches are independent of one another. The
// tree is grown breadth first, joints with more rows first; joints that close loops, drivers and whatever has no
// coordinates here are cut, and their rows stay, on the rates of the paths to their bodies only.
//
// Two forms. With `accelerations` (recursion, conjugate-gradients, factor) velocities come in a block a joint, M* is
// left to sweeps along the tree (gauss/tree_formulation.h) and A is never stored: integrators that need rates alone and
// the two-stage one, which then is the time stepping of the paper. Without, A and M* = AᵀM A are formed for
// formulations of any kind, and for implicit steps: those on the null space of G = B_c A then are the second
// partitioning.
//
// Source: specs/nasa-3-natural-partitioning.md §2.1-§2.4, §2.8-§2.10. Cost: O(bodies + Σ paths of cut joints) a
// right-hand side; with A formed Σ (path length)².
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/coordinates/tree_coordinates.h"
#include "mortise/gauss/local_rows.h"
#include "mortise/gauss/tree_formulation.h"
#include "mortise/linalg/tree_mass.h"

namespace mortise::coordinates {

struct NaturalImage final : Image {
  explicit NaturalImage(const linalg::TreeShape& shape)
      : mass(shape), motion(index(shape.bodies())), force(index(shape.bodies())) {}
  std::vector<Pose> poses;  // ground first, then as in the tree
  linalg::TreeMass mass;
  std::vector<linalg::Vector6> motion, force;
  std::vector<linalg::Vector6> rows;  // of cut joints, on their paths
  Vector sum;                         // AᵀQ
  Vector J;                           // of A as a matrix: of each body 6 × columns, world axes
  gauss::LocalRows local;             // says where M is
};

class Natural final : public TreeCoordinates {
 public:
  Natural(const Mechanism& mechanism, const State& start, const CoordinateSettings& settings);

  const linalg::TreeShape& shape() const { return shape_; }
  const gauss::Formulation* formulation() const override { return formulation_.get(); }
  std::vector<std::string> remarks() const override;
  std::string block_name(int block) const override;

 private:
  struct Carrier {  // from a body's own coordinates to world axes
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    int v = 0, translations = 3;
    bool rigid = true, turns = true;
  };
  // Rows of one cut joint: the bodies on the paths from those it is at, leaves first.
  struct PathEntry {
    int body, up, offset;  // up: the entry of its parent, −1: none; offset in A*, −1: a body without rates
  };
  struct PathSource {
    int block, entry;  // of the mechanism's A
  };
  struct RowPath {
    int row, rows, work;
    std::vector<PathEntry> entries;
    std::vector<PathSource> sources;
  };

  void layout_rows();
  void refuse_large_factor() const;
  std::unique_ptr<Image> make_image() const override;
  void map(const State& mapped, Image& image) const override;
  void place(std::size_t k, const State& mapped, NaturalImage& image) const;
  void write_null_space(std::size_t k, NaturalImage& image) const;
  void velocities(Image& image, ConstSpan u, Span v) const override;
  void add_transposed(Image& image, ConstSpan Q, Span out) const override;
  void reduce_blocks(MappedScratch& scratch, const State& state, Evaluation& out) const override;
  void reduce_mass(MappedScratch& scratch, Evaluation& out) const override;
  linalg::Vector6 to_world(const Carrier& carrier, const Pose& pose, const double* x) const;

  bool formed_;  // A and M* as matrices
  linalg::TreeShape shape_;
  std::vector<Carrier> carriers_;
  std::vector<int> parent_;      // in the tree, −1: ground
  std::vector<int> block_body_;  // of each block: its place in the tree
  std::vector<int> J_offset_;
  int J_size_ = 0;
  std::vector<RowPath> paths_;
  int row_work_ = 0;
  std::unique_ptr<gauss::TreeFormulation> formulation_;
};

}  // namespace mortise::coordinates
