// Line plots: panels of series over time.
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
  std::vector<double> y;  // one value per time
  std::string color;      // "" = the palette's next
  double width = 1.5;     // of the line, pixels
};

struct Panel {
  std::string title, unit;
  std::vector<Series> series;
  bool log = false;
  bool time_labels = true;  // false: the panel below shows them
};

// The whole panel fits into the box: header, plot area, tick labels.
void draw(Svg& svg, const Panel& panel, const std::vector<double>& time, const Box& box);
// Height of the header: one line, more when the legend does not fit beside the title.
double header_height(const Panel& panel, double width);

// The `d` of one series; `thinning` off for curves that are no functions of x.
std::string series_path(const std::vector<double>& x_pixels, const std::vector<double>& y_pixels, bool thinning);

}  // namespace mortise::view
