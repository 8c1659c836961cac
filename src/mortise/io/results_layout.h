// Which dataset of a result file holds which part of a frame: one table, read by the writer, the reader and the CSV
// export, so that they cannot disagree. docs/results.md is the user's view of it.
//
// A frame's row of a dataset consists of `items` (bodies, joints or 1) times `width` numbers, gathered from a member of
// `Frame` in which an item takes `stride` numbers and the wanted ones begin at `offset`: the quaternions are numbers
// 3..6 of 7 of `Frame::pose`. A restricted file (`output: bodies:`) keeps some of the items: frames that are read from
// it have their full size, with NaN where nothing was kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mortise/analysis/sink.h"

namespace mortise::io {

inline constexpr const char* results_format = "mortise-results";
inline constexpr std::uint64_t results_format_version = 2;  // 1 suffices for files that keep all, in 64 bits

struct ResultField {
  std::string path;                    // "bodies/position"
  std::string unit, columns, meaning;  // attributes of the dataset
  std::vector<std::size_t> shape;      // of one frame's row: {} one number, {n}, {items, width}
  std::size_t items = 1, width = 1, stride = 1, offset = 0;
  Vector analysis::Frame::*vector = nullptr;  // exactly one of the two
  double analysis::Frame::*scalar = nullptr;
  std::shared_ptr<const std::vector<std::uint32_t>> kept;  // which items of the frame; none: all
  std::size_t all_items = 1;                               // of the frame
  bool single = false;                                     // 32 bits a number in the file

  std::size_t numbers() const { return items * width; }
  std::size_t bytes() const { return single ? 4 : 8; }  // of a number in the file
};

std::vector<ResultField> result_fields(const analysis::RunHeader&);

// Copies one field between a frame and its row. A member that the analysis did not compute (an empty vector) is stored
// as NaN. `gather` throws std::invalid_argument when the member has any other size than the header promised; it rounds
// to 32 bits where the file has no more, so that checksums are of what can be read back.
void gather(const ResultField&, const analysis::Frame&, double* row);
void scatter(const ResultField&, const double* row, analysis::Frame&);
void resize(const std::vector<ResultField>&, analysis::Frame&);  // members as large as the fields need

// The lists of numbers in a restricted file.
struct KeptList {
  const char* path;
  std::vector<std::uint32_t> analysis::Kept::*member;
};
const std::array<KeptList, 5>& kept_lists();

// Frames in one chunk of a dataset: the fewest that make 64 KiB (8192 for one number a frame, 1 for very large rows).
std::size_t chunk_frames(const ResultField&);
// Frames that writer and reader hold in memory at a time: about `bytes`, at least 1 and at most 8192.
std::size_t frames_per_batch(const std::vector<ResultField>&, std::size_t bytes);

// Rows of many frames in memory: one contiguous block a field, so that a batch is one call of HDF5 a dataset.
class FrameBlock {
 public:
  FrameBlock() = default;
  FrameBlock(const std::vector<ResultField>& fields, std::size_t capacity);
  std::size_t capacity() const { return capacity_; }
  double* rows(std::size_t field) { return numbers_.data() + offsets_[field] * capacity_; }
  double* row(std::size_t field, std::size_t frame) { return rows(field) + frame * sizes_[field]; }
  // xxHash64 of the frame's rows in the order of the fields, seeded with the frame's number: finds flipped bits, torn
  // rows and frames that changed places.
  std::uint64_t checksum(std::size_t frame, std::uint64_t number) const;

 private:
  std::size_t capacity_ = 0;
  std::vector<std::size_t> sizes_, offsets_;  // numbers a frame
  std::vector<double> numbers_;
};

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = 0);
std::uint64_t hash_text(const std::string& text);  // of a model's text or options, for checkpoints
std::uint64_t hash_header(const analysis::RunHeader&);
std::uint64_t hash_summary(const analysis::RunSummary&);
std::uint64_t hash_count(std::uint64_t frames);  // guards the frame counter

// The numbers of a RunSummary as they are called under /run.
struct SummaryItem {
  const char* name;
  const char* unit;
  long analysis::RunSummary::*integer = nullptr;  // exactly one of the two
  double analysis::RunSummary::*real = nullptr;
};
const std::vector<SummaryItem>& summary_items();
inline constexpr std::size_t status_bytes = 1024;  // a longer status is cut

}  // namespace mortise::io
