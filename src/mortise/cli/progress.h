// A progress line on a terminal, with time to go; nothing in a pipe.
#pragma once

#include <chrono>

#include "mortise/analysis/dynamics.h"

namespace mortise::cli {

class ProgressLine {
 public:
  ProgressLine();  // shows itself only where the error stream is a terminal
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  bool shown() const { return terminal_; }
  void update(const analysis::Progress& progress);
  void clear();

 private:
  bool terminal_ = false;
  bool drawn_ = false;
  double first_t_ = -1;
  std::chrono::steady_clock::time_point begin_, last_;
};

}  // namespace mortise::cli
