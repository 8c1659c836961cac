// Table 5.1 of the dissertation on generalised inverses and genetic search: the accelerations of a double pendulum,
// found by minimising the Gauss function with penalties. The search from ±50 run by run, how it fares with twenty
// seeds, and what conjugate gradients and a direct solve need for the same answer. Source: specs/gigsp-and-genetic.md
// §6, E5; G-A11.
#include <algorithm>
#include <vector>

#include "gauss/double_pendulum.h"
#include "mortise/gauss/genetic_search.h"
#include "report.h"

namespace {

using namespace mortise;
using namespace mortise::gauss;
using gauss::testing::DoublePendulum;
using papers::Report;
using Variant = GeneticSettings::Variant;

constexpr int seeds = 20;

GaussFunction function_of(const DoublePendulum& p) {
  GaussFunction f(4, 2);
  f.set_matrices(p.problem.dense_M(), p.problem.dense_A());
  f.set_right_sides(p.problem.Q, p.problem.b);
  return f;
}

double error(const Vector& a) { return (a - DoublePendulum::exact()).cwiseAbs().maxCoeff(); }

void put_acceleration(Report& report, const std::string& table, const std::string& row, const Vector& a) {
  for (int j = 0; j < a.size(); ++j) report.put(table, row, "a" + std::to_string(j + 1), a[j]);
}

// Z of the constrained acceleration, for the printed speed of the lower point and for the one that the table needs.
void exact_answers(Report& report) {
  for (const double quarter_turns : {4.0, 5.0}) {
    const DoublePendulum p(quarter_turns / 2 * DoublePendulum::pi);
    const Vector a = gauss::testing::solve(*make_formulation("udwadia-kalaba"), p).a, off = a - p.problem.Q;
    const std::string row = quarter_turns == 4 ? "2 pi" : "5/2 pi";
    put_acceleration(report, "exact", row, a);
    report.put("exact", row, "Z", 0.5 * off.squaredNorm());
    if (quarter_turns == 5) report.claim(error(a) < 1e-12, "5/2 pi gives the accelerations of the table");
  }
}

void one_search(Report& report, GaussFunction& f) {
  GeneticSettings settings;
  settings.range = 50;
  const std::vector<SearchRun> table = table_of_runs(f, settings);
  for (const SearchRun& line : table) {
    if (line.run > settings.runs) break;
    const std::string row = std::to_string(line.run);
    put_acceleration(report, "runs", row, line.a);
    report.put("runs", row, "Z1", line.Z1);
    report.put("runs", row, "range", line.run > 0 ? line.range : 0);
    report.put("runs", row, "weight", line.run > 0 ? line.weight : 0);
    report.put("runs", row, "error", error(line.a));
  }
  report.claim(error(table[8].a) < 1e-2, "the search from seed 1 is within 1e-2 after eight runs");
  report.claim(table[8].Z1 > 1070.2624, "no search goes below the minimum");
}

struct Search {
  std::string name;
  GeneticSettings settings;
  double median, worst;  // what must hold after the last run
};

void many_seeds(Report& report, GaussFunction& f, Search search) {
  search.settings.range = 50;
  const int runs = search.settings.runs;
  std::vector<std::vector<double>> errors(static_cast<std::size_t>(runs) + 1);
  for (search.settings.seed = 1; search.settings.seed <= seeds; ++search.settings.seed) {
    const std::vector<SearchRun> table = table_of_runs(f, search.settings);
    for (std::size_t k = 1; k < errors.size(); ++k) errors[k].push_back(error(table.at(k).a));
  }
  const double values = static_cast<double>(search.settings.evaluations) *
                        (search.settings.variant == Variant::island ? search.settings.islands : 1);
  double median = 0;
  for (std::size_t k = 1; k < errors.size(); ++k) {
    std::sort(errors[k].begin(), errors[k].end());
    median = (errors[k][seeds / 2 - 1] + errors[k][seeds / 2]) / 2;
    const std::string row = std::to_string(k);
    report.put("seeds", row, search.name + " median", median);
    report.put("seeds", row, search.name + " worst", errors[k].back());
    report.put("seeds", row, search.name + " values", values * static_cast<double>(k));
  }
  if (!(search.median > 0)) return;
  const auto within = std::count_if(errors.back().begin(), errors.back().end(), [](double e) { return e < 1e-2; });
  report.claim(10 * within >= 9 * seeds, search.name + ": nine of ten seeds within 1e-2");
  report.claim(median < search.median, search.name + ": median");
  report.claim(errors.back().back() < search.worst, search.name + ": worst seed");
}

// The minimiser of the penalised function itself: no search can come nearer than this with the weight at hand.
void penalty(Report& report, GaussFunction& f) {
  for (const double w : {1e6, 1e8}) {
    Vector a(4);
    report.claim(f.minimise(w, a), "the penalised function has a minimiser");
    const std::string row = w == 1e6 ? "1e6" : "1e8";
    report.put("penalty", row, "error", error(a));
    report.claim(w < 1e8 || error(a) < 1e-6, "the penalty's own error is below 1e-6 at w = 1e8");
  }
}

void rivals(Report& report, const DoublePendulum& p, const GaussFunction& f) {
  for (const std::string name : {"gauss-gradient", "udwadia-kalaba", "lagrange"}) {
    const auto factor = make_formulation(name)->prepare(p.pattern);
    GaussSolution s;
    s.resize(p.pattern);
    report.claim(factor->factor(p.problem, {}), name + " accepts the pendulum");
    factor->solve(as_span(p.problem.Q), as_span(p.problem.b), s);
    report.put("rivals", name, "error", error(s.a));
    report.put("rivals", name, "flops", factor->flops());
    report.put("rivals", name, "values", factor->flops() / f.flops());
    report.claim(error(s.a) < 1e-12, name + " is exact to rounding");
  }
}

}  // namespace

int main() {
  Report report;
  const DoublePendulum p;
  GaussFunction f = function_of(p);
  one_search(report, f);
  exact_answers(report);
  GeneticSettings plain, constant_weight, islands, cellular;
  constant_weight.first_weight = constant_weight.weight;
  islands.variant = Variant::island;
  islands.runs = 10;
  cellular.variant = Variant::cellular;
  many_seeds(report, f, {"plain", plain, 1e-3, 2e-2});
  many_seeds(report, f, {"constant weight", constant_weight, 0, 0});
  many_seeds(report, f, {"islands", islands, 1e-5, 1e-3});
  many_seeds(report, f, {"cellular", cellular, 3e-4, 1e-2});
  penalty(report, f);
  rivals(report, p, f);
  return report.exit_code();
}
