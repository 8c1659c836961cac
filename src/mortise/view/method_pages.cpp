#include "mortise/view/method_pages.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mortise/coordinates/coordinate_system.h"
#include "mortise/gauss/formulation.h"
#include "mortise/integrate/integrator.h"
#include "mortise/linalg/pseudoinverse.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::view {

namespace {

// Models of the examples, without `analysis:`.
struct ExampleModel {
  const char* name;
  const char* text;
};

constexpr ExampleModel example_models[] = {
    {"parallelogram", R"(mortise: 1
name: Parallelogram with a third link
dimension: planar
gravity: [0, -9.81]
bodies:
  left:    {mass: 1, inertia: 0.1, at: [-1, 0], center: [0.5, 0], points: {tip: [1, 0]}, angle: -30 deg}
  middle:  {mass: 1, inertia: 0.1, at: [0, 0], center: [0.5, 0], points: {tip: [1, 0]}, angle: -30 deg}
  right:   {mass: 1, inertia: 0.1, at: [1, 0], center: [0.5, 0], points: {tip: [1, 0]}, angle: -30 deg}
  coupler: {mass: 2, inertia: 0.2, at: [cos(30 deg), -0.5]}
joints:
  A: {type: revolute, between: [ground, left], at: [-1, 0]}
  B: {type: revolute, between: [ground, middle], at: [0, 0]}
  C: {type: revolute, between: [ground, right], at: [1, 0]}
  D: {type: revolute, between: [left.tip, coupler]}
  E: {type: revolute, between: [middle.tip, coupler]}
  F: {type: revolute, between: [right.tip, coupler]}
)"},
    {"four-bar", R"(mortise: 1
name: Four-bar
dimension: planar
gravity: [0, -9.81]
bodies:
  crank:   {mass: 1, inertia: 0.1, at: [0, 0], center: [0.5, 0], points: {tip: [1, 0]}, angle: 45 deg}
  coupler: {mass: 2, inertia: 0.2, at: [cos(45 deg), sin(45 deg)], center: [1, 0], points: {end: [2, 0]}}
  rocker:  {mass: 1, inertia: 0.1, at: [2, 0], center: [0.5, 0], points: {tip: [1, 0]}, angle: 45 deg}
joints:
  A: {type: revolute, between: [ground, crank], at: [0, 0]}
  B: {type: revolute, between: [crank.tip, coupler]}
  C: {type: revolute, between: [coupler.end, rocker.tip]}
  D: {type: revolute, between: [ground, rocker], at: [2, 0]}
)"},
    {"stiff", R"(mortise: 1
name: Pendulum on a stiff leg
dimension: planar
gravity: [0, -9.81]
bodies:
  slider: {mass: 1, inertia: 0.1, at: [0, 1]}
  rod:    {mass: 1, inertia: 0.1, at: [0, 1], center: [0.5, 0]}
joints:
  guide: {type: prismatic, between: [ground, slider], at: [0, 0], axis: [0, 1]}
  pin:   {type: revolute, between: [slider, rod], at: [0, 1]}
forces:
  leg: {type: spring-damper-actuator, between: [ground, slider], length: 1, stiffness: 1e6, damping: 1e5}
)"},
    {"top", R"(mortise: 1
name: Top
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  top: {mass: 1, inertia: [0.02, 0.02, 0.01], at: [0, 0, 0], center: [0, 0, 0.2],
        orientation: {axis: [1, 0, 0], angle: 60 deg}, angular_velocity: [0, 0, 5]}
joints:
  ball: {type: spherical, between: [ground, top], at: [0, 0, 0]}
)"},
    {"pendulum", R"(mortise: 1
name: Pendulum
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {type: particle, mass: 1, at: [1, 0]}
joints:
  string: {type: distance, between: [ground, bob]}
)"},
};

template <class Entries>
std::vector<MethodEntry> listed(const Entries& entries) {
  std::vector<MethodEntry> out;
  for (const auto& entry : entries) out.push_back({entry.name, entry.help});
  return out;
}

const std::vector<MethodPage>& pages_of(MethodKind kind) {
  switch (kind) {
    case MethodKind::formulation:
      return formulation_pages();
    case MethodKind::pseudoinverse:
      return pseudoinverse_pages();
    case MethodKind::coordinates:
      return coordinate_pages();
    case MethodKind::integrator:
      return integrator_pages();
    case MethodKind::stabilization:
      break;
  }
  return stabilization_pages();
}

std::string indented_lines(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) out += "    " + text.substr(at, end - at);
    out += '\n';
    at = end + 1;
  }
  return out;
}

// What the registry says that a method can do.
std::string abilities(MethodKind kind, const std::string& name) {
  const auto yes = [](bool can) { return can ? "yes" : "no"; };
  if (kind == MethodKind::formulation) {
    const gauss::Capabilities can = gauss::make_formulation(name)->can();
    return fmt::format(
        "| redundant rows | massless bodies | multipliers | tells the rank | takes a pseudoinverse |\n"
        "| --- | --- | --- | --- | --- |\n| {} | {} | {} | {} | {} |\n\n",
        yes(can.redundant_rows), yes(can.singular_mass), yes(can.gives_multipliers), yes(can.gives_rank),
        yes(can.pseudoinverse));
  }
  if (kind == MethodKind::integrator)
    for (const integrate::IntegratorEntry& entry : integrate::integrators())
      if (entry.name == name)
        return entry.adaptive ? "Variable step: `tolerance`, `max_step`.\n\n" : "Fixed step: `step` is needed.\n\n";
  return "";
}

std::string capital(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

std::string section_of(MethodKind kind) {
  switch (kind) {
    case MethodKind::formulation:
      return "formulations";
    case MethodKind::pseudoinverse:
      return "pseudoinverses";
    case MethodKind::coordinates:
      return "coordinates";
    case MethodKind::integrator:
      return "integrators";
    case MethodKind::stabilization:
      break;
  }
  return "stabilizations";
}

const std::vector<MethodKind>& method_kinds() {
  static const std::vector<MethodKind> all{MethodKind::formulation, MethodKind::pseudoinverse, MethodKind::coordinates,
                                           MethodKind::integrator, MethodKind::stabilization};
  return all;
}

std::vector<MethodEntry> methods_of(MethodKind kind) {
  switch (kind) {
    case MethodKind::formulation:
      return listed(gauss::formulations());
    case MethodKind::pseudoinverse:
      return listed(linalg::pseudoinverses());
    case MethodKind::coordinates:
      return listed(coordinates::coordinate_systems());
    case MethodKind::integrator:
      return listed(integrate::integrators());
    case MethodKind::stabilization:
      break;
  }
  return listed(stabilize::stabilizers());
}

const MethodPage& method_page(MethodKind kind, const std::string& name) {
  for (const MethodPage& page : pages_of(kind))
    if (name == page.name) return page;
  throw std::out_of_range(fmt::format("{} '{}' has no page", section_of(kind), name));
}

std::string method_example(const MethodPage& page) {
  for (const ExampleModel& model : example_models)
    if (std::string(page.model) == model.name) return fmt::format("{}analysis: {{{}}}\n", model.text, page.settings);
  throw std::out_of_range(fmt::format("no example model '{}'", page.model));
}

std::string method_text(MethodKind kind, const std::string& name, int level) {
  const MethodPage& page = method_page(kind, name);
  std::string help;
  for (const MethodEntry& entry : methods_of(kind))
    if (entry.name == name) help = entry.help;
  return fmt::format("{} {}\n\n{}.\n\n{}\n{}\n\n{}Cost: {}\n\nExample:\n\n{}",
                     std::string(static_cast<std::size_t>(level), '#'), name, capital(help), indented_lines(page.law),
                     page.when, abilities(kind, name), page.cost, indented_lines(method_example(page)));
}

std::string method_texts(MethodKind kind) {
  std::string out = fmt::format(
      "<!-- Written by `scripts/part-pages` from the registry: change src/mortise/view/method_pages_*.cpp, not this "
      "file. -->\n# {}\n\n",
      capital(section_of(kind)));
  std::string all;
  for (const MethodEntry& entry : methods_of(kind)) {
    out += fmt::format("- [{0}](#{0}): {1}\n", entry.name, entry.help);
    all += "\n" + method_text(kind, entry.name, 2);
  }
  return out + all;
}

}  // namespace mortise::view
