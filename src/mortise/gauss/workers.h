// A few independent tasks on several threads. Each task writes only its own results, so they do not depend on how many
// threads there are.
#pragma once

#include <functional>
#include <memory>

namespace mortise::gauss {

class Workers {
 public:
  // 0: as many as the machine has; 1: the calling thread, in order.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  bool parallel() const { return arena_ != nullptr; }
  void for_each(int count, const std::function<void(int)>& task);

 private:
  struct Arena;
  std::unique_ptr<Arena> arena_;  // none: one thread
};

}  // namespace mortise::gauss
