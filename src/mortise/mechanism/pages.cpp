#include "mortise/mechanism/pages.h"

#include <fmt/format.h>

namespace mortise::mechanism {

namespace {

const char* form_of(const model::FieldSpec& field) {
  using model::FieldKind;
  switch (field.kind) {
    case FieldKind::number:
      return "number";
    case FieldKind::angle:
      return "angle";
    case FieldKind::flag:
      return "true or false";
    case FieldKind::text:
      return "word";
    case FieldKind::choice:
      return "choice";
    case FieldKind::vector:
      return "[x, y(, z)]";
    case FieldKind::direction:
      return "direction";
    case FieldKind::spin:
      return "number or [x, y, z]";
    case FieldKind::function:
      return "formula";
    case FieldKind::function_vector:
      return "formulas [x, y(, z)]";
    case FieldKind::function_spin:
      return "formula, or [x, y, z]";
    case FieldKind::orientation:
      return "orientation";
    case FieldKind::inertia:
      return "inertia";
    case FieldKind::body:
      return "body";
    case FieldKind::attachment:
      return "body or body.point";
    case FieldKind::attachments:
      return "two of body or body.point";
    case FieldKind::points:
      return "two points";
    case FieldKind::point_map:
      return "{name: point, …}";
    case FieldKind::frame_map:
      return field.choices.empty() ? "{name: frame, …}" : "{name: shape, …}";
    case FieldKind::curve:
      return "formulas of s [x, y(, z)]";
    case FieldKind::point_list:
      return "points";
    case FieldKind::matrix:
      return "rows, or the diagonal";
    case FieldKind::joints:
      return "two joints";
    case FieldKind::constraints:
      return "joints and drivers";
    case FieldKind::pair:
      return "[a, b]";
    case FieldKind::terms:
      return "{joint.angle: number, …}";
    case FieldKind::row_terms:
      return "{body.vx: formula, …}";
    case FieldKind::row_function:
      return "formula";
    case FieldKind::joint:
      return "joint";
  }
  return "";
}

std::string indented(const char* text) {
  std::string out;
  for (const char* p = text; *p;) {
    const char* end = p;
    while (*end && *end != '\n') ++end;
    if (end != p) out += "    " + std::string(p, end);
    out += '\n';
    p = *end ? end + 1 : end;
  }
  while (out.starts_with('\n')) out.erase(0, 1);
  return out;
}

std::string where(const model::PartInfo& info) {
  if (info.planar && info.spatial) return "planar and spatial";
  return info.planar ? "planar" : "spatial";
}

std::string row_count(const model::PartInfo& info) {
  const auto rows = [](int n) { return fmt::format("{} row{}", n, n == 1 ? "" : "s"); };
  if (info.rows_planar == 0 && info.rows_spatial == 0) return "";
  if (info.planar && info.spatial && info.rows_planar != info.rows_spatial)
    return fmt::format(", {} in the plane, {} in space", rows(info.rows_planar), rows(info.rows_spatial));
  return ", " + rows(info.spatial ? info.rows_spatial : info.rows_planar);
}

std::string field_row(const model::FieldSpec& field) {
  std::string meaning = field.help;
  if (field.kind == model::FieldKind::choice) {
    std::string words;
    for (const std::string& choice : field.choices) words += (words.empty() ? "" : ", ") + choice;
    meaning += (meaning.empty() ? "" : ": ") + words;
  }
  std::string standard = field.required ? "needed" : field.fallback;
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, form_of(field), field.unit, standard, meaning);
}

std::string headline(const std::string& text, int level) {
  return std::string(static_cast<std::size_t>(level), '#') + " " + text + "\n\n";
}

}  // namespace

std::string page(const Part& part, int level) {
  const model::PartInfo& info = part.info;
  std::string out = headline(info.type, level);
  out += fmt::format("{}; {}{}.", info.help, where(info), row_count(info));
  if (!info.aliases.empty()) {
    out += " Also called";
    for (std::size_t k = 0; k < info.aliases.size(); ++k) out += (k ? ", `" : " `") + info.aliases[k] + "`";
    out += ".";
  }
  out += "\n\n";
  if (*part.page.rows) out += indented(part.page.rows) + "\n";
  if (*part.page.signs) out += std::string(part.page.signs) + "\n\n";
  out += "| field | value | unit | if left out | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const model::FieldSpec& field : info.fields) out += field_row(field);
  if (*part.page.example) out += "\nExample:\n\n" + indented(part.page.example);
  return out;
}

std::string pages(model::Section section) {
  const std::string title(model::section_name(section));
  std::string out =
      "<!-- Written by `scripts/part-pages` from the registry of parts: change the parts, not this file. -->\n";
  out += headline(std::string(1, static_cast<char>(title[0] - 'a' + 'A')) + title.substr(1), 1);
  std::string all;
  for (const Part& part : parts()) {
    if (part.info.section != section) continue;
    out += fmt::format("- [{}](#{}): {}\n", part.info.type, part.info.type, part.info.help);
    std::string text = page(part, 2);
    const auto first = text.find("\n\n", text.find("\n\n") + 2);
    text.insert(first + 2, fmt::format("![{}](figures/{}-{}.svg)\n\n", part.info.type, title, part.info.type));
    all += "\n" + text;
  }
  return out + all;
}

}  // namespace mortise::mechanism
