// What the viewer's server understands of HTTP/1.1: the head of a GET or HEAD request, one byte range, the head of an
// answer. Text in, values out; no sockets here (server.h has them), so that a fuzzer can reach all of it.
//
// Strict on purpose: who sends us anything but what browsers and curl send gets a refusal and is hung up on. A head is
// at most 8 KiB and 64 fields; lines end with CR LF; no folded lines, no control characters, no body, no second Host,
// Origin or Range. The target is decoded once and is only ever compared with names: no file is opened by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mortise::view::http {

inline constexpr std::size_t longest_head = 8192;
inline constexpr std::size_t most_fields = 64;

struct Request {
  bool head = false;  // HEAD: the answer has no body
  bool keep = true;   // the client wants the connection to stay
  std::string path;   // decoded, begins with '/', without the query
  std::string host;   // as sent
  std::optional<std::string> origin, range;
};

struct Parsed {
  int status = 200;  // or why it is refused: 400, 405 (not GET or HEAD), 413 (has a body), 431 (too large), 505
  Request request;   // as far as it was understood
};

// `text`: the head up to and with its empty line.
Parsed parse_request(std::string_view text);

// "%41%2F" → "A/"; nothing when an escape is cut short or not hexadecimal.
std::optional<std::string> percent_decoded(std::string_view text);

struct Cut {
  int status = 200;  // 200: all of it · 206: a part · 400: not a range · 416: beyond the end, or several
  std::uint64_t begin = 0, end = 0;  // bytes [begin, end)
};

// What a Range field asks of `size` bytes: "bytes=0-99", "bytes=100-", "bytes=-100".
Cut cut(const std::optional<std::string>& range, std::uint64_t size);

// The head of an answer. Every answer has the policy fields: nothing from elsewhere, no inline or evaluated code, no
// frames around it, no guessing of types, no referrer, nothing kept in caches.
std::string answer_head(int status, std::string_view type, std::uint64_t length, bool keep,
                        const std::vector<std::pair<std::string, std::string>>& more = {});

std::string_view reason(int status);  // 404 → "Not Found"

// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

}  // namespace mortise::view::http
