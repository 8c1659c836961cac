// Diagnosis of the spatial N-four-bar (examples/n-four-bar-spatial.yaml), N = 10, 100, 1000, 10000: processor seconds
// from the compiled mechanism to the diagnosis with all 3N redundancies named and classified, and the slope of
// log(seconds) over log(N). Wanted: a slope of at most 1.1, and less than 10 s for 10,000 windows.
//
//     diagnose_bench [FILE] [LARGEST]     from the source folder; a Markdown table, least of three for N ≤ 1000
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "mortise/analysis/checkup.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace {

// Of this process: the table must not depend on who else computes here.
double seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main(int argc, char** argv) {
  using namespace mortise;
  const std::string file = argc > 1 ? argv[1] : "examples/n-four-bar-spatial.yaml";
  const long largest = argc > 2 ? std::atol(argv[2]) : 10000;
  std::printf(
      "| N | load [s] | diagnose [s] | redundant | structural | dof | slope |\n|---|---|---|---|---|---|---|\n");
  double before = 0;
  bool right = true;
  for (long n = 10; n <= largest; n *= 10) {
    double start = seconds();
    const auto m = mechanism::Mechanism::compile(
        std::make_shared<const model::Model>(io::load_model(file, mechanism::catalogue(), {"N=" + std::to_string(n)})));
    const double load = seconds() - start;
    double best = 1e300;
    analysis::Checkup checkup;
    for (int repetition = 0; repetition < (n > 1000 ? 1 : 3); ++repetition) {
      start = seconds();
      checkup = analysis::check_up(*m);
      best = std::min(best, seconds() - start);
    }
    long structural = 0;
    for (const auto& group : checkup.diagnosis.groups) structural += group.structural;
    const double slope = before > 0 ? std::log10(best / before) : 0;
    std::printf("| %ld | %.3f | %.4f | %zu | %ld | %d | %.2f |\n", n, load, best, checkup.diagnosis.redundancies.size(),
                structural, checkup.diagnosis.degrees_of_freedom, slope);
    std::fflush(stdout);
    right = right && static_cast<long>(checkup.diagnosis.redundancies.size()) == 3 * n && structural == 3 * n &&
            checkup.diagnosis.degrees_of_freedom == 1;
    before = best;
  }
  return right ? 0 : 1;
}
