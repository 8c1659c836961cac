// mortise list joints|drivers|forces|…: what this program knows, one line each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/quantity.h"
#include "mortise/cli/commands.h"
#include "mortise/coordinates/coordinate_system.h"
#include "mortise/formula/expression.h"
#include "mortise/gauss/formulation.h"
#include "mortise/integrate/integrator.h"
#include "mortise/linalg/pseudoinverse.h"
#include "mortise/mechanism/pages.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::cli {

namespace {

struct Line {
  std::string name, help;
};

const std::vector<std::string> topics{"bodies",       "joints",         "drivers",     "forces",      "events",
                                      "formulations", "pseudoinverses", "coordinates", "integrators", "stabilizations",
                                      "functions",    "quantities",     "analyses"};

std::vector<Line> parts_of(model::Section section) {
  std::vector<Line> lines;
  for (const mechanism::Part& part : mechanism::parts()) {
    if (part.info.section != section) continue;
    std::string where = part.info.planar && part.info.spatial ? "" : part.info.planar ? " [planar]" : " [spatial]";
    if (section == model::Section::joint) {
      if (part.info.planar && part.info.spatial && part.info.rows_planar != part.info.rows_spatial)
        where += fmt::format(" [{} rows planar, {} spatial]", part.info.rows_planar, part.info.rows_spatial);
      else
        where += fmt::format(" [{}]", counted(std::max(part.info.rows_planar, part.info.rows_spatial), "row"));
    }
    std::string also;
    for (const std::string& alias : part.info.aliases) also += (also.empty() ? "; also: " : ", ") + alias;
    lines.push_back({part.info.type, part.info.help + where + also});
  }
  return lines;
}

template <class Entry>
std::vector<Line> entries_of(const std::vector<Entry>& entries) {
  std::vector<Line> lines;
  for (const Entry& entry : entries) lines.push_back({entry.name, entry.help});
  return lines;
}

std::optional<model::Section> section_of(const std::string& topic) {
  for (const auto section : {model::Section::body, model::Section::joint, model::Section::driver, model::Section::force,
                             model::Section::event})
    if (topic == model::section_name(section)) return section;
  return std::nullopt;
}

const mechanism::Part& part_of(model::Section section, const std::string& type) {
  const model::PartInfo* info = mechanism::catalogue().find(section, type);
  for (const mechanism::Part& part : mechanism::parts())
    if (info && part.info.section == section && part.info.type == info->type) return part;
  const std::string near = nearest_name(type, mechanism::catalogue().types(section));
  throw ModelError(Diagnostic{"M189",
                              fmt::format("there is no {} of type '{}'", model::item_name(section), type),
                              {},
                              near.empty() ? fmt::format("`mortise list {}` shows all", model::section_name(section))
                                           : fmt::format("did you mean '{}'?", near),
                              false});
}

// Raw strings begin with the line after the one they are opened on.
std::string example_of(const mechanism::Part& part) {
  const std::string text = part.page.example;
  return text.substr(text.starts_with('\n'));
}

std::vector<Line> lines_of(const std::string& topic, const std::string& model) {
  if (const auto section = section_of(topic)) return parts_of(*section);
  if (topic == "formulations") return entries_of(gauss::formulations());
  if (topic == "pseudoinverses") return entries_of(linalg::pseudoinverses());
  if (topic == "coordinates") return entries_of(coordinates::coordinate_systems());
  if (topic == "integrators") return entries_of(integrate::integrators());
  if (topic == "stabilizations") return entries_of(stabilize::stabilizers());
  if (topic == "functions") return entries_of(formula::functions());
  if (topic == "analyses") return entries_of(analysis::analyses());
  std::vector<Line> lines;
  if (model.empty())
    return {{"BODY.x .y .z .angle", "position; spatial: .qw .qx .qy .qz"},
            {"BODY.vx … .wz", "velocity of the origin, angular velocity (world axes)"},
            {"BODY.ax … .alphaz", "accelerations"},
            {"BODY.POINT.x .vx .ax …", "a named point on a body"},
            {"JOINT.reaction.fx … .tz", "on the second body at the joint; .reaction.first.fx, .reaction.local.fx"},
            {"JOINT.angle .displacement", "the joint's own coordinate; .distance of its two points"},
            {"DRIVER.effort", "force or torque of a driver along what it drives"},
            {"energy.total …", "kinetic, potential, total, dissipated, applied, constraint_work, balance"},
            {"constraint.position …", "position, velocity, acceleration: scaled norms"}};
  const auto m = load(model, {});
  for (const std::string& name : analysis::quantity_names(*m))
    lines.push_back({name, analysis::find_quantity(*m, name).unit});
  return lines;
}

}  // namespace

void add_list(CLI::App& app, Outcome&) {
  struct Options {
    std::string topic, name;
    bool json = false, markdown = false, example = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("list", "what there is: joints, forces, formulations, integrators, quantities …");
  command
      ->add_option("topic", o->topic,
                   "one of: bodies, joints, drivers, forces, events, analyses, formulations, pseudoinverses, "
                   "coordinates, integrators, "
                   "stabilizations, analyses, functions, quantities")
      ->required()
      ->check(CLI::IsMember(topics));
  command->add_option("name", o->name,
                      "a joint, driver, force or body: all about it; with quantities: a model, to list those it has");
  command->add_flag("--json", o->json, "print as JSON");
  command->add_flag("--markdown", o->markdown,
                    "of bodies, joints, drivers, forces, events: the pages of the documentation");
  command->add_flag("--example", o->example, "of a joint, driver, force or body: a model with it that runs");
  command->callback([o] {
    if (const auto section = section_of(o->topic); section && (o->markdown || !o->name.empty())) {
      if (o->name.empty()) {
        fmt::print("{}", mechanism::pages(*section));
        return;
      }
      const mechanism::Part& part = part_of(*section, o->name);
      fmt::print("{}", o->example ? example_of(part) : mechanism::page(part));
      return;
    }
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const Line& line : lines_of(o->topic, o->name)) {
      if (o->json)
        j.push_back({{"name", line.name}, {"help", line.help}});
      else
        fmt::print("{:<34} {}\n", line.name, line.help);
    }
    if (o->json) fmt::print("{}\n", j.dump(2));
  });
}

}  // namespace mortise::cli
