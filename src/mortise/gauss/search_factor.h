// The factor of every formulation that searches: it poses the Gauss function in coordinates x of a = d∘T x, with masses
// of one and axes along and across the rows (row_axes.h), and leaves the finding to a Search.
//
// At the first instant it starts from zero, with ranges as wide as loads and rows suggest (natural_range;
// GeneticSettings::range for those of the source, ±50). Later ones continue from the last accepted step,
//     c = a(prev),   r = max(2 |a(prev) − a(prev−1)|, 1e-3 of the natural range),
// with a few runs only, unless zero is the better start. Solves with Q = 0, as projections are, are no instants of the
// motion: they start from zero and are not continued from. The stream of random numbers is that of the step, so between
// two steps a solve is a function of its arguments.
//
// λ is the shortest of those nearest to Aᵀλ = Q − M a, by conjugate gradients: as accurate as a. (The penalty's own
// 2W (A a − b) is not: an error of 1e-6 in a row becomes one of 200 in its force.) Rows that no acceleration meets are
// reported as conflicting; found by least squares, not by the search.
//
// Source: specs/gigsp-and-genetic.md §3, eqs. (5.2)–(5.6) and §5.2–5.4 of the source.
#pragma once

#include <memory>

#include "mortise/gauss/formulation.h"
#include "mortise/gauss/search.h"

namespace mortise::gauss {

Capabilities search_capabilities();
std::unique_ptr<Factor> make_search_factor(const Pattern& pattern, const GeneticSettings& settings,
                                           std::unique_ptr<Search> search);

}  // namespace mortise::gauss
