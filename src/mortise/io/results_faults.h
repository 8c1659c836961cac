// Faults on purpose, for tests of crash safety. Compiled always, so that tests exercise the code that users run;
// without a hook each place costs one comparison.
#pragma once

#include <cstddef>

namespace mortise::io::faults {

// Called before every write into a result file with its size; a number other than 0 makes the driver write about half
// of the bytes, up to a page boundary as the system would, and fail with that errno.
using WriteHook = int (*)(std::size_t bytes);
void set_write_hook(WriteHook);
int before_write(std::size_t bytes);

// Called at these moments of every checkpoint. MORTISE_FAULT=checkpoint-slow in the environment installs a hook that
// sleeps 5 ms at half_written, so that a kill can be made to fall inside.
enum class CheckpointMoment { begin, half_written, renamed };
using CheckpointHook = void (*)(CheckpointMoment);
void set_checkpoint_hook(CheckpointHook);
void reached(CheckpointMoment);

}  // namespace mortise::io::faults
