// Batches against a loop of ordinary runs: the same mechanism, method (rk4 with projection) and step, copies that
// differ in their velocities. Throughput of both, and their ratio.
//
//     batch_bench [THREADS [MOST]]      from the source folder; THREADS 1 by default, up to MOST = 4096 copies
//
// Medians of 5, each over as many steps as take about 50 ms. A step has four right-hand sides.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mortise/analysis/batch.h"
#include "mortise/analysis/stepper.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise {
namespace {

constexpr double step = 1e-3;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Steps a second: `advance(k)` takes k further steps.
template <class Advance>
double steps_per_second(Advance advance) {
  int count = 1;
  for (double seconds = 0; seconds < 0.02; count *= 2) {
    const double start = now();
    advance(count);
    seconds = now() - start;
  }
  std::vector<double> rates;
  for (int k = 0; k < 5; ++k) {
    const double start = now();
    advance(count);
    rates.push_back(count / (now() - start));
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

std::vector<analysis::BatchCopy> copies_of(const std::shared_ptr<const mechanism::Mechanism>& m, int count) {
  const analysis::Batch as_modelled({{m, {}}}, {step, 1});
  std::vector<analysis::BatchCopy> copies;
  for (int k = 0; k < count; ++k) {
    State state = as_modelled.look(0).state;
    state.v *= 1 + 0.1 * k / count;
    copies.push_back({m, state});
  }
  return copies;
}

double ordinary(const mechanism::Mechanism& m, const State& start) {
  model::AnalysisSettings settings = m.model().analysis;
  settings.integrator = "rk4";
  settings.step = step;
  settings.stabilize = "projection";
  analysis::Stepper stepper(m, settings);
  stepper.start(start);
  long done = 0;
  return steps_per_second([&](int count) { stepper.advance_to(step * static_cast<double>(done += count)); });
}

void table(const std::string& title, const std::string& example, const std::vector<std::string>& settings, int threads,
           int most) {
  const std::shared_ptr<const mechanism::Mechanism> m =
      mechanism::Mechanism::compile(std::make_shared<const model::Model>(
          io::load_model("examples/" + example + ".yaml", mechanism::catalogue(), settings)));
  for (int count = 1; count <= most; count *= 4) {
    const std::vector<analysis::BatchCopy> copies = copies_of(m, count);
    analysis::Batch batch(copies, {step, threads});
    long done = 0;
    const double lanes = count * steps_per_second([&](int k) { batch.advance(step * static_cast<double>(done += k)); });
    const double loop = ordinary(*m, copies.front().start.value());
    std::printf("| %s | %d | %.3g | %.3g | %.3g | %.2f |\n", title.c_str(), count, 4 * lanes, lanes, loop,
                lanes / loop);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1, most = argc > 2 ? std::atoi(argv[2]) : 4096;
  std::printf("| mechanism | copies | right-hand sides/s | steps/s | steps/s of the loop | ratio |\n");
  std::printf("| --- | ---: | ---: | ---: | ---: | ---: |\n");
  mortise::table("double four-bar", "n-four-bar", {"N=2"}, threads, most);
  mortise::table("five-bar", "five-bar", {}, threads, most);
  mortise::table("Bricard", "bricard", {}, threads, most);
  return 0;
}
