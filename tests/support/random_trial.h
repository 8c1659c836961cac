// What becomes of random models: each has to take ten steps with finite numbers and held constraints, or to be refused
// by an error with a code that names an item. Anything else is a defect.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mortise/model/builder.h"

namespace mortise::test {

struct Trial {
  std::string code;                // of the error that refused it; "" = it ran
  std::string defect;              // "" = none
  std::vector<std::string> parts;  // "section type" of its items, when it was compiled
};
Trial try_assembly(const model::ModelBuilder& model);  // no further than the start
Trial try_model(const std::string& text);

struct Census {
  int models = 0, ran = 0;
  std::map<std::string, int> refused;  // by code
  std::map<std::string, int> parts;    // in how many models that ran
  std::vector<std::string> defects;    // what, and the model
  std::string str() const;
};
// The models of the seeds first, first + 1, …. One that crashes or takes more than 5 s of processor time is printed
// before the process ends.
Census try_random_models(std::uint64_t first, int count);

}  // namespace mortise::test
