// Sweep: one analysis of one model, again and again with other numbers, and one table of what came out.
//
// Points are those of a grid (the last path varies fastest) or drawn at random from a seed; all are fixed before the
// first case runs, and every case is a mechanism of its own, so the table is the same for any number of jobs. A case
// that fails keeps its line, with the reason. An interrupted sweep keeps the cases that are done.
//
// Motions by rk4 with projection are run side by side (analysis/batch.h) where the case allows it: no events, the
// default formulation, and for max, min and mean frames that lie on the steps. The others are run one by one, as
// always.
#pragma once

#include <atomic>
#include <functional>

#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

struct SweepCase {
  enum class Status { waiting, done, failed };
  Status status = Status::waiting;
  std::vector<double> values;   // of the paths
  std::vector<double> results;  // of the columns; empty unless done
  std::string reason;           // of a failure: "S431: these cannot hold together …"
};

struct SweepTable {
  std::string of;  // the analysis
  std::vector<std::string> paths, columns, units;
  std::vector<SweepCase> cases;
  bool interrupted = false;
  long in_lanes = 0;  // cases that were run side by side
  long count(SweepCase::Status status) const;
};

// A mechanism of the model with settings as `--set` takes them: "L=0.5".
using SweepLoader = std::function<std::unique_ptr<mechanism::Mechanism>(const std::vector<std::string>& settings)>;

struct SweepOptions {
  const std::atomic<int>* interrupt = nullptr;
  std::function<void(long done, long all)> progress;  // called from the thread of a case, one at a time
};

// The points alone.
std::vector<std::vector<double>> sweep_points(const model::SweepSettings& settings);

// Columns: quantities at the end of a motion or at the equilibrium; `max(…)`, `min(…)` and `mean(…)` over the frames of
// a motion; of modes `mode1.frequency`, `mode1.damping`, …. Throws ModelError before the first case: M160 for a
// quantity that does not exist, M473 where nothing is varied or wanted, M474 for a wrong column, M475 for an analysis
// that cannot be swept, M611 for a path that does not exist.
SweepTable run_sweep(const model::SweepSettings& settings, const SweepLoader& load, const SweepOptions& options = {});

std::string sweep_csv(const SweepTable& table);   // every digit; failed cases with empty columns and their reason
std::string sweep_text(const SweepTable& table);  // for people

}  // namespace mortise::analysis
