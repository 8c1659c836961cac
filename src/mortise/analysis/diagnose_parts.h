// What the parts of the diagnosis share: the rows of the mechanism at a pose, by joint. Not installed as an interface.
#pragma once

#include <memory>

#include "mortise/analysis/diagnose.h"

namespace mortise::analysis {

// The mechanism at a state: evaluated rows, their joints and columns, scaled.
struct Posed {
  const mechanism::Mechanism& m;
  State state;
  std::unique_ptr<Scratch> scratch;
  Evaluation e;
  mechanism::Motions motions;
  Vector column_size;
  mutable Vector unit;  // zeros; for a moment a unit multiplier
  std::vector<int> joint_of_row;
  std::vector<std::vector<int>> blocks_of_joint;  // indices into Pattern::A

  Posed(const mechanism::Mechanism& mechanism, const State& at);
  void evaluate();                // anew, at `state`; throws SolveError where a number is not finite
  double position_error() const;  // scaled
  double velocity_error() const;
  std::vector<int> joints_of(const std::vector<int>& rows) const;  // ascending, each once
};

// Rows of some joints as one small matrix: rows and columns scaled, columns of these joints' bodies only.
struct SmallRows {
  Matrix A;
  std::vector<int> rows;
};
SmallRows rows_of(const Posed& posed, const gauss::Fronts& fronts, const Vector& values,
                  const std::vector<int>& joints);
int rank_of(const Matrix& A, const linalg::RankPolicy& policy, double violation);

// What unit multipliers of a joint's rows do to its second body at the joint's point, in the axes of the second frame:
// a column a row; fx, fy, fz, tx, ty, tz (planar: fx, fy, tz).
using Wrenches = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;  // not on the heap
Wrenches wrenches(const Posed& posed, int joint);
// Where the joint's second frame is, and its axes as columns (planar: two and the normal).
Eigen::Vector3d joint_point(const Posed& posed, int joint);
Eigen::Matrix3d joint_axes(const Posed& posed, int joint);

void describe_motions(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out);
void find_conflicts(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out);
void classify(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out);
void find_relaxations(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out);
void find_unique_reactions(const Posed& posed, const DiagnoseOptions& options, Diagnosis& out);

}  // namespace mortise::analysis
