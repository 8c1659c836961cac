// mortise convert IN OUT: a model file of ours, URDF or MJCF, as one of ours (.yaml or .json).
#include <fmt/format.h>

#include <filesystem>

#include "mortise/cli/commands.h"
#include "mortise/io/import/model_json.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::cli {

namespace {

struct ConvertOptions {
  std::string input, output, loops;
  std::vector<std::string> settings;
};

int convert(const ConvertOptions& o) {
  const std::string ending = std::filesystem::path(o.output).extension().string();
  const std::vector<std::string> known{".yaml", ".yml", ".json"};
  if (std::find(known.begin(), known.end(), ending) == known.end()) {
    const bool robot = ending == ".urdf" || ending == ".xml" || ending == ".mjcf";
    fmt::print(stderr, "error: '{}': models are written as .yaml or .json{}\nsee: mortise convert --help\n", o.output,
               robot ? "; URDF and MJCF are read only" : "");
    return static_cast<int>(ExitCode::usage);
  }
  model::Model model = io::load_model(o.input, mechanism::catalogue(), o.settings, o.loops);
  print_notes(model.notes);
  // A model that does not compile is none: say so here and not in a later run.
  const auto m = mechanism::Mechanism::compile(std::make_shared<const model::Model>(model));
  if (ending == ".json") model.text = io::model_json(model.text);
  io::save_model(model, o.output);
  fmt::print("{}\nwritten: {}\nnext: mortise check {}\n", headline(*m), o.output, o.output);
  return 0;
}

}  // namespace

void add_convert(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "write a model, URDF or MJCF as a model file of ours");
  command->add_option("in", o->input, "model (.yaml, .json), URDF (.urdf) or MJCF (.xml)")->required();
  command->add_option("out", o->output, "file to write (.yaml or .json)")->required();
  add_loops(*command, o->loops);
  command->add_option("--set", o->settings, "override a parameter or any path")->allow_extra_args(false);
  command->callback([o, &outcome] { outcome.code = convert(*o); });
}

}  // namespace mortise::cli
