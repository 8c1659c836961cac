#include "mortise/model/schema.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace mortise::model {

namespace {

using Json = nlohmann::ordered_json;

Json ref(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

Json object(Json properties, std::vector<std::string> required = {}) {
  Json out{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) out["required"] = required;
  return out;
}

Json list_of(const Json& item, int low, int high) {
  return {{"type", "array"}, {"items", item}, {"minItems", low}, {"maxItems", high}};
}

Json any_of(std::vector<Json> forms) { return {{"anyOf", std::move(forms)}}; }

// The forms that several fields share.
Json shared_definitions() {
  Json defs;
  defs["formula"] = {{"description", "a number or a formula of parameters, such as L/2 or 30 deg"},
                     {"type", Json::array({"number", "string"})}};
  defs["function"] = {
      {"description", "a number or a formula of parameters and the time t; of forces: and of quantities"},
      {"type", Json::array({"number", "string"})}};
  defs["vector"] = list_of(ref("formula"), 2, 3);
  defs["triple"] = list_of(ref("formula"), 3, 3);
  defs["function_vector"] = list_of(ref("function"), 2, 3);
  defs["curve"] = {{"description", "formulas of parameters and the curve's parameter s"}};
  defs["curve"].update(list_of({{"type", Json::array({"number", "string"})}}, 2, 3));
  defs["spin"] = any_of({ref("formula"), ref("triple")});
  const Json f = ref("formula");
  defs["orientation"] = {
      {"oneOf",
       {object({{"rpy", ref("triple")}}, {"rpy"}),
        object({{"quaternion", object({{"w", f}, {"x", f}, {"y", f}, {"z", f}}, {"w", "x", "y", "z"})}},
               {"quaternion"}),
        object({{"axis", ref("triple")}, {"angle", f}}, {"axis", "angle"}),
        object({{"euler", object({{"sequence", {{"type", "string"}, {"pattern", "^[xyz]{3}$"}}},
                                  {"intrinsic", {{"type", "boolean"}}},
                                  {"angles", ref("triple")}},
                                 {"sequence", "intrinsic", "angles"})}},
               {"euler"})}}};
  defs["inertia"] =
      any_of({f, ref("triple"),
              object({{"xx", f}, {"yy", f}, {"zz", f}, {"xy", f}, {"xz", f}, {"yz", f}}, {"xx", "yy", "zz"})});
  defs["reference"] = {{"type", "string"}, {"description", "a name; $i and $(i+1) are filled in for copies"}};
  defs["terms"] = {{"type", "object"}, {"additionalProperties", ref("formula")}};
  defs["row_terms"] = {{"type", "object"}, {"additionalProperties", ref("function")}};
  defs["point_map"] = {{"type", "object"}, {"additionalProperties", ref("vector")}};
  defs["frame_map"] = {
      {"type", "object"},
      {"additionalProperties", object({{"at", ref("vector")}, {"angle", f}, {"orientation", ref("orientation")}})}};
  defs["shape_map"] = {{"type", "object"},
                       {"additionalProperties", object({{"at", ref("vector")},
                                                        {"angle", f},
                                                        {"orientation", ref("orientation")},
                                                        {"box", list_of(f, 2, 3)},
                                                        {"sphere", f},
                                                        {"cylinder", list_of(f, 2, 2)},
                                                        {"capsule", list_of(f, 2, 2)},
                                                        {"mesh", {{"type", "string"}}},
                                                        {"plane", list_of(f, 2, 3)},
                                                        {"scale", f},
                                                        {"colour", {{"type", "string"}}}})}};
  defs["repeat"] = {{"type", "object"},
                    {"description", "an index and a count: {i: 10}"},
                    {"additionalProperties", f},
                    {"minProperties", 1},
                    {"maxProperties", 1}};
  return defs;
}

Json field_schema(const FieldSpec& field) {
  const auto form = [&]() -> Json {
    switch (field.kind) {
      case FieldKind::number:
      case FieldKind::angle:
        return ref("formula");
      case FieldKind::flag:
        return {{"type", "boolean"}};
      case FieldKind::text:
        return {{"type", Json::array({"string", "number"})}};
      case FieldKind::choice:
        return {{"enum", field.choices}};
      case FieldKind::vector:
      case FieldKind::direction:
        return ref("vector");
      case FieldKind::spin:
        return ref("spin");
      case FieldKind::function:
        return ref("function");
      case FieldKind::function_vector:
        return ref("function_vector");
      case FieldKind::function_spin:
        return any_of({ref("function"), ref("function_vector")});
      case FieldKind::curve:
        return ref("curve");
      case FieldKind::point_list:
        return {{"type", "array"}, {"items", ref("vector")}, {"minItems", 3}};
      case FieldKind::orientation:
        return ref("orientation");
      case FieldKind::inertia:
        return ref("inertia");
      case FieldKind::body:
      case FieldKind::attachment:
      case FieldKind::joint:
        return ref("reference");
      case FieldKind::attachments:
      case FieldKind::joints:
        return list_of(ref("reference"), 2, 2);
      case FieldKind::constraints:
        return {{"anyOf",
                 Json::array({ref("reference"), {{"type", "array"}, {"items", ref("reference")}, {"minItems", 1}}})}};
      case FieldKind::pair:
        return list_of(ref("formula"), 2, 2);
      case FieldKind::terms:
        return ref("terms");
      case FieldKind::row_terms:
        return ref("row_terms");
      case FieldKind::row_function:
        return ref("function");
      case FieldKind::points:
        return list_of(ref("vector"), 2, 2);
      case FieldKind::point_map:
        return ref("point_map");
      case FieldKind::frame_map:
        return ref(field.choices.empty() ? "frame_map" : "shape_map");
      case FieldKind::matrix:
        return any_of({list_of(ref("formula"), 3, 6), list_of(list_of(ref("formula"), 3, 6), 3, 6)});
    }
    return {};
  };
  Json out = form();
  std::string about = field.help;
  if (!field.unit.empty()) about += fmt::format("{}[{}]", about.empty() ? "" : " ", field.unit);
  if (!field.fallback.empty()) about += fmt::format("{}default: {}", about.empty() ? "" : "; ", field.fallback);
  if (!about.empty()) out["description"] = about;
  return out;
}

Json part_schema(const PartInfo& part) {
  Json properties;
  std::vector<std::string> names{part.type};
  names.insert(names.end(), part.aliases.begin(), part.aliases.end());
  properties["type"] = {{"enum", names}};
  properties["repeat"] = ref("repeat");
  std::vector<std::string> required;
  for (const FieldSpec& field : part.fields) {
    properties[field.name] = field_schema(field);
    if (field.required && field.planar && field.spatial) required.push_back(field.name);
  }
  Json out = object(std::move(properties), std::move(required));
  if (!part.help.empty()) out["description"] = part.help;
  return out;
}

// An item of a section: its type decides which definition it follows. Each is complete in itself, so that editors can
// propose its fields.
Json item_schema(Section section, const Catalogue& catalogue, Json& defs) {
  Json types = Json::array(), choose = Json::array();
  for (const PartInfo& part : catalogue.parts()) {
    if (part.section != section) continue;
    const std::string name = fmt::format("{}-{}", item_name(section), part.type);
    defs[name] = part_schema(part);
    Json names = Json::array({part.type});
    for (const std::string& alias : part.aliases) names.push_back(alias);
    types.insert(types.end(), names.begin(), names.end());
    Json condition{{"properties", {{"type", {{"enum", names}}}}}};
    // Only bodies may leave their type out: it is rigid then.
    if (section != Section::body || part.type != "rigid") condition["required"] = Json::array({"type"});
    choose.push_back({{"if", condition}, {"then", ref(name)}});
  }
  Json out{{"type", "object"}, {"properties", {{"type", {{"enum", types}}}}}, {"allOf", choose}};
  if (section != Section::body) out["required"] = Json::array({"type"});
  return out;
}

Json analysis_schema() {
  const Json f = ref("formula");
  const Json word{{"type", "string"}};
  const Json flag{{"type", "boolean"}};
  const Json gains = object({{"alpha", f}, {"beta", f}, {"gamma", f}});
  const Json stabilize =
      object({{"type", word},
              {"alpha", f},
              {"beta", f},
              {"gamma", f},
              {"joints", {{"type", "object"}, {"additionalProperties", gains}}},
              {"weight", {{"enum", {"mass", "identity"}}}},
              {"levels", {{"type", "array"}, {"items", {{"enum", {"position", "velocity", "acceleration"}}}}}},
              {"partition", {{"enum", {"auto", "once"}}}},
              {"epsilon", f}},
             {"type"});
  const Json formulation = object({{"type", word},
                                   {"pseudoinverse", word},
                                   {"reuse", f},
                                   {"compensate", {{"enum", {"baumgarte", "projection"}}}},
                                   {"seed", f},
                                   {"islands", f},
                                   {"runs", f}},
                                  {"type"});
  const Json integrator = object({{"type", word},
                                  {"multipliers", {{"enum", {"velocity", "acceleration", "midpoint"}}}},
                                  {"chains", {{"enum", {"two", "one", "lagged"}}}},
                                  {"epsilon", f},
                                  {"epsilon_share", f},
                                  {"merge", f},
                                  {"rho", f},
                                  {"level", {{"enum", {"position", "velocity"}}}},
                                  {"scheme",
                                   {{"enum",
                                     {"anchored-iterated", "anchored", "history", "baumgarte-implicit",
                                      "baumgarte-explicit", "baumgarte-integral"}}}},
                                  {"correctors", any_of({f, {{"const", "converged"}}})}},
                                 {"type"});
  const Json coordinates = object({{"type", word},
                                   {"accelerations", {{"enum", {"recursion", "conjugate-gradients", "factor"}}}},
                                   {"preconditioner", {{"enum", {"none", "branches", "lagged"}}}}},
                                  {"type"});
  const Json number_list{{"type", "array"}, {"items", f}, {"minItems", 1}};
  const Json axis = any_of({number_list, object({{"from", f}, {"to", f}, {"count", f}}, {"from", "to"}),
                            object({{"between", list_of(f, 2, 2)}}, {"between"})});
  const Json sweep = object({{"of", word},
                             {"vary", {{"type", "object"}, {"additionalProperties", axis}}},
                             {"samples", f},
                             {"seed", f},
                             {"jobs", f},
                             {"quantities", {{"type", "array"}, {"items", word}}}},
                            {"vary"});
  return object({{"type", word},
                 {"until", f},
                 {"formulation", any_of({word, formulation})},
                 {"pseudoinverse", word},
                 {"coordinates", any_of({word, coordinates})},
                 {"stabilize", any_of({word, stabilize})},
                 {"integrator", any_of({word, integrator})},
                 {"tolerance", f},
                 {"step", f},
                 {"max_step", f},
                 {"rank_tolerance", f},
                 {"rank_rule", {{"enum", {"relative", "fixed", "tolerance"}}}},
                 {"reactions", {{"enum", {"minimum-norm", "mass-weighted", "stiffness-weighted", "minimum-norm-raw"}}}},
                 {"assemble", flag},
                 {"allow_flip", flag},
                 {"branch", {{"enum", {"smooth", "other"}}}},
                 {"weights", {{"type", "object"}, {"additionalProperties", f}}},
                 {"modes", f},
                 {"sweep", sweep}});
}

}  // namespace

std::string json_schema(const Catalogue& catalogue) {
  Json defs = shared_definitions();
  const Json f = ref("formula");
  const Json file{{"type", "string"}};
  Json properties;
  properties["mortise"] = {{"const", 1}, {"description", "the format version"}};
  properties["name"] = {{"type", Json::array({"string", "number"})}};
  properties["dimension"] = {{"enum", {"planar", "spatial"}}};
  properties["gravity"] = ref("vector");
  properties["parameters"] = {{"type", Json::array({"object", "null"})}, {"additionalProperties", f}};
  properties["inputs"] = {{"type", Json::array({"object", "null"})}, {"additionalProperties", f}};
  Json numbers{{"type", "array"}, {"items", f}, {"minItems", 3}};
  properties["tables"] = {{"type", Json::array({"object", "null"})},
                          {"description", "functions of one argument: C2 splines through points"},
                          {"additionalProperties", object({{"x", numbers},
                                                           {"y", numbers},
                                                           {"ends", {{"enum", {"natural", "clamped", "periodic"}}}},
                                                           {"slopes", list_of(f, 2, 2)},
                                                           {"outside", {{"enum", {"extend", "hold", "error"}}}}},
                                                          {"x", "y"})}};
  properties["include"] = any_of({file, {{"type", "array"}, {"items", file}}});
  for (const Section section : {Section::body, Section::joint, Section::driver, Section::force, Section::event}) {
    Json& items = properties[std::string(section_name(section))];
    items["type"] = Json::array({"object", "null"});
    if (catalogue.types(section).empty())
      items["maxProperties"] = 0;  // a catalogue without any
    else
      items["additionalProperties"] = item_schema(section, catalogue, defs);
  }
  properties["analysis"] = analysis_schema();
  properties["output"] =
      object({{"every", f},
              {"checkpoint", any_of({object({{"every", f}}, {"every"}), object({{"steps", f}}, {"steps"})})},
              {"quantities", {{"type", "array"}, {"items", file}}},
              {"bodies", {{"type", "array"}, {"items", file}}},
              {"joints", {{"type", "array"}, {"items", file}}},
              {"precision", {{"enum", {"float64", "float32"}}}}});
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Mortise model"}};
  schema.update(object(std::move(properties), {"mortise", "dimension"}));
  schema["$defs"] = std::move(defs);
  return schema.dump(2) + "\n";
}

}  // namespace mortise::model
