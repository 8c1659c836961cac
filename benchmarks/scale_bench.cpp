// Right-hand sides over the number of bodies: chains and N-four-bars, planar and spatial, from (t, q, v) to (a, λ)
// through the public interfaces, with `sparse`; and the share of evaluation alone.
//
//     scale_bench [LARGEST [EXAMPLE]...]   from the source folder; a Markdown table: nanoseconds a link or window,
//                                          medians of 9, and the bytes that mechanism and workspace keep allocated
//     scale_bench crossover                where `sparse` overtakes `udwadia-kalaba`
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "median.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/mechanism.h"
#include "mortise/mechanism/parts.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise {
namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Seconds of one call: medians of 9, each over enough calls to take a few milliseconds.
template <class Call>
double seconds(Call call) {
  int calls = 1;
  for (double start = now(); now() - start < 2e-3; call()) ++calls;
  std::vector<double> times;
  for (int k = 0; k < 9; ++k) {
    const double start = now();
    for (int i = 0; i < calls; ++i) call();
    times.push_back((now() - start) / calls);
  }
  return median(times);
}

struct Case {
  std::unique_ptr<mechanism::Mechanism> mechanism;
  std::unique_ptr<gauss::Formulation> formulation;
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("none", {});
  std::unique_ptr<Motion> motion;
  gauss::GaussSolution solution;
  State state;

  Case(const std::string& example, long n, const std::string& how)
      : mechanism(mechanism::Mechanism::compile(std::make_shared<const model::Model>(
            io::load_model("examples/" + example + ".yaml", mechanism::catalogue(), {"N=" + std::to_string(n)})))),
        formulation(gauss::make_formulation(how)),
        motion(std::make_unique<Motion>(*mechanism, *formulation, *stabilizer, linalg::RankPolicy{})),
        state(mechanism->initial_state()) {
    solution.resize(mechanism->pattern());
    motion->project(state, Motion::Start::fresh);  // poses and velocities that are those of a run
    motion->accelerate(state, solution);
  }
  double right_hand_side() {
    return seconds([&] { motion->accelerate(state, solution); });
  }
  double evaluation() {
    const auto scratch = mechanism->make_scratch();
    Evaluation e;
    e.resize(mechanism->pattern());
    return seconds([&] { mechanism->evaluate(state, need_dynamics, *scratch, e); });
  }
};

// Bytes of the heap in use.
double heap() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

struct Row {
  const char* example;
  double goal;    // nanoseconds a link or window
  long smallest;  // then 10, 100, …
};

int scale(long largest, const std::vector<std::string>& wanted) {
  std::printf(
      "| mechanism | N | a right-hand side | a link or window | evaluation alone | redundant | slope | bytes | goal "
      "|\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (const Row& row : {Row{"chain", 60, 10}, Row{"chain-spatial", 600, 10}, Row{"n-four-bar", 700, 2},
                         Row{"n-four-bar-spatial", 4000, 2}}) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), row.example) == wanted.end()) continue;
    double before = 0;
    const Case warm(row.example, row.smallest, "sparse");  // what is kept for all mechanisms counts for none
    for (long n = row.smallest; n <= largest; n = n < 10 ? 10 : n * 10) {
      const double empty = heap();
      Case c(row.example, n, "sparse");
      const double bytes = heap() - empty;
      const double all = c.right_hand_side(), evaluation = c.evaluation();
      std::printf("| %s | %ld | %.3g ms | %.0f ns | %.0f ns | %d | %s | %.0f | %.0f ns |\n", row.example, n, all * 1e3,
                  all / static_cast<double>(n) * 1e9, evaluation / static_cast<double>(n) * 1e9,
                  c.solution.rank.redundant(),
                  before > 0 && n > 10 ? std::to_string(std::log10(all / before)).substr(0, 4).c_str() : "",
                  bytes / static_cast<double>(n), row.goal);
      std::fflush(stdout);
      before = all;
    }
  }
  return 0;
}

int crossover() {
  std::printf(
      "| planar N-four-bar | rows | udwadia-kalaba [us] | lagrange [us] | sparse [us] |\n| ---: | ---: | ---: | ---: | "
      "---: |\n");
  for (const long n : {1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 40}) {
    Case dense("n-four-bar", n, "udwadia-kalaba"), lagrange("n-four-bar", n, "lagrange"),
        sparse("n-four-bar", n, "sparse");
    std::printf("| %ld | %d | %.2f | %.2f | %.2f |\n", n, dense.mechanism->pattern().m(), dense.right_hand_side() * 1e6,
                lagrange.right_hand_side() * 1e6, sparse.right_hand_side() * 1e6);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "crossover") == 0) return mortise::crossover();
  return mortise::scale(argc > 1 ? std::atol(argv[1]) : 10000, {argv + std::min(argc, 2), argv + argc});
}
