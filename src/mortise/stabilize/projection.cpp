// Projection: after each accepted step the state moves to the nearest one (in the metric of M) that fulfils the
// constraints, in positions and then in velocities, to rounding.
#include "mortise/motion/motion.h"
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

struct Projection final : Stabilizer {
  std::string name() const override { return "projection"; }
  bool projects() const override { return true; }
  bool after_step(State& state, Motion& motion) override { return motion.project(state, Motion::Start::reuse); }
};

}  // namespace

std::unique_ptr<Stabilizer> make_projection(const Settings&) { return std::make_unique<Projection>(); }

}  // namespace mortise::stabilize
