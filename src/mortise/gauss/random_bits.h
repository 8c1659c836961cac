// Random numbers that are the same bits on every machine and with every standard library (std::*_distribution are not):
// the SplitMix64 generator, 64 bits of state, one addition and three multiplications a number.
//
// Streams are told apart by hashing (seed, stream number): two of them meet with a probability of their lengths / 2⁶⁴.
// Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstdint>

namespace mortise::gauss {

class RandomBits {
 public:
  RandomBits() = default;
  RandomBits(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed + step) ^ (stream * step))) {}

  std::uint64_t next() { return mix(state_ += step); }
  // In [0, 1), a multiple of 2⁻⁵³.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // In 0 .. count − 1; off from uniform by count / 2³² at most.
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32); }

 private:
  static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 0;
};

}  // namespace mortise::gauss
