#include "support/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/quantity.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::test {

namespace {

class Tape final : public analysis::Sink {
 public:
  explicit Tape(std::vector<analysis::Frame>& frames) : frames_(frames) {}
  void begin(const analysis::RunHeader&) override {}
  void frame(const analysis::Frame& frame) override { frames_.push_back(frame); }
  void flush() override {}
  void end(const analysis::RunSummary&) override {}

 private:
  std::vector<analysis::Frame>& frames_;
};

std::unique_ptr<mechanism::Mechanism> compile(model::Model model) {
  return mechanism::Mechanism::compile(std::make_shared<const model::Model>(std::move(model)));
}

}  // namespace

std::unique_ptr<mechanism::Mechanism> example_mechanism(const std::string& name, const Settings& settings) {
  const std::string path = std::string(MORTISE_SOURCE_DIR "/examples/") + name + ".yaml";
  return compile(io::load_model(path, mechanism::catalogue(), settings));
}

std::unique_ptr<mechanism::Mechanism> text_mechanism(const std::string& text, const Settings& settings) {
  return compile(io::load_model_text(text, "test.yaml", mechanism::catalogue(), settings));
}

const analysis::Frame& Recording::frame(double t) const {
  for (const analysis::Frame& f : frames)
    if (std::abs(f.t - t) <= 1e-9 * std::max(1.0, std::abs(t))) return f;
  throw std::runtime_error(fmt::format("no frame at t = {}", t));
}

double Recording::at(const std::string& quantity, double t) const {
  const analysis::Frame& f = frame(t);
  mechanism::Motions motions;
  mechanism->motions(as_span(f.q), as_span(f.v), motions);
  return analysis::find_quantity(*mechanism, quantity).value(f, motions);
}

double Recording::last(const std::string& quantity) const { return at(quantity, frames.back().t); }

std::vector<double> Recording::history(const std::string& quantity) const {
  const analysis::Quantity wanted = analysis::find_quantity(*mechanism, quantity);
  mechanism::Motions motions;
  std::vector<double> values;
  for (const analysis::Frame& f : frames) {
    mechanism->motions(as_span(f.q), as_span(f.v), motions);
    values.push_back(wanted.value(f, motions));
  }
  return values;
}

double Recording::spread(const std::string& quantity) const {
  const std::vector<double> values = history(quantity);
  double widest = 0;
  for (double value : values) widest = std::max(widest, std::abs(value - values.front()));
  return widest;
}

Recording run(std::unique_ptr<mechanism::Mechanism> mechanism) {
  Recording out;
  out.mechanism = std::move(mechanism);
  Tape tape(out.frames);
  analysis::DynamicsOptions options;
  options.sink = &tape;
  const analysis::AnalysisKind& kind = analysis::find_analysis(out.mechanism->model().analysis.type);
  out.result = kind.run(*out.mechanism, options);
  return out;
}

Recording run_example(const std::string& name, const Settings& settings) {
  return run(example_mechanism(name, settings));
}

Recording run_text(const std::string& text, const Settings& settings) { return run(text_mechanism(text, settings)); }

void report(const std::string& what, const Recording& recording, double error) {
  const analysis::RunSummary& s = recording.result.summary;
  fmt::print("    {:<40} error {:8.1e}  energy {:8.1e}  |phi| {:8.1e}  {:6} evaluations  {:6.2f} s\n", what, error,
             s.energy_drift, s.worst_position, s.evaluations, s.cpu_total);
}

}  // namespace mortise::test
