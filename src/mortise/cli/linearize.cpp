// mortise linearize model.yaml QUANTITY…: the mechanism as ẋ = A x + B u, y = C x + D u about its equilibrium.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "mortise/analysis/state_space.h"
#include "mortise/cli/commands.h"

namespace mortise::cli {

namespace {

struct LinearizeOptions {
  std::string input, output, loops;
  std::vector<std::string> quantities, settings;
  bool here = false, json = false;
};

nlohmann::ordered_json rows_json(const Matrix& X) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    nlohmann::ordered_json row = nlohmann::ordered_json::array();
    for (Eigen::Index j = 0; j < X.cols(); ++j) row.push_back(X(i, j));
    rows.push_back(row);
  }
  return rows;
}

nlohmann::ordered_json system_json(const analysis::StateSpace& s) {
  const std::vector<double> u(s.u.begin(), s.u.end()), y(s.y.begin(), s.y.end());
  return {{"A", rows_json(s.A)},  {"B", rows_json(s.B)},       {"C", rows_json(s.C)},
          {"D", rows_json(s.D)},  {"inputs", s.inputs},        {"u", u},
          {"outputs", s.outputs}, {"units", s.units},          {"y", y},
          {"motions", s.motions}, {"unbalanced", s.unbalanced}};
}

void print_matrix(const char* name, const Matrix& X) {
  if (X.size() == 0) return;
  for (Eigen::Index i = 0; i < X.rows(); ++i) {
    fmt::print("{:<4}", i == 0 ? name : "");
    for (Eigen::Index j = 0; j < X.cols(); ++j) fmt::print(" {:>13.6g}", X(i, j) + 0.0);
    fmt::print("\n");
  }
}

int linearize(const LinearizeOptions& o) {
  const auto m = load(o.input, o.settings, o.loops);
  const analysis::StateSpace s = analysis::state_space(*m, o.quantities, o.here);
  if (!o.output.empty()) {
    const bool script = o.output.size() > 2 && o.output.ends_with(".m");
    std::ofstream file(o.output);
    file << (script ? analysis::state_space_script(s) : system_json(s).dump(2) + "\n");
    file.close();
    if (!file) throw OutputError(o.output, "cannot be written");
  }
  if (o.json) {
    fmt::print("{}\n", system_json(s).dump(2));
    return 0;
  }
  fmt::print("{}\n\n", headline(*m));
  fmt::print("about       {}\n", o.here ? "the modelled pose, at rest" : "the equilibrium");
  if (s.unbalanced > 1e-6) fmt::print("pushed      by {:.2g} of the largest load: no equilibrium\n", s.unbalanced);
  for (std::size_t k = 0; k < s.motions.size(); ++k) fmt::print("p{:<10} {}\n", k + 1, s.motions[k]);
  for (std::size_t k = 0; k < s.inputs.size(); ++k)
    fmt::print("u{:<10} {} = {:g}\n", k + 1, s.inputs[k], s.u[static_cast<Eigen::Index>(k)]);
  for (std::size_t k = 0; k < s.outputs.size(); ++k)
    fmt::print("y{:<10} {} = {:g} {}\n", k + 1, s.outputs[k], s.y[static_cast<Eigen::Index>(k)], s.units[k]);
  fmt::print("\n");
  print_matrix("A", s.A);
  print_matrix("B", s.B);
  print_matrix("C", s.C);
  print_matrix("D", s.D);
  if (!o.output.empty()) fmt::print("\nwritten     {}\n", o.output);
  return 0;
}

}  // namespace

void add_linearize(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<LinearizeOptions>();
  CLI::App* command =
      app.add_subcommand("linearize", "matrices A, B, C, D of the constrained mechanism about its equilibrium");
  command->add_option("model", o->input, "model file")->required();
  command->add_option("quantities", o->quantities, "outputs: body.x, joint.reaction.fx … (none: all free motions)");
  command->add_flag("--here", o->here, "about the modelled pose instead of the equilibrium near it");
  command->add_option("-o,--output", o->output, "file for them: .m for Octave and MATLAB, else JSON");
  command->add_option("--set", o->settings, "change a value: path=value");
  add_loops(*command, o->loops);
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o, &outcome] { outcome.code = linearize(*o); });
}

}  // namespace mortise::cli
