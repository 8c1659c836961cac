// An integrator advances a Flow by accepted steps, knows the motion inside the last step (dense output), and can be
// saved and loaded so that the continued run is bit-identical to the uninterrupted one.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mortise/motion/flow.h"
#include "mortise/system/system.h"

namespace mortise::integrate {

inline constexpr double unit = std::numeric_limits<double>::epsilon();  // of rounding
inline constexpr int most_failures = 100;  // of one step; each at least halves h, so the least step is met long before

// Of the staggered explicit-implicit procedure (staggered/staggered.h).
struct StaggeredSettings {
  std::string multipliers = "velocity";  // velocity | acceleration | midpoint
  std::string chains = "two";            // two | one | lagged
  double epsilon = 0;                    // 0: automatic
  double relative = 1e-2;                // of the automatic one
  long merge = 10;                       // full steps after which the chains are merged; 0: never
};

// Of implicit one-step formulas (trapezoidal/trapezoidal.h).
struct ImplicitSettings {
  std::string scheme = "anchored-iterated";
  long correctors = 1;                       // after the first solution; −1: until coordinates agree to the tolerance
  double epsilon = 0;                        // of soft multipliers; 0: automatic
  double share = 1e-2;                       // of the automatic one
  double alpha = 10, beta = 10, gamma = 10;  // of Baumgarte's feedback
};

// Of generalized-alpha (alpha/generalized_alpha.h).
struct AlphaSettings {
  double rho = 0.8;                // spectral radius at infinity, 0 … 1
  std::string level = "position";  // position | velocity
  // Sets of velocity blocks that feel one another by forces; none: all feel all.
  std::function<std::vector<std::vector<int>>(const System&)> couplings = {};
};

struct Settings {
  double tolerance = 1e-8;
  double step = 0;      // fixed-step methods: the step; others: the first step, 0 = automatic
  double max_step = 0;  // 0 = none
  double min_step = 0;  // 0 = automatic (a few ulps of t)
  StaggeredSettings staggered = {};
  ImplicitSettings implicit = {};
  AlphaSettings alpha = {};
};

struct Counters {
  long evaluations = 0;
  long steps = 0;         // accepted
  long failed_steps = 0;  // rejected by the error test
};

struct StepReport {
  double t = 0;  // after the step
  double h = 0;  // the step just taken
  int order = 0;
};

class Integrator {
 public:
  virtual ~Integrator() = default;

  // Begins (or begins anew, after an event) at (t, y). The flow must outlive the integrator's use of it.
  virtual void start(Flow& flow, double t, ConstSpan y) = 0;
  // One accepted step, never past `stop` (a step that would come within rounding of it lands on it exactly).
  // Throws SolveError (S402) when the step size falls below the least one.
  virtual StepReport step(double stop) = 0;

  virtual double t() const = 0;      // after the last accepted step
  virtual double t_old() const = 0;  // before it
  virtual ConstSpan y() const = 0;
  virtual ConstSpan ydot() const = 0;
  // The motion at any time of the last step, t_old() ≤ t ≤ t(); y() at t() and continuous across steps up to the
  // projection's move.
  virtual void dense(double t, Span y) const = 0;

  // Whether a checkpoint holds the whole history. Where not (CVODE), the run calls `start` at every checkpoint, in the
  // straight run too, so that a resumed run repeats it bit by bit.
  virtual bool remembers() const { return true; }
  virtual void save(Memory& memory) const = 0;
  virtual void load(Flow& flow, const Memory& memory) = 0;

  const Counters& counters() const { return counters_; }
  // What a reader of the run's summary should know: limits that were come near.
  virtual std::vector<std::string> remarks() const { return {}; }

 protected:
  mutable Counters counters_;  // dense output may have to evaluate
};

struct IntegratorEntry {
  std::string name;
  std::string help;  // one line
  bool adaptive = true;
  std::unique_ptr<Integrator> (*make)(const Settings&) = nullptr;  // null: not in this build (SUNDIALS missing)
  // Whether it follows any ẏ = f(t, y); if not, it needs the masses, forces and rows behind it (Flow::motion).
  bool any_flow = true;
};
const std::vector<IntegratorEntry>& integrators();
// Those of this build that follow any flow.
std::vector<std::string> flow_integrators();
std::unique_ptr<Integrator> make_integrator(const std::string& name,
                                            const Settings& settings);  // throws std::invalid_argument

}  // namespace mortise::integrate
