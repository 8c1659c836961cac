// The YAML file beside a robot file: what the robot file cannot say (import.h).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "mortise/io/import/draft.h"

namespace mortise::io {

struct Sidecar {
  struct Position {
    double value = 0;
    Place place;
    mutable bool used = false;
  };
  model::Node sections;  // joints, forces, analysis, …
  bool floating_base = false;
  bool limits = true;
  std::map<std::string, Position> positions;  // by joints of the robot file
};

// Throws ModelError (M709) for what does not belong into a sidecar.
Sidecar read_sidecar(const model::Node& root);

// Puts its sections behind those of the import. M709 for a name that both have.
void merge_sidecar(const Sidecar& sidecar, model::Node& root);

}  // namespace mortise::io
