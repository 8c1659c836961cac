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

enum class Weight { mass, identity };

struct Settings {
  Gains gains;
  std::vector<Gains> row_gains;  // of each row, where they differ; else empty
  Weight weight = Weight::mass;  // metric of projections
  bool partition_once = false;   // coordinates are partitioned at the start only
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
