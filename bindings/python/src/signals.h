// Ctrl-C in the middle of long work that does not hold the interpreter lock.
//
// Python only remembers a signal; somebody has to ask. `poll` asks at most twenty times a second of wall clock, in the
// main thread (others are not told of signals, by Python's own rule), and keeps what the handler raised: the work then
// ends by its own means, with its results in order, and `raise` passes the exception on.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "callback.h"

namespace mortise::python {

class Signals {
 public:
  // Without the lock. True when a handler has raised something.
  bool poll() {
    // Short steps look at the clock less often: it can cost as much as a step does.
    if (++polls_ < looks_every_) return raised_.has_value();
    polls_ = 0;
    const auto now = std::chrono::steady_clock::now();
    const auto passed = now - looked_;
    looked_ = now;
    if (passed < std::chrono::milliseconds(2) && looks_every_ < 1024) looks_every_ *= 2;
    if (passed > std::chrono::milliseconds(20)) looks_every_ = 1;
    if (!raised_ && now - last_ >= std::chrono::milliseconds(50)) {
      last_ = now;
      const Locked lock;
      if (PyErr_CheckSignals() != 0) {
        raised_.emplace();
        stop = 1;
      }
    }
    return raised_.has_value();
  }
  void raise() const {
    if (!raised_) return;
    const Locked lock;
    throw pybind11::error_already_set(*raised_);
  }

  // What was raised has been told. Without the lock.
  void forget() {
    if (!raised_) return;
    const Locked lock;
    raised_.reset();
    stop = 0;
  }

  std::atomic<int> stop = 0;

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now(), looked_ = last_;
  int polls_ = 0, looks_every_ = 1;
  std::optional<pybind11::error_already_set> raised_;
};

}  // namespace mortise::python
