// mortise list joints|drivers|forces|…: what this program knows, one line each.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mortise/analysis/quantity.h"
#include "mortise/cli/commands.h"
#include "mortise/formula/expression.h"
#include "mortise/gauss/formulation.h"
#include "mortise/integrate/integrator.h"
#include "mortise/mechanism/parts.h"
#include "mortise/stabilize/stabilizer.h"

namespace mortise::cli {

namespace {

struct Line {
  std::string name, help;
};

const std::vector<std::string> topics{"bodies",      "joints",         "drivers",   "forces",    "formulations",
                                      "integrators", "stabilizations", "functions", "quantities"};

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

std::vector<Line> lines_of(const std::string& topic, const std::string& model) {
  if (topic == "bodies") return parts_of(model::Section::body);
  if (topic == "joints") return parts_of(model::Section::joint);
  if (topic == "drivers") return parts_of(model::Section::driver);
  if (topic == "forces") return parts_of(model::Section::force);
  if (topic == "formulations") return entries_of(gauss::formulations());
  if (topic == "integrators") return entries_of(integrate::integrators());
  if (topic == "stabilizations") return entries_of(stabilize::stabilizers());
  if (topic == "functions") return entries_of(formula::functions());
  std::vector<Line> lines;
  if (model.empty())
    return {{"BODY.x .y .z .angle", "position; spatial: .qw .qx .qy .qz"},
            {"BODY.vx … .wz", "velocity of the origin, angular velocity (world axes)"},
            {"BODY.ax … .alphaz", "accelerations"},
            {"BODY.POINT.x .vx .ax …", "a named point on a body"},
            {"JOINT.reaction.fx … .tz", "on the second body at the joint; .reaction.first.fx, .reaction.local.fx"},
            {"JOINT.angle .displacement", "the joint's own coordinate; .distance of its two points"},
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
    std::string topic, model;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("list", "what there is: joints, forces, formulations, integrators, quantities …");
  command
      ->add_option("topic", o->topic,
                   "one of: bodies, joints, drivers, forces, formulations, integrators, stabilizations, "
                   "functions, quantities")
      ->required()
      ->check(CLI::IsMember(topics));
  command->add_option("model", o->model, "with quantities: those of this model");
  command->add_flag("--json", o->json, "print as JSON");
  command->callback([o] {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const Line& line : lines_of(o->topic, o->model)) {
      if (o->json)
        j.push_back({{"name", line.name}, {"help", line.help}});
      else
        fmt::print("{:<34} {}\n", line.name, line.help);
    }
    if (o->json) fmt::print("{}\n", j.dump(2));
  });
}

}  // namespace mortise::cli
