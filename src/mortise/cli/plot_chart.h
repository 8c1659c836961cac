// Pictures of tables in JSON: work and precision from `mortise compare --json`, and log-log charts ("kind": "chart"),
// which `make bench` leaves beside its report.
#pragma once

#include <string>

#include "mortise/view/plot.h"

namespace mortise::cli {

// The text of an SVG file. Throws ResultError when the file is neither.
std::string chart_page(const std::string& path, view::Readings& readings);

}  // namespace mortise::cli
