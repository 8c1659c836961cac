#include "mortise/io/fmu/instance.h"

#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "mortise/io/checkpoint.h"
#include "mortise/io/fmu/plan.h"
#include "mortise/io/results_layout.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::io {

namespace {

std::string read_resource(const std::string& folder, const char* name) {
  std::ifstream file(folder + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error(fmt::format("{}/{} cannot be opened", folder, name));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

FmuInstance::FmuInstance(const std::string& resources, const std::string& guid) {
  text_ = read_resource(resources, fmu_model_file);
  std::istringstream lines(read_resource(resources, fmu_outputs_file));
  std::string stored, line;
  std::getline(lines, stored);
  while (std::getline(lines, line)) outputs_.push_back(line);
  if (stored != guid || guid != fmu_guid(text_, outputs_))
    throw std::runtime_error(fmt::format("the guid {} is not that of the model in {}", guid, resources));
  const model::Model model = load_model_text(text_, fmu_model_file, mechanism::catalogue());
  input_names_ = model.input_names;
  parameter_names_ = model.parameter_names;
  given_inputs_ = inputs_ = model.input_values;
  given_parameters_ = parameters_ = model.parameter_values;
}

void FmuInstance::begin() {
  std::vector<std::string> settings;
  for (std::size_t k = 0; k < parameters_.size(); ++k)
    if (parameters_[k] != given_parameters_[k])
      settings.push_back(fmt::format("{}={}", parameter_names_[k], parameters_[k]));
  model::Model model = load_model_text(text_, fmu_model_file, mechanism::catalogue(), settings);
  if (tolerance_ > 0) model.analysis.tolerance = tolerance_;
  simulation_ = std::make_unique<analysis::Simulation>(std::move(model));
  for (std::size_t k = 0; k < inputs_.size(); ++k) simulation_->set(input_names_[k], inputs_[k]);
}

void FmuInstance::reset() {
  simulation_.reset();
  inputs_ = given_inputs_;
  parameters_ = given_parameters_;
  tolerance_ = 0;
}

double FmuInstance::get(unsigned reference) {
  if (reference >= first_output && reference - first_output < outputs_.size()) {
    if (!simulation_) throw std::runtime_error("outputs are known from the initialisation on");
    return simulation_->get(outputs_[reference - first_output]);
  }
  if (reference >= first_parameter && reference - first_parameter < parameters_.size())
    return parameters_[reference - first_parameter];
  if (reference < inputs_.size()) return inputs_[reference];
  throw std::runtime_error(fmt::format("there is no variable with the value reference {}", reference));
}

void FmuInstance::set(unsigned reference, double value) {
  if (reference < inputs_.size()) {
    if (simulation_) simulation_->set(input_names_[reference], value);
    inputs_[reference] = value;
  } else if (reference >= first_parameter && reference - first_parameter < parameters_.size()) {
    if (simulation_) throw std::runtime_error("parameters are fixed from the initialisation on");
    parameters_[reference - first_parameter] = value;
  } else {
    throw std::runtime_error(fmt::format("there is no input or parameter with the value reference {}", reference));
  }
}

FmuInstance::Saved FmuInstance::save() {
  if (!simulation_) throw std::runtime_error("a state exists from the initialisation on");
  return {simulation_->state(), inputs_, parameters_};
}

void FmuInstance::restore(const Saved& saved) {
  if (saved.parameters != parameters_ || !simulation_) {
    parameters_ = saved.parameters;
    inputs_ = saved.inputs;
    begin();
  }
  simulation_->restore(saved.state);
  inputs_ = saved.inputs;
}

std::uint64_t FmuInstance::identity() const { return hash_text(text_); }

// The checkpoint of a run, with the inputs and parameters in a slot of its memory.
std::vector<std::byte> FmuInstance::serialize(const Saved& saved) const {
  State state = saved.state;
  const Span own = state.memory.slot("fmu", saved.inputs.size() + saved.parameters.size());
  std::copy(saved.inputs.begin(), saved.inputs.end(), own.begin());
  std::copy(saved.parameters.begin(), saved.parameters.end(), own.begin() + std::ssize(saved.inputs));
  std::vector<std::byte> bytes;
  encode(state, 0, 0, {identity(), 0}, bytes);
  return bytes;
}

FmuInstance::Saved FmuInstance::deserialize(const std::byte* bytes, std::size_t size) const {
  const auto checkpoint = decode(std::vector<std::byte>(bytes, bytes + size));
  if (!checkpoint) throw std::runtime_error("these bytes are no state of Mortise, or not all of it");
  if (checkpoint->identity.model != identity()) throw std::runtime_error("this state is of another model");
  const ConstSpan own = checkpoint->state.memory.read("fmu");
  if (own.size() != inputs_.size() + parameters_.size()) throw std::runtime_error("this state is of another model");
  Saved saved{checkpoint->state, {}, {}};
  saved.inputs.assign(own.begin(), own.begin() + std::ssize(inputs_));
  saved.parameters.assign(own.begin() + std::ssize(inputs_), own.end());
  return saved;
}

}  // namespace mortise::io
