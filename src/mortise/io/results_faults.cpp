#include "mortise/io/results_faults.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace mortise::io::faults {

namespace {

WriteHook write_hook = nullptr;

void sleep_at_half(CheckpointMoment moment) {
  if (moment == CheckpointMoment::half_written) ::usleep(5000);
}

CheckpointHook& checkpoint_hook() {
  static CheckpointHook installed = [] {
    const char* fault = std::getenv("MORTISE_FAULT");
    return fault && std::strcmp(fault, "checkpoint-slow") == 0 ? sleep_at_half : CheckpointHook{nullptr};
  }();
  return installed;
}

}  // namespace

void set_write_hook(WriteHook hook) { write_hook = hook; }

int before_write(std::size_t bytes) { return write_hook ? write_hook(bytes) : 0; }

void set_checkpoint_hook(CheckpointHook hook) { checkpoint_hook() = hook; }

void reached(CheckpointMoment moment) {
  if (const CheckpointHook hook = checkpoint_hook()) hook(moment);
}

}  // namespace mortise::io::faults
