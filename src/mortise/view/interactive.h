// One HTML file with a picture that answers to the pointer: a crosshair with the values of the frame below it.
//
// The file needs no network and may not use it: its content policy allows nothing but its own script and style, by
// their hashes (packaging.policy compares them). Left and right move the crosshair frame by frame.
#pragma once

#include <string>

#include "mortise/view/plot.h"

namespace mortise::view {

// `svg` as the pages give it, with the readings that came with it.
std::string html_page(const std::string& title, const std::string& svg, const Readings& readings);

}  // namespace mortise::view
