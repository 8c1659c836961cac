// The matrix of Newton's iteration in an implicit step, in the unknowns (w, λ): w the accelerations at the end, while
// positions and velocities there follow from it, q ⊕ x with dx/dw = p and dv/dw = s:
//
//     [ M + s D + p K    Aᵀ ]          D = ∂r/∂v,   K = ∂r/∂x   (with ∂(Aᵀλ)/∂q: geometric stiffness),
//     [ A T             −κ  ]          T = ∂(tangent at q ⊕ x)/∂x,   T = 1 for rows that hold velocities
//
// with p = h²·…, s = h·…: as h → 0 nothing but [M Aᵀ; A 0] is left, so that the matrix is as well conditioned as that
// of the accelerations, whatever the step (Bottasso, Bauchau, Cardona, SIAM J. Sci. Comput. 29 (2007) 397-414). It is
// unsymmetric where loads follow bodies or bodies spin; nothing is left out but ∂φ̇/∂q.
//
// s D + p K comes from differences of the residual, all blocks of one colour at once (graph/colouring.h). Rows are
// scaled to nominal length one. κ = 1e-10 makes the matrix regular where rows are redundant; Newton's iteration works
// with it like the method of multipliers: what is left of a mode σ² of A(…)⁻¹Aᵀ is κ/(σ² + κ) of what it was. The part
// of the rows that no motion can change is taken out of right-hand sides by `solve` and of multipliers by `shorten`.
//
// Source: own derivation; proximal steps as in gauss/sparse.h. Cost: colours × (columns of a block) evaluations, and
// one BlockLu.
#pragma once

#include <memory>
#include <vector>

#include "mortise/gauss/block_lu.h"
#include "mortise/graph/colouring.h"
#include "mortise/integrate/alpha/residual.h"
#include "mortise/integrate/integrator.h"

namespace mortise::integrate {

// The end of a step as it is tried.
struct StepTrial {
  const Vector* q = nullptr;  // where the step begins
  const Vector* x = nullptr;  // the end is q ⊕ x
  const State* state = nullptr;
  const Vector* w = nullptr;    // accelerations there
  double per_x = 0, per_v = 0;  // p and s
};

class StepMatrix {
 public:
  // `hold_velocity`: of each row, whether the step fulfils its velocity form.
  StepMatrix(const System& system, const std::vector<std::vector<int>>& couplings,
             std::vector<unsigned char> hold_velocity);

  // False: a motion has neither mass nor stiffness nor row; `vanished_block` names its block, −1: rows.
  bool form(const StepTrial& trial, Residual& residual);
  int vanished_block() const { return vanished_; }
  // H δ + Aᵀ δλ = f, A T δ = g, with g of unscaled rows. What rows cannot see is not asked for.
  void solve(ConstSpan f, ConstSpan g, Span delta, Span delta_lambda);
  // The same H with the rows of the pose and time of a state, T = 1; false as `form`.
  bool refresh_rows(const State& state, Residual& residual);
  // Takes away the part of multipliers that no motion feels: those of least norm (of scaled rows) are left.
  void shorten(Span lambda);
  // Rows may be redundant: seen at some factorisation since it was set.
  bool redundant() const { return redundant_; }
  void set_redundant(bool redundant) { redundant_ = redundant; }
  int colours() const { return static_cast<int>(colouring_.members.size()); }
  int evaluations_to_form() const { return sweeps_; }

  const Vector& position_sizes() const { return x_sizes_; }  // typical, of x
  const Vector& velocity_sizes() const { return v_sizes_; }

 private:
  struct Group {
    int row, rows;
  };
  struct Piece {  // of a row block: which group and block, where its values are
    int group, row, rows, block, size, offset, lower, upper;
  };
  struct Coupling {  // block (row, column) of H
    int row, place;
  };
  void difference(const StepTrial& trial, Residual& residual);
  void find_turns(const StepTrial& trial);
  void write_rows();
  bool factor();
  void find_unseen(const Vector& u);

  const System& system_;
  graph::Colouring colouring_;
  std::vector<unsigned char> hold_velocity_;
  std::vector<Group> groups_;
  std::vector<Piece> pieces_;
  std::vector<Coupling> couplings_;  // of each block as column, in the order of its neighbours
  std::vector<int> first_coupling_;
  std::vector<double> scale_;
  std::unique_ptr<gauss::BlockLu> lu_;
  Vector x_sizes_, v_sizes_, A_;
  std::vector<unsigned char> active_;
  Vector turns_;           // T, laid out as M
  std::vector<double> H_;  // before the elimination: all values of the matrix, those of rows zero
  State moved_;
  Vector move_, r_, r_moved_, q_end_, dq_, tangent_, steps_, unknowns_, scaled_, unseen_, twice_;
  int sweeps_ = 0, widest_ = 0, vanished_ = -1;
  bool redundant_ = false;
};

}  // namespace mortise::integrate
