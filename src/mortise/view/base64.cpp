#include "mortise/view/base64.h"

namespace mortise::view {

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    unsigned word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[k + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? digits[word >> (18 - 6 * i) & 63] : '=';
  }
  return out;
}

}  // namespace mortise::view
