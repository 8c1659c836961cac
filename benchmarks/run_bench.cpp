// One run of a model by the library, without result file: what it costs and how well it did, as one JSON object.
//
//     run_bench MODEL REPEAT [path=value | quantity]...
//     run_bench examples/n-four-bar.yaml 5 N=40 analysis.tolerance=1e-6 vertical0.B0.x
//
// `wall` and `cpu` are medians of REPEAT runs (or of those that began within 5 s) of the whole analysis: assembly,
// steps, frames with all reactions. Loading and compiling the model are told apart. Quantities are those of the last
// frame; `peak_bytes` is of the whole program.
#include <sys/resource.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "median.h"
#include "mortise/analysis/dynamics.h"
#include "mortise/analysis/quantity.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise {
namespace {

class LastFrame final : public analysis::Sink {
 public:
  void begin(const analysis::RunHeader& header) override { options = header.options; }
  void frame(const analysis::Frame& f) override { last = f; }
  void flush() override {}
  void end(const analysis::RunSummary&) override {}

  std::string options;
  analysis::Frame last;
};

double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return std::isfinite(value) ? text : "null";
}

int bench(const std::string& path, int repeat, const std::vector<std::string>& words) {
  using Clock = std::chrono::steady_clock;
  const auto since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  std::vector<std::string> settings, names;
  for (const std::string& word : words) (word.find('=') == std::string::npos ? names : settings).push_back(word);

  const auto start = Clock::now();
  const auto m = mechanism::Mechanism::compile(
      std::make_shared<const model::Model>(io::load_model(path, mechanism::catalogue(), settings)));
  const double load = since(start);
  std::vector<double> wall, cpu;
  LastFrame sink;
  analysis::DynamicsOptions options;
  options.sink = &sink;
  analysis::DynamicsResult result;
  const auto first = Clock::now();
  for (int k = 0; k == 0 || (k < repeat && since(first) < 5); ++k) {
    const auto begin = Clock::now();
    result = analysis::run_dynamics(*m, options);
    wall.push_back(since(begin));
    cpu.push_back(result.summary.cpu_total);
  }
  const analysis::RunSummary& s = result.summary;
  std::printf(
      "{\"peer\": \"Mortise\", \"setting\": \"%s\", \"constraint\": \"%s\", \"reached\": %s, \"wall\": %s, \"cpu\": "
      "%s, "
      "\"load\": %s, \"steps\": %ld, \"evaluations\": %ld, \"rank\": %ld, \"energy_error\": %s, \"violation\": %s, "
      "\"peak_bytes\": %.0f, \"trouble\": \"\", \"quantities\": {",
      sink.options.c_str(), "projects every step", text_of(result.state.t).c_str(), text_of(median(wall)).c_str(),
      text_of(median(cpu)).c_str(), text_of(load).c_str(), s.steps, s.evaluations, s.rank,
      text_of(s.energy_drift).c_str(), text_of(s.worst_position).c_str(), peak_bytes());
  mechanism::Motions motions;
  m->motions(as_span(sink.last.q), as_span(sink.last.v), motions);
  for (std::size_t k = 0; k < names.size(); ++k)
    std::printf("%s\"%s\": %s", k == 0 ? "" : ", ", names[k].c_str(),
                text_of(analysis::find_quantity(*m, names[k]).value(sink.last, motions)).c_str());
  std::printf("}}\n");
  return 0;
}

}  // namespace
}  // namespace mortise

int main(int argc, char** argv) {
  if (argc < 3 || std::atoi(argv[2]) < 1) {
    std::fprintf(stderr, "usage: %s MODEL REPEAT [path=value | quantity]...\n", argv[0]);
    return 2;
  }
  try {
    return mortise::bench(argv[1], std::atoi(argv[2]), {argv + 3, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
