// Any text as MJCF: robot_fuzz.h has what must hold.
#include "robot_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mortise::fuzz::import_robot(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
