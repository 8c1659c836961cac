// mortise compare model.yaml: one model by many methods, in one table.
#include "mortise/analysis/compare.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "mortise/cli/commands.h"
#include "mortise/cli/compare_json.h"

namespace mortise::cli {

namespace {

struct CompareOptions {
  std::string model, csv, markdown, loops;
  std::vector<std::string> settings;
  analysis::MethodSets sets;
  analysis::CompareOptions how;
  bool json = false;
};

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw OutputError(path, "cannot be written");
}

void print_table(const analysis::Comparison& result, const analysis::CompareOptions& how) {
  fmt::print(
      "{} by tolerance {:g}, sure to {:.1e}{}\n\n{}", "reference: udwadia-kalaba, projection, adams",
      how.reference_tolerance, result.reference_error,
      result.reference_until < result.until
          ? fmt::format(" (trust it up to t = {:.4g} s only: the motion forgets its beginning)", result.reference_until)
          : "",
      analysis::compare_table(result));
  fmt::print("\ncorrect: poses within {:g} of the reference (share of the model's length, or rad)\n", how.within);
}

int compare(CompareOptions o) {
  catch_signals();
  const auto mechanism = load(o.model, o.settings, o.loops);
  const std::vector<analysis::Method> methods = analysis::combine(o.sets, mechanism->model().analysis);
  if (!o.json) fmt::print("{}\n", headline(*mechanism));
  std::fflush(stdout);
  o.how.interrupt = &signal_received;
  const bool shown = isatty(STDERR_FILENO) != 0;
  if (shown)
    o.how.progress = [](int done, int all) {
      fmt::print(stderr, "\r{} of {} cases\033[K", done, all);
      if (done == all) fmt::print(stderr, "\r\033[K");
    };
  const analysis::Comparison result = analysis::compare(*mechanism, methods, o.how);
  if (shown) fmt::print(stderr, "\r\033[K");
  if (o.json)
    fmt::print("{}\n", to_json(mechanism->model().name, result, o.how).dump(2));
  else
    print_table(result, o.how);
  if (!o.csv.empty()) write(o.csv, analysis::compare_csv(result));
  if (!o.markdown.empty()) write(o.markdown, analysis::compare_markdown(result));
  return signal_received.load() ? 128 + signal_received.load() : 0;
}

}  // namespace

void add_compare(CLI::App& app, Outcome& outcome) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "run one model by many methods and compare answers and effort");
  command->add_option("model", o->model, "model file (YAML, or URDF, MJCF)")->required();
  add_loops(*command, o->loops);
  command->add_option("--set", o->settings, "override a parameter or any path: N=40, analysis.until=10")
      ->allow_extra_args(false);
  const auto names = [&](const char* flag, std::vector<std::string>& set, const char* help) {
    command->add_option(flag, set, help)->delimiter(',')->allow_extra_args(false);
  };
  names("--formulations", o->sets.formulations, "names, or all (default: all but searches)");
  names("--pseudoinverses", o->sets.pseudoinverses, "for formulations that use one (default: all)");
  names("--stabilize", o->sets.stabilize, "names, or all (default: the model's)");
  names("--coordinates", o->sets.coordinates, "names, or all (default: the model's)");
  names("--integrators", o->sets.integrators, "names, or all (default: the model's)");
  command->add_option("--tolerances", o->sets.tolerances, "of the integrator (default: the model's)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--rank-tolerances", o->sets.rank_tolerances, "when rows count as dependent (default: the model's)")
      ->delimiter(',')
      ->allow_extra_args(false);
  command->add_option("--within", o->how.within, "how near an answer must be to count as right")->capture_default_str();
  command->add_option("--repeat", o->how.repeat, "runs of each case; times are medians")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("-j,--jobs", o->how.jobs, "cases side by side")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--limit", o->how.limit, "CPU seconds for a run")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--reference", o->how.reference_tolerance, "tolerance of the reference run")
      ->capture_default_str();
  command->add_flag("--json", o->json, "print every number as JSON; `mortise plot` draws it: work and precision");
  command->add_option("--csv", o->csv, "write every number to this file");
  command->add_option("--markdown", o->markdown, "write the table to this file");
  command->callback([o, &outcome] { outcome.code = compare(*o); });
}

}  // namespace mortise::cli
