// The median of repeated measurements: what other work on the machine disturbs least.
#pragma once

#include <algorithm>
#include <vector>

namespace mortise {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace mortise
