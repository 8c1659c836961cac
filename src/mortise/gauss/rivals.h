// Rivals of the genetic search: differential evolution and CMA-ES of pagmo2, on the same function, in the same runs
// (search.h) and with the same number of values. On the double pendulum of the source from ±50, 20 seeds, both end 5e-7
// from the answer, where the penalty itself has its minimum; the binary code of the source ends at 1.6e-4 (median).
//
// pagmo2 brings Boost along and is under the GPL or LGPL, so nothing of it is linked here: it lives in a module of its
// own (pagmo/, libmortise-pagmo.so next to libmortise), which is built where pagmo2 is installed and loaded when one of
// these formulations is first prepared.
// Source: specs/gigsp-and-genetic.md §3; R. Storn and K. Price, J. Global Optim. 11 (1997); N. Hansen, CMA-ES (2006).
// Cost: that of the genetic search.
#pragma once

#include <memory>
#include <string>

#include "mortise/gauss/formulation.h"
#include "mortise/gauss/search.h"

namespace mortise::gauss {

std::unique_ptr<Formulation> make_differential_evolution(const FormulationSettings& settings);
std::unique_ptr<Formulation> make_cmaes(const FormulationSettings& settings);

// Whether a formulation of this name needs the module.
bool is_rival(const std::string& formulation);
// Why the module cannot be used, in words for a user; empty: it can.
std::string rivals_missing();
// The search itself: `gauss-de` or `gauss-cmaes`. Throws std::runtime_error with the words of rivals_missing.
std::unique_ptr<Search> make_rival_search(const std::string& formulation, int n, int m,
                                          const GeneticSettings& settings);

}  // namespace mortise::gauss
