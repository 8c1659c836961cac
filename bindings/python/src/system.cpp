// Whole systems in Python: a function gives M, Q and, where there are rows, A, b, φ and c_t at a state; the
// formulations, stabilisations and integrators of the library move it. One dense block of velocities, q̇ = v.
#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "mortise/analysis/stepper.h"
#include "mortise/model/builder.h"

namespace mortise::python {

namespace {

using Numbers = py::array_t<double, py::array::c_style | py::array::forcecast>;

class PythonSystem final : public System {
 public:
  PythonSystem(int velocities, const std::vector<bool>& holonomic, Callback evaluate) : evaluate_(std::move(evaluate)) {
    pattern_.columns.append(velocities);
    pattern_.layout_mass();
    const auto rows = static_cast<int>(holonomic.size());
    for (int k = 0; k < rows; ++k) {
      const bool position = holonomic[index(k)];
      pattern_.rows.push_back({k, 0, position ? gauss::RowKind::holonomic : gauss::RowKind::nonholonomic,
                               position ? gauss::RowUnit::length : gauss::RowUnit::speed});
    }
    if (rows > 0) pattern_.append_block(0, rows, 0);
    pattern_.row_scale.assign(index(rows), 1.0);
    pattern_.position_size = pattern_.velocity_size = pattern_.row_scale;
  }
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return pattern_.n(); }

  void evaluate(const State& state, unsigned, Scratch&, Evaluation& out) const override {
    const Locked lock;
    const py::object answer = evaluate_.object()(state.t, array_of(state.q), array_of(state.v));
    if (!py::isinstance<py::dict>(answer))
      throw py::type_error("evaluate() must return a dict with M, Q and, for rows, A, b, phi");
    const auto values = py::reinterpret_borrow<py::dict>(answer);
    const py::ssize_t n = pattern_.n(), m = pattern_.m();
    read(values, "M", {n, n}, true, out.problem.M);
    read(values, "Q", {n}, true, out.problem.Q);
    read(values, "A", {m, n}, m > 0, out.problem.A);
    read(values, "b", {m}, m > 0, out.problem.b);
    read(values, "phi", {m}, m > 0, out.phi);
    read(values, "c_t", {m}, false, out.c_t);
    for (const auto& [key, value] : values)
      if (const auto name = py::str(key).cast<std::string>(); !known(name))
        throw py::key_error(
            fmt::format("evaluate() returned '{}'; expected M, Q, A, b, phi, c_t, kinetic, potential", name));
    for (int k = 0; k < pattern_.m(); ++k) {
      if (pattern_.rows[index(k)].kind == gauss::RowKind::nonholonomic) out.phi[k] = 0;
      out.phidot[k] = out.c_t[k] + out.problem.A.segment(k * n, n).dot(state.v);
    }
    out.kinetic = number(values, "kinetic");
    out.potential = number(values, "potential");
    out.power_dissipated = out.power_applied = 0;
  }

 private:
  static bool known(const std::string& name) {
    for (const char* key : {"M", "Q", "A", "b", "phi", "c_t", "kinetic", "potential"})
      if (name == key) return true;
    return false;
  }
  static double number(const py::dict& from, const char* key) {
    if (!from.contains(key)) return 0;
    double out = 0;
    read_numbers(py::object(from[key]).ptr(), Span(&out, 1), fmt::format("evaluate(): '{}'", key));
    return out;
  }
  static void read(const py::dict& from, const char* key, const std::vector<py::ssize_t>& shape, bool required,
                   Vector& to) {
    if (!from.contains(key)) {
      if (required) throw py::key_error(fmt::format("evaluate() returned no '{}'", key));
      to.setZero();
      return;
    }
    const Numbers given = Numbers::ensure(from[key]);
    if (!given) throw py::type_error(fmt::format("evaluate(): '{}' is no array of numbers", key));
    bool fits = given.ndim() == static_cast<py::ssize_t>(shape.size());
    for (std::size_t k = 0; fits && k < shape.size(); ++k) fits = given.shape(static_cast<py::ssize_t>(k)) == shape[k];
    if (!fits)
      throw py::value_error(fmt::format("evaluate(): '{}' has the shape {}, expected {}", key,
                                        py::str(given.attr("shape")).cast<std::string>(),
                                        py::str(py::tuple(py::cast(shape))).cast<std::string>()));
    std::copy_n(given.data(), given.size(), to.data());
  }

  Callback evaluate_;
  gauss::Pattern pattern_;
};

model::AnalysisSettings settings_of(const std::map<std::string, std::variant<bool, double, std::string>>& given) {
  model::Map map;
  for (const auto& [name, value] : given)
    std::visit([&, key = name](const auto& x) { map.add(key, model::Value(x)); }, value);
  return model::ModelBuilder::planar("settings")
      .body("point", "particle", {{"mass", 1}})
      .analysis(map)
      .build(mechanism::catalogue())
      .analysis;
}

class PythonStepper {
 public:
  PythonStepper(int velocities, const std::vector<bool>& holonomic, const py::function& evaluate,
                const std::map<std::string, std::variant<bool, double, std::string>>& settings, double t,
                const std::vector<double>& q, const std::vector<double>& v)
      : system_(velocities, holonomic, Callback(evaluate)), stepper_(system_, settings_of(settings)) {
    start(t, q, v);
  }

  void start(double t, const std::vector<double>& q, const std::vector<double>& v) {
    State state = analysis::zero_state(system_);
    if (q.size() != index(state.q.size()) || v.size() != index(state.v.size()))
      throw py::value_error(
          fmt::format("expected {} coordinates and velocities, found {} and {}", state.q.size(), q.size(), v.size()));
    state.t = t;
    std::copy(q.begin(), q.end(), state.q.begin());
    std::copy(v.begin(), v.end(), state.v.begin());
    const Busy busy = use();
    const py::gil_scoped_release unlocked;
    stepper_.start(std::move(state));
  }
  void advance_to(double t) {
    const Busy busy = use();
    if (!(t >= stepper_.t() && std::isfinite(t)))
      throw py::value_error(fmt::format("advance_to({}): expected a time from {} on", t, stepper_.t()));
    const py::gil_scoped_release unlocked;
    stepper_.advance_to(t);
  }
  double t() {
    const Busy busy = use();
    return stepper_.t();
  }
  py::array_t<double> get(Vector State::*member) {
    const Busy busy = use();
    return array_of(stepper_.state().*member);
  }
  long evaluations() const { return stepper_.counters().evaluations; }

 private:
  Busy use() { return Busy(busy_, "this stepper"); }

  PythonSystem system_;
  analysis::Stepper stepper_;
  bool busy_ = false;
};

}  // namespace

void bind_system(py::module_& m) {
  py::class_<PythonStepper>(m, "Stepper")
      .def(py::init<int, const std::vector<bool>&, const py::function&,
                    const std::map<std::string, std::variant<bool, double, std::string>>&, double,
                    const std::vector<double>&, const std::vector<double>&>(),
           py::arg("velocities"), py::arg("holonomic"), py::arg("evaluate"), py::arg("settings"), py::arg("t"),
           py::arg("q"), py::arg("v"))
      .def("start", &PythonStepper::start, py::arg("t"), py::arg("q"), py::arg("v"))
      .def("advance_to", &PythonStepper::advance_to, py::arg("t"))
      .def_property_readonly("t", &PythonStepper::t)
      .def_property_readonly("q", [](PythonStepper& self) { return self.get(&State::q); })
      .def_property_readonly("v", [](PythonStepper& self) { return self.get(&State::v); })
      .def_property_readonly("multipliers", [](PythonStepper& self) { return self.get(&State::lambda); })
      .def_property_readonly("evaluations", &PythonStepper::evaluations);
}

}  // namespace mortise::python
