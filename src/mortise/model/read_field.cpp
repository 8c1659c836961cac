#include "mortise/model/read_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mortise/model/geometry_keys.h"
#include "mortise/model/names.h"

namespace mortise::model {

namespace {

const char* const orientation_help =
    "{rpy: [r, p, y]}, {quaternion: {w, x, y, z}}, {axis: [x, y, z], angle: a} or "
    "{euler: {sequence: zxz, intrinsic: true, angles: [a, b, c]}}";

class FieldReader {
 public:
  FieldReader(const FieldSpec& spec, int dimension, const Scope& scope, Report& report, Field& field)
      : spec_(spec), dimension_(dimension), scope_(scope), report_(report), field_(field) {}

  void read(const Node& node);
  bool good() const { return good_; }

 private:
  void wrong(const Node& node, const std::string& expected);
  bool is(const Node& node, Node::Kind kind, const std::string& expected);
  void formula(const Node& node, const FormulaRules& rules);
  bool expression(const Node& node, const FormulaRules& rules);  // adds a formula, without its place
  std::optional<NamePattern> name_in(const Node& node, const formula::FreeName& name);
  void quantities(const Node& node, const std::vector<formula::FreeName>& free);
  void zero(const Place& place);
  void matrix(const Node& node);
  void list(const Node& node, int length, const std::string& form, const FormulaRules& rules);
  void vector(const Node& node, const FormulaRules& rules);
  void orientation(const Node& node);
  void inertia(const Node& node);
  void point_map(const Node& node);
  void frame_map(const Node& node);
  void frame(const Entry& entry);
  void shape(const Node& node);
  void reference(const Node& node);
  void terms(const Node& node, const FormulaRules& rules);
  void flag(const Node& node);
  void choice(const Node& node);
  bool local_name(const Entry& entry);

  std::string vector_form() const { return dimension_ == 2 ? "[x, y]" : "[x, y, z]"; }
  FormulaRules rules(bool time, bool angle) const {
    return {time, angle, false, what_, variables(time), spec_.variable};
  }
  std::span<const std::string> variables(bool time) const {
    return time ? std::span<const std::string>(spec_.variables) : std::span<const std::string>();
  }
  FormulaRules turn() const { return {false, true, true, what_, {}}; }
  FormulaRules row() const { return {true, false, false, what_, {}, spec_.variable, true}; }

  const FieldSpec& spec_;
  int dimension_;
  std::vector<formula::FreeName> coordinates_{};  // of all formulas of a row's field
  const Scope& scope_;
  Report& report_;
  Field& field_;
  std::string what_ = "'" + spec_.name + "'";
  bool good_ = true;
};

void FieldReader::wrong(const Node& node, const std::string& expected) {
  good_ = false;
  const bool length = node.kind == Node::Kind::list && expected.starts_with("a list");
  const std::string found = length ? fmt::format("a list of {}", node.items.size()) : std::string(kind_name(node));
  report_.error(length ? "M105" : "M104", fmt::format("expected {} for '{}', found {}", expected, spec_.name, found),
                node.place, std::any_of(node.items.begin(), node.items.end(), cut_by_comma) ? quote_advice : "");
}

bool FieldReader::is(const Node& node, Node::Kind kind, const std::string& expected) {
  if (node.kind == kind) return true;
  wrong(node, expected);
  return false;
}

void FieldReader::formula(const Node& node, const FormulaRules& rules) {
  if (!is(node, Node::Kind::scalar, "a number") || !expression(node, rules)) return;
  field_.places.push_back(node.place);
  // 720 written where 720 deg was meant: only for plain numbers, for nobody writes 4*pi by mistake.
  const formula::Expression& f = field_.formulas.back();
  if (rules.turn && f.is_constant() && !f.has_angle_unit() && identifiers(node.text).empty()) {
    const double value = value_at(f, scope_, 0);
    if (std::abs(value) > 2 * std::numbers::pi + 1e-9 && std::isfinite(value))
      report_.note("M002", fmt::format("{} is {} rad, more than a full turn", what_, node.text), node.place,
                   fmt::format("did you mean '{} deg'?", node.text));
  }
}

bool FieldReader::expression(const Node& node, const FormulaRules& rules) {
  std::vector<formula::FreeName> own, &free = rules.row ? coordinates_ : own;
  const std::size_t known = free.size();
  auto parsed = parse_formula(node, scope_, rules, report_, &free);
  if (!parsed) {
    good_ = false;
    return false;
  }
  if (!rules.row) quantities(node, free);
  for (std::size_t k = known; rules.row && k < free.size(); ++k)
    if (auto pattern = name_in(node, free[k])) {
      field_.variables.push_back(std::move(*pattern));
      field_.variable_places.push_back(node.inside(free[k].column, free[k].length));
    }
  field_.formulas.push_back(std::move(*parsed));
  return true;
}

// A name with dots inside a formula; the numbers in it ($i) are filled in for each copy.
std::optional<NamePattern> FieldReader::name_in(const Node& node, const formula::FreeName& name) {
  Node word;
  word.kind = Node::Kind::scalar;
  word.text = name.name;
  word.verbatim = node.verbatim;
  word.place = node.inside(name.column, name.length);
  auto pattern = parse_pattern(word, scope_, report_);
  if (!pattern) good_ = false;
  return pattern;
}

// Names of quantities in the formula just read; the numbers in them ($i) are filled in for each copy.
void FieldReader::quantities(const Node& node, const std::vector<formula::FreeName>& free) {
  if (free.empty()) return;
  field_.quantities.resize(field_.formulas.size() + 1);
  for (const formula::FreeName& name : free) {
    if (auto pattern = name_in(node, name))
      field_.quantities.back().push_back({std::move(*pattern), node.inside(name.column, name.length)});
  }
}

void FieldReader::matrix(const Node& node) {
  const int n = dimension_ == 2 ? 3 : 6;
  const std::string diagonal = dimension_ == 2 ? "[x, y, angle]" : "[x, y, z, about x, about y, about z]";
  const std::string form = fmt::format("a list of {} numbers {} (the diagonal) or of {} rows", n, diagonal, n);
  if (node.kind != Node::Kind::list || std::ssize(node.items) != n) return wrong(node, form);
  const bool rows = node.items[0].kind == Node::Kind::list;
  for (int i = 0; i < n; ++i) {
    const Node& item = node.items[static_cast<std::size_t>(i)];
    if (rows) {
      list(item, n, "of a row of the matrix", rules(false, false));
    } else {
      for (int j = 0; j < n; ++j) i == j ? formula(item, rules(false, false)) : zero(node.place);
    }
  }
}

void FieldReader::zero(const Place& place) {
  field_.formulas.emplace_back(0.0);
  field_.places.push_back(place);
}

void FieldReader::list(const Node& node, int length, const std::string& form, const FormulaRules& rules) {
  if (node.kind != Node::Kind::list || std::ssize(node.items) != length)
    return wrong(node, fmt::format("a list of {} numbers {}", length, form));
  for (const Node& item : node.items) formula(item, rules);
}

void FieldReader::vector(const Node& node, const FormulaRules& rules) { list(node, dimension_, vector_form(), rules); }

void FieldReader::orientation(const Node& node) {
  const std::size_t before = report_.count();
  if (!is(node, Node::Kind::map, fmt::format("an orientation {}", orientation_help))) return;
  switch (orientation_form(node)) {
    case OrientationForm::rpy:
      check_keys(node, {"rpy"}, "an orientation by rpy", report_);
      list(*node.find("rpy"), 3, "[roll, pitch, yaw]", turn());
      break;
    case OrientationForm::quaternion: {
      check_keys(node, {"quaternion"}, "an orientation by a quaternion", report_);
      const Node& q = *node.find("quaternion");
      if (q.kind != Node::Kind::map) {
        report_.error("M309", "a quaternion is written with its keys {w: …, x: …, y: …, z: …}: lists differ in order",
                      q.place);
        break;
      }
      check_keys(q, {"w", "x", "y", "z"}, "a quaternion", report_);
      for (const char* key : {"w", "x", "y", "z"})
        if (const Node* part = q.find(key))
          formula(*part, rules(false, false));
        else
          report_.error("M206", fmt::format("the quaternion has no '{}'", key), q.place,
                        "all of w, x, y, z are needed");
      break;
    }
    case OrientationForm::axis_angle:
      check_keys(node, {"axis", "angle"}, "an orientation by axis and angle", report_);
      for (const char* key : {"axis", "angle"})
        if (!node.find(key))
          report_.error("M206", fmt::format("the orientation has no '{}'", key), node.place,
                        "axis and angle go together");
      if (const Node* axis = node.find("axis")) list(*axis, 3, "[x, y, z]", rules(false, false));
      if (const Node* angle = node.find("angle")) formula(*angle, turn());
      break;
    case OrientationForm::euler: {
      check_keys(node, {"euler"}, "an orientation by Euler angles", report_);
      const Node& euler = *node.find("euler");
      if (!is(euler, Node::Kind::map, "{sequence: zxz, intrinsic: true, angles: [a, b, c]}")) break;
      check_keys(euler, {"sequence", "intrinsic", "angles"}, "Euler angles", report_);
      for (const char* key : {"sequence", "intrinsic", "angles"})
        if (!euler.find(key))
          report_.error("M206", fmt::format("the Euler angles have no '{}'", key), euler.place,
                        "write {sequence: zxz, intrinsic: true, angles: [a, b, c]}");
      if (const Node* sequence = euler.find("sequence")) {
        const std::string& s = sequence->text;
        const auto axis = [](char c) { return c >= 'x' && c <= 'z'; };
        if (s.size() != 3 || !std::all_of(s.begin(), s.end(), axis) || s[0] == s[1] || s[1] == s[2])
          report_.error(
              "M309",
              fmt::format("{} is not a sequence of three axes such as zxz or xyz, neighbours different", quote(s)),
              sequence->place);
      }
      if (const Node* intrinsic = euler.find("intrinsic")) flag(*intrinsic);
      if (const Node* angles = euler.find("angles")) list(*angles, 3, "[a, b, c]", turn());
      break;
    }
    case OrientationForm::none: {
      std::vector<std::string> known{"rpy", "quaternion", "axis", "angle", "euler"};
      check_keys(node, known, "an orientation", report_);
      if (report_.count() == before)
        report_.error("M309", fmt::format("an orientation is written in one way: {}", orientation_help), node.place);
      break;
    }
  }
  if (report_.count() != before) good_ = false;
}

void FieldReader::inertia(const Node& node) {
  if (dimension_ == 2) {
    if (node.kind != Node::Kind::scalar)
      return wrong(node, "one number (the moment of inertia about the centre of mass)");
    return formula(node, rules(false, false));
  }
  if (node.kind == Node::Kind::list) {
    list(node, 3, "[xx, yy, zz]", rules(false, false));
    for (int k = 0; k < 3; ++k) zero(node.place);
    return;
  }
  if (!is(node, Node::Kind::map, "[xx, yy, zz] or {xx: …, yy: …, zz: …, xy: …, xz: …, yz: …}")) return;
  const std::size_t before = report_.count();
  check_keys(node, {"xx", "yy", "zz", "xy", "xz", "yz"}, "an inertia", report_);
  for (const char* key : {"xx", "yy", "zz", "xy", "xz", "yz"}) {
    const Node* part = node.find(key);
    if (part)
      formula(*part, rules(false, false));
    else if (key[0] == key[1])
      report_.error("M206", fmt::format("the inertia has no '{}'", key), node.place, "xx, yy and zz are needed");
    else
      zero(node.place);
  }
  if (report_.count() != before) good_ = false;
}

bool FieldReader::local_name(const Entry& entry) {
  if (is_item_name(entry.key)) return true;
  good_ = false;
  report_.error("M110",
                fmt::format("{} cannot be a name: use letters, digits, '_' and '-', a letter first", quote(entry.key)),
                entry.place);
  return false;
}

void FieldReader::point_map(const Node& node) {
  if (!is(node, Node::Kind::map, "names and points {A: " + vector_form() + ", …}")) return;
  for (const Entry& entry : node.entries)
    if (local_name(entry)) vector(entry.value, rules(false, false));
}

void FieldReader::frame(const Entry& entry) {
  const Node& node = entry.value;
  const std::string form = dimension_ == 2 ? "{at: [x, y], angle: a}" : "{at: [x, y, z], orientation: {…}}";
  if (!is(node, Node::Kind::map, "a frame " + form)) return;
  const std::string key = dimension_ == 2 ? "angle" : "orientation";
  const std::size_t before = report_.count();
  std::vector<std::string> known{"at", key};
  known.insert(known.end(), spec_.choices.begin(), spec_.choices.end());
  check_keys(node, known, spec_.choices.empty() ? "a frame" : "a shape", report_);
  if (report_.count() != before) good_ = false;
  if (const Node* at = node.find("at"))
    vector(*at, rules(false, false));
  else
    for (int k = 0; k < dimension_; ++k) zero(node.place);
  const Node* turned = node.find(key);
  if (dimension_ == 3) {
    if (turned) orientation(*turned);
  } else if (turned) {
    formula(*turned, turn());
  } else {
    zero(node.place);
  }
}

void FieldReader::frame_map(const Node& node) {
  if (!is(node, Node::Kind::map, "names and frames {F: {at: …}, …}")) return;
  for (const Entry& entry : node.entries)
    if (local_name(entry)) frame(entry);
  if (spec_.choices.empty()) return;
  for (const Entry& entry : node.entries)
    if (entry.value.kind == Node::Kind::map) shape(entry.value);
}

// What a shape says beside its place (geometry_keys.h).
void FieldReader::shape(const Node& node) {
  std::vector<std::string> kinds;
  int found = 0;
  for (const GeometryKey& key : geometry_keys) {
    const Node* value = node.find(key.name);
    const bool here = std::find(spec_.choices.begin(), spec_.choices.end(), key.name) != spec_.choices.end();
    if (key.kind && here) kinds.emplace_back(key.name), found += value != nullptr;
    if (!value) continue;
    const int numbers = dimension_ == 2 ? key.planar : key.spatial;
    if (numbers == 0)
      is(*value, Node::Kind::scalar, std::string(key.form));
    else if (numbers == 1)
      formula(*value, rules(false, false));
    else
      list(*value, numbers, std::string(key.form), rules(false, false));
  }
  if (found == 1) return;
  good_ = false;
  report_.error(
      "M206",
      fmt::format("a shape is one of {}: this one has {}", list_names(kinds, 20), found == 0 ? "none" : "several"),
      node.place, "write {box: [1, 0.1, 0.1], at: …}; several shapes have a name each");
}

void FieldReader::reference(const Node& node) {
  const bool point = spec_.kind == FieldKind::attachment || spec_.kind == FieldKind::attachments;
  const bool joint = spec_.kind == FieldKind::joint || spec_.kind == FieldKind::joints;
  const std::string expected = joint ? "the name of a joint" : point ? "a body's name or body.point" : "a body's name";
  if (!is(node, Node::Kind::scalar, expected)) return;
  auto pattern = parse_pattern(node, scope_, report_);
  if (!pattern) {
    good_ = false;
    return;
  }
  field_.names.push_back(std::move(*pattern));
  field_.places.push_back(node.place);
}

// The keys are references with their place, the values formulas.
void FieldReader::terms(const Node& node, const FormulaRules& rules) {
  if (!is(node, Node::Kind::map, "names and numbers {A.angle: 1, B.angle: -2}")) return;
  for (const Entry& entry : node.entries) {
    Node key;
    key.kind = Node::Kind::scalar;
    key.text = entry.key;
    key.place = entry.place;
    auto pattern = parse_pattern(key, scope_, report_);
    if (!pattern) {
      good_ = false;
      continue;
    }
    field_.names.push_back(std::move(*pattern));
    field_.places.push_back(entry.place);
    if (!is(entry.value, Node::Kind::scalar, "a number")) continue;
    expression(entry.value, rules);
  }
}

void FieldReader::flag(const Node& node) {
  if (node.kind == Node::Kind::scalar && (node.text == "true" || node.text == "false")) return;
  good_ = false;
  static const std::vector<std::string> yes{"yes", "on", "True", "TRUE", "1"}, no{"no", "off", "False", "FALSE", "0"};
  const bool means_yes = std::find(yes.begin(), yes.end(), node.text) != yes.end();
  const bool means_no = std::find(no.begin(), no.end(), node.text) != no.end();
  report_.error("M310", "expected true or false", node.place, means_yes ? "write true" : means_no ? "write false" : "");
}

void FieldReader::choice(const Node& node) {
  if (!is(node, Node::Kind::scalar, "one of " + list_names(spec_.choices, 20))) return;
  if (std::find(spec_.choices.begin(), spec_.choices.end(), node.text) != spec_.choices.end()) return;
  good_ = false;
  report_.error(
      "M207",
      fmt::format("{} is not a choice for '{}': {}", quote(node.text), spec_.name, list_names(spec_.choices, 20)),
      node.place, did_you_mean(node.text, spec_.choices));
}

void FieldReader::read(const Node& node) {
  const bool angular = spec_.unit.find("rad") != std::string::npos;
  switch (spec_.kind) {
    case FieldKind::number:
      return formula(node, rules(false, angular));
    case FieldKind::angle:
      return formula(node, turn());
    case FieldKind::function:
      return formula(node, rules(true, angular || spec_.unit.empty()));
    case FieldKind::vector:
    case FieldKind::direction:
      return vector(node, rules(false, angular));
    case FieldKind::function_vector:
      return vector(node, rules(true, angular || spec_.unit.empty()));
    case FieldKind::curve:
      return vector(node, {true, true, false, what_, {}, "s"});
    case FieldKind::point_list:
      if (node.kind != Node::Kind::list || node.items.size() < 3)
        return wrong(node, fmt::format("a list of at least 3 points [{0}, {0}, {0}, …]", vector_form()));
      for (const Node& point : node.items) vector(point, rules(false, false));
      return;
    case FieldKind::spin:
      if (dimension_ == 3) return vector(node, rules(false, true));
      if (node.kind != Node::Kind::scalar) return wrong(node, "one number (planar models turn about z)");
      return formula(node, rules(false, true));
    case FieldKind::function_spin:
      if (dimension_ == 3) return vector(node, rules(true, false));
      if (node.kind != Node::Kind::scalar) return wrong(node, "one formula of t (planar models turn about z)");
      return formula(node, rules(true, false));
    case FieldKind::orientation:
      return orientation(node);
    case FieldKind::inertia:
      return inertia(node);
    case FieldKind::points:
      if (node.kind != Node::Kind::list || node.items.size() != 2)
        return wrong(node, fmt::format("a list of 2 points [{0}, {0}], one per body", vector_form()));
      for (const Node& point : node.items) vector(point, rules(false, false));
      return;
    case FieldKind::point_map:
      return point_map(node);
    case FieldKind::frame_map:
      return frame_map(node);
    case FieldKind::body:
    case FieldKind::attachment:
    case FieldKind::joint:
      return reference(node);
    case FieldKind::joints:
      if (node.kind != Node::Kind::list || node.items.size() != 2)
        return wrong(node, "a list of 2 joints [first, second]");
      for (const Node& item : node.items) reference(item);
      return;
    case FieldKind::constraints:
      if (node.kind == Node::Kind::scalar) return reference(node);
      if (node.kind != Node::Kind::list || node.items.empty())
        return wrong(node, "a joint or driver, or a list of them");
      for (const Node& item : node.items) reference(item);
      return;
    case FieldKind::pair:
      return list(node, 2, "[a, b]", rules(false, angular));
    case FieldKind::terms:
      return terms(node, rules(false, false));
    case FieldKind::row_terms:
      return terms(node, row());
    case FieldKind::row_function:
      return formula(node, row());
    case FieldKind::attachments:
      if (node.kind != Node::Kind::list || node.items.size() != 2)
        return wrong(node, "a list of 2 bodies [first, second] (ground is a body)");
      for (const Node& item : node.items) reference(item);
      return;
    case FieldKind::flag:
      return flag(node);
    case FieldKind::choice:
      return choice(node);
    case FieldKind::text:
      is(node, Node::Kind::scalar, "a text");
      return;
    case FieldKind::matrix:
      return matrix(node);
  }
}

}  // namespace

OrientationForm orientation_form(const Node& node) {
  const bool rpy = node.find("rpy"), quaternion = node.find("quaternion"), euler = node.find("euler");
  const bool axis = node.find("axis") || node.find("angle");
  if (rpy + quaternion + euler + axis != 1) return OrientationForm::none;
  return rpy          ? OrientationForm::rpy
         : quaternion ? OrientationForm::quaternion
         : axis       ? OrientationForm::axis_angle
                      : OrientationForm::euler;
}

void check_keys(const Node& map, const std::vector<std::string>& known, std::string_view where, Report& report) {
  for (const Entry& entry : map.entries)
    if (!report.full() && std::find(known.begin(), known.end(), entry.key) == known.end()) {
      std::string hint = did_you_mean(entry.key, known);
      report.error("M103", fmt::format("{} is not a key of {}", quote(entry.key), where), entry.place,
                   hint.empty() ? "known: " + list_names(known, 20) : hint);
    }
}

std::optional<Field> read_field(const FieldSpec& spec, const Node& node, int dimension, const Scope& scope,
                                Report& report) {
  Field field;
  field.spec = &spec;
  field.node = node;
  FieldReader reader(spec, dimension, scope, report, field);
  reader.read(node);
  if (!reader.good()) return std::nullopt;
  return field;
}

}  // namespace mortise::model
