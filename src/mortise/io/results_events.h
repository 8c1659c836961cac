// The ledger of events in a result file: /events, one row an event in each of its datasets.
//
// Rows are written and flushed before the frame counter counts the frame after the event, and each row names that
// frame: readers believe the rows whose frame is counted. So the ledger is as whole as the frames, at every instant.
// Each row has a checksum. Cost: a few rows at events; nothing between them.
#pragma once

#include <vector>

#include "mortise/analysis/sink.h"
#include "mortise/io/hdf5.h"

namespace mortise::io {

class EventTable {
 public:
  // Makes the group and its datasets; nothing where the model has no events.
  void create(hid_t file, const analysis::RunHeader& header);
  void add(const analysis::EventEntry& entry) { waiting_.push_back(entry); }
  void write();  // what was added, and flushes
  bool close();

  // Entries whose frame is below `frames`, verified. Throws hdf5::Failure.
  static std::vector<analysis::EventEntry> read(hid_t file, const analysis::RunHeader& header, std::uint64_t frames);

 private:
  std::vector<hdf5::Handle> numbers_;
  hdf5::Handle event_, frame_, what_, joints_, checksum_, what_type_, joints_type_;
  std::vector<analysis::EventEntry> waiting_;
  hsize_t rows_ = 0;
};

}  // namespace mortise::io
