#include <fmt/format.h>

#include <cmath>

#include "mortise/model/build_parts.h"
#include "mortise/model/emit.h"
#include "mortise/model/read_field.h"

namespace mortise::model {

namespace {

void read_version(const Node& root, Report& report) {
  const Node* version = root.find("mortise");
  if (!version) {
    report.error("M101", "the model has no format version", root.place, "begin the file with 'mortise: 1'");
    return;
  }
  if (version->kind == Node::Kind::scalar && version->text == "1") return;
  const bool whole = version->kind == Node::Kind::scalar && !version->text.empty() &&
                     version->text.find_first_not_of("0123456789") == std::string::npos;
  if (whole && version->text != "0")
    report.error("M102", fmt::format("the model has format version {}; this program reads version 1", version->text),
                 version->place, "a newer Mortise is needed");
  else
    report.error("M102", fmt::format("{} is not a format version", quote(version->text)), version->place,
                 "write 'mortise: 1'");
}

int read_dimension(const Node& root, Report& report) {
  const Node* node = root.find("dimension");
  if (!node) {
    report.error("M101", "the model does not say its dimension", root.place, "add 'dimension: planar' or 'spatial'");
    return 0;
  }
  if (node->text == "planar") return 2;
  if (node->text == "spatial") return 3;
  std::string hint = did_you_mean(node->text, {"planar", "spatial"});
  if (node->text == "2" || node->text == "2D" || node->text == "2d") hint = "did you mean 'planar'?";
  if (node->text == "3" || node->text == "3D" || node->text == "3d") hint = "did you mean 'spatial'?";
  report.error("M106", "the dimension is planar or spatial", node->place, hint);
  return 0;
}

void read_gravity(const Node& node, const Parameters& parameters, Model& model, Report& report) {
  static const FieldSpec spec{"gravity", FieldKind::vector, false, "", "m/s²", "", {}};
  const auto field = read_field(spec, node, model.dimension, {&parameters, ""}, report);
  if (!field || parameters.broken) return;
  for (int k = 0; k < model.dimension; ++k) {
    const auto slot = static_cast<std::size_t>(k);
    model.gravity[k] = value_at(field->formulas[slot], false, 0);
    if (!std::isfinite(model.gravity[k])) report.error("M301", "'gravity' is not a finite number", field->places[slot]);
  }
}

// Names and numbers; a formula of a force uses them as `input.NAME`.
void read_inputs(const Node* section, const Parameters& parameters, Model& model, Report& report) {
  if (!section || section->kind == Node::Kind::null) return;
  if (section->kind != Node::Kind::map) {
    report.error("M104", fmt::format("expected a map of names and numbers under inputs, found {}", kind_name(*section)),
                 section->place);
    return;
  }
  for (const Entry& entry : section->entries) {
    if (!is_identifier(entry.key)) {
      report.error("M110", fmt::format("{} cannot name an input: use letters, digits and '_'", quote(entry.key)),
                   entry.place);
      continue;
    }
    const std::string what = fmt::format("the starting value of input '{}'", entry.key);
    const auto value = read_number(entry.value, parameters, {false, true, false, what, {}}, report);
    model.input_names.push_back(entry.key);
    model.input_values.push_back(value.value_or(0));
  }
}

}  // namespace

const std::vector<std::string>& model_keys() {
  static const std::vector<std::string> keys{"mortise", "name",   "dimension", "gravity",  "parameters",
                                             "inputs",  "tables", "include",   "bodies",   "joints",
                                             "drivers", "forces", "events",    "analysis", "output"};
  return keys;
}

std::vector<const Item*> Model::section(Section s) const {
  std::vector<const Item*> found;
  for (const Item& item : items)
    if (item.section == s) found.push_back(&item);
  return found;
}

Model build(const Node& root, const Catalogue& catalogue) {
  Report report;
  Model model;
  if (root.kind != Node::Kind::map) {
    report.error("M104",
                 fmt::format("expected a model (sections such as bodies: and joints:), found {}", kind_name(root)),
                 root.place, "begin the file with 'mortise: 1'");
    report.throw_if_any();
  }
  check_keys(root, model_keys(), "a model", report);
  read_version(root, report);
  if (const Node* include = root.find("include"))
    report.error("M601", "only a model file can include others", include->place);
  if (const Node* name = root.find("name")) {
    if (name->kind == Node::Kind::scalar)
      model.name = name->text;
    else
      report.error("M104", fmt::format("expected a text for 'name', found {}", kind_name(*name)), name->place);
  }
  const int dimension = read_dimension(root, report);
  Parameters parameters = read_parameters(root.find("parameters"), report);
  read_tables(root.find("tables"), parameters, report);
  model.parameter_names = parameters.names;
  model.parameter_values = parameters.values;
  if (!parameters.broken) read_inputs(root.find("inputs"), parameters, model, report);
  model.analysis = read_analysis(root.find("analysis"), parameters, report);
  model.output = read_output(root.find("output"), parameters, model.analysis.until, report);
  if (dimension == 0) report.throw_if_any();  // nothing below makes sense without it

  model.dimension = dimension;
  if (const Node* gravity = root.find("gravity")) read_gravity(*gravity, parameters, model, report);
  long long copies = 0;
  for (const Section section : {Section::body, Section::joint, Section::driver, Section::force, Section::event})
    read_items(section, root.find(section_name(section)), catalogue, parameters, model, copies, report);
  check_references(model, parameters, report);
  if (!parameters.broken) check_values(model, report);
  report.throw_if_any();

  model.notes = report.notes();
  model.text = emit_yaml(root);
  return model;
}

}  // namespace mortise::model
