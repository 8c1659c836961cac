#include "recording.h"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "mortise/analysis/quantity.h"
#include "mortise/io/results.h"

namespace mortise::python {

std::mutex& file_lock() {
  static std::mutex lock;
  return lock;
}

void Recording::begin(const analysis::RunHeader& header) {
  header_ = header;
  fields_ = io::result_fields(header);
  numbers_.assign(fields_.size(), {});
  frames_ = 0;
}

void Recording::frame(const analysis::Frame& frame) {
  for (std::size_t k = 0; k < fields_.size(); ++k) {
    std::vector<double>& to = numbers_[k];
    const std::size_t size = fields_[k].numbers();
    to.resize(to.size() + size);
    io::gather(fields_[k], frame, to.data() + to.size() - size);
  }
  ++frames_;
}

void Recording::end(const analysis::RunSummary& summary) { summary_ = summary; }

void Recording::look(std::size_t number, analysis::Frame& frame) const {
  for (std::size_t k = 0; k < fields_.size(); ++k)
    io::scatter(fields_[k], numbers_[k].data() + number * fields_[k].numbers(), frame);
}

std::shared_ptr<Recording> Recording::read(const std::string& path) {
  const std::lock_guard guard(file_lock());
  io::ResultReader reader(path);
  auto out = std::make_shared<Recording>();
  out->begin(reader.header());
  analysis::Frame frame;
  for (std::uint64_t k = 0; k < reader.frames(); ++k) {
    reader.read_frame(k, frame);
    out->frame(frame);
  }
  out->events_ = reader.events();
  out->summary_ = reader.summary();
  return out;
}

void Recording::save(const std::string& path) const {
  const std::lock_guard guard(file_lock());
  io::ResultWriter writer(path);
  writer.begin(header_);
  analysis::Frame frame;
  io::resize(fields_, frame);
  std::size_t next = 0;
  const auto write_events = [&](std::size_t number) {
    for (; next < events_.size() && events_[next].frame <= number; ++next) writer.event(events_[next]);
  };
  for (std::size_t k = 0; k < frames_; ++k) {
    write_events(k);
    look(k, frame);
    writer.frame(frame);
  }
  write_events(frames_);
  if (summary_.status != "unfinished") writer.end(summary_);
}

namespace {

// A view into the recording that keeps it alive; read-only, for others may look at it, too.
py::array array(const std::shared_ptr<Recording>& self, const std::string& path) {
  for (std::size_t k = 0; k < self->fields().size(); ++k) {
    const io::ResultField& field = self->fields()[k];
    if (field.path != path) continue;
    std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(self->frames())};
    for (const std::size_t side : field.shape) shape.push_back(static_cast<py::ssize_t>(side));
    py::array out(py::dtype::of<double>(), shape, self->numbers(k).data(), py::cast(self));
    py::detail::array_proxy(out.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
    return out;
  }
  throw py::key_error(path);
}

// A named quantity at every frame.
py::array_t<double> quantity(const Recording& self, const LoadedModel& model, const std::string& name) {
  const mechanism::Mechanism& m = *model.mechanism;
  const analysis::Quantity q = analysis::find_quantity(m, self.header(), name);
  const bool stored = std::find(self.header().quantities.begin(), self.header().quantities.end(), name) !=
                      self.header().quantities.end();
  if (self.header().kept && !stored)
    throw ResultError(self.header().model_name, fmt::format("'{}' cannot be told: the result keeps {} of each frame",
                                                            name, analysis::describe_kept(self.header())));
  py::array_t<double> out(static_cast<py::ssize_t>(self.frames()));
  double* to = out.mutable_data();
  const py::gil_scoped_release unlocked;
  analysis::Frame frame;
  io::resize(self.fields(), frame);
  mechanism::Motions motions;
  for (std::size_t k = 0; k < self.frames(); ++k) {
    self.look(k, frame);
    if (!self.header().kept) m.motions(as_span(frame.q), as_span(frame.v), motions);
    to[k] = q.value(frame, motions);
  }
  return out;
}

py::dict summary(const Recording& self) {
  const analysis::RunSummary& s = self.summary();
  py::dict out(py::arg("status") = s.status);
  for (const io::SummaryItem& item : io::summary_items())
    if (item.integer)
      out[item.name] = s.*item.integer;
    else
      out[item.name] = s.*item.real;
  return out;
}

py::list events(const Recording& self) {
  py::list out;
  for (const analysis::EventEntry& e : self.events())
    out.append(py::dict(py::arg("t") = e.t, py::arg("name") = self.header().events[index(e.event)],
                        py::arg("what") = e.what, py::arg("joints") = e.joints, py::arg("impulse") = e.impulse,
                        py::arg("work") = e.work, py::arg("kinetic_before") = e.kinetic_before,
                        py::arg("kinetic_after") = e.kinetic_after, py::arg("frame") = e.frame));
  return out;
}

}  // namespace

void bind_results(py::module_& m) {
  py::class_<Recording, std::shared_ptr<Recording>>(m, "Recording")
      .def(py::init<>())
      .def_static("read", &Recording::read, py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def("save", &Recording::save, py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def("array", array, py::arg("path"))
      .def("quantity", quantity, py::arg("model"), py::arg("name"))
      .def("summary", summary)
      .def("events", events)
      .def_property_readonly("paths",
                             [](const Recording& self) {
                               std::vector<std::string> out;
                               for (const io::ResultField& field : self.fields()) out.push_back(field.path);
                               return out;
                             })
      .def_property_readonly("frames", &Recording::frames)
      .def_property_readonly("dimension", [](const Recording& self) { return self.header().dimension; })
      .def_property_readonly("bodies", [](const Recording& self) { return self.header().bodies; })
      .def_property_readonly("joints", [](const Recording& self) { return self.header().joints; })
      .def_property_readonly("rows", [](const Recording& self) { return self.header().row_names; })
      .def_property_readonly("quantities", [](const Recording& self) { return self.header().quantities; })
      .def_property_readonly("model_name", [](const Recording& self) { return self.header().model_name; })
      .def_property_readonly("model_text", [](const Recording& self) { return self.header().model_text; })
      .def_property_readonly("options", [](const Recording& self) { return self.header().options; });
}

}  // namespace mortise::python
