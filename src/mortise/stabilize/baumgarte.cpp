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
  explicit Baumgarte(const Settings& settings) : gains_(settings.gains), row_gains_(settings.row_gains) {}
  std::string name() const override { return "baumgarte"; }
  void before_solve(Evaluation& e) override {
    const gauss::Pattern& pattern = *e.problem.pattern;
    for (int i = 0; i < pattern.m(); ++i) {
      const bool holonomic = pattern.rows[static_cast<std::size_t>(i)].kind == gauss::RowKind::holonomic;
      const Gains& g = row_gains_.empty() ? gains_ : row_gains_[static_cast<std::size_t>(i)];
      e.problem.b[i] -= holonomic ? 2 * g.alpha * e.phidot[i] + g.beta * g.beta * e.phi[i] : g.gamma * e.phidot[i];
    }
  }

 private:
  Gains gains_;
  std::vector<Gains> row_gains_;
};

}  // namespace

std::unique_ptr<Stabilizer> make_baumgarte(const Settings& settings) { return std::make_unique<Baumgarte>(settings); }

}  // namespace mortise::stabilize
