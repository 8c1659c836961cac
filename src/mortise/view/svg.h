// Writes SVG: elements, escaped text, short numbers. No external resources, no scripts, no style sheets, so that a file
// looks the same in a browser, a README and a paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace mortise::view {

// At most two decimals, no trailing zeros, never "-0"; what is not finite becomes 0.
std::string short_number(double value);

// For text and attribute values: & < > " ' are replaced; what XML does not allow (control characters, bytes that are
// not UTF-8) becomes U+FFFD.
std::string escape(std::string_view text);

// Estimated width of a text in a sans font, and the text cut with "…" to fit into a width.
double text_width(std::string_view text, double size);
std::string shorten(const std::string& text, double width, double size);

struct Attribute {
  Attribute(std::string_view n, std::string_view v) : name(n), value(v) {}
  Attribute(std::string_view n, const char* v) : name(n), value(v) {}
  Attribute(std::string_view n, const std::string& v) : name(n), value(v) {}
  Attribute(std::string_view n, double v) : name(n), value(short_number(v)) {}
  std::string_view name;
  std::string value;
};
using Attributes = std::vector<Attribute>;

class Svg {
 public:
  Svg(double width, double height, const std::string& title);

  void open(std::string_view tag, const Attributes& attributes = {});
  void close();
  void leaf(std::string_view tag, const Attributes& attributes);
  void title(const std::string& text);  // the tooltip of the element that is open
  void text(double x, double y, const std::string& content, const Attributes& attributes = {});
  void line(double x1, double y1, double x2, double y2, const Attributes& attributes);
  std::string finish();  // closes what is open

 private:
  void begin(std::string_view tag, const Attributes& attributes);
  std::string out_;
  std::vector<std::string> open_;
};

// The `d` of a path, in tenths of a pixel, relative: half the bytes of absolute coordinates, and no drift, since the
// differences are those of the rounded positions.
class Path {
 public:
  void move(double x, double y);
  void line(double x, double y);  // nothing when the rounded position does not change
  void close() { d_ += 'z'; }
  void dot(double x, double y);  // seen with round caps
  bool empty() const { return d_.empty(); }
  const std::string& str() const { return d_; }

 private:
  std::string d_;
  long x_ = 0, y_ = 0;
};

}  // namespace mortise::view
