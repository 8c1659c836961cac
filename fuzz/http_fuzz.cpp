// Any bytes are either a request that was understood, with a path that can be compared, or refused with a status;
// ranges stay within the size that they were cut from.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "mortise/view/http.h"

namespace {

namespace http = mortise::view::http;

void require(bool claim) {
  if (!claim) std::abort();
}

void check_range(const std::optional<std::string>& range, std::uint64_t size) {
  const http::Cut cut = http::cut(range, size);
  require(cut.status == 200 || cut.status == 206 || cut.status == 400 || cut.status == 416);
  require(cut.begin <= cut.end && cut.end <= size);
  require(cut.status != 206 || cut.begin < cut.end);
  require(range.has_value() || cut.status == 200);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const http::Parsed parsed = http::parse_request(text);
  require(http::reason(parsed.status) != "Internal Server Error");
  if (parsed.status == 200) {
    const http::Request& r = parsed.request;
    require(r.path.starts_with('/') && text.size() <= http::longest_head && text.ends_with("\r\n\r\n"));
    for (const char c : r.path) require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    for (const std::string* value : {&r.host, r.origin ? &*r.origin : nullptr, r.range ? &*r.range : nullptr})
      require(!value || value->find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1000}, UINT64_MAX})
      check_range(r.range, bytes);
  }
  check_range(std::string(text), 1000);
  http::percent_decoded(text);
  return 0;
}
