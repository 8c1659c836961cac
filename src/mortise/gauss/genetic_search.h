// The genetic search for the minimum of the Gauss function: runs of a generational algorithm whose ranges move to the
// best individual and shrink, while the weight of the constraints grows.
//
// In each run (6400 values, 64 generations of 100, at the defaults) individuals are scattered over c ± r; then
//     c ← the best so far,   r_j ← 0.2 r_j,  or 2 r_j where it lies beyond 0.9 r_j,   w ← 10 … 1e8 in equal factors.
// The centre is one of the individuals, so that a run begins with what the last one found.
// The weight has to grow: at w = 1e8 from the start the penalty is a cleft that the first generations never find
// (specs, E5: an error of 35 in the worst of 20 seeds). A result at an edge says that the answer may lie outside: up to
// as many runs again follow until none does.
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

#include <memory>
#include <string>
#include <vector>

#include "mortise/gauss/population.h"
#include "mortise/gauss/workers.h"

namespace mortise::gauss {

// A line of the table of runs: run 0 is the start.
struct SearchRun {
  int run = 0;
  Vector a;           // the best acceleration so far
  double Z1 = 0;      // with the full weight; with its constant ½QᵀM⁻¹Q where M is regular
  double weight = 0;  // that of the run
  double range = 0;   // the widest of the run
};

class GeneticSearch {
 public:
  GeneticSearch(int n, int m, const GeneticSettings& settings);

  // From `centre` with `range` (half widths), `runs` of them at least. `stream` tells instants apart.
  void search(const GaussFunction& f, const Vector& centre, const Vector& range, int runs, std::uint64_t stream);

  const Vector& best() const { return best_; }
  double values() const { return values_; }  // of the function, in the last search
  bool at_edge() const { return at_edge_; }  // the last run still ended at an edge
  // Lines 0 .. of the last search; Z1 without the constant.
  std::span<const SearchRun> table() const { return {table_.data(), static_cast<std::size_t>(lines_)}; }

 private:
  void run_populations(const GaussFunction& f);
  void evaluate(const GaussFunction& f, Population& population);
  void migrate();
  void note(const GaussFunction& f, int run);

  GeneticSettings settings_;
  std::vector<Population> islands_;
  Workers workers_;
  SearchFrame frame_;
  Vector best_, candidate_, work_;
  std::vector<Population::Genes> migrant_genes_;
  std::vector<double> migrant_values_;
  std::vector<SearchRun> table_;
  int lines_ = 0;
  double values_ = 0;
  bool at_edge_ = false;
};

// Half widths that hold the answer as a rule: twice what the loads alone and each row alone would ask of a coordinate,
// |Q_j| / M_jj + Σ_i |A_ij| |e_i − A_i a_f| / (M_jj Σ_k A_ik² / M_kk), and no less than a tenth of the widest.
void natural_range(const GaussFunction& f, Vector& range);

// The search from zero at the first instant, as the source prints it: a line a run.
std::vector<SearchRun> table_of_runs(GaussFunction& f, const GeneticSettings& settings);
std::string print(const std::vector<SearchRun>& table);

}  // namespace mortise::gauss
