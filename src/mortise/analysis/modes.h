// Modes: how a mechanism swings about an equilibrium (analysis/linearize.h),
//
//     (s² NᵀMN + s C + K) x = 0,    s = −ζω ± iω√(1 − ζ²),
//
// frequencies, damping ratios and shapes. Motions without stiffness and damping are rigid-body modes: they are told
// apart first, so that their double zero root cannot spoil the others. Without damping and with a symmetric K the
// problem is solved as a symmetric one; else through its companion matrix. Any rank of A: a redundant twin has the same
// modes.
//
// Cost: that of the linearisation and O(f³), f the degrees of freedom.
#pragma once

#include <complex>

#include "mortise/analysis/statics.h"

namespace mortise::analysis {

struct Mode {
  std::complex<double> root;  // s; of a pair the one with positive imaginary part
  double omega = 0;           // |s| [rad/s]
  double frequency = 0;       // |Im s| / 2π [Hz]: what is seen
  double damping = 0;         // ζ = −Re s / |s|; ±1: does not swing
  bool rigid = false;         // no stiffness: s = 0
  // The displacement over time is Re(shape · e^{st}), in the velocity space of the mechanism (retract takes it); of
  // length one: no body moves further than 1 m or turns by more than 1/L.
  Vector real, imaginary;
  std::string words;
};

// The roots of M, C, K by size of |s|; `real` and `imaginary` are in their own coordinates here. Throws
// std::domain_error when M is not positive definite.
std::vector<Mode> solve_modes(const Matrix& M, const Matrix& C, const Matrix& K, const linalg::RankPolicy& policy);

struct ModesResult {
  StaticsResult equilibrium;
  std::vector<Mode> modes;  // rigid-body modes first, then by |s|; the first `analysis.modes` of them
  int freedoms = 0;
};

// Finds the equilibrium from the modelled pose (t = 0, drivers held), and the modes there. Throws what statics throws,
// and S473 where a free motion has no mass.
ModesResult run_modes(const mechanism::Mechanism& mechanism);

// A mode as a motion: one period (one second where it does not swing) in `frames` frames, the largest displacement
// being `amplitude` times the mechanism's characteristic length. Goes to sinks like a run.
void animate(const mechanism::Mechanism& mechanism, const ModesResult& modes, std::size_t mode, double amplitude,
             int frames, Sink& sink);

}  // namespace mortise::analysis
