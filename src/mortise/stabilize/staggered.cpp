// Staggered: multipliers are integrated, ε λ̇ = (what the rows miss), instead of being solved for at every instant. The
// integrators that take implicit steps for multipliers do it (integrate/staggered, integrate/trapezoidal): nothing is
// left to do for the motion, whose own solutions show frames and the start.
//
// Source: specs/nasa-4-stabilization.md §2.4. Cost: none here.
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

struct StaggeredMultipliers final : Stabilizer {
  std::string name() const override { return "staggered"; }
};

}  // namespace

std::unique_ptr<Stabilizer> make_staggered(const Settings&) { return std::make_unique<StaggeredMultipliers>(); }

}  // namespace mortise::stabilize
