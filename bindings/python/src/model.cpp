// Models: read from files, texts or a tree made in Python, compiled, and changed by settings.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "bindings.h"
#include "mortise/analysis/kinds.h"
#include "mortise/analysis/quantity.h"
#include "mortise/io/yaml.h"
#include "mortise/model/builder.h"

namespace mortise::python {

namespace {

using model::Node;
using model::Value;

constexpr int deepest = 64;

// A value of a field as Python writes it: numbers, flags, texts, sequences, mappings, numpy's too.
Value to_value(const py::handle& from, const std::string& where, int depth = 0) {
  if (depth > deepest) throw py::value_error(where + ": more than 64 levels deep");
  if (PyBool_Check(from.ptr())) return Value(from.cast<bool>());
  if (PyUnicode_Check(from.ptr())) return Value(from.cast<std::string>());
  if (py::isinstance<py::dict>(from)) {
    model::Map map;
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(from)) {
      if (!PyUnicode_Check(key.ptr())) throw py::type_error(where + ": names must be texts");
      const auto name = key.cast<std::string>();
      map.add(name, to_value(value, where + "." + name, depth + 1));
    }
    return Value(map);
  }
  const bool plain = PyLong_Check(from.ptr()) || PyFloat_Check(from.ptr());
  // An array of numpy is a sequence and, where it has one element, a number: here a list, unless it has no sides.
  if (!plain && PySequence_Check(from.ptr()) && !PyBytes_Check(from.ptr()) && PySequence_Size(from.ptr()) >= 0) {
    std::vector<Value> list;
    const auto sequence = py::reinterpret_borrow<py::sequence>(from);
    for (std::size_t k = 0; k < sequence.size(); ++k)
      list.push_back(to_value(sequence[k], fmt::format("{}[{}]", where, k), depth + 1));
    return Value(list);
  }
  PyErr_Clear();
  if (plain || PyNumber_Check(from.ptr())) {
    const double number = PyFloat_AsDouble(from.ptr());
    if (number == -1.0 && PyErr_Occurred()) throw py::error_already_set();
    if (!std::isfinite(number)) throw py::value_error(fmt::format("{}: {} is not finite", where, number));
    return Value(number);
  }
  throw py::type_error(fmt::format("{}: expected a number, a text, a flag, a list or a dict, found {}", where,
                                   py::str(py::type::of(from).attr("__name__")).cast<std::string>()));
}

// The sections of a model as a dict; those that name their items are entered one by one, so that every name has a
// place.
model::ModelBuilder to_builder(const py::dict& sections, const std::string& name, bool planar) {
  model::ModelBuilder builder = planar ? model::ModelBuilder::planar(name) : model::ModelBuilder::spatial(name);
  for (const auto& [key, value] : sections)
    builder.set(key.cast<std::string>(), to_value(value, key.cast<std::string>()));
  return builder;
}

std::vector<std::string> names(const LoadedModel& m, const std::string& what) {
  std::vector<std::string> out;
  const mechanism::Mechanism& mech = *m.mechanism;
  const auto add = [&](const auto& list) {
    for (const auto& item : list) out.push_back(mech.name(item.ref));
  };
  if (what == "bodies") add(mech.bodies());
  if (what == "joints") add(mech.constraints());
  if (what == "forces") add(mech.forces());
  if (what == "quantities") out = analysis::quantity_names(mech);
  if (what == "inputs") out = m.model().input_names;
  return out;
}

py::dict parameters(const LoadedModel& m) {
  py::dict out;
  for (std::size_t k = 0; k < m.model().parameter_names.size(); ++k)
    out[py::str(m.model().parameter_names[k])] = m.model().parameter_values[k];
  return out;
}

std::vector<std::string> notes(const LoadedModel& m) {
  std::vector<std::string> out;
  for (const Diagnostic& d : m.model().notes) out.push_back(render(d));
  return out;
}

// What a mistake in a setting says in place of "--set analysis.until=-1": the keyword, where there was one.
Diagnostic in_words_of_python(Diagnostic d) {
  if (!d.place.known() || !d.place.source->name.starts_with("--set ")) return d;
  std::string name = d.place.source->name.substr(6);
  for (const char* section : {"analysis.", "output."})
    if (name.starts_with(section)) name = name.substr(std::string_view(section).size());
  d.place.source = std::make_shared<const Source>(Source{"setting " + name, d.place.source->text});
  return d;
}

}  // namespace

LoadedModel compile(Node root, std::shared_ptr<const Parts> parts) {
  struct All {
    std::shared_ptr<const Parts> parts;
    std::unique_ptr<mechanism::Mechanism> mechanism;
  };
  auto model = std::make_shared<const model::Model>(model::build(root, parts->list().catalogue()));
  auto all = std::make_shared<All>(All{parts, mechanism::Mechanism::compile(std::move(model), parts->list())});
  const mechanism::Mechanism* mechanism = all->mechanism.get();
  return {std::move(parts), std::move(root), std::shared_ptr<const mechanism::Mechanism>(std::move(all), mechanism)};
}

LoadedModel changed(const LoadedModel& model, const std::vector<std::string>& settings) {
  if (settings.empty()) return model;
  try {
    Node root = model.root;
    for (const std::string& setting : settings) io::apply_setting(root, setting);
    return compile(std::move(root), model.parts);
  } catch (const ModelError& error) {
    std::vector<Diagnostic> list;
    for (const Diagnostic& d : error.diagnostics()) list.push_back(in_words_of_python(d));
    throw ModelError(std::move(list));
  }
}

LoadedModel load_text(const std::string& text, const std::string& name, Functions functions) {
  return compile(io::read_yaml_text(text, name), std::make_shared<const Parts>(std::move(functions)));
}

void bind_model(py::module_& m) {
  using Given = std::map<std::string, py::object>;
  const auto hold = [](const Given& given) {
    Functions out;
    for (const auto& [name, function] : given) {
      if (!PyCallable_Check(function.ptr()))
        throw py::type_error(fmt::format("functions: '{}' cannot be called", name));
      out.emplace(name, Callback(function));
    }
    return out;
  };
  py::class_<LoadedModel, std::shared_ptr<LoadedModel>>(m, "Model")
      .def_property_readonly("name", [](const LoadedModel& self) { return self.model().name; })
      .def_property_readonly("dimension", [](const LoadedModel& self) { return self.model().dimension; })
      .def_property_readonly("text", [](const LoadedModel& self) { return self.model().text; })
      .def_property_readonly("analysis", [](const LoadedModel& self) { return self.model().analysis.type; })
      .def_property_readonly("parameters", parameters)
      .def_property_readonly("notes", notes)
      .def_property_readonly("functions",
                             [](const LoadedModel& self) {
                               py::dict out;
                               for (const auto& [name, f] : self.parts->functions()) out[py::str(name)] = f.object();
                               return out;
                             })
      .def("names", names)
      .def("counts",
           [](const LoadedModel& self) {
             const mechanism::Count c = self.mechanism->count();
             return py::dict(py::arg("bodies") = c.bodies, py::arg("joints") = c.joints, py::arg("drivers") = c.drivers,
                             py::arg("forces") = c.forces, py::arg("coordinates") = c.coordinates,
                             py::arg("rows") = c.rows);
           })
      .def("changed",
           [](const LoadedModel& self, const std::vector<std::string>& settings) {
             return std::make_shared<LoadedModel>(changed(self, settings));
           })
      .def("initial_state",
           [](const LoadedModel& self) {
             const State s = self.mechanism->initial_state();
             return std::pair{std::vector<double>(s.q.begin(), s.q.end()), std::vector<double>(s.v.begin(), s.v.end())};
           })
      .def("save", [](const LoadedModel& self, const std::string& path) { io::save_model(self.model(), path); });
  m.def(
      "load",
      [hold](const std::string& path, const std::vector<std::string>& settings, const Given& functions) {
        const auto parts = std::make_shared<const Parts>(hold(functions));
        Node root = io::read_with_includes(path);
        for (const std::string& setting : settings) io::apply_setting(root, setting);
        return std::make_shared<LoadedModel>(compile(std::move(root), parts));
      },
      py::arg("path"), py::arg("settings"), py::arg("functions"));
  m.def(
      "load_text",
      [hold](const std::string& text, const std::string& name, const Given& functions) {
        return std::make_shared<LoadedModel>(load_text(text, name, hold(functions)));
      },
      py::arg("text"), py::arg("name"), py::arg("functions"));
  m.def(
      "build",
      [hold](const std::string& name, bool planar, const py::dict& sections, const Given& functions) {
        return std::make_shared<LoadedModel>(
            compile(to_builder(sections, name, planar).node(), std::make_shared<const Parts>(hold(functions))));
      },
      py::arg("name"), py::arg("planar"), py::arg("sections"), py::arg("functions"));
  m.def("nearest_name", &nearest_name);
  m.def("list_parts", [](const std::string& section) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const model::PartInfo& part : mechanism::catalogue().parts())
      if (model::section_name(part.section) == section) out.emplace_back(part.type, part.help);
    return out;
  });
  m.def("list_analyses", [] {
    std::vector<std::pair<std::string, std::string>> out;
    for (const analysis::AnalysisKind& kind : analysis::analyses()) out.emplace_back(kind.name, kind.help);
    return out;
  });
}

}  // namespace mortise::python
