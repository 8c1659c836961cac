// mortise plot out.h5 [QUANTITY…]: a picture of a run, or of chosen quantities, as SVG.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "mortise/cli/commands.h"
#include "mortise/io/results.h"
#include "mortise/io/results_files.h"
#include "mortise/view/page.h"

namespace mortise::cli {

namespace {

struct Options {
  std::string input, output;
  std::vector<std::string> quantities;
  bool log = false, motion = false;
};

// Under a temporary name first: a picture is whole or not there.
void write(const std::string& path, const std::string& text) {
  const std::string target = io::output_target(path);
  const std::string part = io::part_name(target);
  std::ofstream file(part, std::ios::binary);
  if (!file) throw OutputError(path, "cannot be created");
  file << text;
  file.close();
  if (!file) {
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    throw OutputError(path, "cannot be written (disk full?)");
  }
  io::publish(part, target, io::folder_of(target));
}

int plot(const Options& o) {
  io::ResultReader reader(o.input);
  const auto m = load_text(reader.header().model_text, o.input + ":model");
  if (reader.frames() == 0) throw ResultError(o.input, "holds no frame yet");
  const std::vector<analysis::Quantity> quantities = find_quantities(*m, reader, o.quantities);

  view::Run run{reader.header(), reader.summary(), reader.finished(), {}};
  run.frames.count = reader.frames();
  run.frames.read = [&reader](std::uint64_t number, analysis::Frame& frame) { reader.read_frame(number, frame); };
  if (reader.header().kept) run.frames.bodies = reader.header().kept->bodies;
  const std::string output =
      o.output.empty() ? std::filesystem::path(o.input).replace_extension(".svg").string() : o.output;
  std::error_code ignored;
  if (std::filesystem::equivalent(output, o.input, ignored))
    throw OutputError(output, "is the result itself; give the picture another name with -o");
  write(output, o.motion             ? view::motion_page(*m, run)
                : quantities.empty() ? view::overview_page(*m, run)
                                     : view::quantity_page(*m, run, quantities, o.log));
  fmt::print("{}\n", output);
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plot", "draw a run, or quantities of it over time, as SVG");
  command->add_option("results", o->input, "result file; of a run that was killed or still goes on, too")->required();
  command->add_option(
      "quantities", o->quantities,
      "body.x, joint.reaction.fx, energy.total …: one panel per unit (default: an overview of the run)");
  command->add_option("-o,--output", o->output, "picture (default: the result's name with .svg)");
  command->add_flag("--log", o->log, "logarithmic axes for the quantities; what is not above zero is left out");
  command->add_flag("--motion", o->motion, "the motion alone")->excludes("quantities")->excludes("--log");
  command->callback([o, &outcome] { outcome.code = plot(*o); });
}

}  // namespace mortise::cli
