#include "mortise/gauss/population.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace mortise::gauss {

namespace {

constexpr int word_bits = 16;
constexpr double unit = 0x1p53;  // probabilities are compared as whole numbers of 53 bits

std::uint64_t share(double probability) { return static_cast<std::uint64_t>(std::clamp(probability, 0.0, 1.0) * unit); }

}  // namespace

Population::Population(int n, int m, const GeneticSettings& s)
    : n_(n), m_(m), size_(s.population), side_(0), crossover_(share(s.crossover)) {
  if (size_ < 4) throw std::invalid_argument("a genetic search needs a population of 4 or more");
  while ((side_ + 1) * (side_ + 1) <= size_) ++side_;
  if (s.variant == GeneticSettings::Variant::cellular && side_ * side_ != size_)
    throw std::invalid_argument("the population of a cellular search must be a square number");
  // Bits mutate independently: the number that do in a word is binomial, and one random number decides it.
  double term = 1, sum = 0;
  for (int k = 0; k < word_bits; ++k) term *= 1 - s.mutation;
  for (int k = 0; k < word_bits; ++k) {
    flips_.push_back(share(sum += term));
    term *= (word_bits - k) / (k + 1.0) * (s.mutation / (1 - s.mutation));
  }
  genes_.resize(index(size_) * index(n));
  parents_.resize(genes_.size());
  scratch_.resize(index(n));
  value_.resize(index(size_));
  parent_value_.resize(index(size_));
  order_.resize(index(size_));
  pool_.resize(index(size_));
  work_.resize(index(size_) * index(2 * n + m));
}

void Population::decode(int k, const SearchFrame& frame, double* a) const {
  const Genes* u = genes_.data() + at(k);
  for (int j = 0; j < n_; ++j)
    a[j] = frame.centre[j] - frame.range[j] + 2 * frame.range[j] * (static_cast<double>(u[j]) / 65535.0);
}

void Population::scatter() {
  cells_ = false;
  for (Genes& word : genes_) word = static_cast<Genes>(random_.next() >> 48);
  std::fill_n(genes_.begin(), n_, Genes{1} << (word_bits - 1));
}

void Population::evaluate(const GaussFunction& f, const SearchFrame& frame, int begin, int end) {
  for (int k = begin; k < end; ++k) {
    double* a = work_.data() + index(k) * index(2 * n_ + m_);
    decode(k, frame, a);
    const double value = f.value(a, frame.weight, a + n_);
    value_[index(k)] = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;  // an order needs numbers
  }
}

void Population::rank() {
  if (cells_)
    for (int k = 0; k < size_; ++k)
      if (!(value_[index(k)] < parent_value_[index(k)])) {
        value_[index(k)] = parent_value_[index(k)];
        std::copy_n(parents_.data() + at(k), n_, genes_.data() + at(k));
      }
  best_ = static_cast<int>(std::min_element(value_.begin(), value_.end()) - value_.begin());
}

// Equal values in the order of the individuals, so that the order is the same with every standard library.
void Population::sort() {
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&](int a, int b) { return std::pair(value_[index(a)], a) < std::pair(value_[index(b)], b); });
}

// The bits from the first cut to the second change places.
void Population::cross(Genes* a, Genes* b) {
  const auto bits = static_cast<std::uint32_t>(word_bits * n_) + 1;  // places for a cut
  int first = static_cast<int>(random_.below(bits)), last = static_cast<int>(random_.below(bits));
  if (first > last) std::swap(first, last);
  for (int word = first / word_bits; word <= last / word_bits && word < n_; ++word) {
    const int low = std::max(first - word * word_bits, 0), high = std::min(last - word * word_bits, word_bits);
    if (high <= low) continue;
    const auto mask = static_cast<Genes>(((1u << high) - 1u) & ~((1u << low) - 1u));
    const auto change = static_cast<Genes>((a[word] ^ b[word]) & mask);
    a[word] = static_cast<Genes>(a[word] ^ change);
    b[word] = static_cast<Genes>(b[word] ^ change);
  }
}

void Population::mutate(Genes* a) {
  for (int word = 0; word < n_; ++word) {
    const std::uint64_t drawn = random_.next() >> 11;
    int count = 0;
    while (count < word_bits && drawn >= flips_[index(count)]) ++count;
    unsigned flipped = 0;
    while (count > 0) {
      const unsigned bit = 1u << random_.below(word_bits);
      if (flipped & bit) continue;
      flipped |= bit;
      --count;
    }
    a[word] = static_cast<Genes>(a[word] ^ flipped);
  }
}

void Population::breed() {
  cells_ = false;
  sort();
  // The one of rank k expects 2 (N − 1 − k) / (N − 1) offspring; one draw places N pointers at distance one.
  const double start = random_.uniform();
  double sum = 0;
  int taken = 0;
  for (int k = 0; k < size_; ++k) {
    sum += 2.0 * (size_ - 1 - k) / (size_ - 1);
    while (taken < size_ && start + taken < sum) pool_[index(taken++)] = order_[index(k)];
  }
  while (taken < size_) pool_[index(taken++)] = order_[0];  // a pointer beyond the rounded sum
  for (int k = size_ - 1; k > 0; --k)
    std::swap(pool_[index(k)], pool_[index(static_cast<int>(random_.below(static_cast<std::uint32_t>(k + 1))))]);
  for (int k = 0; k < size_; ++k) std::copy_n(genes_.data() + at(pool_[index(k)]), n_, parents_.data() + at(k));
  for (int k = 0; k + 1 < size_; k += 2)
    if (random_.next() >> 11 < crossover_) cross(parents_.data() + at(k), parents_.data() + at(k + 1));
  for (int k = 0; k < size_; ++k) mutate(parents_.data() + at(k));
  std::copy_n(genes_.data() + at(order_[0]), n_, parents_.data());
  genes_.swap(parents_);
}

void Population::breed_cells() {
  cells_ = true;
  parents_ = genes_;
  parent_value_ = value_;
  for (int row = 0; row < side_; ++row)
    for (int column = 0; column < side_; ++column) {
      const int self = row * side_ + column;
      const int neighbours[] = {(row + side_ - 1) % side_ * side_ + column, (row + 1) % side_ * side_ + column,
                                row * side_ + (column + side_ - 1) % side_, row * side_ + (column + 1) % side_};
      int mate = neighbours[0];
      for (const int other : neighbours)
        if (parent_value_[index(other)] < parent_value_[index(mate)]) mate = other;
      // Of the two children one is taken, by the toss of a coin: else a cell would always keep its outer bits.
      Genes* child = genes_.data() + at(self);
      Genes* other = scratch_.data();
      std::copy_n(parents_.data() + at(mate), n_, other);
      cross(child, other);
      if (random_.next() >> 63) std::copy_n(other, n_, child);
      mutate(child);
    }
}

void Population::emigrants(int count, std::span<Genes> genes, std::span<double> values) {
  sort();
  for (int k = 0; k < count; ++k) {
    const int from = order_[index(k)];
    std::copy_n(genes_.data() + at(from), n_, genes.data() + at(k));
    values[index(k)] = value_[index(from)];
  }
}

void Population::immigrate(std::span<const Genes> genes, std::span<const double> values) {
  sort();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int to = order_[index(size_ - 1) - k];
    std::copy_n(genes.data() + k * index(n_), n_, genes_.data() + at(to));
    value_[index(to)] = values[k];
  }
  best_ = static_cast<int>(std::min_element(value_.begin(), value_.end()) - value_.begin());
}

}  // namespace mortise::gauss
