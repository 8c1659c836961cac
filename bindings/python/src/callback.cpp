#include "callback.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace mortise::python {

namespace py = pybind11;

namespace {

constexpr std::size_t most_arguments = 64;

[[noreturn]] void type_error(const std::string& message) {
  PyErr_SetString(PyExc_TypeError, message.c_str());
  throw py::error_already_set();
}

std::string expected(std::size_t count) { return count == 1 ? "a number" : fmt::format("{} numbers", count); }

double number(PyObject* from, std::size_t count, const std::string& who) {
  const double value = PyFloat_AsDouble(from);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    type_error(
        fmt::format("{} returned {}, expected {}", who, py::str(py::repr(from)).cast<std::string>(), expected(count)));
  }
  return value;
}

}  // namespace

Callback::Callback(py::object function)
    : object_(function.release().ptr(), [](PyObject* object) {
        // Functions that outlive the interpreter are left to the end of the process.
        if (!Py_IsInitialized()) return;
        const Locked lock;
        Py_DECREF(object);
      }) {}

py::object Callback::object() const { return py::reinterpret_borrow<py::object>(object_.get()); }

void read_numbers(PyObject* from, Span out, const std::string& who) {
  if (out.size() == 1 && (PyFloat_Check(from) || !PySequence_Check(from))) {
    out[0] = number(from, 1, who);
    return;
  }
  if (!PyTuple_Check(from) && !PyList_Check(from) &&
      (PyUnicode_Check(from) || PyBytes_Check(from) || !PySequence_Check(from)))
    type_error(fmt::format("{} returned {}, expected {}", who, py::str(py::repr(from)).cast<std::string>(),
                           expected(out.size())));
  const py::object items = py::reinterpret_steal<py::object>(PySequence_Fast(from, "expected a sequence"));
  if (!items) throw py::error_already_set();
  const auto count = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(items.ptr()));
  if (count != out.size())
    type_error(fmt::format("{} returned {} number{}, expected {}", who, count, count == 1 ? "" : "s", out.size()));
  for (std::size_t k = 0; k < count; ++k)
    out[k] = number(PySequence_Fast_GET_ITEM(items.ptr(), static_cast<Py_ssize_t>(k)), out.size(), who);
}

void Callback::operator()(ConstSpan arguments, Span out, const std::string& who) const {
  if (arguments.size() > most_arguments)
    throw std::invalid_argument(
        fmt::format("{} takes {} arguments, at most {} are possible", who, arguments.size(), most_arguments));
  const Locked lock;
  std::array<py::object, most_arguments> owned;
  std::array<PyObject*, most_arguments + 1> raw;  // the first is the caller's, for bound methods
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    owned[k] = py::reinterpret_steal<py::object>(PyFloat_FromDouble(arguments[k]));
    raw[k + 1] = owned[k].ptr();
  }
  const auto result = py::reinterpret_steal<py::object>(
      PyObject_Vectorcall(object_.get(), raw.data() + 1, arguments.size() | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!result) throw py::error_already_set();
  read_numbers(result.ptr(), out, who);
}

}  // namespace mortise::python
