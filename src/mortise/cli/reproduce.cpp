// mortise reproduce out.h5: runs a result again from what it stores and compares, frame by frame, to the bit.
//
// The second run goes through the same writer as the first, so that what files leave out or keep in 32 bits is left out
// of both. A result that was interrupted, killed or failed is run as far as it goes.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "mortise/analysis/kinds.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/compare_frames.h"
#include "mortise/cli/run_report.h"
#include "mortise/io/results.h"

namespace mortise::cli {

namespace {

struct ReproduceOptions {
  std::string input, output;
  double within = 0;
  bool json = false;
};

// Ends the run when as many frames are there as the result has.
class UpTo final : public analysis::Sink {
 public:
  UpTo(io::ResultWriter& writer, std::uint64_t frames, std::atomic<int>& stop)
      : writer_(writer), frames_(frames), stop_(stop) {}
  void begin(const analysis::RunHeader& header) override { writer_.begin(header); }
  void frame(const analysis::Frame& frame) override {
    writer_.frame(frame);
    if (writer_.frames() >= frames_) stop_.store(1);
    if (signal_received.load()) stop_.store(signal_received.load());
  }
  void event(const analysis::EventEntry& entry) override { writer_.event(entry); }
  void flush() override { writer_.flush(); }
  void end(const analysis::RunSummary& summary) override { writer_.end(summary); }

 private:
  io::ResultWriter& writer_;
  std::uint64_t frames_;
  std::atomic<int>& stop_;
};

// Checkpoints make some integrators begin anew, so a run without them could have other bits.
class NoCheckpoints final : public analysis::CheckpointSink {
  void checkpoint(const State&, std::uint64_t) override {}
};

// A folder for the second run, removed with it.
struct Scratchpad {
  std::string path;
  Scratchpad() : path((std::filesystem::temp_directory_path() / "mortise-XXXXXX").string()) {
    if (!mkdtemp(path.data())) throw OutputError(path, "cannot be created");
  }
  ~Scratchpad() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

// The status of the second run, as its summary has it.
std::string run_again(const mechanism::Mechanism& m, const io::ResultReader& first, const std::string& output) {
  const model::AnalysisSettings& settings = m.model().analysis;
  const analysis::AnalysisKind& kind = analysis::find_analysis(settings.type, settings.place_type);
  if (!kind.run) {
    run_report(m, {output, true, false});
    return "done";
  }
  io::ResultWriter writer(output);
  std::atomic<int> stop{0};
  const bool whole = first.finished() && first.summary().status == "done";
  UpTo sink(writer, whole ? ~std::uint64_t{0} : first.frames(), stop);
  NoCheckpoints checkpoints;
  analysis::DynamicsOptions options;
  options.sink = &sink;
  options.checkpoints = &checkpoints;
  options.interrupt = &stop;
  try {
    return kind.run(m, options).summary.status;
  } catch (const SolveError& error) {
    return std::string("failed: ") + error.what();
  }
}

void print_report(const ReproduceOptions& o, const io::ResultReader& first, const FrameDifference& d, bool agrees) {
  const std::string frames = counted(static_cast<long>(d.compared), "frame");
  if (d.same()) {
    fmt::print("same bits   {}, {} and all that is in them\n", o.input, frames);
  } else {
    fmt::print("{:<11} {}: {} of {} have the same bits, '{}' differs since t = {:.6g} s\n", agrees ? "near" : "differs",
               o.input, d.equal, frames, d.what, d.since);
    fmt::print("{:<11} poses within {:.2g} (m, rad), at t = {:.6g} s; at the end {:.2g}\n", "", d.largest_pose,
               d.largest_at, d.last_pose);
  }
  if (first.header().version != MORTISE_VERSION)
    fmt::print("{:<11} the result is of version {}, this is {}\n", "", first.header().version, MORTISE_VERSION);
}

int reproduce(const ReproduceOptions& o) {
  catch_signals();
  io::ResultReader first(o.input);
  if (first.frames() == 0) throw ResultError(o.input, "holds no frame yet");
  const auto m = load_text(first.header().model_text, o.input + ":model");
  std::error_code ignored;
  if (std::filesystem::equivalent(o.output, o.input, ignored))
    throw OutputError(o.output, "is the result itself; give the second run another name with -o");
  const Scratchpad scratchpad;
  const std::string output = o.output.empty() ? scratchpad.path + "/again.h5" : o.output;
  const std::string status = run_again(*m, first, output);
  if (signal_received.load()) return 128 + signal_received.load();
  io::ResultReader second(output);
  const FrameDifference d = compare_frames(first, second);
  const bool agrees = d.same() || (o.within > 0 && d.largest_pose <= o.within && d.what != "number of frames");
  if (o.json) {
    const nlohmann::ordered_json j{
        {"result", o.input},
        {"model", first.header().model_name},
        {"same_bits", d.same()},
        {"agrees", agrees},
        {"frames", first.frames()},
        {"frames_again", second.frames()},
        {"frames_equal", d.equal},
        {"differs_since", d.same() ? nlohmann::ordered_json() : nlohmann::ordered_json(d.since)},
        {"first_difference", d.what},
        {"largest_pose_difference", d.largest_pose},
        {"largest_at", d.largest_at},
        {"last_pose_difference", d.last_pose},
        {"status", first.summary().status},
        {"status_again", status},
        {"version", first.header().version},
        {"version_again", MORTISE_VERSION}};
    fmt::print("{}\n", j.dump(2));
  } else {
    print_report(o, first, d, agrees);
  }
  return agrees ? 0 : static_cast<int>(ExitCode::solve);
}

}  // namespace

void add_reproduce(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ReproduceOptions>();
  CLI::App* command = app.add_subcommand(
      "reproduce", "run a result again from what it stores and compare to the bit (exit 4: other numbers)");
  command->add_option("results", o->input, "result file")->required();
  command->add_option("-o,--output", o->output, "keep the second run in this file");
  command->add_option("--within", o->within, "poses may differ by so much [m, rad] (default: not by a bit)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = reproduce(*o); });
}

}  // namespace mortise::cli
