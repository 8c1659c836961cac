// For how many accepted steps a factorisation of an earlier instant is kept: counts them, and sees when rows were
// switched, after which nothing old is of use.
//
// Source: specs/gigsp-and-genetic.md §3, reuse.
#pragma once

#include <algorithm>
#include <vector>

namespace mortise::gauss {

class Reuse {
 public:
  explicit Reuse(int steps) : steps_(steps) {}

  bool due(const std::vector<unsigned char>& active) const {
    return !known_ || age_ >= steps_ || !std::equal(active.begin(), active.end(), active_.begin(), active_.end());
  }
  void refreshed(const std::vector<unsigned char>& active) {
    known_ = steps_ > 1;
    age_ = 0;
    active_ = active;
  }
  void step_accepted() { ++age_; }
  void forget() { known_ = false; }
  void reserve(std::size_t rows) { active_.reserve(rows); }

 private:
  int steps_ = 1, age_ = 0;
  bool known_ = false;
  std::vector<unsigned char> active_;
};

}  // namespace mortise::gauss
