#include "mortise/linalg/parallel.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

namespace mortise::linalg {

void for_each_range(std::size_t count, const std::function<void(std::size_t, std::size_t)>& loop) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 512),
                    [&](const tbb::blocked_range<std::size_t>& range) { loop(range.begin(), range.end()); });
}

void for_each_task(std::size_t count, const std::function<void(std::size_t)>& work) {
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, count, 1),
      [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) work(i);
      },
      tbb::simple_partitioner());
}

}  // namespace mortise::linalg
