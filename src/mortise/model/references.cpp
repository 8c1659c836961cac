// Names and references. All items share one set of names, because results do ("crank.angle", "A.force"). Each name of
// each copy is looked up in a table that knows series of names by their numbers: nothing is listed per copy.
// Cost: one formula and one look-up per reference and copy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/model/build_parts.h"

namespace mortise::model {

namespace {

// Who refers to a name: a copy, or all of them alike.
struct User {
  const Item& item;
  int copy;
  bool alike;
  std::string str() const { return item.name.at(copy).value_or(item.pattern); }
  std::string aside() const { return alike ? "" : fmt::format(" (for '{}')", str()); }
};

// Whether a field's names are coordinates (joint.angle, body.x) instead of items.
bool names_coordinates(const Field& field) {
  const FieldKind kind = field.spec->kind;
  return kind == FieldKind::terms || kind == FieldKind::row_terms || kind == FieldKind::row_function;
}

class References {
 public:
  References(const Model& model, Report& report) : model_(model), report_(report) {}
  void enter_names();
  void check();

 private:
  bool even_numbers(const Item& item, long long& first, long long& step);
  void check_field(const Item& item, const Field& field);
  bool check_attachment(const std::string& name, const Place& place, const User& user, std::string* body);
  bool check_joint(const std::string& name, const Place& place, const User& user);
  bool check_constraint(const std::string& name, const Place& place, const User& user);
  bool check_owner(const std::string& name, const Place& place, const User& user);
  std::vector<std::string> points_of(const Item& item) const;
  struct Target {  // of a reference whose numbers are a·i + b: copy `first + step·i` of one item
    int item = -1;
    long long first = 0, step = 0;
  };
  std::optional<Target> follow(const NamePattern& reference, const NameTable& table, int count) const;
  bool hold_for_all(const Item& item, const Field& field) const;

  const Model& model_;
  Report& report_;
  NameTable all_, bodies_, joints_, rows_;  // rows_: joints and drivers
  static constexpr long long most_looked_up = 2'000'000;
  long long looked_up_ = 0;  // copies looked at one by one so far
};

// The number in the name of copy i must be first + step·i, so that a name leads back to its copy.
bool References::even_numbers(const Item& item, long long& first, long long& step) {
  first = 0, step = 1;
  if (item.name.fixed() || item.count <= 1) return true;
  const auto number = [&](int copy) { return value_at(item.name.numbers[0], true, copy); };
  const double start = std::round(number(0)), pace = std::round(number(1)) - start;
  bool even = item.name.at(0) && item.name.at(1) && item.name.at(item.count - 1) && pace != 0;
  if (!item.name.affine)
    for (int copy = 0; even && copy < item.count; ++copy)
      even = ++looked_up_ <= most_looked_up && std::abs(number(copy) - (start + pace * copy)) < 1e-9;
  if (!even) {
    report_.error("M115", "the first number in the names of copies must count evenly, like $i or $(2*i+1)", item.place);
    return false;
  }
  first = static_cast<long long>(start), step = static_cast<long long>(pace);
  return true;
}

void References::enter_names() {
  for (std::size_t k = 0; k < model_.items.size(); ++k) {
    const Item& item = model_.items[k];
    long long first, step;
    if (!even_numbers(item, first, step)) continue;
    const int number = static_cast<int>(k);
    if (const auto clash = all_.add(number, item.name, item.count, first, step)) {
      const Item& other = model_.items[static_cast<std::size_t>(clash->owner.item)];
      if (clash->name.empty())
        report_.error("M116", fmt::format("too many names to be told from those of '{}'", other.pattern), item.place,
                      "begin them differently");
      else
        report_.error("M112",
                      fmt::format("the name '{}' is taken by the {} at {}", clash->name, item_name(other.section),
                                  other.place.str()),
                      item.place, "bodies, joints, drivers, forces and events share one set of names");
      continue;
    }
    if (item.section == Section::body) bodies_.add(number, item.name, item.count, first, step);
    if (item.section == Section::joint) joints_.add(number, item.name, item.count, first, step);
    if (item.section == Section::joint || item.section == Section::driver)
      rows_.add(number, item.name, item.count, first, step);
  }
}

std::vector<std::string> References::points_of(const Item& item) const {
  std::vector<std::string> names;
  for (const Field& field : item.fields)
    if (field.spec->kind == FieldKind::point_map ||
        (field.spec->kind == FieldKind::frame_map && field.spec->choices.empty()))  // shapes are no places to join
      for (const Entry& entry : field.node.entries) names.push_back(entry.key);
  return names;
}

bool References::check_attachment(const std::string& name, const Place& place, const User& user, std::string* body) {
  const std::size_t dot = name.find('.');
  *body = name.substr(0, dot);
  const std::string point = dot == std::string::npos ? "" : name.substr(dot + 1);
  if (*body == "ground") {
    if (dot == std::string::npos) return true;
    report_.error("M118", "ground has no named points", place, "give the place by 'at'");
    return false;
  }
  const auto found = bodies_.find(*body);
  if (!found) {
    std::vector<std::string> known = bodies_.examples();
    known.push_back("ground");
    const std::string hint = user.alike ? did_you_mean(*body, known) : "";
    const auto other = all_.find(*body);
    if (other && hint.empty()) {
      const Item& item = model_.items[static_cast<std::size_t>(other->item)];
      report_.error("M117", fmt::format("'{}' is a {}, not a body", *body, item_name(item.section)), place);
    } else {
      const std::string list = list_names(bodies_.overview());
      report_.error("M117",
                    fmt::format("body {} does not exist{}; {}", quote(*body), user.aside(),
                                list.empty() ? "the model has no bodies" : "bodies: " + list),
                    place, hint);
    }
    return false;
  }
  if (dot == std::string::npos) return true;
  const std::vector<std::string> points = points_of(model_.items[static_cast<std::size_t>(found->item)]);
  if (std::find(points.begin(), points.end(), point) != points.end()) return true;
  report_.error("M118",
                fmt::format("body '{}' has no point or frame {}{}", *body, quote(point),
                            points.empty() ? "" : "; it has: " + list_names(points)),
                place, did_you_mean(point, points));
  return false;
}

bool References::check_joint(const std::string& name, const Place& place, const User& user) {
  if (joints_.find(name)) return true;
  const std::string list = list_names(joints_.overview());
  report_.error("M119",
                fmt::format("joint {} does not exist{}; {}", quote(name), user.aside(),
                            list.empty() ? "the model has no joints" : "joints: " + list),
                place, user.alike ? did_you_mean(name, joints_.examples()) : "");
  return false;
}

bool References::check_constraint(const std::string& name, const Place& place, const User& user) {
  if (rows_.find(name)) return true;
  const std::string list = list_names(rows_.overview());
  report_.error("M119",
                fmt::format("no joint or driver is called {}{}; {}", quote(name), user.aside(),
                            list.empty() ? "the model has none" : "there are: " + list),
                place, user.alike ? did_you_mean(name, rows_.examples()) : "");
  return false;
}

// A coordinate `joint.angle`, `body.x`: that its joint or body exists. What it is asked for, the parts know.
bool References::check_owner(const std::string& name, const Place& place, const User& user) {
  const std::string owner = name.substr(0, name.find('.'));
  if (joints_.find(owner) || bodies_.find(owner) || owner == "ground") return true;
  std::vector<std::string> known = joints_.examples(), bodies = bodies_.examples();
  known.insert(known.end(), bodies.begin(), bodies.end());
  report_.error("M119", fmt::format("no joint or body is called {}{}", quote(owner), user.aside()), place,
                user.alike ? did_you_mean(owner, known) : "");
  return false;
}

// References and names with numbers a·i + b: when copies 0, 1 and the last of the reference lead to copies of one
// series with the same literals, all copies between do.
std::optional<References::Target> References::follow(const NamePattern& reference, const NameTable& table,
                                                     int count) const {
  NamePattern body = reference;
  for (std::size_t k = 0; k < body.literals.size(); ++k)
    if (const std::size_t dot = body.literals[k].find('.'); dot != std::string::npos) {
      if (k < body.numbers.size()) return std::nullopt;  // a numbered point
      body.literals[k].resize(dot);
    }
  if (!body.affine) return std::nullopt;
  std::optional<NameTable::Found> found[3];
  const int copies[3] = {0, 1, count - 1};
  for (int k = 0; k < 3; ++k) {
    const auto name = body.at(copies[k]);
    if (name) found[k] = table.find(*name);
    if (!found[k] || found[k]->item != found[0]->item) return std::nullopt;
  }
  const NamePattern& target = model_.items[static_cast<std::size_t>(found[0]->item)].name;
  const Target out{found[0]->item, found[0]->copy, found[1]->copy - found[0]->copy};
  const bool fixed = body.fixed() && out.step == 0;
  if (!fixed && (!target.affine || target.literals != body.literals)) return std::nullopt;
  if (out.first + out.step * (count - 1) != found[2]->copy) return std::nullopt;
  return out;
}

bool References::hold_for_all(const Item& item, const Field& field) const {
  if (item.count < 3 || names_coordinates(field)) return false;
  std::vector<Target> targets;
  for (const NamePattern& name : field.names) {
    if (name.fixed() && name.literals[0] == "ground") {
      targets.push_back({-1, 0, 0});
      continue;
    }
    const bool joint = field.spec->kind == FieldKind::joint || field.spec->kind == FieldKind::joints;
    const bool rows = field.spec->kind == FieldKind::constraints;
    const auto target = follow(name, rows ? rows_ : joint ? joints_ : bodies_, item.count);
    if (!target) return false;
    const std::string& end = name.literals.back();
    if (const std::size_t dot = end.find('.'); dot != std::string::npos) {
      const auto points = points_of(model_.items[static_cast<std::size_t>(target->item)]);
      if (std::find(points.begin(), points.end(), end.substr(dot + 1)) == points.end()) return false;
    }
    targets.push_back(*target);
  }
  if (targets.size() != 2 || targets[0].item != targets[1].item) return true;
  // Both ends on one item: the same copy at some i?
  const long long gap = targets[1].first - targets[0].first, drift = targets[0].step - targets[1].step;
  if (drift == 0) return gap != 0;
  return gap % drift != 0 || gap / drift < 0 || gap / drift >= item.count;
}

void References::check_field(const Item& item, const Field& field) {
  const bool coordinates = names_coordinates(field);
  const bool pair = field.names.size() == 2 && !coordinates;
  if (hold_for_all(item, field)) return;
  // The first copy that fails speaks for all.
  for (int copy = 0; copy < item.count; ++copy) {
    if (++looked_up_ > most_looked_up) {
      report_.error("M116", "too many copies with names that are not of the form $(a*i + b)", field.node.place);
      return;
    }
    std::string bodies[2];
    bool good = true;
    for (std::size_t k = 0; k < field.names.size(); ++k) {
      const auto name = field.names[k].at(copy);
      const User user{item, copy, field.names[k].fixed() || item.index.empty()};
      if (!name) {
        report_.error("M115", fmt::format("a number in this name is not whole for '{}'", user.str()), field.places[k]);
        good = false;
      } else if (coordinates) {
        good = check_owner(*name, field.places[k], user) && good;
      } else if (field.spec->kind == FieldKind::joint || field.spec->kind == FieldKind::joints) {
        good = check_joint(*name, field.places[k], user) && good;
        if (pair) bodies[k] = *name;
      } else if (field.spec->kind == FieldKind::constraints) {
        good = check_constraint(*name, field.places[k], user) && good;
        if (pair) bodies[k] = *name;
      } else {
        good = check_attachment(*name, field.places[k], user, &bodies[k]) && good;
      }
    }
    if (good && pair && bodies[0] == bodies[1]) {
      report_.error("M120",
                    fmt::format("'{}' connects '{}' with itself", item.name.at(copy).value_or(item.pattern), bodies[0]),
                    field.node.place,
                    field.spec->kind == FieldKind::joints ? "name two different joints" : "name two different bodies");
      good = false;
    }
    for (std::size_t k = 0; k < field.variables.size() && good; ++k)
      if (const auto name = field.variables[k].at(copy))
        good = check_owner(*name, field.variable_places[k], {item, copy, field.variables[k].fixed()});
    const auto fixed = [](const NamePattern& p) { return p.fixed(); };
    const bool same_for_all = std::all_of(field.names.begin(), field.names.end(), fixed) &&
                              std::all_of(field.variables.begin(), field.variables.end(), fixed);
    if (!good || same_for_all) return;
  }
}

void References::check() {
  for (const Item& item : model_.items)
    for (const Field& field : item.fields)
      if (!(field.names.empty() && field.variables.empty()) && !report_.full()) check_field(item, field);
}

}  // namespace

void check_references(const Model& model, const Parameters& parameters, Report& report) {
  if (parameters.broken) return;
  References references(model, report);
  references.enter_names();
  references.check();
}

}  // namespace mortise::model
