// mortise plot out.h5 [QUANTITY…]: a picture of a run, of chosen quantities, of several runs, or of a table of methods.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mortise/cli/commands.h"
#include "mortise/cli/picture.h"
#include "mortise/cli/plot_chart.h"
#include "mortise/io/results.h"
#include "mortise/view/curves.h"
#include "mortise/view/page.h"

namespace mortise::cli {

namespace {

struct PlotOptions {
  std::vector<std::string> words;
  std::string output, against;
  view::CurveOptions curves;
  bool motion = false;
};

// The first word is a file; so is each further one that looks like a file and not like a quantity.
bool is_file(const std::string& word) {
  const std::string ending = std::filesystem::path(word).extension().string();
  return ending == ".h5" || ending == ".hdf5" || ending == ".json" || word.find('/') == 0 || word.starts_with("./") ||
         word.starts_with("../");
}

struct Opened {
  explicit Opened(const std::string& path) : reader(path) {
    mechanism = load_text(reader.header().model_text, path + ":model");
    if (reader.frames() == 0) throw ResultError(path, "holds no frame yet");
  }
  io::ResultReader reader;
  std::unique_ptr<mechanism::Mechanism> mechanism;

  view::Run run() {
    view::Run out{reader.header(), reader.summary(), reader.finished(), {}};
    out.frames.count = reader.frames();
    out.frames.read = [this](std::uint64_t number, analysis::Frame& frame) { reader.read_frame(number, frame); };
    if (reader.header().kept) out.frames.bodies = reader.header().kept->bodies;
    return out;
  }
};

// Legends have the shortest name that tells the files apart.
std::vector<std::string> legend_names(const std::vector<std::string>& files) {
  std::vector<std::string> stems;
  for (const std::string& file : files) stems.push_back(std::filesystem::path(file).stem().string());
  std::vector<std::string> sorted = stems;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? stems : files;
}

std::string plot_runs(const PlotOptions& o, const std::vector<std::string>& files,
                      const std::vector<std::string>& words, view::Readings& readings) {
  std::vector<std::unique_ptr<Opened>> opened;
  std::vector<view::PlottedRun> runs;
  const std::vector<std::string> names = legend_names(files);
  for (std::size_t k = 0; k < files.size(); ++k) {
    opened.push_back(std::make_unique<Opened>(files[k]));
    runs.push_back({names[k], opened[k]->mechanism.get(), opened[k]->run(), {}});
  }
  const Opened& first = *opened.front();
  const view::CurveOptions& c = o.curves;
  if (c.window.from > c.window.to) throw CLI::ValidationError("--from is later than --to");
  const bool windowed = std::isfinite(c.window.from) || std::isfinite(c.window.to);
  if (files.size() == 1 && words.empty() && o.against.empty()) {
    if (windowed) throw CLI::ValidationError("--from and --to need quantities: the overview shows the whole run");
    return o.motion ? view::motion_page(*first.mechanism, runs[0].run)
                    : view::overview_page(*first.mechanism, runs[0].run, &readings);
  }
  if (o.motion) throw CLI::ValidationError("--motion shows one result, without quantities");
  if (words.empty() && !o.against.empty()) throw CLI::ValidationError("--against needs quantities to draw");
  const std::vector<std::string> wanted =
      words.empty() ? view::usual_words(*first.mechanism, first.reader.header()) : words;
  for (std::size_t k = 0; k < files.size(); ++k) {
    runs[k].curves = view::find_curves(*runs[k].mechanism, runs[k].run.header, wanted, o.against);
    if (runs[k].curves.size() != runs[0].curves.size())
      throw ResultError(files[k], "has other quantities in a group than " + files[0] + "; name them one by one");
    std::vector<analysis::Quantity> all;
    for (const view::Curve& curve : runs[k].curves) {
      all.push_back(curve.y);
      if (curve.x) all.push_back(*curve.x);
    }
    check_told(*runs[k].mechanism, opened[k]->reader, all);
  }
  const std::vector<double> times = opened.front()->reader.times();
  if (windowed && (c.window.from > times.back() || c.window.to < times.front()))
    throw ResultError(files[0], fmt::format("has no frame from {:g} to {:g} s: it covers {:g} … {:g} s", c.window.from,
                                            c.window.to, times.front(), times.back()));
  return view::curve_page(runs, c, &readings);
}

int plot(const PlotOptions& o) {
  std::vector<std::string> files{o.words.front()}, words;
  for (std::size_t k = 1; k < o.words.size(); ++k) (is_file(o.words[k]) ? files : words).push_back(o.words[k]);
  const bool chart = std::filesystem::path(files[0]).extension() == ".json";
  if (chart && (files.size() > 1 || !words.empty()))
    throw CLI::ValidationError(files[0] + " is a table of its own: it takes no quantities and no other file");

  const std::string output =
      o.output.empty() ? std::filesystem::path(files[0]).replace_extension(".svg").string() : o.output;
  std::error_code ignored;
  for (const std::string& file : files)
    if (std::filesystem::equivalent(output, file, ignored))
      throw OutputError(output, "is the result itself; give the picture another name with -o");
  check_picture_name(output);
  view::Readings readings;
  const std::string svg = chart ? chart_page(files[0], readings) : plot_runs(o, files, words, readings);
  write_picture(output, std::filesystem::path(files[0]).stem().string(), svg, readings);
  fmt::print("{}\n", output);
  return 0;
}

}  // namespace

void add_plot(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<PlotOptions>();
  CLI::App* command =
      app.add_subcommand("plot", "draw a run, quantities of one or several, or a comparison of methods");
  command
      ->add_option(
          "results", o->words,
          "result files (of runs that were killed or still go on, too), or what `mortise compare --json` wrote; "
          "then quantities: body.x, joint.reaction.fx; groups: body, energy, constraint; pairs for phase plots: "
          "body.x:body.vx; formulas: 'left.angle - right.angle' (default: an overview of the run)")
      ->required();
  command->add_option("-o,--output", o->output, "picture, .svg, .png or .html (default: the result's name with .svg)");
  command->add_option("--against", o->against, "a quantity to draw the others over, instead of time");
  command->add_option("--from", o->curves.window.from, "first time [s]");
  command->add_option("--to", o->curves.window.to, "last time [s]");
  command->add_flag("--log", o->curves.log, "logarithmic axes for the quantities; what is not above zero is left out");
  command->add_flag("--motion", o->motion, "the motion alone")->excludes("--log")->excludes("--against");
  command->callback([o, &outcome] { outcome.code = plot(*o); });
}

}  // namespace mortise::cli
