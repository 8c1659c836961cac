// Loops over independent items: in order for few, on all threads for many. Each index writes only its own results, so
// the bits do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>

namespace mortise::linalg {

// Below this count threads cost more than they bring.
constexpr std::size_t parallel_from = 4096;

void for_each_range(std::size_t count, const std::function<void(std::size_t begin, std::size_t end)>& loop);
// Few long tasks.
void for_each_task(std::size_t count, const std::function<void(std::size_t task)>& work);

template <class Loop>
void for_each_index(std::size_t count, const Loop& loop) {
  if (count < parallel_from) {
    for (std::size_t i = 0; i < count; ++i) loop(i);
  } else {
    for_each_range(count, [&loop](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) loop(i);
    });
  }
}

}  // namespace mortise::linalg
