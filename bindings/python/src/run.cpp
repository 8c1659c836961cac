// The analyses: motions into a Recording (and a file), equilibria and assembled poses as recordings of one frame,
// modes, sweeps. All of them without the interpreter lock.
#include <pybind11/complex.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <condition_variable>
#include <thread>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/modes.h"
#include "mortise/analysis/observe.h"
#include "mortise/analysis/state_space.h"
#include "mortise/analysis/sweep.h"
#include "mortise/gauss/formulation.h"
#include "mortise/io/results.h"
#include "mortise/io/yaml.h"
#include "recording.h"
#include "signals.h"

namespace mortise::python {

namespace {

using RecordingPtr = std::shared_ptr<Recording>;

// Frames go into memory and, where asked for, into a file.
class Both final : public analysis::Sink {
 public:
  Both(Recording& memory, const std::optional<std::string>& path) : memory_(memory) {
    const std::lock_guard guard(file_lock());
    if (path) file_.emplace(*path);
  }
  ~Both() override {
    const std::lock_guard guard(file_lock());
    file_.reset();
  }
  void begin(const analysis::RunHeader& header) override {
    memory_.begin(header);
    to_file([&](io::ResultWriter& w) { w.begin(header); });
  }
  void frame(const analysis::Frame& frame) override {
    memory_.frame(frame);
    to_file([&](io::ResultWriter& w) { w.frame(frame); });
  }
  void event(const analysis::EventEntry& entry) override {
    memory_.event(entry);
    to_file([&](io::ResultWriter& w) { w.event(entry); });
  }
  void flush() override {
    to_file([](io::ResultWriter& w) { w.flush(); });
  }
  void end(const analysis::RunSummary& summary) override {
    memory_.end(summary);
    to_file([&](io::ResultWriter& w) { w.end(summary); });
  }

 private:
  template <class Work>
  void to_file(const Work& work) {
    if (!file_) return;
    const std::lock_guard guard(file_lock());
    work(*file_);
  }

  Recording& memory_;
  std::optional<io::ResultWriter> file_;
};

// Where checkpoints of the program would go: integrators that begin anew at each of them do so here, too, so that both
// give the same bits.
class NoCheckpoints final : public analysis::CheckpointSink {
  void checkpoint(const State&, std::uint64_t) override {}
};

py::dict run_motion(const LoadedModel& model, Recording& recording, const std::optional<std::string>& path,
                    const std::optional<py::function>& progress) {
  const analysis::AnalysisKind& kind = analysis::find_analysis(model.model().analysis.type);
  if (!kind.run) throw py::value_error("'" + kind.name + "' gives no motion");
  analysis::DynamicsResult result;
  Signals signals;
  {
    const py::gil_scoped_release unlocked;
    Both sink(recording, path);
    NoCheckpoints checkpoints;
    analysis::DynamicsOptions options;
    options.sink = &sink;
    options.checkpoints = &checkpoints;
    options.interrupt = &signals.stop;
    auto told = std::chrono::steady_clock::now();
    options.progress = [&](const analysis::Progress& p) {
      signals.poll();
      if (!progress || std::chrono::steady_clock::now() - told < std::chrono::milliseconds(100)) return;
      told = std::chrono::steady_clock::now();
      const Locked lock;
      (*progress)(p.t, p.until);
    };
    result = kind.run(*model.mechanism, options);
  }
  signals.raise();
  py::dict out;
  out["rank"] = result.rank.rank, out["rows"] = result.rank.rows;
  out["remarks"] = result.remarks;
  py::list moved;
  for (const analysis::BodyMove& move : result.assembly.moves)
    moved.append(py::dict(py::arg("body") = model.mechanism->name(model.mechanism->bodies()[index(move.body)].ref),
                          py::arg("distance") = move.distance, py::arg("turn") = move.turn));
  out["moved"] = moved;
  return out;
}

RecordingPtr one_frame(const LoadedModel& model, const analysis::Frame& frame) {
  const mechanism::Mechanism& m = *model.mechanism;
  const auto formulation = gauss::make_formulation("auto");
  class Still final : public Stabilizer {
    std::string name() const override { return "none"; }
  } still;
  Motion motion(m, *formulation, still, {});
  auto out = std::make_shared<Recording>();
  out->begin(analysis::Observer(m, motion, false).header(analysis::describe(m.model().analysis)));
  out->frame(frame);
  analysis::RunSummary summary;
  summary.status = "done";
  out->end(summary);
  return out;
}

py::dict equilibrium_of(const LoadedModel& model, const analysis::StaticsResult& r) {
  using Stability = analysis::StaticsResult::Stability;
  py::dict out;
  out["recording"] = one_frame(model, r.frame);
  out["stability"] = r.stability == Stability::stable    ? "stable"
                     : r.stability == Stability::neutral ? "neutral"
                                                         : "unstable";
  out["iterations"] = r.iterations, out["unbalanced"] = r.unbalanced, out["dof"] = r.freedoms;
  out["free"] = r.free, out["unstable"] = r.unstable;
  return out;
}

py::dict run_statics(const LoadedModel& model) {
  const analysis::StaticsResult r = [&] {
    const py::gil_scoped_release unlocked;
    return analysis::run_statics(*model.mechanism);
  }();
  return equilibrium_of(model, r);
}

py::dict run_assembly(const LoadedModel& model) {
  const analysis::AssemblyResult r = [&] {
    const py::gil_scoped_release unlocked;
    return analysis::run_assembly(*model.mechanism);
  }();
  py::dict out;
  out["recording"] = one_frame(model, r.frame);
  out["rank"] = r.rank.rank, out["rows"] = r.rank.rows, out["iterations"] = r.report.iterations;
  return out;
}

struct Modes {
  LoadedModel model;
  analysis::ModesResult result;
};

py::list list_modes(const Modes& self) {
  py::list out;
  for (const analysis::Mode& mode : self.result.modes) {
    const Eigen::VectorXcd shape = mode.real.cast<std::complex<double>>() +
                                   std::complex<double>(0, 1) * mode.imaginary.cast<std::complex<double>>();
    out.append(py::dict(py::arg("frequency") = mode.frequency, py::arg("omega") = mode.omega,
                        py::arg("damping") = mode.damping, py::arg("root") = mode.root, py::arg("rigid") = mode.rigid,
                        py::arg("shape") = shape, py::arg("words") = mode.words));
  }
  return out;
}

RecordingPtr animate(const Modes& self, std::size_t mode, double amplitude, int frames) {
  if (mode >= self.result.modes.size()) throw py::index_error("there is no such mode");
  if (!(amplitude > 0) || frames < 2) throw py::value_error("expected an amplitude above 0 and at least 2 frames");
  auto out = std::make_shared<Recording>();
  analysis::animate(*self.model.mechanism, self.result, mode, amplitude, frames, *out);
  return out;
}

// Cases run on threads that Python does not tell of signals, so the caller's thread waits and asks.
template <class Work>
void watched(const Work& work, Signals& signals) {
  std::mutex lock;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr failed;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      failed = std::current_exception();
    }
    const std::lock_guard guard(lock);
    done = true;
    ended.notify_one();
  });
  {
    std::unique_lock waiting(lock);
    while (!ended.wait_for(waiting, std::chrono::milliseconds(50), [&] { return done; })) {
      waiting.unlock();
      signals.poll();
      waiting.lock();
    }
  }
  worker.join();
  if (failed) std::rethrow_exception(failed);
}

py::dict run_sweep(const LoadedModel& model) {
  analysis::SweepTable table;
  Signals signals;
  {
    const py::gil_scoped_release unlocked;
    const auto loader = [&](const std::vector<std::string>& settings) {
      model::Node root = model.root;
      for (const std::string& setting : settings) io::apply_setting(root, setting);
      return mechanism::Mechanism::compile(
          std::make_shared<const model::Model>(model::build(root, model.parts->list().catalogue())),
          model.parts->list());
    };
    analysis::SweepOptions options;
    options.interrupt = &signals.stop;
    watched([&] { table = analysis::run_sweep(model.model().analysis.sweep, loader, options); }, signals);
  }
  signals.raise();
  using Status = analysis::SweepCase::Status;
  const auto cases = static_cast<Eigen::Index>(table.cases.size());
  Matrix values(cases, static_cast<Eigen::Index>(table.paths.size()));
  Matrix results(cases, static_cast<Eigen::Index>(table.columns.size()));
  py::list reasons;
  for (Eigen::Index k = 0; k < cases; ++k) {
    const analysis::SweepCase& c = table.cases[static_cast<std::size_t>(k)];
    for (Eigen::Index j = 0; j < values.cols(); ++j) values(k, j) = c.values[static_cast<std::size_t>(j)];
    for (Eigen::Index j = 0; j < results.cols(); ++j)
      results(k, j) =
          c.status == Status::done ? c.results[static_cast<std::size_t>(j)] : std::numeric_limits<double>::quiet_NaN();
    reasons.append(c.status == Status::failed ? py::object(py::str(c.reason)) : py::object(py::none()));
  }
  return py::dict(py::arg("of") = table.of, py::arg("paths") = table.paths, py::arg("columns") = table.columns,
                  py::arg("units") = table.units, py::arg("values") = values, py::arg("results") = results,
                  py::arg("failures") = reasons, py::arg("in_lanes") = table.in_lanes,
                  py::arg("text") = analysis::sweep_text(table));
}

}  // namespace

void bind_run(py::module_& m) {
  m.def(
      "linearize",
      [](const LoadedModel& model, const std::vector<std::string>& outputs, bool here) {
        const analysis::StateSpace s = [&] {
          const py::gil_scoped_release unlocked;
          return analysis::state_space(*model.mechanism, outputs, here);
        }();
        return py::dict(py::arg("A") = s.A, py::arg("B") = s.B, py::arg("C") = s.C, py::arg("D") = s.D,
                        py::arg("inputs") = s.inputs, py::arg("u") = s.u, py::arg("outputs") = s.outputs,
                        py::arg("units") = s.units, py::arg("y") = s.y, py::arg("motions") = s.motions,
                        py::arg("unbalanced") = s.unbalanced, py::arg("script") = analysis::state_space_script(s));
      },
      py::arg("model"), py::arg("outputs"), py::arg("here"));
  m.def("run_motion", run_motion, py::arg("model"), py::arg("recording"), py::arg("path"), py::arg("progress"));
  m.def("run_statics", run_statics, py::arg("model"));
  m.def("run_assembly", run_assembly, py::arg("model"));
  m.def("run_sweep", run_sweep, py::arg("model"));
  py::class_<Modes>(m, "Modes")
      .def_property_readonly("equilibrium",
                             [](const Modes& self) { return equilibrium_of(self.model, self.result.equilibrium); })
      .def_property_readonly("dof", [](const Modes& self) { return self.result.freedoms; })
      .def("list", list_modes)
      .def("animate", animate, py::arg("mode"), py::arg("amplitude"), py::arg("frames"));
  m.def(
      "run_modes",
      [](const LoadedModel& model) {
        const py::gil_scoped_release unlocked;
        return Modes{model, analysis::run_modes(*model.mechanism)};
      },
      py::arg("model"));
}

}  // namespace mortise::python
