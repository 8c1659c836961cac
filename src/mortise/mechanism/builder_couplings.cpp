// The part of Builder for rows over several bodies: coordinates by name, and where such rows go.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/mechanism/builder.h"

namespace mortise::mechanism {

namespace {

// 0, 1, 2 for the last letter of x, vy, wz …; −1 when there is no such axis.
int axis_of(const std::string& word, bool planar) {
  if (word.empty()) return -1;
  const auto axis = std::string_view(planar ? "xy" : "xyz").find(word.back());
  return axis == std::string_view::npos ? -1 : static_cast<int>(axis);
}

}  // namespace

Measured Builder::measured(const std::string& name, Names which, const Place& place) const {
  const auto dot = name.find('.');
  const std::string owner = name.substr(0, dot), rest = dot == std::string::npos ? "" : name.substr(dot + 1);
  std::vector<std::string> known;  // what could have been asked for
  const auto unknown = [&]() {
    for (std::string& word : known) word.insert(0, owner + ".");
    const std::string near = nearest_name(name, known);
    std::string list;
    for (const std::string& word : known) list += (list.empty() ? "" : ", ") + word;
    fail("M160", fmt::format("there is no {} '{}' for a row", which == Names::rates ? "rate" : "coordinate", name),
         place, near.empty() ? "there are: " + list : fmt::format("did you mean '{}'?", near));
  };

  Measured out;
  if (const auto found = constraint_index_.find(owner); found != constraint_index_.end()) {
    const Constraint& c = mechanism_.constraints_[static_cast<std::size_t>(found->second)];
    out.a = c.a, out.b = c.b;
    if (c.over_several())
      fail("M148", fmt::format("'{}' is a coupling of other joints and has no coordinate of its own", owner), place,
           "name one of the joints that it couples");
    known.push_back("distance");
    if (c.measures_angle) known.push_back("angle");
    if (c.slides) known.push_back("displacement");
    if (rest == "angle" && c.measures_angle) {
      out.planar = Turn2{}, out.spatial = Turn3{};
      out.angular = true, out.turns = !planar();
    } else if (rest == "displacement" && c.slides) {
      out.planar = Along2{}, out.spatial = Along3{};
    } else if (rest == "distance") {
      out.planar = Length2{}, out.spatial = Length3{};
    } else {
      unknown();
    }
    return out;
  }

  const int index = body(owner, place);
  if (index == ground) fail("M142", "the ground does not move: it has no coordinates", place, "name a body");
  const Body& b = mechanism_.bodies_[static_cast<std::size_t>(index)];
  for (const char* axis : {"x", "y", "z"}) {
    if (planar() && *axis == 'z') continue;
    known.emplace_back(axis);
    if (which == Names::rates) known.push_back(std::string("v") + axis);
    if (which == Names::rates && !planar() && !b.particle) known.push_back(std::string("w") + axis);
  }
  if (planar() && !b.particle) known.emplace_back("angle");
  if (planar() && !b.particle && which == Names::rates) known.emplace_back("wz");

  const auto second = rest.find('.');
  const std::string point = second == std::string::npos ? "" : rest.substr(0, second);
  const std::string word = second == std::string::npos ? rest : rest.substr(second + 1);
  out.b = anchor({owner, point, place});
  const int axis = axis_of(word, planar());
  const bool velocity = which == Names::rates && word.size() == 2 && word[0] == 'v';
  if (axis >= 0 && (word.size() == 1 || velocity)) {
    out.planar = Coordinate2{axis}, out.spatial = Coordinate3{axis};
    return out;
  }
  out.angular = true;
  const bool spin = which == Names::rates && word.size() == 2 && word[0] == 'w';
  if (point.empty() && !b.particle && planar() && (word == "angle" || (spin && word == "wz"))) {
    out.planar = Turn2{};
    return out;
  }
  if (point.empty() && !b.particle && !planar() && spin && axis >= 0) {
    out.spatial = Spin3{axis};
    return out;
  }
  if (!planar() && word == "angle")
    fail("M146", fmt::format("a body in space has no single angle: '{}'", name), place,
         "name the angle of a revolute joint, or a point of the body: body.P.x - body.x is a direction");
  unknown();
  return out;
}

double Builder::modelled_value(const Measured& measured) const {
  if (planar()) {
    const auto frame = [&](const Anchor& anchor) {
      Motion2<double> m;
      if (anchor.body != ground) {
        m.angle = mechanism_.bodies_[static_cast<std::size_t>(anchor.body)].angle;
        m.cos = std::cos(m.angle), m.sin = std::sin(m.angle);
      }
      Frame2<double> f = carry(anchor, m);
      f.p = modelled_point(anchor).head<2>();
      return f;
    };
    return evaluate(measured, frame(measured.a), frame(measured.b)).phi[0];
  }
  const auto frame = [&](const Anchor& anchor) {
    Motion3<double> m;
    if (anchor.body != ground)
      m.R = geometry::matrix(mechanism_.bodies_[static_cast<std::size_t>(anchor.body)].orientation);
    Frame3<double> f = carry(anchor, m);
    f.p = modelled_point(anchor);
    return f;
  };
  return evaluate(measured, frame(measured.a), frame(measured.b)).phi[0];
}

void Builder::lay_out_terms(const ItemCopy& item, const std::vector<Measured>& terms, const std::vector<double>& sizes,
                            gauss::RowKind kind, const char* name, const Place& place, SharedRow& shared) {
  using gauss::RowKind;
  using gauss::RowUnit;
  gauss::Pattern& pattern = mechanism_.pattern_;
  const int index = constraint_count();
  Constraint record;
  record.ref = current_;
  record.row = pattern.m();
  record.rows = 1;
  record.row_names.push_back(name);

  double norm2 = 0;  // of the row in the inverse-mass metric
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (const Anchor* anchor : {&terms[k].a, &terms[k].b}) {
      if (anchor->body == ground) continue;
      const Body& b = mechanism_.bodies_[static_cast<std::size_t>(anchor->body)];
      const double inertia = planar() ? b.inertia(2, 2) : b.inertia.trace() / 3;
      const double weight = terms[k].angular ? inertia : b.mass;
      if (weight > 0) norm2 += sizes[k] * sizes[k] / weight;
      const auto same = [&](const Involved& other) { return other.body == anchor->body; };
      if (std::none_of(record.bodies.begin(), record.bodies.end(), same)) record.bodies.push_back({anchor->body, {}});
    }
  // Blocks of a row are ordered by column.
  std::sort(record.bodies.begin(), record.bodies.end(),
            [](const Involved& x, const Involved& y) { return x.body < y.body; });
  const RowUnit unit = kind == RowKind::holonomic ? (terms[0].angular ? RowUnit::angle : RowUnit::length)
                                                  : (terms[0].angular ? RowUnit::angular_speed : RowUnit::speed);
  pattern.rows.push_back({index, 0, kind, unit});
  pattern.row_scale.push_back(norm2 > 0 ? 1 / std::sqrt(norm2) : 1);
  mechanism_.initially_active_.push_back(!rows_off_ && item.flag("active", true));
  mechanism_.row_constraint_.push_back(index);
  for (Involved& involved : record.bodies) {
    const int block = pattern.append_block(record.row, 1, involved.body);
    involved.to = {pattern.A[static_cast<std::size_t>(block)].offset, pattern.columns.size(involved.body),
                   mechanism_.bodies_[static_cast<std::size_t>(involved.body)].plane};
    shared.blocks.push_back(involved.to);
  }
  const auto columns = [&](int body) -> Columns {
    for (const Involved& involved : record.bodies)
      if (involved.body == body) return involved.to;
    return {};
  };
  for (const Measured& term : terms) shared.terms.push_back({term, columns(term.a.body), columns(term.b.body)});

  // The reaction is reported on the last body: the second of the last term, or its first where that is the ground.
  record.a = terms.back().a, record.b = terms.back().b;
  if (record.b.body == ground) std::swap(record.a, record.b);
  record.to_a = columns(record.a.body), record.to_b = columns(record.b.body);
  shared.row = record.row;
  shared.item = index;
  shared.place = place.line ? place : item.place();
  constraint_index_[mechanism_.name(current_)] = index;
  mechanism_.constraints_.push_back(std::move(record));
}

void Builder::add_coupling(const ItemCopy& item, const std::vector<Measured>& terms,
                           const std::vector<double>& coefficients, bool holonomic, double constant, double period,
                           const formula::Expression& function, const Place& place) {
  const auto add = [&](auto dimension) {
    using Group = CouplingGroup<decltype(dimension)::value>;
    typename Group::Item entry;
    lay_out_terms(item, terms, coefficients, holonomic ? gauss::RowKind::holonomic : gauss::RowKind::nonholonomic,
                  holonomic ? "sum" : "rates", place, entry);
    entry.coefficients = coefficients;
    entry.holonomic = holonomic;
    entry.constant = constant;
    entry.period = period;
    entry.function = function;
    put<Group>(std::move(entry));
  };
  if (planar())
    add(std::integral_constant<int, 2>{});
  else
    add(std::integral_constant<int, 3>{});
}

void Builder::add_user_row(const ItemCopy& item, const std::vector<Measured>& terms,
                           const std::vector<formula::Expression>& coefficients, const formula::Expression& constant,
                           const std::vector<Measured>& coordinates, const std::vector<Measured>& constant_coordinates,
                           const Place& place) {
  const std::vector<double> ones(terms.size(), 1.0);
  const auto add = [&](auto dimension) {
    using Group = UserRowGroup<decltype(dimension)::value>;
    typename Group::Item entry;
    lay_out_terms(item, terms, ones, gauss::RowKind::nonholonomic, "row", place, entry);
    entry.coefficients = coefficients;
    entry.constant = constant;
    entry.coordinates = coordinates;
    entry.constant_coordinates = constant_coordinates;
    put<Group>(std::move(entry));
  };
  if (planar())
    add(std::integral_constant<int, 2>{});
  else
    add(std::integral_constant<int, 3>{});
}

}  // namespace mortise::mechanism
