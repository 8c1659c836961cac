// Pages of the methods that `analysis:` names (formulations, pseudoinverses, coordinates, integrators, stabilisations):
// equations, when to use, cost and a model that runs, for `mortise explain`, `mortise list NAME` and docs/.
//
// What a method can do is asked of the registry; the rest is written in method_pages_*.cpp. A name of a registry
// without a page is an error at the first look (tests look at all).
#pragma once

#include <string>
#include <vector>

namespace mortise::view {

enum class MethodKind { formulation, pseudoinverse, coordinates, integrator, stabilization };

struct MethodPage {
  const char* name;
  const char* law;                      // equations, one a line
  const char* when;                     // what it is good for, what it needs, what it does not do
  const char* cost;                     // of an evaluation or a step; n velocities, m rows, r their rank
  const char* settings;                 // of `analysis:` in the example
  const char* model = "parallelogram";  // of the example: parallelogram, four-bar, stiff, top, pendulum
};

struct MethodEntry {
  std::string name, help;
};

// "formulations", "pseudoinverses", … as in `mortise list`.
std::string section_of(MethodKind kind);
const std::vector<MethodKind>& method_kinds();
std::vector<MethodEntry> methods_of(MethodKind kind);  // as registered
// Throws std::out_of_range for a name without a page.
const MethodPage& method_page(MethodKind kind, const std::string& name);
std::string method_example(const MethodPage& page);                                // a whole model
std::string method_text(MethodKind kind, const std::string& name, int level = 1);  // Markdown
std::string method_texts(MethodKind kind);                                         // all of them, a list at the top

// The tables, one a file.
const std::vector<MethodPage>& formulation_pages();
const std::vector<MethodPage>& pseudoinverse_pages();
const std::vector<MethodPage>& coordinate_pages();
const std::vector<MethodPage>& integrator_pages();
const std::vector<MethodPage>& stabilization_pages();

}  // namespace mortise::view
