// Many copies of one mechanism with other numbers or other states, side by side: sweeps and Monte Carlo.
//
//     Batch batch(copies, {.step = 1e-3});
//     batch.advance(2);
//     for (int k = 0; k < batch.size(); ++k) use(batch.look(k).state);
//
// Copies of one topology share a pack of four SIMD lanes (analysis/pack_motion.h), packs are shared among threads. The
// method is rk4 with a fixed step and projection of positions and velocities, any rank of the rows; `ẏ` is that of
// `auto`. A copy has the same bits for any number of threads, at any place and in any company.
//
// Copies that have no lanes are run one by one by the same method, and `why` says so: events aside, everything that a
// mechanism may have works. Cost a step: 4 evaluations, 4 factorisations, a projection; no allocation.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"
#include "mortise/motion/motion.h"

namespace mortise::analysis {

struct BatchCopy {
  std::shared_ptr<const mechanism::Mechanism> mechanism;  // may be shared by copies that differ in their states only
  std::optional<State> start;  // t, q, v and work; none: as modelled. Brought to the constraints either way
};

struct BatchOptions {
  double step = 0;  // 0: `analysis: step` of the first copy
  int threads = 0;  // 0: as many as the machine has
};

// A copy at the present time.
struct BatchLook {
  State state;  // t, q, v, λ, work
  Vector a;
  double kinetic = 0, potential = 0;
  Violation violation;
};

class Batch {
 public:
  enum class Way { lanes, alone };

  // The method is the batch's own, whatever integrator the models name. Throws ModelError: M476 where there is no step,
  // M477 for copies with events.
  Batch(std::vector<BatchCopy> copies, const BatchOptions& options);
  ~Batch();

  int size() const { return static_cast<int>(copies_.size()); }
  double t() const { return t_; }
  double step() const { return step_; }
  // All copies to `stop`, which must not lie before t. A copy that fails keeps the state of its last good step.
  void advance(double stop);

  void look(int copy, BatchLook& out) const;
  BatchLook look(int copy) const;
  const mechanism::Mechanism& mechanism(int copy) const { return *copies_[static_cast<std::size_t>(copy)].mechanism; }
  Way way(int copy) const;
  // Why a copy is not in lanes, "event 'stop'"; empty: it is.
  const std::string& why(int copy) const;
  // What went wrong, "S431: these cannot hold together"; empty: nothing.
  const std::string& failure(int copy) const;
  // Items whose kernels have no lane form: right, but no faster than alone.
  std::vector<std::string> copy_by_copy() const;

 private:
  struct Place;
  struct Lanes;
  struct Alone;
  void assemble(int copy);
  void form_packs();
  void put_alone(int copy, const std::string& why);
  void advance_alone(int copy, double stop);

  std::vector<BatchCopy> copies_;
  double step_ = 0, t_ = 0;
  std::vector<Place> places_;
  std::unique_ptr<Lanes> lanes_;
};

}  // namespace mortise::analysis
