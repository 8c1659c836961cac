// Baumgarte: the constraint error obeys a damped oscillator,
//
//   holonomic rows     φ̈ + 2α φ̇ + β² φ = 0:   b ← b − 2α φ̇ − β² φ
//   nonholonomic rows  ψ̇ + γ ψ = 0:           b ← b − γ ψ
//
// Source: specs/formulations.md §2 (9). Cost: O(m).
#include "mortise/stabilize/kinds.h"

namespace mortise::stabilize {
namespace {

class Baumgarte final : public Stabilizer {
 public:
  explicit Baumgarte(const Gains& gains) : gains_(gains) {}
  std::string name() const override { return "baumgarte"; }
  void before_solve(Evaluation& e) const override {
    const gauss::Pattern& pattern = *e.problem.pattern;
    for (int i = 0; i < pattern.m(); ++i) {
      const bool holonomic = pattern.rows[static_cast<std::size_t>(i)].kind == gauss::RowKind::holonomic;
      e.problem.b[i] -= holonomic ? 2 * gains_.alpha * e.phidot[i] + gains_.beta * gains_.beta * e.phi[i]
                                  : gains_.gamma * e.phidot[i];
    }
  }

 private:
  Gains gains_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_baumgarte(const Gains& gains) { return std::make_unique<Baumgarte>(gains); }

}  // namespace mortise::stabilize
