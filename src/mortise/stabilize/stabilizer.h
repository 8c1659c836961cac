// The registry of stabilisations.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/motion/stabilizer.h"

namespace mortise::stabilize {

struct Gains {
  double alpha = 10, beta = 10, gamma = 10;
};

// Which equations a projection fulfils.
struct Levels {
  bool position = true, velocity = true, acceleration = false;
};

struct Settings {
  Gains gains{};
  std::vector<Gains> row_gains{};  // of each row, where they differ; else empty
  Metric metric = Metric::mass;    // of projections
  Levels levels{};                 // of projections
  bool partition_once = false;     // coordinates are partitioned at the start only
  double epsilon = 0;              // of a penalty; 0: automatic, from the tolerance of the run
  double tolerance = 1e-8;         // of the run
  double norm_tolerance = 0;       // how well a partition fulfils the constraints (scaled); 0: to rounding
};

struct StabilizerEntry {
  std::string name;
  std::string help;  // one line
  std::unique_ptr<Stabilizer> (*make)(const Settings&);
};
const std::vector<StabilizerEntry>& stabilizers();
// Throws std::invalid_argument for names that are not known.
std::unique_ptr<Stabilizer> make_stabilizer(const std::string& name, const Settings& settings = {});

}  // namespace mortise::stabilize
