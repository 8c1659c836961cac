// mortise list joints|drivers|forces|…: what this program knows, one line each.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/quantity.h"
#include "mortise/cli/commands.h"
#include "mortise/formula/expression.h"
#include "mortise/mechanism/pages.h"
#include "mortise/view/method_pages.h"

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

std::optional<view::MethodKind> kind_of(const std::string& topic) {
  for (const view::MethodKind kind : view::method_kinds())
    if (topic == view::section_of(kind)) return kind;
  return std::nullopt;
}

[[noreturn]] void no_such(const std::string& message, const std::string& near, std::string_view section) {
  throw ModelError(Diagnostic{
      "M189",
      message,
      {},
      near.empty() ? fmt::format("`mortise list {}` shows all", section) : fmt::format("did you mean '{}'?", near),
      false});
}

const mechanism::Part& part_of(model::Section section, const std::string& type) {
  const model::PartInfo* info = mechanism::catalogue().find(section, type);
  for (const mechanism::Part& part : mechanism::parts())
    if (info && part.info.section == section && part.info.type == info->type) return part;
  const std::string near = nearest_name(type, mechanism::catalogue().types(section));
  no_such(fmt::format("there is no {} of type '{}'", model::item_name(section), type), near,
          model::section_name(section));
}

// Raw strings begin with the line after the one they are opened on.
std::string example_of(const mechanism::Part& part) {
  const std::string text = part.page.example;
  return text.substr(text.starts_with('\n'));
}

// All about one part or method, or all pages of the topic; nothing for topics that have none.
std::optional<std::string> text_of(const std::string& topic, const std::string& name, bool example) {
  if (const auto section = section_of(topic)) {
    if (name.empty()) return mechanism::pages(*section);
    const mechanism::Part& part = part_of(*section, name);
    return example ? example_of(part) : mechanism::page(part);
  }
  const auto kind = kind_of(topic);
  if (!kind) return std::nullopt;
  if (name.empty()) return view::method_texts(*kind);
  std::vector<std::string> names;
  for (const view::MethodEntry& entry : view::methods_of(*kind)) names.push_back(entry.name);
  if (std::find(names.begin(), names.end(), name) == names.end())
    no_such(fmt::format("'{}' is none of the {}", name, topic), nearest_name(name, names), topic);
  return example ? view::method_example(view::method_page(*kind, name)) : view::method_text(*kind, name);
}

std::vector<Line> lines_of(const std::string& topic, const std::string& model) {
  if (const auto section = section_of(topic)) return parts_of(*section);
  if (const auto kind = kind_of(topic)) return entries_of(view::methods_of(*kind));
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
  const bool result = std::filesystem::path(model).extension() == ".h5";
  const auto m = result ? load_text(io::ResultReader(model).header().model_text, model + ":model") : load(model, {});
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
  command->add_option("topic", o->topic, "what to list")->required()->check(CLI::IsMember(topics));
  command->add_option(
      "name", o->name,
      "a joint, force, formulation …: all about it; with quantities: a model or a result, to list those it has");
  command->add_flag("--json", o->json, "print as JSON");
  command->add_flag("--markdown", o->markdown, "of parts and methods: the pages of the documentation");
  command->add_flag("--example", o->example, "of a part or method: a model with it that runs");
  command->callback([o] {
    if (o->markdown || (!o->name.empty() && o->topic != "quantities")) {
      if (const auto text = text_of(o->topic, o->name, o->example)) {
        if (o->json)
          fmt::print("{}\n", nlohmann::ordered_json{{"name", o->name}, {"text", *text}}.dump(2));
        else
          fmt::print("{}", *text);
        return;
      }
      throw CLI::ValidationError(
          fmt::format("{} have no pages; `mortise list {}` shows all there is", o->topic, o->topic));
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
