// Results in memory: every field of a result file (io/results_layout.h) as one block of numbers, which numpy sees
// without a copy. Filled by a run, or read from a file; written to a file with the same bytes a run would have written.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bindings.h"
#include "mortise/analysis/sink.h"
#include "mortise/io/results_layout.h"

namespace mortise::python {

class Recording final : public analysis::Sink {
 public:
  // The whole file, verified. Throws ResultError.
  static std::shared_ptr<Recording> read(const std::string& path);

  void begin(const analysis::RunHeader& header) override;
  void frame(const analysis::Frame& frame) override;
  void event(const analysis::EventEntry& entry) override { events_.push_back(entry); }
  void flush() override {}
  void end(const analysis::RunSummary& summary) override;

  void save(const std::string& path) const;
  void look(std::size_t number, analysis::Frame& frame) const;

  std::size_t frames() const { return frames_; }
  const analysis::RunHeader& header() const { return header_; }
  const std::vector<io::ResultField>& fields() const { return fields_; }
  const std::vector<double>& numbers(std::size_t field) const { return numbers_[field]; }
  const std::vector<analysis::EventEntry>& events() const { return events_; }
  const analysis::RunSummary& summary() const { return summary_; }

 private:
  analysis::RunHeader header_;
  std::vector<io::ResultField> fields_;
  std::vector<std::vector<double>> numbers_;
  std::vector<analysis::EventEntry> events_;
  analysis::RunSummary summary_{.status = "unfinished"};
  std::size_t frames_ = 0;
};

// HDF5 as packaged serves one thread at a time.
std::mutex& file_lock();

}  // namespace mortise::python
