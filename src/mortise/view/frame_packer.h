// Frames of a run as the bytes of frames.bin (scene.h has the layout): float32, one fixed size a frame, so that frames
// a … b are the bytes a·size … (b + 1)·size. Cost: one read of each frame; nothing is kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mortise/view/scene.h"

namespace mortise::view {

// Fields of a frame of this run, with offsets; the sum of their sizes is the size of a frame.
std::vector<FrameField> frame_fields(const mechanism::Mechanism& mechanism, const analysis::RunHeader& header);
std::size_t frame_bytes(const std::vector<FrameField>& fields);

class FramePacker {
 public:
  // Both must live as long as the packer.
  FramePacker(const mechanism::Mechanism& mechanism, const Run& run);
  std::size_t bytes() const { return bytes_; }
  void pack(const analysis::Frame& frame, std::string& out) const;  // appends
  // Appends frames first … first + count − 1.
  void pack(std::uint64_t first, std::uint64_t count, std::string& out) const;
  // Bytes [offset, offset + count) of frames.bin: for byte ranges that begin or end within a frame.
  std::string range(std::uint64_t offset, std::uint64_t count) const;

 private:
  const Run* run_;
  std::vector<FrameField> fields_;
  std::size_t bytes_ = 0;
};

// times.bin of these times: float64.
std::string pack_times(const std::vector<double>& times);

}  // namespace mortise::view
