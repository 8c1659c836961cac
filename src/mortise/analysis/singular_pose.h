// Singular poses on the way of a motion: where the rank of the constraints falls, rows that are independent elsewhere
// depend on one another, and the motion can go on along more than one branch (a parallelogram whose links lie in line
// may become an anti-parallelogram).
//
// With the rows scaled and masses of one, D = S A L⁻ᵀ, and r the rank before, σ_r(t) goes to zero like |t − t*|. A
// PoseWatch looks for the least σ_r² inside a step once σ_r is small at its end, in the dense output. What vanishes at
// t* tells the rows by its left singular vectors.
//
// The branches are the velocities that the constraints allow there to second order:
//
//     A v = −c_t,     yᵀ b(q*, v, t*) = 0  for all y with yᵀA = 0,
//
// b the right-hand side of A a = b, quadratic in v. For one degree of freedom they are isolated directions, found by
// Gauss-Newton from many starts. The rule is the branch with the least change of direction of the velocity in the
// metric of M: as an integrator with finite steps passes on its own. `branch: other` takes the next nearest.
// Cost: an evaluation and n m² for a look; only where σ_r is below `near`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

struct SingularPose {
  double t = 0;
  State state;  // there, on the constraints, before any branch is chosen
  int rank_before = 0, rank = 0;
  double sigma = 0;       // the least of the singular values that vanish, relative to the largest
  std::vector<int> rows;  // that come to depend on one another
  double turn = 0;        // of the velocity while passing, in the metric of M [rad]
  bool other = false;     // another branch than the smooth one was taken
};

// How near to a singular pose a motion came.
struct NearestPose {
  double t = 0;
  double sigma = 1;  // relative to the largest
};

class PoseWatch {
 public:
  PoseWatch(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy);

  // After every accepted step of the motion itself (absolute coordinates). A pose that was passed inside it, if any.
  std::optional<SingularPose> look(const integrate::Integrator& integrator, const Motion& motion);
  const NearestPose& nearest() const { return nearest_; }
  void forget() { last_rank_ = -1; }  // rows were switched: the rank is another one

 private:
  double sigma_at(double t, int rank);
  double sigma(const State& state, int rank);
  void decompose(const State& state);
  void unpack(double t);

  const mechanism::Mechanism& mechanism_;
  linalg::RankPolicy policy_;
  const integrate::Integrator* integrator_ = nullptr;
  const Motion* motion_ = nullptr;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  State state_;
  Vector y_;
  Matrix D_, U_;
  Vector values_;
  NearestPose nearest_;
  int last_rank_ = -1;
  double last_sigma_ = 1, passed_ = -1;
};

// Velocities of all branches at a singular pose, each of the kinetic energy of the state (of the driven speed where
// time is in the constraints), nearest to the state's own first; that one is the smooth branch. `isolated` is false
// when they are members of a family: more than one degree of freedom.
struct Branches {
  std::vector<Vector> velocities;
  bool isolated = true;
};
Branches find_branches(const mechanism::Mechanism& mechanism, const State& at, const linalg::RankPolicy& policy);

// A state a little further along a branch, on the constraints and with the energy of `at`. Throws SolveError (S451)
// when there is no other branch, or no isolated one.
State follow_other_branch(const mechanism::Mechanism& mechanism, const SingularPose& pose, Motion& motion,
                          const linalg::RankPolicy& policy);

// "rank 11 -> 10: A.x, B.y and C.x come to depend on one another"
std::string describe(const SingularPose& pose, const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
