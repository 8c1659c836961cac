// Reads result files: finished ones, those of killed runs, and those of runs that still go on.
//
// Nothing in the file is believed without a check: the counter `frames` stands beside its hash, the header and the
// summary carry a checksum, every frame carries one, and HDF5's own structures do too. A file that is not ours, is cut
// short, or has a flipped bit gives a ResultError that names it, never a wrong number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"

namespace mortise::io {

struct ReadOptions {
  // Opens the file in a child process first and reads one frame of every chunk there (results_probe.h says why). Costs
  // some milliseconds; switch it off for files that this process wrote itself.
  bool probe = true;
  // False: the child looks at the first frame only, which for a file of gigabytes saves the reading of most of it. For
  // programs that lose nothing but themselves when a hostile file crashes HDF5 later, such as a viewer.
  bool every_chunk = true;
};

class ResultReader {
 public:
  explicit ResultReader(std::string path, ReadOptions options = {});
  ResultReader(ResultReader&&) noexcept;
  ResultReader& operator=(ResultReader&&) noexcept;
  ~ResultReader();

  const std::string& path() const;
  const analysis::RunHeader& header() const;
  std::uint64_t frames() const;
  bool finished() const;                        // the run called end()
  const analysis::RunSummary& summary() const;  // status "unfinished" and zeros when it did not
  // Any frame; in order is fast, since frames are read in blocks of about 1 MiB.
  void read_frame(std::uint64_t number, analysis::Frame&);
  // The ledger, as far as the frames after its events are there; verified.
  std::vector<analysis::EventEntry> events();
  std::vector<double> times();  // of all frames; reads and verifies the whole file
  // The same from the column `time` alone, at 8 bytes a frame: for viewers of large files. The checksums of the frames
  // are then left to whoever reads them; times that are not finite or run backwards are refused here.
  std::vector<double> clock();
  void verify();   // every frame's checksum
  bool refresh();  // of a run that goes on: true when there are more frames than before

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace mortise::io
