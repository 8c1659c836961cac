// Gauss' principle by genetic search: of the accelerations drawn, crossed and mutated, the one of least Z₁ (penalty.h,
// genetic_search.h). No equations are solved for it, rows may depend on one another, and M may be singular.
//
// A laboratory method, with the accuracy of one, whatever the tolerance of the integrator (use a fixed step). On the
// double pendulum (n = 4, accelerations of order 30): 1e-3 from a cold start in any pose, 0.3 in the worst evaluation
// of a warm one, 1e-4 rad after a second of motion in steps of 0.01 s. The genome has 16n bits: for systems of a few
// coordinates.
//
// What is not the search itself, a warm start, the multipliers: search_factor.h.
//
// Source: specs/gigsp-and-genetic.md §3, eqs. (5.2)–(5.6) and §5.2–5.4 of the source.
// Cost: 6400 values of 2n² + 2nm a run and island: 8 runs at first, then 3 a solve.
#pragma once

#include "mortise/gauss/formulation.h"
#include "mortise/gauss/genetic_settings.h"

namespace mortise::gauss {

class Genetic final : public Formulation {
 public:
  // Islands when more than one is asked for.
  explicit Genetic(const FormulationSettings& settings);
  explicit Genetic(const GeneticSettings& settings) : settings_(settings) {}
  std::string name() const override;
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  GeneticSettings settings_;
};

// The same with one population on a torus.
std::unique_ptr<Formulation> make_cellular(const FormulationSettings& settings);

}  // namespace mortise::gauss
