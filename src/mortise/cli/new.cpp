// mortise new [STARTER] [-o model.yaml]: a short commented model to begin with. The texts are those of examples/new/.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mortise/cli/commands.h"
#include "mortise/cli/embedded.h"

namespace mortise::cli {

namespace {

struct NewOptions {
  std::string name, output;
  bool json = false, force = false;
};

// The first comment of a starter says what it is.
std::string first_sentence(std::string_view text) {
  std::string line(text.substr(0, text.find('\n')));
  line.erase(0, line.find_first_not_of("# "));
  return line.substr(0, line.find(". ") == std::string::npos ? line.size() : line.find(". ") + 1);
}

int list_starters(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const EmbeddedText& starter : starters()) {
    all.push_back({{"name", starter.name}, {"help", first_sentence(starter.text)}});
    if (!json) fmt::print("{:<18} {}\n", starter.name, first_sentence(starter.text));
  }
  if (json)
    fmt::print("{}\n", all.dump(2));
  else
    fmt::print("\nmortise new four-bar writes four-bar.yaml here; -o - prints it\n");
  return 0;
}

int write_starter(const NewOptions& o) {
  std::vector<std::string> names;
  for (const EmbeddedText& starter : starters()) {
    names.emplace_back(starter.name);
    if (starter.name != o.name) continue;
    if (o.output == "-") {
      fmt::print("{}", starter.text);
      return 0;
    }
    const std::string output = o.output.empty() ? o.name + ".yaml" : o.output;
    if (!o.force && std::filesystem::exists(output))
      throw OutputError(output, "is there already; another name with -o, or --force to replace it");
    std::ofstream file(output, std::ios::binary);
    file << starter.text;
    if (!file.flush()) throw OutputError(output, "cannot be written");
    fmt::print("{}\nnext: mortise run {}\n", output, output);
    return 0;
  }
  const std::string near = nearest_name(o.name, names);
  throw CLI::ValidationError(fmt::format("there is no starter '{}'{}; there are {}", o.name,
                                         near.empty() ? "" : fmt::format(", did you mean '{}'?", near),
                                         fmt::join(names, ", ")));
}

}  // namespace

void add_new(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<NewOptions>();
  CLI::App* command = app.add_subcommand("new", "write a short commented model to begin with");
  command->add_option("starter", o->name, "which one (default: list them)");
  command->add_option("-o,--output", o->output, "file (default: STARTER.yaml here; - is standard output)");
  command->add_flag("--force", o->force, "replace a file that is there");
  command->add_flag("--json", o->json, "print the list as JSON");
  command->callback([o, &outcome] { outcome.code = o->name.empty() ? list_starters(o->json) : write_starter(*o); });
}

}  // namespace mortise::cli
