#include "mortise/view/http.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace mortise::view::http {

namespace {

constexpr std::size_t longest_target = 4096;

// Scripts, styles and data from this server alone. Pictures that the page makes itself are data: and blob: URLs.
constexpr std::string_view content_policy =
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

bool is_token_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes a line and its CR LF off the front; nothing when there is none.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find("\r\n");
  if (end == std::string_view::npos) return {};
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 2);
  return line;
}

// "GET /path?query HTTP/1.1"; 200 or a refusal.
int read_request_line(std::string_view line, Request& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return 400;
  const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
  std::string_view target = line.substr(first + 1, last - first - 1);
  if (method.empty() || !std::all_of(method.begin(), method.end(), is_token_char)) return 400;
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return version.starts_with("HTTP/") ? 505 : 400;
  request.keep = version == "HTTP/1.1";
  if (method != "GET" && method != "HEAD") return 405;
  request.head = method == "HEAD";
  if (target.size() > longest_target) return 431;
  const auto graphic = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!target.starts_with('/') || !std::all_of(target.begin(), target.end(), graphic)) return 400;
  const std::optional<std::string> path = percent_decoded(target.substr(0, target.find_first_of("?#")));
  if (!path || std::any_of(path->begin(), path->end(), is_control)) return 400;
  request.path = *path;
  return 200;
}

struct Fields {
  std::optional<std::string> host, origin, range, connection, length, encoding;

  // nullptr: a field that means nothing to us
  std::optional<std::string>* find(const std::string& name) {
    if (name == "host") return &host;
    if (name == "origin") return &origin;
    if (name == "range") return &range;
    if (name == "connection") return &connection;
    if (name == "content-length") return &length;
    if (name == "transfer-encoding") return &encoding;
    return nullptr;
  }
};

int read_field(std::string_view line, Fields& fields) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == std::string_view::npos) return 400;
  const std::string_view name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
  if (!std::all_of(name.begin(), name.end(), is_token_char)) return 400;
  if (std::any_of(value.begin(), value.end(), [](char c) { return c != '\t' && is_control(c); })) return 400;
  if (std::optional<std::string>* known = fields.find(lower_case(name))) {
    if (*known) return 400;  // whose word would count?
    known->emplace(value);
  }
  return 200;
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '%') {
      out += text[k];
      continue;
    }
    if (k + 2 >= text.size()) return {};
    const int high = hex_digit(text[k + 1]), low = hex_digit(text[k + 2]);
    if (high < 0 || low < 0) return {};
    out += static_cast<char>(high * 16 + low);
    k += 2;
  }
  return out;
}

Parsed parse_request(std::string_view text) {
  Parsed parsed;
  const auto refused = [&](int status) {
    parsed.status = status;
    return parsed;
  };
  if (text.size() > longest_head) return refused(431);
  const std::optional<std::string_view> first = next_line(text);
  if (!first) return refused(400);
  if (const int status = read_request_line(*first, parsed.request); status != 200) return refused(status);

  Fields fields;
  for (std::size_t count = 0;; ++count) {
    const std::optional<std::string_view> line = next_line(text);
    if (!line) return refused(400);
    if (line->empty()) break;
    if (count == most_fields) return refused(431);
    if (const int status = read_field(*line, fields); status != 200) return refused(status);
  }
  if (!text.empty() || !fields.host) return refused(400);
  if (fields.encoding || (fields.length && *fields.length != "0")) return refused(413);
  const std::string connection = lower_case(fields.connection.value_or(""));
  if (connection.find("close") != std::string::npos) parsed.request.keep = false;
  parsed.request.host = *fields.host;
  parsed.request.origin = fields.origin;
  parsed.request.range = fields.range;
  return parsed;
}

Cut cut(const std::optional<std::string>& range, std::uint64_t size) {
  if (!range) return {200, 0, size};
  constexpr std::string_view unit = "bytes=";
  std::string_view text = *range;
  if (lower_case(text.substr(0, unit.size())) != unit) return {400, 0, 0};
  text.remove_prefix(unit.size());
  if (text.find(',') != std::string_view::npos) return {416, 0, 0};
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return {400, 0, 0};
  const std::string_view left = trimmed(text.substr(0, dash)), right = trimmed(text.substr(dash + 1));
  const std::optional<std::uint64_t> first = whole_number(left), last = whole_number(right);
  if (left.empty()) {  // the last so many bytes
    if (!last) return {400, 0, 0};
    if (*last == 0 || size == 0) return {416, 0, 0};
    return {206, size - std::min(size, *last), size};
  }
  if (!first || (!right.empty() && !last) || (last && *last < *first)) return {400, 0, 0};
  if (*first >= size) return {416, 0, 0};
  return {206, *first, last ? std::min(*last, size - 1) + 1 : size};
}

std::string answer_head(int status, std::string_view type, std::uint64_t length, bool keep,
                        const std::vector<std::pair<std::string, std::string>>& more) {
  std::string head = fmt::format(
      "HTTP/1.1 {} {}\r\n"
      "Content-Type: {}\r\n"
      "Content-Length: {}\r\n"
      "Connection: {}\r\n"
      "Content-Security-Policy: {}\r\n"
      "X-Content-Type-Options: nosniff\r\n"
      "X-Frame-Options: DENY\r\n"
      "Referrer-Policy: no-referrer\r\n"
      "Cross-Origin-Resource-Policy: same-origin\r\n"
      "Cross-Origin-Opener-Policy: same-origin\r\n"
      "Cache-Control: no-store\r\n",
      status, reason(status), type, length, keep ? "keep-alive" : "close", content_policy);
  for (const auto& [name, value] : more) head += fmt::format("{}: {}\r\n", name, value);
  return head + "\r\n";
}

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 206:
      return "Partial Content";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 413:
      return "Content Too Large";
    case 416:
      return "Range Not Satisfiable";
    case 431:
      return "Request Header Fields Too Large";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k)
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
  return difference == 0;
}

}  // namespace mortise::view::http
