// What a genetic search can be told. Defaults: the source's population, length of a run and rates, with ranges and
// weights that adapt (specs/gigsp-and-genetic.md §3 and §6, E5). Measured on the double pendulum from ±50, 8 runs, 100
// seeds: with ranges that shrink to 0.2 and a weight that grows through all 8 runs the worst error is 6e-3; with 0.3
// and 6 runs, as the sheet proposes, every fifth seed ends beyond 1e-2 (ranges then are too wide for the weight).
#pragma once

#include <cstdint>

namespace mortise::gauss {

struct GeneticSettings {
  // global: one population, values on all threads; island: several, with ring migration; cellular: one on a torus.
  enum class Variant { global, island, cellular } variant = Variant::global;
  int population = 100;     // of each island; cellular: a square number
  int evaluations = 6400;   // of each island in a run
  double crossover = 0.6;   // probability a pair; cellular: always
  double mutation = 0.001;  // probability a bit

  int runs = 8;              // at the first instant; more, up to twice as many, while a result lies at an edge
  int warm_runs = 3;         // continuing from the last instant
  double range = 0;          // half width of the ranges at the first instant; 0: from the loads and rows
  double shrink = 0.2;       // of a range from run to run
  double edge = 0.9;         // a result this far out widens the range instead:
  double grow = 2;           // by this
  double first_weight = 10;  // of the constraints in the first run of all; grows by constant factors
  double weight = 1e8;       // from the eighth run on, or the last if there are fewer

  int islands = 4;          // variant island
  int migration_every = 8;  // generations
  int migrants = 2;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: all; the result does not depend on it
};

}  // namespace mortise::gauss
