// One right-hand side of the double four-bar (examples/n-four-bar.yaml with N = 2: five planar bodies, seven revolutes,
// n = 15, m = 14), from (t, q, v) to (a, λ) through the public interfaces, against Eigen's LU with partial pivoting of
// the 29 × 29 saddle matrix [M Aᵀ; A 0] alone. Evaluation of the mechanism, of its energies and of the violation
// included.
//
//     mechanism_bench [FILE]     from the source folder; a Markdown table: medians of 9 repetitions, taken in turn so
//                                that all see the same machine; every formulation that is no search. A goal holds for
//                                the best of those that give multipliers, and of those that decide the rank as well
#include <Eigen/LU>
#include <algorithm>
#include <chrono>
#include <cstdio>
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

constexpr int repetitions = 9;

struct RightHandSide {
  std::string name;
  std::unique_ptr<gauss::Formulation> formulation;
  std::unique_ptr<Stabilizer> stabilizer = stabilize::make_stabilizer("projection", {});
  Motion motion;
  gauss::GaussSolution solution;
  State state;

  RightHandSide(const mechanism::Mechanism& m, const std::string& formulation_name)
      : name(formulation_name),
        formulation(gauss::make_formulation(formulation_name)),
        motion(m, *formulation, *stabilizer, {}),
        state(m.initial_state()) {
    solution.resize(m.pattern());
    motion.project(state, Motion::Start::fresh);
  }
  void operator()() {
    state.t += 1e-9;
    motion.accelerate(state, solution);
  }
};

// What `accelerate` does before it solves.
struct Evaluating {
  const mechanism::Mechanism& m;
  std::unique_ptr<Scratch> scratch = m.make_scratch();
  Evaluation evaluation;
  State state = m.initial_state();

  explicit Evaluating(const mechanism::Mechanism& mechanism) : m(mechanism) { evaluation.resize(m.pattern()); }
  void operator()() {
    state.t += 1e-9;
    m.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  }
};

struct Saddle {
  Matrix X;
  Vector right, solution;
  Eigen::PartialPivLU<Matrix> lu;

  explicit Saddle(const gauss::GaussProblem& p) : lu(p.Q.size() + p.b.size()) {
    const auto n = p.Q.size(), m = p.b.size();
    const Matrix A = p.dense_A();
    X.setZero(n + m, n + m);
    X.topLeftCorner(n, n) = p.dense_M();
    X.bottomLeftCorner(m, n) = A;
    X.topRightCorner(n, m) = A.transpose();
    right.resize(n + m);
    right << p.Q, p.b;
    solution.resize(n + m);
  }
  void operator()() {
    lu.compute(X);
    solution.noalias() = lu.solve(right);
  }
};

// Nanoseconds of one call: the least of 20 rounds of at most a millisecond, since other work on the machine can only
// add to it.
template <class Call>
double nanoseconds(Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e6;
  for (int round = 0; round < 20; ++round) {
    const int calls = std::clamp(static_cast<int>(1e6 / best), 1, 200);
    const auto start = Clock::now();
    for (int k = 0; k < calls; ++k) call();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / calls);
  }
  return best;
}

int bench(const std::string& path) {
  const auto model = std::make_shared<const model::Model>(io::load_model(path, mechanism::catalogue()));
  const auto m = mechanism::Mechanism::compile(model);
  Evaluating evaluating(*m);
  std::vector<std::unique_ptr<RightHandSide>> sides;
  for (const gauss::FormulationEntry& entry : gauss::formulations()) {
    if (gauss::make_formulation(entry.name)->can().search) continue;
    sides.push_back(std::make_unique<RightHandSide>(*m, entry.name));
    (*sides.back())();
  }
  Saddle saddle(sides.front()->motion.evaluation().problem);
  saddle();

  std::vector<double> lu_times, evaluation_times;
  std::vector<std::vector<double>> times(sides.size());
  for (int k = 0; k < repetitions; ++k) {
    lu_times.push_back(nanoseconds(saddle));
    evaluation_times.push_back(nanoseconds(evaluating));
    for (std::size_t i = 0; i < sides.size(); ++i) times[i].push_back(nanoseconds(*sides[i]));
  }
  const double lu = median(lu_times), evaluation = median(evaluation_times);
  std::printf("%s: n = %d, m = %d, medians of %d\n\n", model->name.c_str(), m->v_size(), m->pattern().m(), repetitions);
  std::printf("| what | ns | of LU | goal | decides the rank | differs from LU |\n");
  std::printf("| --- | ---: | ---: | ---: | --- | ---: |\n");
  std::printf("| LU with partial pivoting, compute and solve | %.0f | 1.00 | | | |\n", lu);
  std::printf("| evaluate the mechanism | %.0f | %.3f | | | |\n", evaluation, evaluation / lu);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const RightHandSide& side = *sides[i];
    const gauss::Capabilities can = side.formulation->can();
    const double difference = (saddle.solution.head(side.solution.a.size()) - side.solution.a).cwiseAbs().maxCoeff();
    std::printf("| %s | %.0f | %.3f | %s | %s | %.1e |\n", side.name.c_str(), median(times[i]), median(times[i]) / lu,
                can.gives_rank          ? "0.40"
                : can.gives_multipliers ? "0.20"
                                        : "",
                can.gives_rank ? "yes" : "no", difference);
  }
  return 0;
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  try {
    return mortise::bench(argc > 1 ? argv[1] : "examples/n-four-bar.yaml");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
