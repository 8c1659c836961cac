// What the words of `mortise plot` stand for: curves, each a quantity over time or over another quantity.
//
//   left.angle                    a quantity
//   left, A.reaction, energy      all quantities one level below this name
//   left.angle:left.wz            the second over the first: a phase plot
//   'left.angle - right.angle'    a formula of quantities, t and the functions of model files (docs/formulas.md)
//
// A violation of constraints (`constraint.position` …) spans decades and gets a log axis by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mortise/view/page.h"
#include "mortise/view/table.h"

namespace mortise::view {

struct Curve {
  std::optional<analysis::Quantity> x;  // none: time
  analysis::Quantity y;
  bool log = false;
  bool formula = false;  // its unit is not known: it shares no panel
};

// `against`: x of all words that are no pairs; "" = time. Throws ModelError: M160 with the nearest quantity or group,
// M401 for a formula with a mistake. The mechanism must live as long as the curves.
std::vector<Curve> find_curves(const mechanism::Mechanism& mechanism, const analysis::RunHeader& header,
                               const std::vector<std::string>& words, const std::string& against = "");
// What stands for a picture of several runs when no words are given: the pose of the first body that is kept, the
// energy and the violation.
std::vector<std::string> usual_words(const mechanism::Mechanism& mechanism, const analysis::RunHeader& header);

// A run with the curves that are looked for in it; of several runs all have the same number of them.
struct PlottedRun {
  std::string name;  // in legends, where there are several
  const mechanism::Mechanism* mechanism = nullptr;
  Run run;
  std::vector<Curve> curves;
};

struct CurveOptions {
  bool log = false;  // all axes
  Window window;
};

// The text of an SVG file. One run: a panel for each unit; several: one for each curve, so that runs lie on one
// another. Cost: one pass over all frames of each run.
std::string curve_page(const std::vector<PlottedRun>& runs, const CurveOptions& options, Readings* readings = nullptr);

}  // namespace mortise::view
