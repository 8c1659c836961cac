// A page of panels under a headline: those over time one below the other, others (phase plots, work and precision) side
// by side, as wide as they are high.
#pragma once

#include <string>
#include <vector>

#include "mortise/view/plot.h"

namespace mortise::view {

inline constexpr double page_width = 1280, page_margin = 20, page_gap = 28, page_header = 70;

struct SheetOfPanels {
  std::string title, subtitle;
  std::vector<Panel> panels;
  std::vector<std::string> notes;  // lines at the foot
};

// Title and subtitle, cut to the width of the page.
void draw_headline(Svg& svg, const std::string& title, const std::string& subtitle, double width = page_width);
// The text of an SVG file.
std::string draw_sheet(const SheetOfPanels& sheet, Readings* readings = nullptr);

}  // namespace mortise::view
