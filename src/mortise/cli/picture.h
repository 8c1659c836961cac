// Writes a picture under the name that the user gave, in the format of its ending: .svg, .html (with crosshair) or .png
// (by rsvg-convert, twice the size, for slides and papers that take no SVG).
#pragma once

#include <string>

#include "mortise/view/plot.h"

namespace mortise::cli {

// Throws OutputError for an ending that is none of them, or .png without rsvg-convert. To be asked before long work.
void check_picture_name(const std::string& path);
void write_picture(const std::string& path, const std::string& title, const std::string& svg,
                   const view::Readings& readings);

}  // namespace mortise::cli
