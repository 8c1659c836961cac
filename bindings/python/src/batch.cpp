// Batches: many copies side by side on all threads, with the interpreter lock released.
#include "mortise/analysis/batch.h"

#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "mortise/analysis/quantity.h"

namespace mortise::python {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Start = std::pair<std::vector<double>, std::vector<double>>;

class SafeBatch {
 public:
  SafeBatch(const std::vector<std::shared_ptr<LoadedModel>>& models, const std::vector<std::optional<Start>>& starts,
            double step, int threads) {
    std::vector<analysis::BatchCopy> copies;
    for (std::size_t k = 0; k < models.size(); ++k)
      copies.push_back({models[k]->mechanism, state(*models[k], starts[k])});
    const py::gil_scoped_release unlocked;
    batch_ = std::make_unique<analysis::Batch>(std::move(copies), analysis::BatchOptions{step, threads});
  }

  void advance(double t) {
    const Busy busy = use();
    if (!(t >= batch_->t() && std::isfinite(t)))
      throw py::value_error(fmt::format("advance({}): expected a time from {} on", t, batch_->t()));
    const py::gil_scoped_release unlocked;
    batch_->advance(t);
  }

  int size() const { return batch_->size(); }
  double t() {
    const Busy busy = use();
    return batch_->t();
  }
  double step() const { return batch_->step(); }
  RowMatrix q() {
    return gather(batch_->mechanism(0).q_size(),
                  [](const analysis::BatchLook& at) -> const Vector& { return at.state.q; });
  }
  RowMatrix v() {
    return gather(batch_->mechanism(0).v_size(),
                  [](const analysis::BatchLook& at) -> const Vector& { return at.state.v; });
  }
  Vector energy() {
    const Busy busy = use();
    Vector out(size());
    for (int k = 0; k < size(); ++k) {
      const analysis::BatchLook at = batch_->look(k);
      out[k] = at.kinetic + at.potential;
    }
    return out;
  }
  Vector quantity(const std::string& name) {
    const Busy busy = use();
    Vector out(size());
    const py::gil_scoped_release unlocked;
    for (int k = 0; k < size(); ++k) {
      const mechanism::Mechanism& m = batch_->mechanism(k);
      const analysis::Quantity q = analysis::find_quantity(m, name);
      const analysis::BatchLook at = batch_->look(k);
      analysis::Frame frame;
      frame.t = at.state.t, frame.q = at.state.q, frame.v = at.state.v, frame.a = at.a;
      frame.lambda = at.state.lambda, frame.work = at.state.work;
      frame.kinetic = at.kinetic, frame.potential = at.potential;
      frame.position_error = at.violation.position, frame.velocity_error = at.violation.velocity;
      mechanism::Motions motions;
      m.motions(as_span(frame.q), as_span(frame.v), motions);
      frame.reaction.resize(static_cast<Eigen::Index>(m.constraints().size()) * (m.dimension() == 2 ? 3 : 6));
      m.reactions(motions, frame.t, as_span(frame.lambda), as_span(frame.reaction));
      out[k] = q.value(frame, motions);
    }
    return out;
  }
  std::vector<std::string> failures() {
    return texts([&](int k) { return batch_->failure(k); });
  }
  std::vector<std::string> alone() {
    return texts([&](int k) { return batch_->why(k); });
  }
  std::vector<std::string> copy_by_copy() const { return batch_->copy_by_copy(); }

 private:
  static std::optional<State> state(const LoadedModel& model, const std::optional<Start>& start) {
    if (!start) return std::nullopt;
    State out = model.mechanism->initial_state();
    if (start->first.size() != index(out.q.size()) || start->second.size() != index(out.v.size()))
      throw py::value_error(fmt::format("a start has {} coordinates and {} velocities, expected {} and {}",
                                        start->first.size(), start->second.size(), out.q.size(), out.v.size()));
    std::copy(start->first.begin(), start->first.end(), out.q.begin());
    std::copy(start->second.begin(), start->second.end(), out.v.begin());
    if (!out.q.allFinite() || !out.v.allFinite()) throw py::value_error("a start has numbers that are not finite");
    return out;
  }
  template <class Member>
  RowMatrix gather(int width, const Member& member) {
    const Busy busy = use();
    RowMatrix out(size(), width);
    for (int k = 0; k < size(); ++k) {
      const analysis::BatchLook at = batch_->look(k);
      if (member(at).size() != width) throw std::runtime_error("the copies are not of one size");
      out.row(k) = member(at).transpose();
    }
    return out;
  }
  template <class Text>
  std::vector<std::string> texts(const Text& text) {
    const Busy busy = use();
    std::vector<std::string> out;
    for (int k = 0; k < size(); ++k) out.push_back(text(k));
    return out;
  }
  Busy use() { return Busy(busy_, "this batch"); }

  std::unique_ptr<analysis::Batch> batch_;
  bool busy_ = false;
};

}  // namespace

void bind_batch(py::module_& m) {
  py::class_<SafeBatch>(m, "Batch")
      .def(py::init<const std::vector<std::shared_ptr<LoadedModel>>&, const std::vector<std::optional<Start>>&, double,
                    int>(),
           py::arg("models"), py::arg("starts"), py::arg("step"), py::arg("threads"))
      .def("__len__", &SafeBatch::size)
      .def("advance", &SafeBatch::advance, py::arg("t"))
      .def("quantity", &SafeBatch::quantity, py::arg("name"))
      .def_property_readonly("t", &SafeBatch::t)
      .def_property_readonly("step", &SafeBatch::step)
      .def_property_readonly("q", &SafeBatch::q)
      .def_property_readonly("v", &SafeBatch::v)
      .def_property_readonly("energy", &SafeBatch::energy)
      .def_property_readonly("failures", &SafeBatch::failures)
      .def_property_readonly("alone", &SafeBatch::alone)
      .def_property_readonly("copy_by_copy", &SafeBatch::copy_by_copy);
}

}  // namespace mortise::python
