// Projection: after each accepted step the state moves to the nearest one that fulfils the constraints, in positions
// and then in velocities, to rounding,
//
//     δq = −Ω⁻¹A_hᵀ(A_hΩ⁻¹A_hᵀ)⁺ φ (repeated),      δv = −Ω⁻¹Aᵀ(AΩ⁻¹Aᵀ)⁺ (A v + c_t),
//
// nearest in the metric Ω = M (the momentum along the constraints stays; the default) or Ω = I. `levels` names what is
// projected; accelerations too, δa = −Ω⁻¹Aᵀ(AΩ⁻¹Aᵀ)⁺(A a − b), which only does something where the formulation misses
// the constraints: an old generalized inverse, a search.
//
// Source: specs/gigsp-and-genetic.md §2, 000 eqs. (2.46)-(2.56), written for any rank.
#include "mortise/motion/motion.h"
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

class Projection final : public Stabilizer {
 public:
  explicit Projection(const Settings& settings) : metric_(settings.metric), levels_(settings.levels) {}
  std::string name() const override { return "projection"; }
  bool projects() const override { return levels_.position && levels_.velocity; }
  Metric metric() const override { return metric_; }
  void after_solve(gauss::GaussSolution& solution, Motion& motion) override {
    if (levels_.acceleration) motion.project_acceleration(solution);
  }
  bool after_step(State& state, Motion& motion) override {
    return motion.project(state, Motion::Start::reuse, levels_.position, levels_.velocity);
  }

 private:
  Metric metric_;
  Levels levels_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_projection(const Settings& settings) { return std::make_unique<Projection>(settings); }

}  // namespace mortise::stabilize
