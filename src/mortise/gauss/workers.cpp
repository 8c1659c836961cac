#include "mortise/gauss/workers.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace mortise::gauss {

struct Workers::Arena {
  explicit Arena(int threads) : arena(threads > 0 ? threads : tbb::task_arena::automatic) {}
  tbb::task_arena arena;
};

Workers::Workers(int threads) {
  if (threads != 1) arena_ = std::make_unique<Arena>(threads);
}

Workers::~Workers() = default;

void Workers::for_each(int count, const std::function<void(int)>& task) {
  if (!arena_ || count < 2) {
    for (int i = 0; i < count; ++i) task(i);
    return;
  }
  arena_->arena.execute([&] { tbb::parallel_for(0, count, task); });
}

}  // namespace mortise::gauss
