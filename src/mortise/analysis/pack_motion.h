// Four copies in motion: rk4 with a fixed step, positions and velocities projected after each, as integrate::Rk4 with
// `stabilize: projection` does it for one.
//
// One control flow for all lanes. An iteration goes on while some lane needs it; the others are computed along and keep
// their bits. A lane that cannot go on (rows that contradict one another, a projection without end, numbers that are
// not finite) is *lost*: it stands still where it was, and its neighbours do not notice.
#pragma once

#include <memory>
#include <vector>

#include "mortise/gauss/pack_factor.h"
#include "mortise/mechanism/pack_mechanism.h"

namespace mortise::analysis {

using linalg::Mask;
using linalg::Pack;

// What four copies carry from step to step, and what was last observed.
struct PackCopies {
  std::shared_ptr<const mechanism::PackMechanism> mechanism;
  gauss::PackMetric metric;
  std::vector<Pack> position_size, velocity_size, q_size, v_size;  // typical ones, of rows and of coordinates
  double t = 0, t0 = 0, j = 0;                                     // steps end at t0 + j h
  std::vector<Pack> y, ydot;                                       // coordinates, velocities, work
  Mask redundant = Mask::none(), lost = Mask::none();

  std::vector<Pack> a, lambda;
  Pack kinetic, potential, position_error, velocity_error;
};

// The workspace of one thread.
class PackMotion {
 public:
  PackMotion(const mechanism::PackMechanism& shape, const gauss::PackPlan& plan, const linalg::RankPolicy& policy);

  void begin(PackCopies& copies);                              // ẏ at the start
  void advance(PackCopies& copies, double stop, double step);  // exactly to `stop`
  void observe(PackCopies& copies);                            // accelerations, multipliers, energies, violations

 private:
  void step(PackCopies& copies, double t_new);
  void rates(PackCopies& copies, double t, const std::vector<Pack>& y, std::vector<Pack>& out);
  void solve_rates(PackCopies& copies, const std::vector<Pack>& y, std::vector<Pack>& out);
  void factor(PackCopies& copies, const std::vector<unsigned char>& active, Mask& redundant);
  void settle(PackCopies& copies, double t);
  void project_positions(PackCopies& copies, double t);
  void project_velocities(PackCopies& copies);
  Pack met_level(const Pack* x, const std::vector<Pack>& sizes) const;

  linalg::RankPolicy policy_;
  gauss::PackFactor factor_;
  mechanism::PackMechanism::Workspace workspace_;
  mechanism::PackEvaluation evaluation_;
  std::vector<unsigned char> holonomic_;  // rows that are on and hold positions
  bool all_holonomic_ = true;
  std::vector<Pack> stage_, k_, sum_, a_, lambda_, right_, moved_;
  int nq_ = 0, nv_ = 0;
};

}  // namespace mortise::analysis
