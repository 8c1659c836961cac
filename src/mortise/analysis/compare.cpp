#include "mortise/analysis/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <mutex>
#include <thread>

#include "mortise/analysis/dynamics.h"
#include "mortise/analysis/methods.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/gauss/rivals.h"
#include "mortise/linalg/pseudoinverse.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::analysis {

namespace {

// Of the thread: cases run side by side.
double cpu_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr double reference_limit = 3600;  // CPU seconds

struct Poses final : Sink {
  std::vector<double> times;
  std::vector<Vector> poses;
  Vector q, v;
  RunSummary summary;

  void begin(const RunHeader&) override {}
  void frame(const Frame& f) override {
    times.push_back(f.t);
    poses.push_back(f.pose);
    q = f.q;
    v = f.v;
  }
  void flush() override {}
  void end(const RunSummary& s) override { summary = s; }
};

model::AnalysisSettings settings_of(const model::AnalysisSettings& model, const Method& method) {
  model::AnalysisSettings s = model;
  s.formulation = method.formulation;
  s.pseudoinverse = method.pseudoinverse;
  s.stabilize = method.stabilize;
  s.coordinates = method.coordinates;
  s.integrator = method.integrator;
  s.tolerance = method.tolerance;
  if (method.rank_tolerance > 0) s.rank_tolerance = method.rank_tolerance;
  return s;
}

// Largest distance between two poses of all bodies: positions in units of the model's length, angles in radians.
double distance(const Vector& a, const Vector& b, bool planar, double length) {
  double worst = 0;
  const Eigen::Index size = planar ? 3 : 7;
  for (Eigen::Index k = 0; k + size <= a.size(); k += size) {
    if (planar) {
      worst = std::max({worst, (a.segment(k, 2) - b.segment(k, 2)).norm() / length, std::abs(a[k + 2] - b[k + 2])});
    } else {
      const double turn = 2 * std::min((a.segment(k + 3, 4) - b.segment(k + 3, 4)).norm(),
                                       (a.segment(k + 3, 4) + b.segment(k + 3, 4)).norm());
      worst = std::max({worst, (a.segment(k, 3) - b.segment(k, 3)).norm() / length, turn});
    }
  }
  return worst;
}

std::string short_reason(const SolveReport& report) {
  if (report.code == "S420") return "mass matrix singular";
  if (report.code == "S421") return "rows depend on one another";
  if (report.code == "S423") return "accelerations not unique";
  return report.code + " " + report.message;
}

class Comparer {
 public:
  Comparer(const mechanism::Mechanism& m, const CompareOptions& options)
      : mechanism_(m), options_(options), planar_(m.dimension() == 2), length_(m.characteristic_length()) {}

  Poses run(const model::AnalysisSettings& settings, double limit, double& flops, double& cpu, std::string& reason) {
    Poses poses;
    std::atomic<int> stop{0};
    const double start = cpu_now();
    DynamicsOptions how;
    how.sink = &poses;
    how.settings = &settings;
    how.interrupt = &stop;
    bool late = false;
    how.progress = [&](const Progress&) {
      late = late || cpu_now() - start > limit;
      if (late || (options_.interrupt && options_.interrupt->load())) stop = 1;
    };
    try {
      check_settings(settings);
      const DynamicsResult result = run_dynamics(mechanism_, how);
      flops = result.flops;
      if (result.interrupted) reason = late ? fmt::format("stopped after {:.3g} s", limit) : "interrupted";
    } catch (const SolveError& error) {
      reason = short_reason(error.report());
    } catch (const ModelError& error) {
      reason = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    }
    cpu = cpu_now() - start;
    return poses;
  }

  // Two runs at tolerances a factor of 10 apart: what they disagree about nobody can be measured by.
  void make_reference(Comparison& out) {
    model::AnalysisSettings s = mechanism_.model().analysis;
    s.formulation = "udwadia-kalaba";
    s.pseudoinverse.clear();
    s.reuse = 1;
    s.stabilize = "projection";
    s.levels.clear();
    s.weight = "mass";
    s.coordinates = "absolute";
    s.rank_rule = "relative";
    s.rank_tolerance = 1e-10;
    s.integrator = "adams";
    s.step = s.max_step = 0;
    double flops = 0, cpu = 0;
    std::string reason;
    s.tolerance = std::min(0.1, 10 * options_.reference_tolerance);
    const Poses coarse = run(s, reference_limit, flops, cpu, reason);
    s.tolerance = options_.reference_tolerance;
    reason.clear();
    reference_ = run(s, reference_limit, flops, cpu, reason);
    if (reference_.poses.empty()) {
      SolveReport report;
      report.code = "S440";
      report.message = "the reference run gives nothing to compare with: " + reason;
      throw SolveError(report);
    }
    out.reference_until = 0;
    bool agree = true;
    const std::size_t count = std::min(coarse.poses.size(), reference_.poses.size());
    for (std::size_t k = 0; k < count; ++k) {
      out.reference_error = distance(coarse.poses[k], reference_.poses[k], planar_, length_);
      agree = agree && out.reference_error <= 0.1 * options_.within;
      if (agree) out.reference_until = reference_.times[k];
    }
  }

  CaseResult measure(const Method& method) {
    CaseResult out;
    out.method = method;
    const model::AnalysisSettings settings = settings_of(mechanism_.model().analysis, method);
    std::vector<double> times;
    Poses poses;
    for (int k = 0; k < std::max(1, options_.repeat); ++k) {
      double cpu = 0;
      out.reason.clear();
      poses = run(settings, options_.limit, out.flops, cpu, out.reason);
      times.push_back(cpu);
      if (!out.reason.empty()) break;
    }
    std::sort(times.begin(), times.end());
    out.cpu = times[times.size() / 2];
    out.ran = out.reason.empty();
    out.evaluations = poses.summary.evaluations;
    out.steps = poses.summary.steps;
    out.rank = poses.summary.rank;
    out.energy_error = poses.summary.energy_drift;
    if (poses.times.empty()) return out;
    out.reached = poses.times.back();
    out.last.assign(poses.poses.back().data(), poses.poses.back().data() + poses.poses.back().size());
    out.correct = out.ran;
    bool right = true;
    for (std::size_t k = 0; k < std::min(poses.poses.size(), reference_.poses.size()); ++k) {
      out.end_error = distance(poses.poses[k], reference_.poses[k], planar_, length_);
      if (!(out.end_error <= options_.within)) right = out.correct = false;
      if (right) out.correct_until = poses.times[k];
      out.error = std::max(out.error, out.end_error);
    }
    State state = mechanism_.initial_state();
    state.t = out.reached;
    state.q = poses.q;
    state.v = poses.v;
    Evaluation evaluation;
    evaluation.resize(mechanism_.pattern());
    mechanism_.evaluate(state, need_constraints, *mechanism_.make_scratch(), evaluation);
    out.sum_phi2 = evaluation.phi.squaredNorm();
    return out;
  }

 private:
  const mechanism::Mechanism& mechanism_;
  const CompareOptions& options_;
  bool planar_;
  double length_;
  Poses reference_;
};

template <class T>
std::vector<T> or_own(const std::vector<T>& set, const T& own) {
  return set.empty() ? std::vector<T>{own} : set;
}

template <class Entry>
std::vector<std::string> expand(const std::vector<std::string>& set, const std::vector<Entry>& entries) {
  if (set.size() != 1 || set.front() != "all") return set;
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

}  // namespace

std::vector<Method> combine(const MethodSets& sets, const model::AnalysisSettings& own) {
  std::vector<std::string> formulations = sets.formulations;
  if (formulations.empty())
    for (const gauss::FormulationEntry& entry : gauss::formulations())
      if (entry.name != "auto" && !entry.make({})->can().search) formulations.push_back(entry.name);
  formulations = expand(formulations, gauss::formulations());
  std::vector<std::string> pseudoinverses = sets.pseudoinverses;
  if (pseudoinverses.empty()) pseudoinverses = {"all"};
  pseudoinverses = expand(pseudoinverses, linalg::pseudoinverses());
  // Names must be known; a combination that does not work is listed with its reason.
  const auto check = [&](auto&& change) {
    model::AnalysisSettings probe = own;
    probe.formulation = "udwadia-kalaba";
    probe.pseudoinverse.clear();
    change(probe);
    check_names(probe);
  };
  for (const std::string& name : pseudoinverses) check([&](auto& s) { s.pseudoinverse = name; });
  for (const std::string& name : sets.stabilize)
    if (name != "all") check([&](auto& s) { s.stabilize = name; });
  for (const std::string& name : sets.coordinates)
    if (name != "all") check([&](auto& s) { s.coordinates = name; });
  for (const std::string& name : sets.integrators)
    if (name != "all") check([&](auto& s) { s.integrator = name; });
  std::vector<std::string> integrators = sets.integrators;
  if (integrators.size() == 1 && integrators.front() == "all") {
    integrators.clear();
    for (const integrate::IntegratorEntry& entry : integrate::integrators())
      if (entry.make && (entry.adaptive || own.step > 0)) integrators.push_back(entry.name);
  }
  std::vector<Method> methods;
  for (const std::string& formulation : formulations) {
    model::AnalysisSettings probe = own;
    probe.formulation = formulation;
    probe.pseudoinverse.clear();
    if (!gauss::is_rival(formulation) || gauss::rivals_missing().empty()) check_names(probe);
    // `auto` picks its own way, unless the user names pseudoinverses.
    const bool free = formulation == "auto" && sets.pseudoinverses.empty();
    const bool takes = !free && gauss::make_formulation(formulation)->can().pseudoinverse;
    for (const std::string& pseudoinverse : takes ? pseudoinverses : std::vector<std::string>{""})
      for (const std::string& stabilize : or_own(expand(sets.stabilize, stabilize::stabilizers()), own.stabilize))
        for (const std::string& coordinates :
             or_own(expand(sets.coordinates, coordinates::coordinate_systems()), own.coordinates))
          for (const std::string& integrator : or_own(integrators, own.integrator))
            for (const double tolerance : or_own(sets.tolerances, own.tolerance))
              for (const double rank : or_own(sets.rank_tolerances, 0.0)) {
                methods.push_back({formulation, pseudoinverse, stabilize, coordinates, integrator, tolerance, rank});
              }
  }
  return methods;
}

Comparison compare(const mechanism::Mechanism& mechanism, const std::vector<Method>& methods,
                   const CompareOptions& options) {
  Comparison out;
  out.until = mechanism.model().analysis.until;
  out.rows = mechanism.pattern().m();
  out.coordinates = mechanism.pattern().n();
  Comparer comparer(mechanism, options);
  comparer.make_reference(out);
  out.cases.resize(methods.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  int done = 0;
  const auto work = [&] {
    for (std::size_t k = next++; k < methods.size(); k = next++) {
      if (options.interrupt && options.interrupt->load()) {
        out.cases[k].method = methods[k];
        out.cases[k].reason = "interrupted";
        continue;
      }
      out.cases[k] = comparer.measure(methods[k]);
      const std::lock_guard lock(mutex);
      ++done;
      if (options.progress) options.progress(done, static_cast<int>(methods.size()));
    }
  };
  std::vector<std::thread> threads;
  for (int k = 1; k < options.jobs; ++k) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  return out;
}

}  // namespace mortise::analysis
