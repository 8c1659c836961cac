// The O(n) recursion of natural coordinates on the spatial chain, nanoseconds of processor time a body, medians of 9:
//
//     natural_bench [LARGEST]        from the source folder; a Markdown table
//
// forces     what the mechanism itself evaluates: motions, loads, rows (also those that the tree fulfils)
// map        poses, X, H, γ, M* and Q* along the tree: the right-hand side less `forces`
// solve      M* = F Fᵀ by the articulated recursion, a = F⁻ᵀF⁻¹Q
// recursion  map + solve: from coordinates, velocities and loads to accelerations
// whole      one right-hand side of a run;  absolute: the same by `sparse` in absolute coordinates
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "median.h"
#include "mortise/coordinates/natural.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise {
namespace {

// Processor time of this thread: others may work on the machine.
double clock_now() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Call>
double median_seconds(const Call& call) {
  int calls = 1;
  for (const double start = clock_now(); clock_now() - start < 5e-3; call()) ++calls;
  std::vector<double> times;
  for (int k = 0; k < 9; ++k) {
    const double start = clock_now();
    for (int i = 0; i < calls; ++i) call();
    times.push_back((clock_now() - start) / calls);
  }
  return median(times);
}

void chain(long n) {
  const auto m = mechanism::Mechanism::compile(std::make_shared<const model::Model>(
      io::load_model("examples/chain-spatial.yaml", mechanism::catalogue(), {"N=" + std::to_string(n)})));
  const State start = m->initial_state();
  coordinates::CoordinateSettings settings;
  settings.accelerations = "recursion";
  const coordinates::Natural natural(*m, start, settings);
  State state;
  natural.lower(start, state);

  const auto scratch = natural.make_scratch(), own = m->make_scratch();
  Evaluation mapped, evaluation;
  mapped.resize(natural.pattern());
  evaluation.resize(m->pattern());
  gauss::GaussSolution solution;
  solution.resize(natural.pattern());
  const auto factor = natural.formulation()->prepare(natural.pattern());
  const double forces = median_seconds([&] { m->evaluate(start, need_dynamics, *own, evaluation); });
  const double all = median_seconds([&] { natural.evaluate(state, need_dynamics, *scratch, mapped); });
  const double solve = median_seconds([&] {
    if (!factor->factor(mapped.problem, {})) std::abort();
    factor->solve(as_span(mapped.problem.Q), as_span(mapped.problem.b), solution);
  });

  const auto sparse = gauss::make_formulation("sparse");
  const auto none = stabilize::make_stabilizer("none", {});
  Motion absolute(*m, *sparse, *none, {});
  solution.resize(m->pattern());
  State given = start;
  const double rows = median_seconds([&] { absolute.accelerate(given, solution); });
  const double ns = 1e9 / static_cast<double>(n);
  std::printf("| %ld | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |\n", n, ns * forces, ns * (all - forces), ns * solve,
              ns * (all - forces + solve), ns * (all + solve), ns * rows);
  std::fflush(stdout);
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  const long largest = argc > 1 ? std::atol(argv[1]) : 1000;
  std::puts(
      "| bodies | forces | map | solve | recursion | whole | absolute |\n| --- | --- | --- | --- | --- | --- | --- |");
  for (long n = 10; n <= largest; n *= 10) mortise::chain(n);
}
