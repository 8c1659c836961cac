// Errors of the library as exceptions of Python (mortise/errors.py), with code, place and advice as attributes.
#include "bindings.h"
#include "mortise/error.h"

namespace mortise::python {

namespace {

py::object file_of(const Place& place) {
  return place.known() && !place.source->name.empty() ? py::object(py::str(place.source->name))
                                                      : py::object(py::none());
}

py::object where(int number) { return number > 0 ? py::object(py::int_(number)) : py::object(py::none()); }

py::dict to_python(const Diagnostic& d) {
  py::dict out;
  out["code"] = d.code, out["message"] = d.message, out["hint"] = d.hint;
  out["file"] = file_of(d.place), out["line"] = where(d.place.line);
  out["column"] = where(d.place.line > 0 ? d.place.column : 0);
  out["warning"] = d.warning;
  return out;
}

void raise(const char* type, const std::string& text, const py::dict& attributes) {
  const py::object make = py::module_::import("mortise.errors").attr("make");
  const py::object error = make(type, text, attributes);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const ModelError& e) {
    py::list list;
    for (const Diagnostic& d : e.diagnostics()) list.append(to_python(d));
    raise("ModelError", e.what(), py::dict(py::arg("diagnostics") = list));
  } catch (const SolveError& e) {
    const SolveReport& r = e.report();
    py::dict out;
    out["code"] = r.code, out["time"] = r.time, out["message"] = r.message, out["advice"] = r.advice;
    py::list details;
    for (const std::string& line : r.details) details.append(line);
    out["details"] = details;
    out["file"] = file_of(r.place), out["line"] = where(r.place.line);
    out["column"] = where(r.place.line > 0 ? r.place.column : 0);
    raise(r.exit == ExitCode::conflict ? "ConflictError" : "SolveError", render(r), out);
  } catch (const OutputError& e) {
    raise("OutputError", e.what(), py::dict(py::arg("file") = e.file()));
  } catch (const ResultError& e) {
    raise("ResultError", e.what(), py::dict(py::arg("file") = e.file()));
  }
}

}  // namespace

void bind_errors(py::module_&) {
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      translate(pointer);
    } catch (py::error_already_set& e) {  // the Python side itself failed: that is what is told
      e.restore();
    }
  });
}

}  // namespace mortise::python
