// mortise run model.yaml -o out.h5: the analysis that the model names. Motions leave a result file; reports of other
// analyses are in run_report.cpp.
#include <fmt/format.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "mortise/analysis/checkup.h"
#include "mortise/analysis/kinds.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/live.h"
#include "mortise/cli/progress.h"
#include "mortise/cli/run_report.h"
#include "mortise/cli/run_summary.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/results.h"
#include "mortise/io/results_layout.h"

namespace mortise::cli {

namespace {

constexpr std::size_t many_bodies = 1000;  // from here on the summary tells what memory they take

struct RunOptions {
  std::string model, output, loops;
  std::vector<std::string> settings;
  bool resume = false, quiet = false, json = false;
  LiveOptions live;
};

class FileCheckpoints final : public analysis::CheckpointSink {
 public:
  FileCheckpoints(const std::string& path, io::CheckpointIdentity identity) : writer_(path, identity) {}
  void checkpoint(const State& state, std::uint64_t frames) override { writer_.write(state, frames); }

 private:
  io::CheckpointWriter writer_;
};

std::string size_text(const std::string& path) {
  std::error_code error;
  const auto bytes = static_cast<double>(std::filesystem::file_size(path, error));
  if (error) return "?";
  return bytes < 1e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.1f} MB", bytes / 1e6);
}

// What a failed run leaves behind.
std::string kept(const std::string& path) {
  io::ResultReader reader(path);
  analysis::Frame last;
  reader.read_frame(reader.frames() - 1, last);
  return fmt::format("{}, {} up to t = {:.6g} s", path, counted(static_cast<long>(reader.frames()), "frame"), last.t);
}

// The short diagnosis, without what only `mortise check` shows.
analysis::DiagnoseOptions in_short() {
  analysis::DiagnoseOptions options;
  options.kinds = options.relaxations = false;
  options.most_motions = 0;
  return options;
}

// What `mortise check` would say, in short. What cannot be diagnosed fails in the run, with its own message.
void print_diagnosis(const mechanism::Mechanism& m) {
  try {
    const analysis::Checkup checkup = analysis::check_up(m, in_short());
    if (checkup.conflict())
      fmt::print(stderr, "{}", analysis::describe_conflicts(m, checkup.diagnosis));
    else
      fmt::print("{}", analysis::describe_briefly(m, checkup.diagnosis));
    std::fflush(stdout);
  } catch (const SolveError&) {
  }
}

// A quantity worth a look after a driven motion.
std::string probe_example(const mechanism::Mechanism& m, const std::string& kind) {
  if (kind == "inverse-dynamics")
    for (const mechanism::Constraint& c : m.constraints())
      if (c.driver && c.rows == 1) return m.name(c.ref) + ".effort";
  return m.bodies().empty() ? "t" : m.name(m.bodies().back().ref) + ".ax";
}

int run(const RunOptions& o) {
  catch_signals();
  const double memory_before = peak_memory();
  const auto mechanism = load(o.model, o.settings, o.loops);
  const model::Model& model = mechanism->model();
  const analysis::AnalysisKind& kind = analysis::find_analysis(model.analysis.type, model.analysis.place_type);
  if (!kind.run && o.live.on) {
    fmt::print(stderr, "error: --live shows motions; an analysis of type '{}' leaves none (mortise list analyses)\n",
               kind.name);
    return static_cast<int>(ExitCode::usage);
  }
  if (!kind.run) return run_report(*mechanism, {o.output, o.quiet, o.json});
  const std::string output = o.output.empty() ? std::filesystem::path(o.model).stem().string() + ".h5" : o.output;
  const bool talk = !o.quiet && !o.json;
  if (talk) {
    fmt::print("{}\n", headline(*mechanism));
    std::fflush(stdout);
    if (!o.resume) print_diagnosis(*mechanism);
  }

  analysis::DynamicsOptions options;
  const io::CheckpointIdentity identity{io::hash_text(model.text), io::hash_text(analysis::describe(model.analysis))};
  std::optional<io::Checkpoint> saved;
  if (o.resume) {
    saved = io::read_newest(output, identity);
    if (!saved) {
      std::error_code error;
      if (std::filesystem::exists(output, error) && io::ResultReader(output).finished() &&
          io::ResultReader(output).summary().status == "done") {
        if (talk) fmt::print("{} is complete: nothing to resume\n", output);
        return 0;
      }
      if (talk) fmt::print("no checkpoint beside {}: starts from the beginning\n", output);
    } else if (talk) {
      fmt::print("resumes at t = {:.6g} s ({})\n", saved->state.t, counted(static_cast<long>(saved->frames), "frame"));
    }
  } else {
    io::remove_checkpoints(output);
  }
  io::ResultWriter writer = saved ? io::ResultWriter::resume(output, saved->frames) : io::ResultWriter(output);
  LiveSink sink(writer, output, o.live);
  FileCheckpoints checkpoints(output, identity);
  ProgressLine line;
  options.sink = &sink;
  options.checkpoints = &checkpoints;
  options.interrupt = &signal_received;
  if (saved) {
    options.resume = &saved->state;
    options.resume_frames = saved->frames;
  }
  if (talk && line.shown()) options.progress = [&](const analysis::Progress& p) { line.update(p); };

  std::vector<Stretch> stretches;
  if (!o.quiet)
    options.after_events = [&](const State& state, std::size_t lines) {
      try {
        stretches.push_back({lines, analysis::diagnose(*mechanism, state, in_short())});
      } catch (const SolveError&) {  // what cannot be diagnosed fails in the run, with its own message
      }
    };

  analysis::DynamicsResult result;
  try {
    result = kind.run(*mechanism, options);
  } catch (const SolveError& error) {
    line.clear();
    fmt::print(stderr, "{}\n", render(error.report()));
    if (writer.frames() > 0) {
      fmt::print(stderr, "  kept: {}\n", kept(output));
      sink.stay();
    }
    return static_cast<int>(error.report().exit);
  }
  line.clear();
  if (!result.interrupted) io::remove_checkpoints(output);
  const auto& s = result.summary;
  if (o.json) {
    print_json(*mechanism, result, stretches, output, memory_use(*mechanism, memory_before));
  } else if (talk) {
    if (!saved) {
      print_assembly(*mechanism, result.assembly);
    }
    print_events(*mechanism, result.events, stretches);
    print_poses(*mechanism, result);
    for (const std::string& remark : result.remarks) fmt::print("remark      {}\n", remark);
    // A motion that drivers dictate has no energy to lose.
    const bool integrated = std::isfinite(result.state.work.sum());
    fmt::print("{}  {}, {}, {} rejected, {:.2f} s   {}worst |φ| {:.0e}   {} ({})\n",
               result.interrupted ? "interrupted" : "done       ", counted(s.steps, "step"),
               counted(s.evaluations, "evaluation"), s.failed_steps, s.cpu_total,
               integrated ? fmt::format("energy drift {:.1e}   ", s.energy_drift) : "", s.worst_position, output,
               size_text(output));
    if (mechanism->bodies().size() >= many_bodies) print_memory(memory_use(*mechanism, memory_before));
    if (model.output.restricted)
      fmt::print(
          "kept        {} of {}, {} of {} in each frame (output: bodies, joints)\n", mechanism->output_bodies().size(),
          counted(static_cast<long>(mechanism->bodies().size()), "body", "bodies"), mechanism->output_joints().size(),
          counted(static_cast<long>(mechanism->constraints().size()), "joint"));
    if (result.interrupted)
      fmt::print("at t = {:.6g} s; go on with: mortise run {} -o {} --resume\n", result.state.t, o.model, output);
    else
      fmt::print("next: mortise view {0} · mortise plot {0} · mortise probe {0} {2} --at {1:g}\n", output,
                 model.analysis.until, kind.name == "dynamics" ? "energy.total" : probe_example(*mechanism, kind.name));
  }
  std::fflush(stdout);
  const int code = result.interrupted ? 128 + signal_received.load() : 0;
  sink.stay();
  return code;
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* command =
      app.add_subcommand("run", "carry out the analysis of a model (analysis.type) and write its results");
  command->add_option("model", o->model, "model file (YAML, or URDF, MJCF)")->required();
  add_loops(*command, o->loops);
  command->add_option(
      "-o,--output", o->output,
      "result file (default: MODEL.h5 here; of a sweep: a CSV file, of statics and modes: only where given)");
  command->add_option("--set", o->settings, "override a parameter or any path: N=40, analysis.until=10")
      ->allow_extra_args(false);
  command
      ->add_option_function<std::string>(
          "--branch", [o](const std::string& branch) { o->settings.push_back("analysis.branch=" + branch); },
          "at singular poses: smooth (straight on, the default) or other")
      ->check(CLI::IsMember({"smooth", "other"}));
  command->add_flag("--resume", o->resume, "go on from the last checkpoint, bit by bit");
  CLI::Option* live = command->add_flag("--live", o->live.on, "show the motion in a browser while it is computed");
  command->add_option("--port", o->live.port, "of the viewer: this one instead of any that is free")
      ->check(CLI::Range(1, 65535))
      ->needs(live);
  command->add_flag("!--no-browser", o->live.browser, "print the viewer's address only")->needs(live);
  command->add_flag("-q,--quiet", o->quiet, "print only errors");
  command->add_flag("--json", o->json, "print the summary as JSON");
  command->callback([o, &outcome] { outcome.code = run(*o); });
}

}  // namespace mortise::cli
