// A population of binary-coded accelerations, and the three ways a generation follows from the last one.
//
// An individual has 16 bits u_j a coordinate (plain binary code); about the centre c with the ranges r it means
//     a_j = c_j − r_j + 2 r_j u_j / (2¹⁶ − 1).
//
//   breed        linear ranking (2 … 0 offspring expected), stochastic universal sampling, pairs drawn at random,
//                two-point crossover, mutation of single bits; the best individual goes on unchanged
//   breed_cells  the individuals live on a torus; each mates with the best of its four neighbours and gives way to the
//                child when that is better; all at once, from a copy
//   immigrate    the individuals given take the place of the worst
//
// All randomness is from one stream, drawn by the thread that breeds; values may be computed by any number of threads.
// Source: specs/gigsp-and-genetic.md §3 (genetic, island, cellular), repair 6.
// Cost: a generation draws about n + 3 random numbers an individual; a value is 2n² + 2nm.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mortise/gauss/genetic_settings.h"
#include "mortise/gauss/penalty.h"
#include "mortise/gauss/random_bits.h"
#include "mortise/gauss/search.h"

namespace mortise::gauss {

class Population {
 public:
  using Genes = std::uint16_t;

  Population(int n, int m, const GeneticSettings& settings);

  int size() const { return size_; }
  int best() const { return best_; }
  double value(int k) const { return value_[index(k)]; }
  std::span<const Genes> genes(int k) const { return {genes_.data() + at(k), index(n_)}; }
  void decode(int k, const SearchFrame& frame, double* a) const;

  // The random numbers from here on.
  void draw_from(const RandomBits& random) { random_ = random; }
  // New individuals anywhere in the ranges, and the centre of them.
  void scatter();
  void breed();
  void breed_cells();
  // Replaces the worst by `count` individuals, their genes one after the other.
  void immigrate(std::span<const Genes> genes, std::span<const double> values);
  // The best `count` individuals, best first.
  void emigrants(int count, std::span<Genes> genes, std::span<double> values);

  // Values of individuals [begin, end); different ranges on different threads. Then `rank`.
  void evaluate(const GaussFunction& f, const SearchFrame& frame, int begin, int end);
  // Finds the best; after `breed_cells` also keeps each parent that is better than its child.
  void rank();

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  std::size_t at(int k) const { return index(k) * index(n_); }
  void sort();
  void cross(Genes* a, Genes* b);
  void mutate(Genes* a);

  int n_, m_, size_, side_;
  std::uint64_t crossover_;             // of 2⁵³
  std::vector<std::uint64_t> flips_;    // of 2⁵³: a word has at most k flipped bits
  std::vector<Genes> genes_, parents_;  // size × n
  std::vector<Genes> scratch_;          // n
  std::vector<double> value_, parent_value_;
  std::vector<int> order_, pool_;
  std::vector<double> work_;  // (2n + m) an individual
  int best_ = 0;
  bool cells_ = false;
  RandomBits random_;
};

}  // namespace mortise::gauss
