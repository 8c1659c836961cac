// The genetic search for the minimum of the Gauss function: runs (search.h) of a generational algorithm. In each run
// (6400 values, 64 generations of 100, at the defaults) individuals are scattered over c ± r; the centre is one of
// them, so that a run begins with what the last one found.
//
// The double pendulum of the source from ±50, error of an acceleration of 32 (100 seeds; islands 40; median and worst):
//     global, 8 runs  1e-4, 6e-3        cellular, 8 runs  3e-5, 5e-3        4 islands, 10 runs  8e-7, 6e-5
// for 51 200, 51 200 and 256 000 values of the function. A direct formulation has fifteen digits for the cost of
// twenty.
//
// The result is a function of the problem, the settings and the stream, the same bits on every machine and for any
// number of threads: islands have streams of their own and meet in the order of their numbers.
// Source: specs/gigsp-and-genetic.md §3, §5.2–5.4 of the source, Table 5.1.
// Cost: runs · islands · 6400 · (2n² + 2nm).
#pragma once

#include <cstdint>
#include <vector>

#include "mortise/gauss/population.h"
#include "mortise/gauss/search.h"
#include "mortise/gauss/workers.h"

namespace mortise::gauss {

class GeneticSearch final : public Search {
 public:
  GeneticSearch(int n, int m, const GeneticSettings& settings);

 private:
  void begin(std::uint64_t stream) override;
  void run(const GaussFunction& f) override;
  void evaluate(const GaussFunction& f, Population& population);
  void migrate();

  std::vector<Population> islands_;
  Workers workers_;
  Vector candidate_;
  std::vector<Population::Genes> migrant_genes_;
  std::vector<double> migrant_values_;
};

// The search from zero at the first instant, as the source prints it: a line a run.
std::vector<SearchRun> table_of_runs(GaussFunction& f, const GeneticSettings& settings);

}  // namespace mortise::gauss
