#include "support/random_trial.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstring>

#include "mortise/analysis/assemble.h"
#include "mortise/model/emit.h"
#include "support/memory_run.h"
#include "support/random_model.h"

namespace mortise::test {
namespace {

// The model at work, for the handler of signals: it may only write.
char at_work[1 << 16];

void print_and_leave(int signal) {
  const auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(4);
  };
  say(signal == SIGPROF ? "\nmore than 5 s for ten steps of\n" : "\na crash with\n");
  say(at_work);
  _exit(3);
}

// Signals of crashes and of the processor-time limit are caught as long as it lives.
class Watch {
 public:
  Watch() {
    for (std::size_t k = 0; k < std::size(signals); ++k) before_[k] = ::signal(signals[k], print_and_leave);
  }
  ~Watch() {
    limit(0);
    for (std::size_t k = 0; k < std::size(signals); ++k) ::signal(signals[k], before_[k]);
  }
  void begin(const std::string& text) {
    at_work[text.copy(at_work, sizeof at_work - 1)] = '\0';
    limit(5);
  }

 private:
  static constexpr int signals[] = {SIGPROF, SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL};
  static void limit(int seconds) {
    itimerval timer{};
    timer.it_value.tv_sec = seconds;
    setitimer(ITIMER_PROF, &timer, nullptr);
  }
  sighandler_t before_[std::size(signals)];
};

// Names of items as the models here have them: a letter and a number (b3, j7, j7twin).
bool names_an_item(const std::string& message) {
  for (std::size_t k = 0; k + 1 < message.size(); ++k)
    if (std::strchr("bjdf", message[k]) && std::isdigit(static_cast<unsigned char>(message[k + 1])) &&
        (k == 0 || !std::isalnum(static_cast<unsigned char>(message[k - 1]))))
      return true;
  return false;
}

void judge(const ModelError& error, Trial& trial) {
  for (const Diagnostic& d : error.diagnostics()) {
    if (d.warning) continue;
    if (trial.code.empty()) trial.code = d.code;
    if (d.code.empty() || d.message.empty()) trial.defect = "an error without code or message";
    if (!names_an_item(d.place.str() + " " + d.message) && d.place.line == 0)
      trial.defect = "names neither place nor item: " + d.message;
  }
  if (trial.code.empty()) trial.defect = "a ModelError without an error";
  if (std::string(error.what()).find("nan") != std::string::npos) trial.defect = "speaks of nan";
}

void judge(const SolveError& error, Trial& trial) {
  const SolveReport& report = error.report();
  trial.code = report.code;
  if (report.code.empty() || report.message.empty() || !std::isfinite(report.time))
    trial.defect = "an error without code, message or time";
  const std::string all = render(report);
  if (!names_an_item(all)) trial.defect = "names no item";
  if (all.find("nan") != std::string::npos) trial.defect = "speaks of nan";
  if (!trial.defect.empty()) trial.defect += ":\n" + all;
}

void note_parts(const mechanism::Mechanism& m, Trial& trial) {
  const auto note = [&](const mechanism::ItemRef& ref) {
    const model::PartInfo& part = *m.model().items[static_cast<std::size_t>(ref.item)].part;
    trial.parts.push_back(fmt::format("{} {}", model::item_name(part.section), part.type));
  };
  for (const auto& body : m.bodies()) note(body.ref);
  for (const auto& constraint : m.constraints()) note(constraint.ref);
  for (const auto& force : m.forces()) note(force.ref);
}

template <class Work>
Trial judged(const Work& work) {
  Trial trial;
  try {
    work(trial);
  } catch (const ModelError& error) {
    judge(error, trial);
  } catch (const SolveError& error) {
    judge(error, trial);
  } catch (const std::exception& error) {
    trial.defect = fmt::format("an exception of another kind: {}", error.what());
  }
  return trial;
}

}  // namespace

Trial try_assembly(const model::ModelBuilder& model) {
  return judged([&](Trial&) {
    const auto m =
        mechanism::Mechanism::compile(std::make_shared<const model::Model>(model.build(mechanism::catalogue())));
    State state = m->initial_state();
    analysis::assemble(*m, state, {});
  });
}

Trial try_model(const std::string& text) {
  Recorder recorder;
  bool projected = false;
  Vector q_sizes, v_sizes;
  Trial trial = judged([&](Trial& t) {
    const auto m = compile(text);
    note_parts(*m, t);
    projected = m->model().analysis.stabilize == "projection";
    q_sizes.resize(m->q_size());
    v_sizes.resize(m->v_size());
    m->typical_sizes(as_span(q_sizes), as_span(v_sizes));
    const analysis::DynamicsResult result = run(*m, recorder, 10);
    if (!result.state.q.allFinite() || !result.state.v.allFinite()) t.defect = "the last state is not finite";
    if (result.summary.steps < 10 && result.state.t < m->model().analysis.until) t.defect = "stopped early";
  });
  for (const analysis::Frame& frame : recorder.frames) {
    if (!finite(frame) || !frame.quantities.allFinite())
      trial.defect = fmt::format("a frame at t = {} that is not finite", frame.t);
    // To 1e-9 of the typical size; of motions that are far beyond it (an unstable step), to their rounding.
    const auto off = [&](const char* what, double error, const Vector& x, const Vector& sizes) {
      const double size = (x.array() / sizes.array()).abs().maxCoeff();
      if (projected && !(error <= std::max(1e-9, 1e-11 * size)))
        trial.defect = fmt::format("{} are off by {} at t = {}, size {}", what, error, frame.t, size);
    };
    off("positions", frame.position_error, frame.q, q_sizes);
    off("velocities", frame.velocity_error, frame.v, v_sizes);
  }
  if (trial.code.empty() && recorder.frames.empty() && trial.defect.empty()) trial.defect = "no frame";
  return trial;
}

Census try_random_models(std::uint64_t first, int count) {
  Census census;
  Watch watch;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(count); ++seed) {
    const auto note = [&](const Trial& trial, const std::string& text) {
      if (!trial.defect.empty()) census.defects.push_back(fmt::format("seed {}: {}\n{}", seed, trial.defect, text));
    };
    const std::string text = random_model(seed, [&](const model::ModelBuilder& so_far) {
      const std::string part = model::emit_yaml(so_far.node());
      watch.begin(part);
      const Trial trial = try_assembly(so_far);
      note(trial, part);
      return trial.code.empty();
    });
    watch.begin(text);
    Trial trial = try_model(text);
    note(trial, text);
    ++census.models;
    if (trial.code.empty() && trial.defect.empty()) {
      ++census.ran;
      std::sort(trial.parts.begin(), trial.parts.end());
      trial.parts.erase(std::unique(trial.parts.begin(), trial.parts.end()), trial.parts.end());
      for (const std::string& part : trial.parts) ++census.parts[part];
    } else {
      ++census.refused[trial.code.empty() ? "defect" : trial.code];
    }
  }
  return census;
}

std::string Census::str() const {
  std::string text = fmt::format("{} models, {} ran ({:.1f} %)", models, ran, 100.0 * ran / models);
  for (const auto& [code, number] : refused) text += fmt::format(", {} {}", code, number);
  return text;
}

}  // namespace mortise::test
