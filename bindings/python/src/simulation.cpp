// Simulation: a mechanism moved step by step. The interpreter lock is released while it moves; one thread at a time may
// use it, others get a RuntimeError instead of a race.
#include "mortise/analysis/simulation.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <thread>

#include "bindings.h"
#include "mortise/analysis/control.h"
#include "signals.h"

namespace mortise::python {

namespace {

class SafeSimulation {
 public:
  explicit SafeSimulation(const LoadedModel& model) : simulation_(model.mechanism) {
    simulation_.watch([this] {
      if (signals_.poll()) signals_.raise();
    });
  }

  void step(double dt) {
    const Turn turn(*this);
    const py::gil_scoped_release unlocked;
    signals_.forget();
    simulation_.step(dt);
  }
  void advance_to(double t) {
    const Turn turn(*this);
    const py::gil_scoped_release unlocked;
    signals_.forget();
    simulation_.advance_to(t);
  }
  double get(const std::string& name) {
    const Turn turn(*this);
    const py::gil_scoped_release unlocked;
    return simulation_.get(name);
  }
  void set(const std::string& input, double value) {
    const Turn turn(*this);
    simulation_.set(input, value);
  }
  void every(double period, py::function function) {
    const Turn turn(*this);
    const Callback callback{std::move(function)};
    simulation_.every(period, [callback](analysis::Simulation&) {
      const Locked lock;
      callback.object()();
    });
  }
  State state() {
    const Turn turn(*this);
    return simulation_.state();
  }
  void restore(const State& state) {
    const Turn turn(*this);
    const Eigen::Index q = simulation_.mechanism().q_size(), v = simulation_.mechanism().v_size();
    if (state.q.size() != q || state.v.size() != v)
      throw std::invalid_argument("restore: this state comes from another model");
    simulation_.restore(state);
  }
  double t() {
    const Turn turn(*this);
    return simulation_.t();
  }
  py::list events() {
    const Turn turn(*this);
    py::list out;
    const mechanism::Mechanism& m = simulation_.mechanism();
    for (const analysis::EventEntry& e : simulation_.events())
      out.append(py::dict(py::arg("t") = e.t, py::arg("name") = m.name(m.events()[index(e.event)].ref),
                          py::arg("what") = e.what, py::arg("joints") = e.joints, py::arg("impulse") = e.impulse,
                          py::arg("work") = e.work, py::arg("kinetic_before") = e.kinetic_before,
                          py::arg("kinetic_after") = e.kinetic_after, py::arg("frame") = e.frame));
    return out;
  }
  py::dict counters() {
    const Turn turn(*this);
    const integrate::Counters& c = simulation_.counters();
    return py::dict(py::arg("evaluations") = c.evaluations, py::arg("steps") = c.steps,
                    py::arg("failed_steps") = c.failed_steps);
  }

 private:
  // The thread that uses the simulation; it may come back from within a callback. Taken and given with the lock.
  class Turn {
   public:
    explicit Turn(SafeSimulation& of) : of_(of) {
      const auto self = std::this_thread::get_id();
      if (of.depth_ > 0 && of.user_ != self)
        throw std::runtime_error("this simulation is in use by another thread; give each thread its own");
      of.user_ = self;
      ++of.depth_;
    }
    ~Turn() { --of_.depth_; }
    Turn(const Turn&) = delete;

   private:
    SafeSimulation& of_;
  };

  Signals signals_;
  analysis::Simulation simulation_;
  std::thread::id user_;
  int depth_ = 0;
};

}  // namespace

void bind_simulation(py::module_& m) {
  py::class_<State>(m, "State", "All that the future of a simulation depends on.")
      .def_readonly("t", &State::t)
      .def_property_readonly("q", [](const State& self) { return array_of(self.q); })
      .def_property_readonly("v", [](const State& self) { return array_of(self.v); })
      .def_property_readonly("inputs", [](const State& self) { return array_of(self.inputs); })
      .def("same_bits", [](const State& self, const State& other) {
        return self.t == other.t && self.q == other.q && self.v == other.v && self.inputs == other.inputs &&
               self.memory == other.memory;
      });
  py::class_<SafeSimulation>(m, "Simulation")
      .def(py::init([](const LoadedModel& model) {
             const py::gil_scoped_release unlocked;
             return std::make_unique<SafeSimulation>(model);
           }),
           py::arg("model"))
      .def("step", &SafeSimulation::step, py::arg("dt"))
      .def("advance_to", &SafeSimulation::advance_to, py::arg("t"))
      .def("get", &SafeSimulation::get, py::arg("name"))
      .def("set", &SafeSimulation::set, py::arg("input"), py::arg("value"))
      .def("every", &SafeSimulation::every, py::arg("period"), py::arg("function"))
      .def("state", &SafeSimulation::state)
      .def("restore", &SafeSimulation::restore, py::arg("state"))
      .def("events", &SafeSimulation::events)
      .def("counters", &SafeSimulation::counters)
      .def_property_readonly("t", &SafeSimulation::t);
  using analysis::Pid;
  using analysis::Sensor;
  constexpr double inf = std::numeric_limits<double>::infinity();
  py::class_<Pid>(m, "Pid",
                  "u = p e + i ∫e + d ė, sampled once a period; at the limits `least` and `most` the integral waits.\n"
                  "`filter` [s] smooths the differentiated error.")
      .def(py::init([](double p, double i, double d, double period, double filter, double least, double most) {
             return Pid({p, i, d, filter, least, most}, period);
           }),
           py::arg("p") = 0, py::arg("i") = 0, py::arg("d") = 0, py::kw_only(), py::arg("period"),
           py::arg("filter") = 0, py::arg("least") = -inf, py::arg("most") = inf)
      .def("__call__", &Pid::operator(), py::arg("error"), "The output for the error now; call it once a period.")
      .def("reset", &Pid::reset, "Forgets all earlier errors.")
      .def("__copy__", [](const Pid& self) { return self; })
      .def_property_readonly("integral", &Pid::integral);
  py::class_<Sensor>(
      m, "Sensor", "A quantity as an instrument tells it: with noise, in steps of `resolution`, `delay` samples late.")
      .def(py::init([](const std::string& quantity, double resolution, double noise, int delay, std::uint64_t seed) {
             return Sensor(quantity, {resolution, noise, delay, seed});
           }),
           py::arg("quantity"), py::kw_only(), py::arg("resolution") = 0, py::arg("noise") = 0, py::arg("delay") = 0,
           py::arg("seed") = 1)
      .def(
          "read",
          [](Sensor& self, const py::object& simulation) {
            return self.told(simulation.attr("get")(self.quantity()).cast<double>());
          },
          py::arg("simulation"), "What is told now; call it once a sample.")
      .def("told", &Sensor::told, py::arg("exact"), "The same of a number at hand.")
      .def("__copy__", [](const Sensor& self) { return self; })
      .def_property_readonly("quantity", &Sensor::quantity);
}

}  // namespace mortise::python
