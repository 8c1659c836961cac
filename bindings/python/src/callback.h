// A Python function as C++ holds it: copied, called and dropped by any thread, whether or not it has the interpreter
// lock.
//
// A call takes the lock, passes floats without building anything but them (vectorcall), and reads the floats of the
// answer. An exception travels through the engine as pybind11::error_already_set and leaves the module as it was
// raised, with its traceback. Cost: about 0.2 µs and the function itself (benchmarks/python_bench.py).
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "mortise/linalg/types.h"

namespace mortise::python {

// The interpreter lock, for threads that may or may not have it.
class Locked {
 public:
  Locked() : state_(PyGILState_Ensure()) {}
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

class Callback {
 public:
  Callback() = default;
  explicit Callback(pybind11::object function);  // with the lock

  explicit operator bool() const { return object_ != nullptr; }
  bool operator==(const Callback&) const = default;
  pybind11::object object() const;  // with the lock

  // `out` numbers of the function at `arguments`. Raises TypeError, in the name of `who`, when it gives anything else.
  void operator()(ConstSpan arguments, Span out, const std::string& who) const;

 private:
  std::shared_ptr<PyObject> object_;
};

// Exactly as many floats as `out` has, from a number or a sequence; with the lock.
void read_numbers(PyObject* from, Span out, const std::string& who);

}  // namespace mortise::python
