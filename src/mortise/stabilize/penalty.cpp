// Penalty: multipliers are what the rows miss, by a stiffness,
//
//     λ = φ/ε  (holonomic),   λ = ψ/ε  (nonholonomic, ψ = A v + c_t):      M a = Q − Aᵀλ,
//
// springs and dampers in the place of joints. Nothing is solved for, so A may have any rank; what remains of a row is
// ε|λ|, and it rings with √(s/ε), s an eigenvalue of A M⁻¹Aᵀ: steps follow that frequency, or a stiff integrator damps
// it.
//
// Automatic ε: the rows may miss a share η of their typical size, η the tolerance of the run but no less than 1e-6.
// With T = (typical φ)/(typical φ̇) and the nominal row scale, s ≈ 1/scale²,
//
//     ε = η T²/scale²   (holonomic: frequency 1/(T √η)),      ε = η T/scale²   (nonholonomic: rate 1/(T η)).
//
// Source: specs/nasa-4-stabilization.md §2.4, nasa-1-staggered.md §2.5: 004 paper 4 eqs. (22)-(23).
// Cost: O(m) and a solution with M.
#include <algorithm>

#include "mortise/motion/motion.h"
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

class Penalty final : public Stabilizer {
 public:
  explicit Penalty(const Settings& settings)
      : epsilon_(settings.epsilon), share_(std::clamp(settings.tolerance, 1e-6, 1e-2)) {}
  std::string name() const override { return "penalty"; }

  // The loads take the rows' place; these are off until the next evaluation.
  void before_solve(Evaluation& e) override {
    const gauss::Pattern& pattern = *e.problem.pattern;
    if (per_epsilon_.size() != pattern.m()) prepare(pattern);
    for (int i = 0; i < pattern.m(); ++i) {
      const bool on = e.problem.active[index(i)] != 0;
      lambda_[i] = on ? (holonomic(pattern, i) ? e.phi[i] : e.phidot[i]) * per_epsilon_[i] : 0;
    }
    e.problem.multiply_At(as_span(lambda_), as_span(force_));
    e.problem.Q -= force_;
    std::fill(e.problem.active.begin(), e.problem.active.end(), static_cast<unsigned char>(0));
  }
  void after_solve(gauss::GaussSolution& solution, Motion&) override { solution.lambda = lambda_; }
  bool after_step(State&, Motion& motion) override {
    motion.note(motion.violation(motion.evaluation()));
    return false;
  }

 private:
  static bool holonomic(const gauss::Pattern& pattern, int row) {
    return pattern.rows[index(row)].kind != gauss::RowKind::nonholonomic;
  }
  void prepare(const gauss::Pattern& pattern) {
    lambda_.setZero(pattern.m());
    force_.setZero(pattern.n());
    per_epsilon_.setZero(pattern.m());
    for (int i = 0; i < pattern.m(); ++i) {
      const double T = pattern.position_size[index(i)] / pattern.velocity_size[index(i)];
      const double scale = pattern.row_scale[index(i)];
      const double automatic = share_ * T * (holonomic(pattern, i) ? T : 1) / (scale * scale);
      per_epsilon_[i] = 1 / (epsilon_ > 0 ? epsilon_ : automatic);
    }
  }

  double epsilon_, share_;
  Vector lambda_, force_, per_epsilon_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_penalty(const Settings& settings) { return std::make_unique<Penalty>(settings); }

}  // namespace mortise::stabilize
