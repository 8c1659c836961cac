// mortise probe out.h5 QUANTITY… --at T: numbers from a result, between its frames too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mortise/analysis/between.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/quantity.h"
#include "mortise/cli/commands.h"
#include "mortise/gauss/formulation.h"
#include "mortise/io/results.h"

namespace mortise::cli {

namespace {

struct ProbeOptions {
  std::string input;
  std::vector<std::string> quantities;
  std::vector<double> at;
  bool json = false;
};

int probe(const ProbeOptions& o) {
  io::ResultReader reader(o.input);
  const auto m = load_text(reader.header().model_text, o.input + ":model");
  if (reader.frames() == 0) throw ResultError(o.input, "holds no frame yet");
  const std::vector<analysis::Quantity> quantities = find_quantities(*m, reader, o.quantities);

  const model::AnalysisSettings& settings = m->model().analysis;
  const auto formulation = analysis::make_formulation(settings);
  const auto stabilizer = analysis::make_stabilizer(settings, *m);
  Motion motion(*m, *formulation, *stabilizer, analysis::rank_policy(settings));
  State state = m->initial_state();
  motion.set_active(state.active);
  analysis::Observer observer(*m, motion, stabilizer->projects());
  analysis::ReactionRule rule(*m, settings.reactions, analysis::rank_policy(settings));
  observer.set_rule(&rule);

  const std::vector<double> times = reader.times();
  std::vector<double> at = o.at;
  if (at.empty()) at.push_back(times.back());
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const double t : at) {
    if (!(t >= times.front() && t <= times.back()))
      throw ResultError(o.input,
                        fmt::format("has no t = {:g}: it covers {:g} … {:g} s", t, times.front(), times.back()));
    analysis::Frame frame;
    mechanism::Motions motions;
    // Of the two frames at the time of an event, the one after it.
    auto next = std::lower_bound(times.begin(), times.end(), t);
    while (*next == t && next + 1 != times.end() && *(next + 1) == t) ++next;
    const auto index = static_cast<std::uint64_t>(next - times.begin());
    reader.read_frame(index, frame);
    if (frame.t == t) {
      m->motions(as_span(frame.q), as_span(frame.v), motions);
    } else if (reader.header().kept) {
      throw ResultError(
          o.input, fmt::format("has no t = {:g}: it keeps {}, and the motion between frames takes all bodies; nearest "
                               "frames: t = {:g} and {:g} s",
                               t, analysis::describe_kept(reader.header()), *(next - 1), *next));
    } else {
      analysis::Frame before;
      reader.read_frame(index - 1, before);
      if (before.active.size() > 0) {
        for (std::size_t row = 0; row < state.active.size(); ++row)
          state.active[row] = before.active[static_cast<Eigen::Index>(row)] != 0;
        state.inputs = before.inputs;
        motion.set_active(state.active);
        motion.set_inputs(state.inputs);
      }
      analysis::state_between(*m, motion, before, frame, t, state);
      observer.resize(frame);
      observer.observe(state, frame);
      motions = observer.motions();
    }
    nlohmann::ordered_json row{{"t", t}};
    if (!o.json && at.size() > 1) fmt::print("t = {:.17g}\n", t);
    for (const analysis::Quantity& q : quantities) {
      const double value = q.value(frame, motions);
      row[q.name] = value;
      if (!o.json) fmt::print("{:<28} {:< 24.17g} {}\n", q.name, value, q.unit);
    }
    rows.push_back(row);
  }
  if (o.json) fmt::print("{}\n", rows.dump(2));
  return 0;
}

}  // namespace

void add_probe(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ProbeOptions>();
  CLI::App* command = app.add_subcommand("probe", "print quantities of a result at given times, with 17 digits");
  command->add_option("results", o->input, "result file")->required();
  command
      ->add_option("quantities", o->quantities,
                   "body.x, body.point.vy, joint.reaction.fx, energy.total, constraint.position …")
      ->required();
  command->add_option("--at", o->at, "times in s (default: the last frame); between frames the motion is interpolated")
      ->delimiter(',');
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = probe(*o); });
}

}  // namespace mortise::cli
