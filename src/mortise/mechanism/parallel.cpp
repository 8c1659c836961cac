#include "mortise/mechanism/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

namespace mortise::mechanism {

void for_each_range(std::size_t count, const std::function<void(std::size_t, std::size_t)>& loop) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 512),
                    [&](const tbb::blocked_range<std::size_t>& range) { loop(range.begin(), range.end()); });
}

}  // namespace mortise::mechanism
