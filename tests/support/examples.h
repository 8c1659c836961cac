// Runs an example (or a model text) in memory and answers questions about the motion by quantity name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mortise/analysis/dynamics.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::test {

using Settings = std::vector<std::string>;  // as --set takes them: "analysis.tolerance=1e-12"

std::unique_ptr<mechanism::Mechanism> example_mechanism(const std::string& name, const Settings& settings = {});
std::unique_ptr<mechanism::Mechanism> text_mechanism(const std::string& text, const Settings& settings = {});

struct Recording {
  std::unique_ptr<mechanism::Mechanism> mechanism;
  std::vector<analysis::Frame> frames;
  analysis::DynamicsResult result;

  const analysis::Frame& frame(double t) const;  // the frame at t; throws when none was written there
  double at(const std::string& quantity, double t) const;
  double last(const std::string& quantity) const;
  std::vector<double> history(const std::string& quantity) const;
  // Largest distance of a quantity from its first value.
  double spread(const std::string& quantity) const;
};

// By the analysis that the model names, which must be one that gives a motion.
Recording run(std::unique_ptr<mechanism::Mechanism> mechanism);
Recording run_example(const std::string& name, const Settings& settings = {});
Recording run_text(const std::string& text, const Settings& settings = {});

// One line for the log: what a run cost and how well it did.
void report(const std::string& what, const Recording& recording, double error);

}  // namespace mortise::test
