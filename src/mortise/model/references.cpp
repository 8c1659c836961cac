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
  std::vector<std::string> points_of(const Item& item) const;

  const Model& model_;
  Report& report_;
  NameTable all_, bodies_, joints_;
};

// The number in the name of copy i must be first + step·i, so that a name leads back to its copy.
bool References::even_numbers(const Item& item, long long& first, long long& step) {
  first = 0, step = 1;
  if (item.name.fixed() || item.count <= 1) return true;
  const auto number = [&](int copy) { return std::round(value_at(item.name.numbers[0], true, copy)); };
  const double start = number(0), pace = number(1) - start;
  bool even = pace != 0 && std::abs(start) < 1e15 && std::abs(pace) < 1e15;
  for (int copy = 0; even && copy < item.count; ++copy) even = number(copy) == start + pace * copy;
  if (!even || !item.name.at(item.count - 1)) {
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
      report_.error("M112",
                    fmt::format("the name '{}' is taken by the {} at {}", clash->name, item_name(other.section),
                                other.place.str()),
                    item.place, "bodies, joints, drivers and forces share one set of names");
      continue;
    }
    if (item.section == Section::body) bodies_.add(number, item.name, item.count, first, step);
    if (item.section == Section::joint) joints_.add(number, item.name, item.count, first, step);
  }
}

std::vector<std::string> References::points_of(const Item& item) const {
  std::vector<std::string> names;
  for (const Field& field : item.fields)
    if (field.spec->kind == FieldKind::point_map || field.spec->kind == FieldKind::frame_map)
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

void References::check_field(const Item& item, const Field& field) {
  const bool pair = field.names.size() == 2;
  // The first copy that fails speaks for all.
  for (int copy = 0; copy < item.count; ++copy) {
    std::string bodies[2];
    bool good = true;
    for (std::size_t k = 0; k < field.names.size(); ++k) {
      const auto name = field.names[k].at(copy);
      const User user{item, copy, field.names[k].fixed() || item.index.empty()};
      if (!name) {
        report_.error("M115", fmt::format("a number in this name is not whole for '{}'", user.str()), field.places[k]);
        good = false;
      } else if (field.spec->kind == FieldKind::joint) {
        good = check_joint(*name, field.places[k], user) && good;
      } else {
        good = check_attachment(*name, field.places[k], user, &bodies[k]) && good;
      }
    }
    if (good && pair && bodies[0] == bodies[1]) {
      report_.error("M120",
                    fmt::format("'{}' connects '{}' with itself", item.name.at(copy).value_or(item.pattern), bodies[0]),
                    field.node.place, "name two different bodies");
      good = false;
    }
    const bool same_for_all =
        std::all_of(field.names.begin(), field.names.end(), [](const NamePattern& p) { return p.fixed(); });
    if (!good || same_for_all) return;
  }
}

void References::check() {
  for (const Item& item : model_.items)
    for (const Field& field : item.fields)
      if (!field.names.empty() && !report_.full()) check_field(item, field);
}

}  // namespace

void check_references(const Model& model, const Parameters& parameters, Report& report) {
  if (parameters.broken) return;
  References references(model, report);
  references.enter_names();
  references.check();
}

}  // namespace mortise::model
