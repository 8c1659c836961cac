#include "mortise/analysis/checkup.h"

#include "mortise/analysis/methods.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

namespace {

constexpr int dense = 600;  // columns up to which it is cheap

bool fulfils(const mechanism::Mechanism& m, const State& state, AssemblyReport& report) {
  const auto scratch = m.make_scratch();
  Evaluation e;
  e.resize(m.pattern());
  m.evaluate(state, need_dynamics, *scratch, e);
  report.position_error = scaled_max(e.phi, m.pattern().position_size);
  report.velocity_error = scaled_max(e.phidot, m.pattern().velocity_size);
  return report.position_error <= met && report.velocity_error <= met;
}

}  // namespace

Checkup check_up(const mechanism::Mechanism& m, DiagnoseOptions options) {
  Checkup out;
  const model::AnalysisSettings& settings = m.model().analysis;
  options.rank = rank_policy(settings);
  out.state = m.initial_state();
  if (m.v_size() <= dense || !fulfils(m, out.state, out.assembly)) {
    try {
      out.assembly = assemble(m, out.state,
                              {settings.assemble, settings.allow_flip, options.rank, assembly_formulation(settings)});
    } catch (const SolveError& error) {
      if (error.report().code != "S431") throw;
      out.assembled = false;
      // The compromise is found to a few digits only, and so are the dependencies there. A narrow cut first: it takes
      // rows that are dependent anyway; a wide one where rows become dependent at the compromise only.
      for (const double cut : {1e-9, 1e-6, 1e-4, 1e-3}) {
        options.rank.fixed = cut;
        out.diagnosis = diagnose(m, out.state, options);
        if (!out.diagnosis.conflicts.empty()) return out;
      }
      throw;
    }
  }
  out.diagnosis = diagnose(m, out.state, options);
  return out;
}

}  // namespace mortise::analysis
