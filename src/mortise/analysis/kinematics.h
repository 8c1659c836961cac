// Kinematics: the motion that joints and drivers alone dictate; neither masses nor forces enter.
//
//     φ(q, t) = 0,    A v = −c_t,    A a = b,        rank A = n
//
// Positions by Newton's method from the predicted ones, velocities and accelerations as the shortest ones that fulfil
// the rows (M = W, Q = 0; analysis/tangent.h): exact at every frame. Between frames q̇ = v(q, t) is integrated with the
// integrator of the settings and brought back to the rows after each step, so that no step is long enough to land on
// another branch; where rates are prescribed (rolling, `speed` drivers) this integration is the motion itself, to the
// tolerance of the settings. Rows may depend on one another; where the rank falls below n for an instant (a change
// point), what lies between the poses around it is taken.
//
// Diagnosed by name: motions that nothing drives (S425), drivers that ask for what the joints or one another do not
// allow (S470).
//
// Source: specs/gigsp-and-genetic.md §2, (4.8), (4.9). Cost: a factorisation a stage of the integrator; O(n m r).
#pragma once

#include "mortise/analysis/dynamics.h"
#include "mortise/analysis/tangent.h"

namespace mortise::analysis {

// One mechanism, one thread.
class Kinematics final : public Flow {
 public:
  Kinematics(const mechanism::Mechanism& mechanism, const linalg::RankPolicy& policy);

  // Takes an assembled state. Throws S425 with the motions that nothing drives.
  void start(State& state);
  // Positions by Newton, then velocities (nearest to those given) and, where asked for, accelerations of the rows.
  // Throws S470 where they cannot be met.
  void close(State& state);
  void accelerate(const State& state, Vector& a);
  // At a change point, where the rows leave a motion free for an instant or hold it hardly: what lies between the poses
  // around it, (15(x₁ + x₋₁) − 6(x₂ + x₋₂) + x₃ + x₋₃) / 20 for q, v and a. False where the poses around are no
  // better, or do not go on from one another.
  bool pass(State& state, Vector& a);
  bool weak() const;  // at the last velocities: such a pose
  // Whether the rows have a motion at this state; used before a run is begun.
  int freedoms(const State& state);

  const Evaluation& evaluation() const { return evaluation_; }
  const linalg::Rank& rank() const { return solution_.rank; }  // of the last velocities or accelerations

  // Flow of y = q
  int size() const override { return mechanism_.q_size(); }
  void rates(double t, ConstSpan y, Span ydot) override;
  bool settle(double t, Span y) override;
  void typical_sizes(Span sizes) const override;

 private:
  void evaluate(const State& state, unsigned needs);
  void factor(bool velocities);
  void close_positions(State& state);
  void solve_velocities(State& state);
  [[noreturn]] void fail_over_driven(const State& state, const Vector& error, const std::vector<double>& sizes,
                                     const char* level, const char* per) const;

  const mechanism::Mechanism& mechanism_;
  linalg::RankPolicy policy_;
  Tangent tangent_;
  std::unique_ptr<gauss::Factor> factor_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  gauss::GaussProblem problem_;
  gauss::GaussSolution solution_;
  State state_;
  Vector zero_, right_, q_sizes_, v_sizes_, best_;
};

// v = V ḟ and a = V f̈ + γ at a state of a driven mechanism: one column of V a driver row.
struct DriverMaps {
  std::vector<std::string> rows;  // "motor.angle"
  Matrix V;                       // n × rows
  Vector rates, second;           // ḟ, f̈
  Vector gamma;                   // n: accelerations at constant driver rates
};
DriverMaps driver_maps(const mechanism::Mechanism& mechanism, const State& state, const linalg::RankPolicy& policy);

// Frames of the driven motion from t = 0 to `until`, into the sink of the options. λ and reactions are not computed:
// they are NaN in frames. The result is that of dynamics, without a checkpoint.
DynamicsResult run_kinematics(const mechanism::Mechanism& mechanism, const DynamicsOptions& options);

// The drivers' rows of a mechanism, in its order.
std::vector<int> driver_rows(const mechanism::Mechanism& mechanism);

}  // namespace mortise::analysis
