// A search for the minimum of the Gauss function in runs, whatever looks for it inside a run: ranges move to the best
// point and shrink, while the weight of the constraints grows. After each run
//     c ← the best so far,   r_j ← 0.2 r_j,  or 2 r_j where it lies beyond 0.9 r_j,   w ← 10 … 1e8 in equal factors.
// The weight has to grow: at w = 1e8 from the start the penalty is a cleft that no first generation finds (specs, E5:
// an error of 35 in the worst of 20 seeds). A result at an edge says that the answer may lie outside: up to as many
// runs again follow until none does.
//
// What runs are made of: a genetic algorithm (genetic_search.h), or differential evolution and CMA-ES (pagmo/).
// The result is a function of the problem, the settings and the stream.
// Source: specs/gigsp-and-genetic.md §3, §5.2–5.4 of the source, Table 5.1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mortise/gauss/genetic_settings.h"
#include "mortise/gauss/penalty.h"

namespace mortise::gauss {

// Where a run looks, and with which weight of the constraints.
struct SearchFrame {
  Vector centre, range;
  double weight = 0;
};

// A line of the table of runs: run 0 is the start.
struct SearchRun {
  int run = 0;
  Vector a;           // the best acceleration so far
  double Z1 = 0;      // with the full weight; with its constant ½QᵀM⁻¹Q where M is regular
  double weight = 0;  // that of the run
  double range = 0;   // the widest of the run
};

class Search {
 public:
  Search(int n, int m, const GeneticSettings& settings);
  virtual ~Search() = default;

  // From `centre` with `range` (half widths), `runs` of them at least. `stream` tells instants apart.
  void search(const GaussFunction& f, const Vector& centre, const Vector& range, int runs, std::uint64_t stream);

  const Vector& best() const { return best_; }
  double values() const { return values_; }  // of the function, in the last search
  bool at_edge() const { return at_edge_; }  // the last run still ended at an edge
  // Lines 0 .. of the last search; Z1 without the constant.
  std::span<const SearchRun> table() const { return {table_.data(), static_cast<std::size_t>(lines_)}; }

 protected:
  // The random numbers of a search begin here.
  virtual void begin(std::uint64_t stream) = 0;
  // Looks for something better than best_ in frame_; counts values_.
  virtual void run(const GaussFunction& f) = 0;

  GeneticSettings settings_;
  SearchFrame frame_;
  Vector best_, work_;  // work_: n + m numbers for GaussFunction::value
  double values_ = 0;

 private:
  void note(const GaussFunction& f, int run);

  std::vector<SearchRun> table_;
  int lines_ = 0;
  bool at_edge_ = false;
};

// Half widths that hold the answer as a rule: twice what the loads alone and each row alone would ask of a coordinate,
// |Q_j| / M_jj + Σ_i |A_ij| |e_i − A_i a_f| / (M_jj Σ_k A_ik² / M_kk), and no less than a tenth of the widest.
void natural_range(const GaussFunction& f, Vector& range);

// A search from zero at the first instant, as the source prints it: a line a run.
std::vector<SearchRun> table_of_runs(GaussFunction& f, Search& search, const GeneticSettings& settings);
std::string print(const std::vector<SearchRun>& table);

}  // namespace mortise::gauss
