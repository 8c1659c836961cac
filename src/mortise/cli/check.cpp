// mortise check model.yaml: assembles and counts: bodies, constraints, degrees of freedom by Grübler and by rank.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mortise/analysis/assemble.h"
#include "mortise/analysis/methods.h"
#include "mortise/cli/commands.h"
#include "mortise/gauss/formulation.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::cli {

namespace {

struct Options {
  std::string model;
  std::vector<std::string> settings;
  bool json = false;
};

int check(const Options& o) {
  const auto m = load(o.model, o.settings);
  if (!o.json) {
    fmt::print("{}\n", headline(*m));
    std::fflush(stdout);
  }
  State state = m->initial_state();
  const linalg::RankPolicy policy = analysis::rank_policy(m->model().analysis);
  const analysis::AssemblyReport assembly =
      analysis::assemble(*m, state,
                         {m->model().analysis.assemble, m->model().analysis.allow_flip, policy,
                          analysis::assembly_formulation(m->model().analysis)});

  // Both name single rows; the first does without mass.
  const bool massless = analysis::make_formulation(m->model().analysis)->can().singular_mass;
  const auto formulation = gauss::make_formulation(massless ? "kim-vanderploeg" : "udwadia-kalaba");
  const auto none = stabilize::make_stabilizer("none", {});
  Motion motion(*m, *formulation, *none, policy);
  motion.set_active(state.active);
  gauss::GaussSolution solution;
  solution.resize(m->pattern());
  motion.accelerate(state, solution);

  const mechanism::Count count = m->count();
  const int dof = count.coordinates - solution.rank.rank;
  std::vector<std::string> redundant, conflicting;
  for (int row = 0; row < m->pattern().m(); ++row) {
    const auto verdict = solution.verdicts[static_cast<std::size_t>(row)];
    if (verdict == gauss::RowVerdict::redundant || verdict == gauss::RowVerdict::vanished)
      redundant.push_back(m->row_name(row));
    if (verdict == gauss::RowVerdict::conflicting) conflicting.push_back(m->row_name(row));
  }
  if (o.json) {
    nlohmann::ordered_json j{{"model", m->model().name},
                             {"dimension", m->dimension() == 2 ? "planar" : "spatial"},
                             {"bodies", count.bodies},
                             {"joints", count.joints},
                             {"drivers", count.drivers},
                             {"forces", count.forces},
                             {"coordinates", count.coordinates},
                             {"rows", count.rows},
                             {"gruebler", count.gruebler()},
                             {"rank", solution.rank.rank},
                             {"degrees_of_freedom", dof},
                             {"redundant_rows", redundant},
                             {"conflicting_rows", conflicting},
                             {"smallest_kept", solution.rank.smallest_kept},
                             {"largest_dropped", solution.rank.largest_dropped},
                             {"position_error", assembly.position_error},
                             {"velocity_error", assembly.velocity_error}};
    for (const auto& move : assembly.moves)
      j["moved"].push_back({{"body", m->name(m->bodies()[static_cast<std::size_t>(move.body)].ref)},
                            {"distance", move.distance},
                            {"turn", move.turn}});
    fmt::print("{}\n", j.dump(2));
  } else {
    fmt::print("\n");
    for (std::size_t k = 0; k < std::min<std::size_t>(assembly.moves.size(), 8); ++k)
      fmt::print("{:<11} {:<16} {:.3g} mm, {:.3g} deg\n", k == 0 ? "Assembled" : "",
                 m->name(m->bodies()[static_cast<std::size_t>(assembly.moves[k].body)].ref),
                 assembly.moves[k].distance * 1e3, assembly.moves[k].turn * 180 / M_PI);
    if (assembly.moves.size() > 8) fmt::print("{:<11} and {} more\n", "", assembly.moves.size() - 8);
    fmt::print("{:<11} {} of freedom", "Mobility", counted(dof, "degree", "degrees"));
    if (count.gruebler() == dof)
      fmt::print("  (as Grübler counts)\n");
    else
      fmt::print("  (Grübler counts {}: {} redundant)\n", count.gruebler(),
                 counted(solution.rank.redundant(), "row is", "rows are"));
    fmt::print("{:<11} rank {} of {} rows", "Constraints", solution.rank.rank, solution.rank.rows);
    if (solution.rank.redundant())
      fmt::print(", gap {:.0e}  (smallest kept {:.2g}, largest dropped {:.0e})\n", solution.rank.gap(),
                 solution.rank.smallest_kept, solution.rank.largest_dropped);
    else
      fmt::print("  (smallest pivot {:.2g} of the largest)\n", solution.rank.smallest_kept);
    if (!redundant.empty()) {
      fmt::print("{:<11} ", "Redundant");
      for (std::size_t k = 0; k < std::min<std::size_t>(redundant.size(), 12); ++k)
        fmt::print("{}{}", k ? ", " : "", redundant[k]);
      if (redundant.size() > 12) fmt::print(", … and {} more", redundant.size() - 12);
      fmt::print(
          "\n{:<11} at this pose these follow from the other rows; the motion does not depend on which are named\n",
          "");
    }
    if (!conflicting.empty()) {
      fmt::print("{:<11} no acceleration meets these with the others:", "Conflict");
      for (const std::string& row : conflicting) fmt::print(" {}", row);
      fmt::print("\n");
    }
  }
  return conflicting.empty() ? 0 : static_cast<int>(ExitCode::conflict);
}

}  // namespace

void add_check(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "assemble a model and count its freedoms, without a run");
  command->add_option("model", o->model, "model file (YAML)")->required();
  command->add_option("--set", o->settings, "override a parameter or any path")->allow_extra_args(false);
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = check(*o); });
}

}  // namespace mortise::cli
