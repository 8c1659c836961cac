// The tangent space of the constraints at a pose, with lengths and turns measured alike: no mass enters.
//
//     W = diag(1 for translations, L² for rotations),    A N = 0,   Nᵀ W N = I,
//
// L the mechanism's characteristic length. What kinematics, statics and modes share: problems with M = W, whose rows
// are scaled to a norm of one in this metric, so that neither units nor masses decide a rank.
//
// Source: specs/gigsp-and-genetic.md §2, pure kinematics (4.8), (4.9) with M = I; the weight L² makes I free of units.
// Cost: N by Gram-Schmidt and one Householder QR, O(n m r) dense.
#pragma once

#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

class Tangent {
 public:
  explicit Tangent(const mechanism::Mechanism& mechanism);

  // The pattern of the mechanism with row scales of this metric, taken from the rows at a pose.
  void scale_rows(const Evaluation& evaluation);
  const gauss::Pattern& pattern() const { return pattern_; }
  // A problem with M = W and the rows of an evaluation of the mechanism; Q = 0, b as evaluated.
  void problem(const Evaluation& evaluation, gauss::GaussProblem& out) const;
  // Motions that the rows allow, as W-orthonormal columns. Allocates.
  Matrix free_motions(const Evaluation& evaluation, const linalg::RankPolicy& policy) const;

  const Vector& sizes() const { return sizes_; }  // n: 1 for translations, 1/L for rotations; W = diag(1/sizes²)
  // max |u_k| / sizes_k: how far, as a length, a step moves what it moves most.
  double reach(const Vector& u) const { return u.size() ? u.cwiseQuotient(sizes_).cwiseAbs().maxCoeff() : 0; }

 private:
  const mechanism::Mechanism& mechanism_;
  gauss::Pattern pattern_;
  Vector W_;  // values of the blocks
  Vector sizes_;
};

// A motion in words: the bodies that take part most, and how: "left and right turn, coupler translates along (0.5,
// 0.87)".
std::string motion_in_words(const mechanism::Mechanism& mechanism, const State& state, const Vector& u);

// Another basis of the same motions, each of which moves as little else as possible: by elimination with the largest
// component of each (as a length). Two rods that spin are then two motions, not two mixtures.
void localize(const Tangent& tangent, Matrix& motions);

// Rows that are off, by joint and driver, the worst first share of `error / sizes`: "motor off by 3.2 deg".
std::vector<std::string> rows_in_words(const mechanism::Mechanism& mechanism, const Vector& error,
                                       const std::vector<double>& sizes, const char* per);

}  // namespace mortise::analysis
