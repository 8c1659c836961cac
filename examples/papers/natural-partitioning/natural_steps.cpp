// Natural partitioning (N.P.S.) and stabilised multipliers in absolute coordinates (P.C.S.T.) in the same time
// stepping, the two-stage staggered integrator: processor time and wall time of a step on 1, 2, 4 and 8 workers, for
// one vehicle, vehicles side by side, and a root with 4 k branches of 64 bars (specs/nasa-3-natural-partitioning.md
// §4.5, C15). Times are those of the machine at hand; that all numbers of workers give the same bits is checked.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <ctime>
#include <map>

#include "mortise/integrate/staggered/staggered.h"
#include "mortise/linalg/tree_mass.h"
#include "mortise/motion/motion.h"
#include "mortise/stabilize/stabilizer.h"
#include "natural-partitioning/models.h"
#include "report.h"
#include "support/compile.h"

namespace {

using namespace mortise;
using coordinates::Natural;
using papers::by;
using papers::Report;

constexpr int all_workers[] = {1, 2, 4, 8};

template <class Call>
auto on(int workers, const Call& call) {
  const oneapi::tbb::global_control most(oneapi::tbb::global_control::max_allowed_parallelism, index(workers));
  oneapi::tbb::task_arena arena(workers);
  return arena.execute(call);
}

struct Cost {
  double wall = 0, processor = 0;  // µs a step
  Vector end;                      // after some steps
};

// One run of the integrator, begun anew for each number of workers.
class Stepping {
 public:
  Stepping(const System& system, const gauss::Formulation& formulation, State start)
      : stabilizer_(stabilize::make_stabilizer("none", {})),
        motion_(system, formulation, *stabilizer_, {}),
        integrator_(as_published()) {
    start.lambda.setZero(system.pattern().m());
    start.work.setZero(work_count);
    start.active.assign(index(system.pattern().m()), 1);
    start.inputs = system.initial_inputs();
    motion_.set_active(start.active);
    motion_.set_inputs(start.inputs);
    y_.setZero(motion_.size());
    motion_.pack(start, as_span(y_));
  }

  Cost measure() {
    integrator_.start(motion_, 0, as_span(y_));
    Cost out;
    std::vector<double> times;
    const std::clock_t before = std::clock();
    for (const double begin = papers::now();
         times.size() < steps_compared || (papers::now() - begin < 0.1 && times.size() < 400);) {
      const double at = papers::now();
      integrator_.step(1);
      times.push_back(1e6 * (papers::now() - at));
      if (times.size() == steps_compared) out.end = as_vector(integrator_.y());
    }
    const double spent = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
    out.processor = 1e6 * spent / static_cast<double>(times.size());
    out.wall = *std::min_element(times.begin(), times.end());
    return out;
  }

 private:
  static constexpr std::size_t steps_compared = 10;
  static integrate::Settings as_published() {
    integrate::Settings settings;
    settings.step = 1e-5;
    settings.staggered.merge = 0;
    return settings;
  }

  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  integrate::Staggered integrator_;
  Vector y_;
};

// The best of some rounds: others work on the machine, and what is wanted is what a step can do.
void put_costs(Report& report, const std::string& row, const System& system, const gauss::Formulation& formulation,
               const State& start) {
  constexpr int rounds = 4;
  Stepping stepping(system, formulation, start);
  std::map<int, Cost> best;
  for (int round = 0; round < rounds; ++round)
    for (const int workers : all_workers) {
      const Cost cost = on(workers, [&] { return stepping.measure(); });
      Cost& kept = best[workers];
      if (round == 0 || cost.wall < kept.wall) kept.wall = cost.wall;
      if (round == 0 || cost.processor < kept.processor) kept.processor = cost.processor;
      kept.end = cost.end;
      report.claim((best[1].end.array() == cost.end.array()).all(),
                   fmt::format("{}: the same bits on {} workers", row, workers));
    }
  for (const auto& [workers, cost] : best) {
    report.put("cost", row, fmt::format("wall {}", workers), cost.wall);
    report.put("cost", row, fmt::format("processor {}", workers), cost.processor);
  }
}

void measure_steps(Report& report) {
  struct Model {
    std::string name, text;
    bool tree;
  };
  std::vector<Model> models{{"1 vehicle", papers::vehicles(1), false}};
  for (const int k : {4, 16, 64, 256}) models.push_back({fmt::format("{} vehicles", k), papers::vehicles(k), false});
  for (const int k : {1, 4, 8, 32})
    models.push_back({fmt::format("root with {} branches on balls", 4 * k), papers::bars(4 * k, 64), true});
  for (const int k : {1, 8, 32})
    models.push_back({fmt::format("root with {} branches on hinges", 4 * k), papers::bars(4 * k, 64, true), true});
  for (const Model& model : models) {
    const auto m = test::compile(model.text);
    State absolute = m->initial_state();
    for (const auto& [name, how] :
         {std::pair{"N.P.S. (recursion)", "recursion"}, {"N.P.S. (conjugate gradients)", "conjugate-gradients"}}) {
      const Natural natural(*m, m->initial_state(), by(how, "branches", 1e-13));
      State state;
      if (model.tree)
        state = papers::random_tree_state(natural, 2, 1.7);
      else
        natural.lower(m->initial_state(), state);
      natural.lift(state, absolute);
      const std::string row = model.name + ": " + name;
      put_costs(report, row, natural, *natural.formulation(), state);
      for (const int workers : all_workers)
        report.put("cost", row, fmt::format("allowed {}", workers), natural.shape().speed_up(workers));
    }
    const auto formulation = gauss::make_formulation("auto");
    put_costs(report, model.name + ": P.C.S.T.", *m, *formulation, absolute);
  }
}

// The partition of the source: each suspension of the vehicle to a worker of its own, whatever threads cost.
void measure_suspensions(Report& report) {
  const auto m = test::compile(papers::vehicles(1));
  const Natural natural(*m, m->initial_state(), by("recursion"));
  linalg::TreeShape shape;
  for (int j = 0; j < natural.shape().bodies(); ++j)
    shape.append(natural.shape().parent(j), natural.shape().size(j), natural.shape().carry(j));
  shape.finish(3, 1);
  report.claim(shape.tasks() == 4, "four suspensions are four tasks");
  linalg::TreeMass mass(shape);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int j = 0; j < shape.bodies(); ++j) {
    for (double& x : mass.link(j).r) x = normal(random);
    mass.link(j).mass = 1;
    mass.link(j).J.setIdentity();
    for (int k = 0; k < 6 * shape.size(j); ++k) mass.H(j)[k] = normal(random);
  }
  Vector x(shape.rates()), y(shape.rates()), wanted;
  for (double& value : x) value = normal(random);
  for (const int workers : {1, 2, 4}) {
    const double time = on(workers, [&] { return papers::microseconds([&] { mass.multiply(x.data(), y.data()); }); });
    const std::string row = fmt::format("{}", workers);
    report.put("suspensions", row, "product", time);
    report.put("suspensions", row, "allowed", shape.speed_up(workers));
    if (workers == 1) wanted = y;
    report.claim(wanted == y, "suspensions: the same bits on " + row + " workers");
  }
}

}  // namespace

int main() {
  Report report;
  measure_steps(report);
  measure_suspensions(report);
  return report.exit_code();
}
