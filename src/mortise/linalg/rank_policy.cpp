#include "mortise/linalg/rank_policy.h"

#include <limits>

namespace mortise::linalg {

double Rank::gap() const {
  return largest_dropped > 0 ? smallest_kept / largest_dropped : std::numeric_limits<double>::infinity();
}

}  // namespace mortise::linalg
