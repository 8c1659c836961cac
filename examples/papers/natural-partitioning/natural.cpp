// Natural partitioning: how many steps conjugate gradients take by each preconditioner on chains and branched trees,
// and what one right-hand side costs on one thread and on two: a vehicle, k vehicles side by side, a root with 4 k
// branches. The source gives no numbers; those of the sheet (specs/nasa-3-natural-partitioning.md §2.7) are of a
// prototype with other data. Times are those of the machine at hand; steps are not.
#include <oneapi/tbb/global_control.h>

#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "natural-partitioning/models.h"
#include "report.h"
#include "support/compile.h"

namespace {

using namespace mortise;
using coordinates::Natural;
using papers::bars;
using papers::by;
using papers::microseconds;
using papers::random_tree_state;
using papers::Report;
using papers::vehicles;

struct Solver {
  explicit Solver(const Natural& of)
      : natural(of), scratch(of.make_scratch()), factor(of.formulation()->prepare(of.pattern())) {
    evaluation.resize(of.pattern());
    solution.resize(of.pattern());
  }
  void evaluate(const State& state) { natural.evaluate(state, need_dynamics, *scratch, evaluation); }
  void solve() {
    if (!factor->factor(evaluation.problem, {})) throw std::runtime_error("refused");
    factor->solve(as_span(evaluation.problem.Q), as_span(evaluation.problem.b), solution);
  }
  // Steps that this solution takes.
  long steps(const State& state) {
    const auto* formulation = static_cast<const gauss::TreeFormulation*>(natural.formulation());
    evaluate(state);
    const long before = formulation->counters().steps;
    solve();
    return formulation->counters().steps - before;
  }
  const Natural& natural;
  std::unique_ptr<Scratch> scratch;
  std::unique_ptr<gauss::Factor> factor;
  Evaluation evaluation;
  gauss::GaussSolution solution;
};

void count_steps(Report& report) {
  for (const int branches : {0, 4})
    for (const int bodies : {8, 16, 32, 64, 128}) {
      if (branches && bodies == 8) continue;
      const int n = branches ? bodies + 1 : bodies;
      const auto m = test::compile(bars(branches, branches ? bodies / 4 : bodies - 1));
      const std::string row = fmt::format("{} {}", branches ? "tree" : "chain", n);
      for (const char* preconditioner : {"none", "branches", "lagged"}) {
        const Natural natural(*m, m->initial_state(), by("conjugate-gradients", preconditioner));
        const State state = random_tree_state(natural, 1, 1.7);
        Solver solver(natural);
        long steps = solver.steps(state);
        if (std::string(preconditioner) == "lagged") {
          State later = state;
          for (double& x : later.v) x *= 0.01;
          natural.retract(as_span(state.q), as_span(later.v), as_span(later.q));
          later.v = state.v;
          steps = solver.steps(later);
        }
        report.put("steps", row, preconditioner, static_cast<double>(steps));
        if (branches && std::string(preconditioner) == "branches")
          report.claim(steps <= 7, row + ": at most 2·3 + 1 steps with branches apart");
        const Natural exact(*m, m->initial_state(), by("recursion"));
        Solver by_recursion(exact);
        if (std::string(preconditioner) != "lagged") {
          by_recursion.evaluate(state);
          by_recursion.solve();
          const double off = (solver.solution.a - by_recursion.solution.a).norm() / by_recursion.solution.a.norm();
          report.claim(off < 1e-6, row + ": conjugate gradients agree with the recursion");
        }
      }
    }
}

void measure_threads(Report& report) {
  struct Model {
    std::string name, text;
  };
  std::vector<Model> models{{"1 vehicle", vehicles(1)}};
  for (const int k : {4, 16, 64}) models.push_back({fmt::format("{} vehicles", k), vehicles(k)});
  for (const int k : {1, 4, 8}) models.push_back({fmt::format("root with {} branches", 4 * k), bars(4 * k, 64)});
  for (const Model& model : models) {
    const auto m = test::compile(model.text);
    State start = m->initial_state();
    Vector wanted;
    for (const char* how : {"recursion", "conjugate-gradients"}) {
      const Natural natural(*m, start, by(how));
      State state;
      natural.lower(start, state);
      if (natural.pattern().m() == 0) state = random_tree_state(natural, 2, 1.7);
      Solver solver(natural);
      for (const int threads : {1, 2}) {
        const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, index(threads));
        const double evaluate = microseconds([&] { solver.evaluate(state); });
        const double solve = microseconds([&] { solver.solve(); });
        report.put("threads", model.name, fmt::format("{} evaluate {}", how, threads), evaluate);
        report.put("threads", model.name, fmt::format("{} solve {}", how, threads), solve);
        if (threads == 1)
          wanted = solver.solution.a;
        else
          report.claim((wanted.array() == solver.solution.a.array()).all(),
                       model.name + ": the same bits on two threads");
      }
    }
    // The comparator: absolute coordinates, all rows, the sparse elimination.
    const auto formulation = gauss::make_formulation("sparse");
    const auto stabilizer = stabilize::make_stabilizer("none", {});
    Motion motion(*m, *formulation, *stabilizer, {});
    gauss::GaussSolution solution;
    solution.resize(m->pattern());
    for (const int threads : {1, 2}) {
      const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, index(threads));
      report.put("threads", model.name, fmt::format("absolute {}", threads),
                 microseconds([&] { motion.accelerate(start, solution); }));
    }
    report.put("threads", model.name, "bodies", static_cast<double>(m->bodies().size()));
  }
}

}  // namespace

int main() {
  Report report;
  count_steps(report);
  measure_threads(report);
  return report.exit_code();
}
