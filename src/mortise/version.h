#pragma once

namespace mortise {
inline constexpr const char* version = "0.1.0";
}
