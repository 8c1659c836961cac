// One evaluation of a constrained acceleration: the double four-bar of the IFToMM library (five planar bodies, seven
// revolutes, n = 15, m = 14) and its longer ladders, by each formulation, against Eigen's LU with partial pivoting of
// the same saddle matrix [M Aᵀ; A 0].
//
//     gauss_bench --benchmark_filter=Double        the ratio that matters: `of_lu`, time relative to the LU in this run
//     gauss_bench --benchmark_filter=Ladder        N windows: n = 6N + 3, m = 6N + 2
#include <benchmark/benchmark.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <chrono>
#include <cmath>

#include "mortise/gauss/formulation.h"
#include "mortise/linalg/householder_cod.h"

namespace mortise::gauss {
namespace {

// N windows side by side: links 0..N stand on ground pivots at x = 0..N, bars 0..N−1 join their tops. All lengths 1,
// in a pose turned by θ, in which every window is a parallelogram.
struct Ladder {
  Pattern pattern;
  GaussProblem problem;

  Ladder(const Ladder&) = delete;
  Ladder& operator=(const Ladder&) = delete;
  explicit Ladder(int windows, double theta = 1.1, double rate = 0.7) {
    const double c = 0.5 * std::cos(theta), s = 0.5 * std::sin(theta), w2 = rate * rate;
    const int bodies = 2 * windows + 1;
    for (int body = 0; body < bodies; ++body) pattern.columns.append(3);
    pattern.layout_mass();
    const auto link = [](int i) { return 2 * i; };
    const auto bar = [](int i) { return 2 * i + 1; };
    struct Value {
      int block;
      double x, y, sign;  // the arm of the pin on its body, and the sign of the body's rows
    };
    std::vector<Value> values;
    const auto pin = [&](int first, double x1, double y1, int second, double x2, double y2) {
      const int row = pattern.m();
      for (int k = 0; k < 2; ++k) pattern.rows.push_back({row / 2, k});
      values.push_back({pattern.append_block(row, 2, first), x1, y1, 1});
      if (second >= 0) values.push_back({pattern.append_block(row, 2, second), x2, y2, -1});
    };
    for (int i = 0; i <= windows; ++i) {
      pin(link(i), -c, -s, -1, 0, 0);
      if (i > 0) pin(bar(i - 1), 0.5, 0, link(i), c, s);
      if (i < windows) pin(link(i), c, s, bar(i), -0.5, 0);
    }
    pattern.row_scale.assign(static_cast<std::size_t>(pattern.m()), 0.5);
    problem.resize(pattern);
    for (const Value& v : values) {
      const RowBlock& e = pattern.A[static_cast<std::size_t>(v.block)];
      double* A = problem.A.data() + e.offset;
      const double block[6] = {v.sign, 0, -v.sign * v.y, 0, v.sign, v.sign * v.x};
      std::copy(block, block + 6, A);
      if (e.block % 2 == 0) {
        problem.b[e.row] += v.sign * v.x * w2;
        problem.b[e.row + 1] += v.sign * v.y * w2;
      }
    }
    for (int body = 0; body < bodies; ++body) {
      double* M = problem.M.data() + pattern.M_offset[static_cast<std::size_t>(body)];
      M[0] = M[4] = 1;
      M[8] = 1.0 / 12;
      problem.Q[3 * body + 1] = -9.81;
    }
  }
};

struct Saddle {
  Matrix X;
  Vector right, solution;
  Eigen::PartialPivLU<Matrix> lu;

  explicit Saddle(const GaussProblem& p) : lu(p.Q.size() + p.b.size()) {
    const auto n = p.Q.size(), m = p.b.size();
    X.setZero(n + m, n + m);
    X.topLeftCorner(n, n) = p.dense_M();
    X.bottomLeftCorner(m, n) = p.dense_A();
    X.topRightCorner(n, m) = p.dense_A().transpose();
    right.resize(n + m);
    right << p.Q, p.b;
    solution.resize(n + m);
  }
  void solve() {
    lu.compute(X);
    solution.noalias() = lu.solve(right);
    benchmark::DoNotOptimize(solution.data());
  }
};

// Seconds of one call, the least of several rounds: other work on the machine can only add to it.
template <class Call>
double seconds(Call&& call) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int round = 0; round < 30; ++round) {
    const auto start = Clock::now();
    for (int k = 0; k < 200; ++k) call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count() / 200);
  }
  return best;
}

void DoubleFourBar_lu(benchmark::State& state) {
  const Ladder ladder(2);
  Saddle saddle(ladder.problem);
  for (auto _ : state) saddle.solve();
}
BENCHMARK(DoubleFourBar_lu);

void DoubleFourBar(benchmark::State& state, const char* name) {
  const Ladder ladder(2);
  const auto factor = make_formulation(name)->prepare(ladder.pattern);
  GaussSolution solution;
  solution.resize(ladder.pattern);
  const auto call = [&] {
    factor->factor(ladder.problem, {});
    factor->solve(as_span(ladder.problem.Q), as_span(ladder.problem.b), solution);
    benchmark::DoNotOptimize(solution.a.data());
  };
  for (auto _ : state) call();
  Saddle saddle(ladder.problem);
  state.counters["of_lu"] = seconds(call) / seconds([&] { saddle.solve(); });
  saddle.solve();
  state.counters["difference"] = (saddle.solution.head(solution.a.size()) - solution.a).cwiseAbs().maxCoeff();
}
BENCHMARK_CAPTURE(DoubleFourBar, lagrange, "lagrange");
BENCHMARK_CAPTURE(DoubleFourBar, udwadia_kalaba, "udwadia-kalaba");

void DoubleFourBar_only_solve(benchmark::State& state, const char* name) {
  const Ladder ladder(2);
  const auto factor = make_formulation(name)->prepare(ladder.pattern);
  GaussSolution solution;
  factor->factor(ladder.problem, {});
  for (auto _ : state) {
    factor->solve(as_span(ladder.problem.Q), as_span(ladder.problem.b), solution);
    benchmark::DoNotOptimize(solution.a.data());
  }
}
BENCHMARK_CAPTURE(DoubleFourBar_only_solve, lagrange, "lagrange");
BENCHMARK_CAPTURE(DoubleFourBar_only_solve, udwadia_kalaba, "udwadia-kalaba");

void LadderOfFourBars(benchmark::State& state, const char* name) {
  const Ladder ladder(static_cast<int>(state.range(0)));
  const auto factor = make_formulation(name)->prepare(ladder.pattern);
  GaussSolution solution;
  for (auto _ : state) {
    factor->factor(ladder.problem, {});
    factor->solve(as_span(ladder.problem.Q), as_span(ladder.problem.b), solution);
    benchmark::DoNotOptimize(solution.a.data());
  }
  state.counters["m"] = ladder.pattern.m();
  state.counters["rank"] = solution.rank.rank;
}
BENCHMARK_CAPTURE(LadderOfFourBars, lagrange, "lagrange")->Arg(10)->Arg(40)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(LadderOfFourBars, udwadia_kalaba, "udwadia-kalaba")->Arg(10)->Arg(40)->Unit(benchmark::kMicrosecond);

void LadderOfFourBars_lu(benchmark::State& state) {
  const Ladder ladder(static_cast<int>(state.range(0)));
  Saddle saddle(ladder.problem);
  for (auto _ : state) saddle.solve();
}
BENCHMARK(LadderOfFourBars_lu)->Arg(10)->Arg(40)->Unit(benchmark::kMicrosecond);

// The decomposition alone on a dense matrix, n = m + 1, against Eigen's.
void DenseDecomposition(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  const Matrix Dt = Matrix::Random(m + 1, m);
  linalg::CompleteOrthogonal cod;
  cod.resize(m + 1, m);
  for (auto _ : state) {
    for (int j = 0; j < m; ++j) std::copy(Dt.col(j).data(), Dt.col(j).data() + m + 1, cod.column(j));
    cod.factor({}, 0);
    benchmark::DoNotOptimize(cod.rank().rank);
  }
}
BENCHMARK(DenseDecomposition)->Arg(14)->Arg(60)->Arg(242)->Unit(benchmark::kMicrosecond);

void DenseDecomposition_eigen(benchmark::State& state) {
  const int m = static_cast<int>(state.range(0));
  const Matrix Dt = Matrix::Random(m + 1, m);
  Eigen::ColPivHouseholderQR<Matrix> qr(m + 1, m);
  for (auto _ : state) {
    qr.compute(Dt);
    benchmark::DoNotOptimize(qr.rank());
  }
}
BENCHMARK(DenseDecomposition_eigen)->Arg(14)->Arg(60)->Arg(242)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace mortise::gauss
