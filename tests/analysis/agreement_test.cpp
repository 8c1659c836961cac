// Every formulation that applies accelerates every example mechanism alike, along its motion.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "mortise/linalg/pseudoinverse.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

std::vector<std::string> example_names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(MORTISE_SOURCE_DIR "/examples"))
    if (file.path().extension() == ".yaml") names.push_back(file.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

TEST(AgreementAlongMotions, OfEveryExampleInEveryFormulationAndPseudoinverse) {
  std::map<std::string, double> worst;
  for (const std::string& name : example_names()) {
    const auto m = compile_example(name);
    model::AnalysisSettings settings = m->model().analysis;
    settings.tolerance = 1e-8;
    Recorder recorder;
    analysis::DynamicsOptions options;
    options.sink = &recorder;
    options.settings = &settings;
    analysis::run_dynamics(*m, options);
    const auto none = stabilize::make_stabilizer("none");
    const auto reference = gauss::make_formulation("udwadia-kalaba");
    Motion truth(*m, *reference, *none, {});
    for (const gauss::FormulationEntry& entry : gauss::formulations()) {
      const gauss::Capabilities can = entry.make({})->can();
      if (can.search || entry.name == "auto") continue;
      std::vector<std::string> inverses{""};
      if (can.pseudoinverse)
        for (const auto& inverse : linalg::pseudoinverses())
          if (!inverse.squares) inverses.push_back(inverse.name);
      for (const std::string& inverse : inverses) {
        gauss::FormulationSettings how;
        how.pseudoinverse = inverse;
        const auto formulation = entry.make(how);
        Motion motion(*m, *formulation, *none, {});
        gauss::GaussSolution expected, solution;
        expected.resize(m->pattern());
        solution.resize(m->pattern());
        for (std::size_t k = 0; k < recorder.frames.size(); k += std::max<std::size_t>(1, recorder.frames.size() / 4)) {
          const analysis::Frame& frame = recorder.frames[k];
          State state = m->initial_state();
          state.t = frame.t;
          state.q = frame.q;
          state.v = frame.v;
          truth.accelerate(state, expected);
          if (!can.redundant_rows && expected.rank.redundant() > 0) continue;
          motion.accelerate(state, solution);
          // What rounding leaves of the weakest direction: times its inverse, or the square of it where S or X is
          // formed.
          const double s = expected.rank.smallest_kept;
          const bool squared = entry.name == "lagrange" || entry.name == "least-squares-1" || entry.name == "direct";
          const double bound = std::max(1e-9, 1e-13 / (squared ? s * s : s));
          const double error = (solution.a - expected.a).norm() / (expected.a.norm() + 1);
          EXPECT_LT(error, bound) << name << " at " << frame.t << " by " << entry.name << " " << inverse << ", s " << s;
          if (bound == 1e-9) worst[entry.name] = std::max(worst[entry.name], error);
        }
      }
    }
  }
  for (const auto& [name, error] : worst) std::printf("%-24s %.1e\n", name.c_str(), error);
}

}  // namespace
}  // namespace mortise::test
