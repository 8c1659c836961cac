// The same model by many methods: which answers are right, until when, and what they cost. What the papers' tables say
// of their examples, for any model.
//
// Every case is a run of its own; its frames are compared with those of a reference run at a much tighter tolerance. A
// method that cannot do the case stays in the table with the reason.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

struct Method {
  std::string formulation, pseudoinverse;  // pseudoinverse "": of the formulation, or none
  std::string stabilize, coordinates, integrator;
  double tolerance = 0;
  double rank_tolerance = 0;  // 0: of the model

  bool operator==(const Method&) const = default;
};

// The sets to combine. An empty set stands for the model's own setting; of formulations and pseudoinverses for all
// (searches only when named).
struct MethodSets {
  std::vector<std::string> formulations, pseudoinverses, stabilize, coordinates, integrators;
  std::vector<double> tolerances, rank_tolerances;
};

// Every combination, in the order of the sets; formulations without a pseudoinverse appear once. Throws ModelError
// (M207) for unknown names.
std::vector<Method> combine(const MethodSets& sets, const model::AnalysisSettings& settings);

struct CompareOptions {
  double within = 1e-2;  // an answer is right while poses are nearer to the reference: share of the model's length, rad
  int repeat = 1;        // runs of each case; times are medians
  int jobs = 1;          // cases side by side
  double limit = 60;     // CPU seconds for a run
  double reference_tolerance = 1e-12;
  const std::atomic<int>* interrupt = nullptr;
  // After each case, from any thread but one at a time: how many are done.
  std::function<void(int done, int all)> progress;
};

struct CaseResult {
  Method method;
  bool ran = false;          // to its end; otherwise `reason` says why not
  std::string reason;        // "rows depend on one another", "stopped after 60 s", …
  double reached = 0;        // model time of the last frame
  double correct_until = 0;  // time of the last frame before the first wrong one
  bool correct = false;      // right up to the end
  double error = 0;          // largest pose error up to the last frame
  double end_error = 0;      // at the last frame
  double sum_phi2 = 0;       // Σφ² at the last frame
  long evaluations = 0, steps = 0, rank = 0;
  double cpu = 0;            // seconds, median
  double flops = 0;          // of one solve; 0: not counted
  double energy_error = 0;   // relative
  std::vector<double> last;  // pose of all bodies at the last frame, as in Frame::pose
};

struct Comparison {
  std::vector<CaseResult> cases;
  double until = 0;
  double reference_error = 0;  // how far two references at tolerances a factor 10 apart differ at the end
  double reference_until = 0;  // up to where they agree within a tenth of `within`
  int rows = 0, coordinates = 0;
};

Comparison compare(const mechanism::Mechanism& mechanism, const std::vector<Method>& methods,
                   const CompareOptions& options);

// Tables of a comparison. `csv` has every number in full, one line a case: work-precision data.
std::string compare_table(const Comparison& comparison);
std::string compare_markdown(const Comparison& comparison);
std::string compare_csv(const Comparison& comparison);

}  // namespace mortise::analysis
