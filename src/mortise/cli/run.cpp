// mortise run model.yaml -o out.h5: assembles, simulates, leaves a result file.
#include <fmt/format.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "mortise/analysis/checkup.h"
#include "mortise/analysis/dynamics.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/progress.h"
#include "mortise/io/checkpoint.h"
#include "mortise/io/results.h"
#include "mortise/io/results_layout.h"

namespace mortise::cli {

namespace {

struct Options {
  std::string model, output;
  std::vector<std::string> settings;
  bool resume = false, quiet = false, json = false;
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

void print_assembly(const mechanism::Mechanism& m, const analysis::AssemblyReport& report) {
  if (report.moves.empty() && report.largest_velocity_change < 1e-9) return;
  if (!report.moves.empty()) {
    fmt::print("assembled   {} moved to meet the joints\n",
               counted(static_cast<long>(report.moves.size()), "body", "bodies"));
    for (std::size_t k = 0; k < std::min<std::size_t>(report.moves.size(), 5); ++k) {
      const analysis::BodyMove& move = report.moves[k];
      fmt::print("            {:<16} {:.3g} mm, {:.3g} deg\n",
                 m.name(m.bodies()[static_cast<std::size_t>(move.body)].ref), move.distance * 1e3,
                 move.turn * 180 / M_PI);
    }
  }
  if (report.largest_velocity_change >= 1e-9)
    fmt::print("            stated velocities changed by up to {:.3g} of the typical speed to meet the joints\n",
               report.largest_velocity_change);
}

// What `mortise check` would say, in short. What cannot be diagnosed fails in the run, with its own message.
void print_diagnosis(const mechanism::Mechanism& m) {
  try {
    analysis::DiagnoseOptions options;
    options.kinds = options.relaxations = false;
    options.most_motions = 0;
    const analysis::Checkup checkup = analysis::check_up(m, options);
    if (checkup.conflict())
      fmt::print(stderr, "{}", analysis::describe_conflicts(m, checkup.diagnosis));
    else
      fmt::print("{}", analysis::describe_briefly(m, checkup.diagnosis));
    std::fflush(stdout);
  } catch (const SolveError&) {
  }
}

void print_json(const mechanism::Mechanism& m, const analysis::DynamicsResult& r, const std::string& output) {
  const auto& s = r.summary;
  nlohmann::ordered_json j{{"status", s.status},
                           {"model", m.model().name},
                           {"output", output},
                           {"frames", r.frames},
                           {"coordinates", m.pattern().n()},
                           {"rows", r.rank.rows},
                           {"rank", r.rank.rank},
                           {"degrees_of_freedom", m.pattern().n() - r.rank.rank},
                           {"steps", s.steps},
                           {"failed_steps", s.failed_steps},
                           {"evaluations", s.evaluations},
                           {"energy_drift", s.energy_drift},
                           {"worst_position", s.worst_position},
                           {"worst_velocity", s.worst_velocity},
                           {"cpu_seconds", s.cpu_total},
                           {"cpu_evaluate", s.cpu_evaluate},
                           {"cpu_solve", s.cpu_solve},
                           {"cpu_project", s.cpu_project},
                           {"cpu_output", s.cpu_output}};
  fmt::print("{}\n", j.dump(2));
}

int run(const Options& o) {
  catch_signals();
  const auto mechanism = load(o.model, o.settings);
  const model::Model& model = mechanism->model();
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
  FileCheckpoints checkpoints(output, identity);
  ProgressLine line;
  options.sink = &writer;
  options.checkpoints = &checkpoints;
  options.interrupt = &signal_received;
  if (saved) {
    options.resume = &saved->state;
    options.resume_frames = saved->frames;
  }
  if (talk && line.shown()) options.progress = [&](const analysis::Progress& p) { line.update(p); };

  analysis::DynamicsResult result;
  try {
    result = analysis::run_dynamics(*mechanism, options);
  } catch (const SolveError& error) {
    line.clear();
    fmt::print(stderr, "{}\n", render(error.report()));
    if (writer.frames() > 0) fmt::print(stderr, "  kept: {}\n", kept(output));
    return static_cast<int>(error.report().exit);
  }
  line.clear();
  if (!result.interrupted) io::remove_checkpoints(output);
  const auto& s = result.summary;
  if (o.json) {
    print_json(*mechanism, result, output);
  } else if (talk) {
    if (!saved) {
      print_assembly(*mechanism, result.assembly);
    }
    fmt::print("{}  {}, {}, {} rejected, {:.2f} s   energy drift {:.1e}   worst |φ| {:.0e}   {} ({})\n",
               result.interrupted ? "interrupted" : "done       ", counted(s.steps, "step"),
               counted(s.evaluations, "evaluation"), s.failed_steps, s.cpu_total, s.energy_drift, s.worst_position,
               output, size_text(output));
    if (result.interrupted)
      fmt::print("at t = {:.6g} s; go on with: mortise run {} -o {} --resume\n", result.state.t, o.model, output);
    else
      fmt::print("next: mortise plot {0} · mortise probe {0} energy.total --at {1:g}\n", output, model.analysis.until);
  }
  return result.interrupted ? 128 + signal_received.load() : 0;
}

}  // namespace

void add_run(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "simulate a model and write its results");
  command->add_option("model", o->model, "model file (YAML)")->required();
  command->add_option("-o,--output", o->output, "result file (default: MODEL.h5 here)");
  command->add_option("--set", o->settings, "override a parameter or any path: N=40, analysis.until=10")
      ->allow_extra_args(false);
  command->add_flag("--resume", o->resume, "go on from the last checkpoint, bit by bit");
  command->add_flag("-q,--quiet", o->quiet, "print only errors");
  command->add_flag("--json", o->json, "print the summary as JSON");
  command->callback([o, &outcome] { outcome.code = run(*o); });
}

}  // namespace mortise::cli
