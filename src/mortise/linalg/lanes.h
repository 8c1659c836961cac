// Four lanes of double, and memory that fits them.
//
// Sums are accumulated in a fixed number of lanes and folded in a fixed order, so a loop is fast without -ffast-math
// and gives the same bits on every machine: SSE2 does four lanes in two registers, AVX in one. Columns are padded with
// zeros to whole lanes; kernels never see a remainder.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace mortise::linalg {

inline constexpr int lane_count = 4;
using Lanes = double __attribute__((vector_size(lane_count * sizeof(double)), may_alias));

inline constexpr int round_down_to_lanes(int size) { return size & ~(lane_count - 1); }
inline constexpr int round_up_to_lanes(int size) { return round_down_to_lanes(size + lane_count - 1); }

// Only references to Lanes cross function boundaries: by value their calling convention depends on the target.
inline const Lanes& lanes(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline Lanes& lanes(double* p) { return *reinterpret_cast<Lanes*>(p); }
inline double fold(const Lanes& x) { return (x[0] + x[2]) + (x[1] + x[3]); }

// A fixed array of doubles aligned to a cache line, zero at birth.
class LaneArray {
 public:
  LaneArray() = default;
  explicit LaneArray(std::size_t size) : size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<double*>(::operator new(size * sizeof(double), alignment)));
    clear();
  }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double& operator[](std::size_t i) { return data_.get()[i]; }
  double operator[](std::size_t i) const { return data_.get()[i]; }
  std::size_t size() const { return size_; }
  void clear() {
    if (size_ > 0) std::memset(data_.get(), 0, size_ * sizeof(double));
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete(p, alignment); }
  };
  std::unique_ptr<double, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace mortise::linalg
