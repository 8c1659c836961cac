// What the files of the Python module share: a model with all that it refers to, and one function a file that adds its
// classes to the module.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "callback.h"
#include "mortise/linalg/dense.h"
#include "mortise/mechanism/parts.h"
#include "mortise/model/node.h"

namespace mortise::python {

namespace py = pybind11;

using Functions = std::map<std::string, Callback>;

// The parts of the library and those that call Python (python_parts.cpp), with the functions they call by name.
class Parts {
 public:
  explicit Parts(Functions functions);
  Parts(const Parts&) = delete;
  const mechanism::PartList& list() const { return list_; }
  const Functions& functions() const { return functions_; }

 private:
  Functions functions_;
  mechanism::PartList list_;
};

// A model that was read and compiled. `mechanism` keeps model and parts alive: whoever runs it needs nothing else.
struct LoadedModel {
  std::shared_ptr<const Parts> parts;
  model::Node root;  // before it was checked: other settings begin here
  std::shared_ptr<const mechanism::Mechanism> mechanism;

  const model::Model& model() const { return mechanism->model(); }
};

LoadedModel compile(model::Node root, std::shared_ptr<const Parts> parts);
// The same model with settings of the form "path=value".
LoadedModel changed(const LoadedModel& model, const std::vector<std::string>& settings);
LoadedModel load_text(const std::string& text, const std::string& name, Functions functions);

// A copy that belongs to Python.
inline py::array_t<double> array_of(const Vector& x) { return py::array_t<double>(x.size(), x.data()); }

// Marks an object as in use while its work runs without the interpreter lock; taken and given with the lock.
class Busy {
 public:
  Busy(bool& flag, const char* what) : flag_(flag) {
    if (flag_)
      throw std::runtime_error(std::string(what) + " is in use: another thread, or its own callback, must wait");
    flag_ = true;
  }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool& flag_;
};

void bind_errors(py::module_& m);
void bind_model(py::module_& m);
void bind_diagnosis(py::module_& m);
void bind_results(py::module_& m);
void bind_run(py::module_& m);
void bind_simulation(py::module_& m);
void bind_system(py::module_& m);
void bind_batch(py::module_& m);
void bind_show(py::module_& m);

}  // namespace mortise::python
