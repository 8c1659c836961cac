// Line plots: panels of series over time, or over anything else.
//
// A panel draws its title with the unit (and the power of ten that its tick labels share), its legend beside the title,
// a light grid, and its series. A value that is not finite, or not above zero on a log axis, is a gap; a value between
// two gaps is a dot. Long series are thinned to what can be seen: in each column of pixels the first, lowest, highest
// and last value, so that no peak is lost.
// Cost: O(values); the file holds at most 4 points a column of pixels and series.
#pragma once

#include <string>
#include <vector>

#include "mortise/view/svg.h"

namespace mortise::view {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

// Colours that people with any colour vision tell apart (Okabe and Ito 2008), without the yellow that white swallows.
const std::string& palette(std::size_t k);
inline constexpr const char* ink = "#222";
inline constexpr const char* grey = "#667";

struct Series {
  std::string name;
  std::vector<double> y;       // one value per time
  std::string color;           // "" = the palette's next
  double width = 1.5;          // of the line, pixels
  std::vector<double> x = {};  // of its own; empty: the times that the panel is drawn with
  std::string dash = "";       // as in SVG, "6 3"
  bool marks = false;          // a dot at each value: for few of them
};

struct Panel {
  std::string title, unit;
  std::vector<Series> series;
  bool log = false;
  bool time_labels = true;  // false: the panel below shows them
  std::string x_name = "", x_unit = "s";
  bool log_x = false;
  bool curve = false;  // no function of x: neither thinned nor cut at the first and last x
  bool equal = false;  // a metre is as long in both directions
};

// Where the values of a panel are in the picture, for pages that answer to the pointer. Pixels = at + per · value, of
// the decimal logarithm on a log axis.
struct Reading {
  struct Scale {
    double at = 0, per = 0;
    bool log = false;
  };
  Box area;
  Scale x, y;
  std::string x_name, x_unit, y_unit;
  bool curve = false;
  std::vector<Series> series;  // x and y of each, at most `most_readings`: of longer ones every n-th
};
inline constexpr std::size_t most_readings = 4000;
using Readings = std::vector<Reading>;

// The whole panel fits into the box: header, plot area, tick labels.
void draw(Svg& svg, const Panel& panel, const std::vector<double>& time, const Box& box, Readings* readings = nullptr);
// Height of the header: one line, more when the legend does not fit beside the title.
double header_height(const Panel& panel, double width);

// The `d` of one series; `thinning` off for curves that are no functions of x.
std::string series_path(const std::vector<double>& x_pixels, const std::vector<double>& y_pixels, bool thinning);

}  // namespace mortise::view
