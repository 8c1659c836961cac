// Loops over small blocks with the size known to the compiler.
#pragma once

#include <type_traits>
#include <utility>

namespace mortise::gauss {

// Calls f(std::integral_constant<int, size>) for sizes up to six; zero stands for any other.
template <class F>
inline decltype(auto) with_size(int size, F&& f) {
  switch (size) {
    case 1:
      return f(std::integral_constant<int, 1>{});
    case 2:
      return f(std::integral_constant<int, 2>{});
    case 3:
      return f(std::integral_constant<int, 3>{});
    case 4:
      return f(std::integral_constant<int, 4>{});
    case 5:
      return f(std::integral_constant<int, 5>{});
    case 6:
      return f(std::integral_constant<int, 6>{});
    default:
      return f(std::integral_constant<int, 0>{});
  }
}

}  // namespace mortise::gauss
