// One right-hand side of the double four-bar (examples/n-four-bar.yaml with N = 2: five planar bodies, seven revolutes,
// n = 15, m = 14), from (t, q, v) to (a, λ) through the public interfaces, against Eigen's LU with partial pivoting of
// the 29 × 29 saddle matrix [M Aᵀ; A 0] alone. Evaluation of the mechanism, of its energies and of the violation
// included.
//
//     mechanism_bench [FILE]     from the source folder; a Markdown table: medians of 9 repetitions, taken in turn so
//     that
//                                all see the same machine
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

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

// Nanoseconds of one call: the least of 20 rounds, since other work on the machine can only add to it.
template <class Call>
double nanoseconds(Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int round = 0; round < 20; ++round) {
    const auto start = Clock::now();
    for (int k = 0; k < 200; ++k) call();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - start).count() / 200);
  }
  return best;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

int bench(const std::string& path) {
  const auto model = std::make_shared<const model::Model>(io::load_model(path, mechanism::catalogue()));
  const auto m = mechanism::Mechanism::compile(model);
  Evaluating evaluating(*m);
  RightHandSide lagrange(*m, "lagrange"), udwadia_kalaba(*m, "udwadia-kalaba");
  lagrange();
  udwadia_kalaba();
  Saddle saddle(lagrange.motion.evaluation().problem);
  saddle();

  std::array<std::vector<double>, 4> times;
  for (int k = 0; k < repetitions; ++k) {
    times[0].push_back(nanoseconds(saddle));
    times[1].push_back(nanoseconds(evaluating));
    times[2].push_back(nanoseconds(lagrange));
    times[3].push_back(nanoseconds(udwadia_kalaba));
  }
  const double lu = median(times[0]);
  const auto difference = [&](const RightHandSide& side) {
    return (saddle.solution.head(side.solution.a.size()) - side.solution.a).cwiseAbs().maxCoeff();
  };
  std::printf("%s: n = %d, m = %d, medians of %d\n\n", model->name.c_str(), m->v_size(), m->pattern().m(), repetitions);
  std::printf("| what | ns | of LU | goal | differs from LU |\n| --- | ---: | ---: | ---: | ---: |\n");
  std::printf("| LU with partial pivoting, compute and solve | %.0f | 1.00 | | |\n", lu);
  std::printf("| evaluate the mechanism | %.0f | %.2f | | |\n", median(times[1]), median(times[1]) / lu);
  std::printf("| lagrange, (t, q, v) to (a, lambda) | %.0f | %.2f | 0.50 | %.1e |\n", median(times[2]),
              median(times[2]) / lu, difference(lagrange));
  std::printf("| udwadia-kalaba, (t, q, v) to (a, lambda) | %.0f | %.2f | 1.30 | %.1e |\n", median(times[3]),
              median(times[3]) / lu, difference(udwadia_kalaba));
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
