#include "mortise/view/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mortise::view {

namespace {

// The code point that starts at `at` and its length in bytes; length 0: not UTF-8.
struct CodePoint {
  char32_t value = 0;
  std::size_t length = 0;
};

CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  static constexpr char32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return {};
  char32_t value = first & (0xFFu >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte(at + k) & 0x3Fu);
  }
  if (value < smallest[length] || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {};
  return {value, length};
}

bool allowed_in_xml(char32_t c) { return (c >= 0x20 || c == '\t' || c == '\n') && c != 0xFFFE && c != 0xFFFF; }

long tenths(double value) { return std::isfinite(value) ? std::lround(std::clamp(value, -1e6, 1e6) * 10) : 0; }

std::string tenths_text(long value) {
  std::string text = value < 0 ? "-" : "";
  const long size = std::abs(value);
  if (size >= 10 || size % 10 == 0) text += std::to_string(size / 10);
  if (size % 10 != 0) text += "." + std::to_string(size % 10);
  return text;
}

std::string pair_text(long x, long y) {
  const std::string second = tenths_text(y);
  return tenths_text(x) + (second[0] == '-' ? "" : ",") + second;
}

}  // namespace

std::string short_number(double value) {
  if (!std::isfinite(value)) return "0";
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    if (c.length == 0 || !allowed_in_xml(c.value)) {
      out += "\xEF\xBF\xBD";
    } else if (c.value == '&') {
      out += "&amp;";
    } else if (c.value == '<') {
      out += "&lt;";
    } else if (c.value == '>') {
      out += "&gt;";
    } else if (c.value == '"') {
      out += "&quot;";
    } else if (c.value == '\'') {
      out += "&apos;";
    } else {
      out += text.substr(at, c.length);
    }
    at += std::max<std::size_t>(c.length, 1);
  }
  return out;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text, at);
    // Narrow letters, common ones, capitals and wide ones; from U+1100 on (Hangul, CJK) a full em.
    const bool narrow = c.value < 0x80 && std::string_view(" .,:;'|!iljtfr()[]-").find(static_cast<char>(c.value)) !=
                                              std::string_view::npos;
    const bool wide = (c.value >= 'A' && c.value <= 'Z') || c.value == 'm' || c.value == 'w';
    width += c.value >= 0x1100 && !(c.value >= 0x2000 && c.value < 0x2300) ? 1.0 : narrow ? 0.36 : wide ? 0.76 : 0.61;
    at += std::max<std::size_t>(c.length, 1);
  }
  return width * size;
}

std::string shorten(const std::string& text, double width, double size) {
  if (text_width(text, size) <= width) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(decode(text, at).length, 1);
    if (text_width(out + text.substr(at, length), size) > width - size) break;
    out += text.substr(at, length);
    at += length;
  }
  return out + "…";
}

Svg::Svg(double width, double height, const std::string& name) {
  open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
               {"width", width},
               {"height", height},
               {"viewBox", "0 0 " + short_number(width) + " " + short_number(height)},
               {"font-family", "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"},
               {"font-size", 12.0},
               {"fill", "#222"}});
  title(name);
  leaf("rect", {{"width", "100%"}, {"height", "100%"}, {"fill", "#fff"}});
}

void Svg::begin(std::string_view tag, const Attributes& attributes) {
  out_ += fmt::format("<{}", tag);
  for (const Attribute& a : attributes) out_ += fmt::format(" {}=\"{}\"", a.name, escape(a.value));
}

void Svg::open(std::string_view tag, const Attributes& attributes) {
  begin(tag, attributes);
  out_ += ">\n";
  open_.emplace_back(tag);
}

void Svg::close() {
  out_ += fmt::format("</{}>\n", open_.back());
  open_.pop_back();
}

void Svg::leaf(std::string_view tag, const Attributes& attributes) {
  begin(tag, attributes);
  out_ += "/>\n";
}

void Svg::title(const std::string& text) { out_ += fmt::format("<title>{}</title>\n", escape(text)); }

void Svg::text(double x, double y, const std::string& content, const Attributes& attributes) {
  Attributes all{{"x", x}, {"y", y}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  begin("text", all);
  out_ += fmt::format(">{}</text>\n", escape(content));
}

void Svg::line(double x1, double y1, double x2, double y2, const Attributes& attributes) {
  Attributes all{{"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}};
  all.insert(all.end(), attributes.begin(), attributes.end());
  leaf("line", all);
}

std::string Svg::finish() {
  while (!open_.empty()) close();
  return std::move(out_);
}

void Path::move(double x, double y) {
  x_ = tenths(x), y_ = tenths(y);
  d_ += "M" + pair_text(x_, y_);
}

void Path::line(double x, double y) {
  const long to_x = tenths(x), to_y = tenths(y);
  if (to_x == x_ && to_y == y_) return;
  d_ += "l" + pair_text(to_x - x_, to_y - y_);
  x_ = to_x, y_ = to_y;
}

void Path::dot(double x, double y) {
  move(x, y);
  d_ += "h0";
}

}  // namespace mortise::view
