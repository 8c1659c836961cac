// Singular poses on the way of a motion: where the rank of the constraints falls, rows that are independent elsewhere
// depend on one another, and the motion can go on along more than one branch (a parallelogram whose links lie in line
// may become an anti-parallelogram).
//
// With the rows scaled and masses of one, D = S A L⁻ᵀ, and r the rank before, σ_r(t) goes to zero like |t − t*|. A
// PoseWatch looks for the least σ_r² inside a step, in the dense output, when σ_r falls so fast that it could be there.
// What vanishes at t* tells the rows by its left singular vectors.
//
// The branches are the velocities that the constraints allow there to second order:
//
//     A v = −c_t,     yᵀ b(q*, v, t*) = 0  for all y with yᵀA = 0,
//
// b the right-hand side of A a = b, quadratic in v. For one degree of freedom they are isolated directions, found by
// Gauss-Newton from many starts. The rule is the branch with the least change of direction of the velocity in the
// metric of M: as an integrator with finite steps passes on its own. `branch: other` takes the next nearest.
// Cost: for a step that is looked at about ten evaluations with their σ_r: up to `dense_rows` rows by singular value
// decomposition, else by inverse iteration on the sparse elimination, O(bodies) each; nothing for other steps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mortise/gauss/least_singular_value.h"
#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

struct PassedPose {
  double t = 0;
  int rank_before = 0, rank = 0;
  double sigma = 0;       // the least of the singular values that vanish, relative to the largest
  std::vector<int> rows;  // that come to depend on one another
  double turn = 0;        // of the velocity while passing, in the metric of M [rad]
  bool other = false;     // another branch than the smooth one was taken
};
struct SingularPose : PassedPose {
  State state;  // there, on the constraints, before any branch is chosen
};

// False where no pose can be singular: without loops rows of different joints stay independent, and those of one joint
// do, too, but for rows that the user or a program wrote.
bool may_be_singular(const mechanism::Mechanism& mechanism);

class PoseWatch {
 public:
  static constexpr int dense_rows = 60;

  PoseWatch(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy);
  // For tests: all by inverse iteration, or all by decomposition.
  void set_dense(bool dense) { dense_ = dense; }

  // After every accepted step of the motion itself (absolute coordinates). A pose that was passed inside it, if any.
  std::optional<SingularPose> look(const integrate::Integrator& integrator, const Motion& motion);
  // Rows were switched, or the motion begins anew elsewhere: another rank, no history.
  void forget() { memory_.known = 0; }

  // What has to survive a checkpoint.
  struct Memory {
    double known = 0, rank = 0, sigma = 1, rate = 0;  // after the last step; rate: by which σ_r fell
    double passed = -1;                               // time of the last pose
    double nearest = 1, nearest_t = 0;                // the least σ_r so far, relative to the largest, and when
    static constexpr std::size_t count = 7;
  };
  const Memory& memory() const { return memory_; }
  // The pose of the least σ_r so far: its time, coordinates, inputs and active rows.
  const State& nearest() const { return nearest_; }
  void save(mortise::Memory& memory) const;
  void load(const mortise::Memory& memory);

 private:
  void keep_nearest(double sigma);
  double sigma_at(double t, int rank);
  double sigma(const State& state, int rank);
  void decompose(const State& state);
  void refine(double begin, double end, int rank, double& there, double& least);
  void name_rows(double there, double aside, int rank, SingularPose& pose);
  void name_rows_sparse(double there, double aside, int rank, SingularPose& pose);
  void unpack(double t);

  const mechanism::Mechanism& mechanism_;
  linalg::RankPolicy policy_;
  const integrate::Integrator* integrator_ = nullptr;
  const Motion* motion_ = nullptr;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  State state_, nearest_;
  Vector y_;
  bool dense_ = true;
  Matrix D_, U_;
  Vector values_;
  std::unique_ptr<gauss::LeastSingularValue> least_;  // made when it is first needed
  Memory memory_;
};

// Velocities of all branches at a singular pose, each of the kinetic energy of the state (of the driven speed where
// time is in the constraints), nearest to the state's own first; that one is the smooth branch. `isolated` is false
// when they are members of a family: more than one degree of freedom.
struct Branches {
  std::vector<Vector> velocities;
  bool isolated = true;
};
inline constexpr int most_branching = 400;  // coordinates: null spaces are those of a dense matrix
Branches find_branches(const mechanism::Mechanism& mechanism, const State& at, const linalg::RankPolicy& policy);

// The way out of a singular pose along its other branch. Throws SolveError (S451) when there is none, or no isolated
// one.
class OtherBranch {
 public:
  OtherBranch(const mechanism::Mechanism& mechanism, const SingularPose& pose, Motion& motion,
              const linalg::RankPolicy& policy);
  // So far along the branch that the constraints tell it from the others: a thousandth of the model's size [s].
  double ahead() const { return ahead_; }
  // The state a time 0 ≤ dt ≤ ahead() after the pose, on the constraints and with its energy.
  State at(double dt) const;

 private:
  const mechanism::Mechanism& mechanism_;
  Motion& motion_;
  State pose_;
  Vector velocity_;
  double ahead_ = 0, energy_ = 0;
};

// "rank 11 -> 10: A.x, B.y and C.x come to depend on one another"
std::string describe_pose(const PassedPose& pose, const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
