// All that outlives a step: copy it, hash it, write it to a checkpoint.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise {

// Named slots of doubles for whatever must survive a checkpoint beyond (t, q, v): multistep history, step size,
// counters. A slot is allocated when it is first asked for with its size; writing to it later allocates nothing.
class Memory {
 public:
  Span slot(const std::string& name, std::size_t size);  // created zeroed, or resized when the size differs
  ConstSpan read(const std::string& name) const;         // empty when absent
  bool has(const std::string& name) const;
  const std::map<std::string, std::vector<double>>& slots() const { return slots_; }
  void set(const std::string& name, std::vector<double> values) { slots_[name] = std::move(values); }
  bool operator==(const Memory&) const = default;

 private:
  std::map<std::string, std::vector<double>> slots_;
};

// The work done since the start, integrated along with the motion so that the energy balance can be drawn:
//   kinetic + potential + dissipated − applied − constraint = constant.
enum Work : int { work_dissipated = 0, work_applied = 1, work_constraint = 2, work_count = 3 };

struct State {
  double t = 0;
  Vector q, v;
  Vector lambda;                      // last multipliers
  Vector work;                        // work_count entries
  Vector inputs;                      // numbers given from outside, constant within a step
  std::vector<unsigned char> active;  // one per constraint row
  Memory memory;
};

}  // namespace mortise
