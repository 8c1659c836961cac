// Checkpoints: the whole state of a run in a small file beside the result, so that a killed run can go on.
//
// Two generations `<path>.ckpt-0` and `<path>.ckpt-1` take turns; each is written under a temporary name, made durable
// and renamed, and ends with a checksum. Whatever the moment of a kill or a power cut, one whole generation is left.
//
// The order that makes a resume possible:
//     sink.flush();                                  // frames so far are counted and durable
//     checkpoints.write(state, writer.frames());     // then the state that follows them
// so the frames that a checkpoint names are in the result file. A resume keeps exactly these frames (frames written
// after the checkpoint are computed again) and goes on from the state:
//     auto saved = read_newest(path, identity);
//     auto writer = ResultWriter::resume(path, saved->frames);
//
// File: "MORTCKPT", then little-endian 64-bit words: format version, size of the file, sequence, frames, model hash,
// options hash, t; q, v, lambda, work (count, numbers); active (count, bytes, padded to 8); slots of the memory (count;
// each name's length, name padded to 8, count, numbers); xxHash64 of all of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mortise/system/state.h"

namespace mortise::io {

// What a checkpoint belongs to: `hash_text` (results_layout.h) of the model's text and of the options that change
// numbers.
struct CheckpointIdentity {
  std::uint64_t model = 0, options = 0;
  bool operator==(const CheckpointIdentity&) const = default;
};

struct Checkpoint {
  State state;
  std::uint64_t frames = 0;    // of the result file that precede the state
  std::uint64_t sequence = 0;  // counts the checkpoints of a run
  CheckpointIdentity identity;
};

class CheckpointWriter {
 public:
  // `path` is the result's. Goes on with the sequence of valid checkpoints that are there.
  CheckpointWriter(const std::string& path, CheckpointIdentity identity);
  // Allocates at the first call, and again only when the state has grown. Throws OutputError; the other generation
  // stays as it is.
  void write(const State&, std::uint64_t frames);

 private:
  std::string folder_, target_[2], part_[2];
  CheckpointIdentity identity_;
  std::uint64_t sequence_ = 0;
  std::vector<std::byte> buffer_;
};

// The newest generation that is whole, or nothing. Torn and damaged ones are passed over.
std::optional<Checkpoint> read_newest(const std::string& path);
// The same, and throws ResultError when it belongs to another model or to other options.
std::optional<Checkpoint> read_newest(const std::string& path, CheckpointIdentity expected);
void remove_checkpoints(const std::string& path);

// One checkpoint in memory, for tests and for state hashes.
void encode(const State&, std::uint64_t frames, std::uint64_t sequence, CheckpointIdentity, std::vector<std::byte>&);
std::optional<Checkpoint> decode(const std::vector<std::byte>&);  // nothing when it is not whole

}  // namespace mortise::io
