// The viewer's one-file page of a recording: what `show` writes or puts into a notebook.
#include <sstream>

#include "mortise/view/html_page.h"
#include "recording.h"

namespace mortise::python {

namespace {

std::string html_page(const Recording& recording, const LoadedModel& model, const std::string& label) {
  const mechanism::Mechanism& m = *model.mechanism;
  view::Run run;
  run.header = recording.header();
  run.summary = recording.summary();
  run.finished = true;
  run.frames.count = recording.frames();
  run.frames.read = [&recording](std::uint64_t number, analysis::Frame& frame) {
    io::resize(recording.fields(), frame);
    recording.look(number, frame);
  };
  if (run.header.kept) run.frames.bodies = run.header.kept->bodies;
  view::Scene scene = view::make_scene(m, run, view::first_diagnosis(m, run), recording.events());
  std::vector<view::HtmlInput> inputs;
  inputs.push_back({&m, &run, std::move(scene), label});
  return view::html_page(std::move(inputs));
}

}  // namespace

void bind_show(py::module_& m) {
  m.def("html_page", html_page, py::arg("recording"), py::arg("model"), py::arg("label"),
        py::call_guard<py::gil_scoped_release>());
}

}  // namespace mortise::python
