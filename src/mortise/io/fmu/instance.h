// One instance of an exported unit: a Simulation, driven by numbers.
//
// Parameters are those of the model file and may be set until the initialisation; inputs hold from the present on;
// outputs are named quantities. The state is that of checkpoints: saved, restored or serialised, the run goes on with
// the same bits.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "mortise/analysis/simulation.h"

namespace mortise::io {

class FmuInstance {
 public:
  // Throws ModelError for a model that cannot be read, std::runtime_error where the resources are not those of the
  // guid.
  FmuInstance(const std::string& resources, const std::string& guid);

  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  void begin();  // compiles and assembles with the parameters and inputs set so far
  void reset();  // as after the constructor
  bool running() const { return simulation_ != nullptr; }
  double t() const { return simulation_ ? simulation_->t() : 0; }

  double get(unsigned reference);
  void set(unsigned reference, double value);
  void advance_to(double t) { simulation_->advance_to(t); }

  struct Saved {
    State state;
    std::vector<double> inputs, parameters;
  };
  Saved save();
  void restore(const Saved& saved);
  std::vector<std::byte> serialize(const Saved& saved) const;
  Saved deserialize(const std::byte* bytes, std::size_t size) const;

 private:
  std::uint64_t identity() const;

  std::string text_;
  std::vector<std::string> outputs_, input_names_, parameter_names_;
  std::vector<double> inputs_, parameters_, given_inputs_, given_parameters_;
  double tolerance_ = 0;
  std::unique_ptr<analysis::Simulation> simulation_;
};

}  // namespace mortise::io
