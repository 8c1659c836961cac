// mortise check model.yaml: assembles and diagnoses: freedoms, redundant rows, conflicts, which reactions are unique.
#include <fmt/format.h>

#include "mortise/analysis/checkup.h"
#include "mortise/cli/commands.h"
#include "mortise/cli/diagnosis_json.h"
#include "mortise/cli/run_summary.h"

namespace mortise::cli {

namespace {

struct CheckOptions {
  std::string model, loops;
  std::vector<std::string> settings;
  bool json = false;
};

void print_moves(const mechanism::Mechanism& m, const analysis::AssemblyReport& assembly) {
  for (std::size_t k = 0; k < std::min<std::size_t>(assembly.moves.size(), 8); ++k)
    fmt::print("{:<11} {}\n", k == 0 ? "Assembled" : "", move_words(m, assembly.moves[k]));
  if (assembly.moves.size() > 8) fmt::print("{:<11} and {} more\n", "", assembly.moves.size() - 8);
}

int check(const CheckOptions& o) {
  const auto m = load(o.model, o.settings, o.loops);
  if (!o.json) {
    fmt::print("{}\n", headline(*m));
    std::fflush(stdout);
  }
  const analysis::Checkup checkup = analysis::check_up(*m);
  if (o.json) {
    fmt::print("{}\n", to_json(*m, checkup).dump(2));
  } else {
    fmt::print("\n");
    print_moves(*m, checkup.assembly);
    fmt::print("{}", analysis::describe(*m, checkup.diagnosis, m->model().analysis.reactions));
    if (!checkup.assembled)
      fmt::print("{:<11} counted at the best compromise: no pose fulfils all joints and drivers\n", "");
  }
  return checkup.conflict() ? static_cast<int>(ExitCode::conflict) : 0;
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* command =
      app.add_subcommand("check", "assemble a model and explain its constraints, without a run (exit 5: a conflict)");
  command->add_option("model", o->model, "model file (YAML, or URDF, MJCF)")->required();
  add_loops(*command, o->loops);
  command->add_option("--set", o->settings, "override a parameter or any path")->allow_extra_args(false);
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = check(*o); });
}

}  // namespace mortise::cli
