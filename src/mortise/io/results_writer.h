// Writes frames of a run into an HDF5 file that can be read at every instant, even after SIGKILL.
//
// How: the file is made under a temporary name with all its datasets and attributes, enters HDF5's single-writer
// multiple-reader mode (in which the library orders its own writes so that the file on disk is always consistent), is
// made durable and only then renamed to its own name. Frames are collected in memory and written in batches: first the
// rows of every dataset, then the counter `frames`; readers believe the counter only. So
//   - before the rename there is no file (or the one of the former run), after it there is always a readable one;
//   - a frame is either counted and whole, or not counted.
// A batch is written when the buffer is full, on flush(), or when half a second of wall clock passed since the last;
// this moves when numbers reach the disk, never what they are. flush() also calls fsync, before and after the counter,
// so that frames that a checkpoint refers to survive a power cut; other batches survive the death of the process.
//
// Memory: frame() allocates nothing of its own after begin(); HDF5 allocates small objects inside a batch and frees
// them (docs/results.md has the count). Cost: one copy of a frame and a hash of its bytes.
//
// When a write fails (disk full, input/output error) the file is left as it stands, as if the run had been killed, and
// OutputError is thrown: the frames counted so far remain readable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "mortise/analysis/sink.h"

namespace mortise::io {

struct ResultWriterOptions {
  double write_interval = 0.5;                      // seconds of wall clock between batches
  std::size_t buffer_bytes = std::size_t{1} << 20;  // of frames in memory; never less than one frame
};

class ResultWriter final : public analysis::Sink {
 public:
  explicit ResultWriter(std::string path, ResultWriterOptions options = {});
  // Goes on with the result of a killed or interrupted run: begin() copies its first `frames_to_keep` frames, verified,
  // into a new file and renames that over `path`. Until then `path` is the old file, so a kill during a resume loses
  // nothing. begin() throws ResultError when `path` belongs to another model or has fewer frames.
  static ResultWriter resume(std::string path, std::uint64_t frames_to_keep, ResultWriterOptions options = {});

  ResultWriter(ResultWriter&&) noexcept;
  ResultWriter& operator=(ResultWriter&&) noexcept;
  ~ResultWriter() override;  // without end(): writes what is buffered and closes; the result counts as unfinished

  // A fresh run removes checkpoints that a former run left for `path`: they belong to frames that no longer exist.
  void begin(const analysis::RunHeader&) override;
  void frame(const analysis::Frame&) override;
  void event(const analysis::EventEntry&) override;
  void flush() override;
  void end(const analysis::RunSummary&) override;

  std::uint64_t frames() const;          // kept and given so far: what a checkpoint after flush() refers to
  std::uint64_t frames_counted() const;  // of these, in the file
  const std::string& path() const;

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace mortise::io
