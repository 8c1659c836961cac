#include "mortise/analysis/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace mortise::analysis {

using mechanism::Anchor;
using mechanism::Constraint;
using mechanism::Mechanism;
using mechanism::Motions;

namespace {

using Value = std::function<double(const Frame&, const Motions&)>;

struct Column {
  const char* name;
  const char* unit;
};

// Columns of Frame::pose, velocity, acceleration and reaction.
const std::vector<Column>& pose_columns(bool planar) {
  static const std::vector<Column> two{{"x", "m"}, {"y", "m"}, {"angle", "rad"}};
  static const std::vector<Column> three{{"x", "m"}, {"y", "m"}, {"z", "m"}, {"qw", ""},
                                         {"qx", ""}, {"qy", ""}, {"qz", ""}};
  return planar ? two : three;
}
const std::vector<Column>& velocity_columns(bool planar) {
  static const std::vector<Column> two{{"vx", "m/s"}, {"vy", "m/s"}, {"wz", "rad/s"}};
  static const std::vector<Column> three{{"vx", "m/s"},   {"vy", "m/s"},   {"vz", "m/s"},
                                         {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
  return planar ? two : three;
}
const std::vector<Column>& acceleration_columns(bool planar) {
  static const std::vector<Column> two{{"ax", "m/s^2"}, {"ay", "m/s^2"}, {"alphaz", "rad/s^2"}};
  static const std::vector<Column> three{{"ax", "m/s^2"},       {"ay", "m/s^2"},       {"az", "m/s^2"},
                                         {"alphax", "rad/s^2"}, {"alphay", "rad/s^2"}, {"alphaz", "rad/s^2"}};
  return planar ? two : three;
}
const std::vector<Column>& reaction_columns(bool planar) {
  static const std::vector<Column> two{{"fx", "N"}, {"fy", "N"}, {"tz", "N m"}};
  static const std::vector<Column> three{{"fx", "N"},   {"fy", "N"},   {"fz", "N"},
                                         {"tx", "N m"}, {"ty", "N m"}, {"tz", "N m"}};
  return planar ? two : three;
}

int column_of(const std::vector<Column>& columns, const std::string& name) {
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (name == columns[k].name) return static_cast<int>(k);
  return -1;
}

struct Scalar {
  const char* name;
  const char* unit;
  double (*value)(const Frame&);
};

const std::array<Scalar, 11>& scalars() {
  static const std::array<Scalar, 11> all{{
      {"t", "s", [](const Frame& f) { return f.t; }},
      {"energy.kinetic", "J", [](const Frame& f) { return f.kinetic; }},
      {"energy.potential", "J", [](const Frame& f) { return f.potential; }},
      {"energy.total", "J", [](const Frame& f) { return f.kinetic + f.potential; }},
      {"energy.dissipated", "J", [](const Frame& f) { return f.dissipated; }},
      {"energy.applied", "J", [](const Frame& f) { return f.applied; }},
      {"energy.constraint_work", "J", [](const Frame& f) { return f.constraint_work; }},
      {"energy.balance", "J",
       [](const Frame& f) { return f.kinetic + f.potential + f.dissipated - f.applied - f.constraint_work; }},
      {"constraint.position", "", [](const Frame& f) { return f.position_error; }},
      {"constraint.velocity", "", [](const Frame& f) { return f.velocity_error; }},
      {"constraint.acceleration", "", [](const Frame& f) { return f.acceleration_error; }},
  }};
  return all;
}

std::optional<Quantity> body_quantity(const Mechanism& m, const std::string& name, int body, const std::string& rest) {
  const bool planar = m.dimension() == 2;
  const struct {
    const std::vector<Column>& columns;
    Vector Frame::*member;
  } tables[] = {{pose_columns(planar), &Frame::pose},
                {velocity_columns(planar), &Frame::velocity},
                {acceleration_columns(planar), &Frame::acceleration}};
  for (const auto& table : tables) {
    const int k = column_of(table.columns, rest);
    if (k < 0) continue;
    const auto at = static_cast<Eigen::Index>(body) * static_cast<Eigen::Index>(table.columns.size()) + k;
    const auto member = table.member;
    return Quantity{name, table.columns[static_cast<std::size_t>(k)].unit,
                    [member, at](const Frame& f, const Motions&) { return (f.*member)[at]; }};
  }
  return std::nullopt;
}

// x, vx, ax of a point: axis and order of the derivative.
std::optional<std::pair<int, int>> point_column(const std::string& text, bool planar) {
  const std::string axes = planar ? "xy" : "xyz";
  const int order = text.size() == 1                     ? 0
                    : text.size() == 2 && text[0] == 'v' ? 1
                    : text.size() == 2 && text[0] == 'a' ? 2
                                                         : -1;
  if (order < 0) return std::nullopt;
  const auto axis = axes.find(text.back());
  if (axis == std::string::npos) return std::nullopt;
  return std::pair{static_cast<int>(axis), order};
}

std::optional<Quantity> point_quantity(const Mechanism& m, const std::string& name, int body, const std::string& point,
                                       const std::string& column) {
  const mechanism::Body& b = m.bodies()[static_cast<std::size_t>(body)];
  std::optional<Eigen::Vector3d> at;
  for (const auto& p : b.points)
    if (p.name == point) at = p.at;
  for (const auto& f : b.frames)
    if (f.name == point) at = f.at;
  const auto what = point_column(column, m.dimension() == 2);
  if (!at || !what) return std::nullopt;
  Anchor anchor;
  anchor.body = body;
  anchor.p = *at - b.center;
  const auto [axis, order] = *what;
  const int v = b.v;
  static constexpr const char* units[] = {"m", "m/s", "m/s^2"};
  if (m.dimension() == 2)
    return Quantity{
        name, units[order], [anchor, axis = axis, order = order, v](const Frame& f, const Motions& motions) {
          const auto p = carry(anchor, motions.at2(anchor.body));
          if (order == 0) return p.p[axis];
          if (order == 1) return p.v[axis];
          const Eigen::Vector2d a = Eigen::Vector2d(f.a[v], f.a[v + 1]) + f.a[v + 2] * mechanism::perp(p.d) + p.c;
          return a[axis];
        }};
  return Quantity{name, units[order], [&m, anchor, axis = axis, order = order](const Frame& f, const Motions& motions) {
                    const auto p = carry(anchor, motions.at3(anchor.body));
                    if (order == 0) return p.p[axis];
                    if (order == 1) return p.v[axis];
                    const auto at = m.acceleration(anchor.body, motions.at3(anchor.body), as_span(f.a));
                    return Eigen::Vector3d(at.linear + at.angular.cross(p.d) + p.c)[axis];
                  }};
}

// Force and torque on either body of a joint at its point, in world or joint axes.
std::optional<Quantity> reaction_quantity(const Mechanism& m, const std::string& name, int index, std::string rest) {
  const bool planar = m.dimension() == 2;
  const auto take = [&](const std::string& word) {
    if (!rest.starts_with(word + ".")) return false;
    rest = rest.substr(word.size() + 1);
    return true;
  };
  const bool local = take("local"), first = take("first");
  if (!first) take("second");
  const int k = column_of(reaction_columns(planar), rest);
  const Constraint c = m.constraints()[static_cast<std::size_t>(index)];
  // Over several bodies there is no single one that feels the opposite.
  if (k < 0 || (first && c.over_several())) return std::nullopt;
  const int width = planar ? 3 : 6;
  const auto value = [=](const Frame& f, const Motions& motions) {
    // What the second body feels at its point; the first feels the opposite, at its own point.
    Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
    const double* r = f.reaction.data() + static_cast<std::ptrdiff_t>(index) * width;
    if (planar) {
      w[0] = r[0], w[1] = r[1], w[5] = r[2];
    } else {
      for (int i = 0; i < 6; ++i) w[i] = r[i];
    }
    const Anchor& anchor = first ? c.a : c.b;
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    Eigen::Vector3d gap = Eigen::Vector3d::Zero();
    if (planar) {
      const auto a = carry(c.a, motions.at2(c.a.body)), b = carry(c.b, motions.at2(c.b.body));
      gap.head<2>() = b.p - a.p;
      const Eigen::Vector2d x = carry(anchor, motions.at2(anchor.body)).x;
      axes.col(0) << x.x(), x.y(), 0;
      axes.col(1) << -x.y(), x.x(), 0;
    } else {
      const auto a = carry(c.a, motions.at3(c.a.body)), b = carry(c.b, motions.at3(c.b.body));
      gap = b.p - a.p;
      axes = carry(anchor, motions.at3(anchor.body)).E;
    }
    Eigen::Vector3d force = w.head<3>(), torque = w.tail<3>();
    if (first) {
      torque = -(torque + gap.cross(force));
      force = -force;
    }
    if (local) {
      force = (axes.transpose() * force).eval();
      torque = (axes.transpose() * torque).eval();
    }
    if (planar) return k == 2 ? torque.z() : force[k];
    return k < 3 ? force[k] : torque[k - 3];
  };
  return Quantity{name, reaction_columns(planar)[static_cast<std::size_t>(k)].unit, value};
}

std::optional<Quantity> joint_quantity(const Mechanism& m, const std::string& name, int index,
                                       const std::string& rest) {
  if (rest.starts_with("reaction.")) return reaction_quantity(m, name, index, rest.substr(9));
  const Constraint c = m.constraints()[static_cast<std::size_t>(index)];
  const bool planar = m.dimension() == 2;
  if (rest == "angle" && c.measures_angle)
    return Quantity{name, "rad", [c, planar](const Frame&, const Motions& motions) {
                      if (planar)
                        return carry(c.b, motions.at2(c.b.body)).angle - carry(c.a, motions.at2(c.a.body)).angle;
                      const auto a = carry(c.a, motions.at3(c.a.body)), b = carry(c.b, motions.at3(c.b.body));
                      return std::atan2(a.E.col(1).dot(b.E.col(0)), a.E.col(0).dot(b.E.col(0)));
                    }};
  if (rest == "displacement" && c.slides)
    return Quantity{name, "m", [c, planar](const Frame&, const Motions& motions) {
                      if (planar) {
                        const auto a = carry(c.a, motions.at2(c.a.body)), b = carry(c.b, motions.at2(c.b.body));
                        return a.x.dot(b.p - a.p);
                      }
                      const auto a = carry(c.a, motions.at3(c.a.body)), b = carry(c.b, motions.at3(c.b.body));
                      return a.E.col(2).dot(b.p - a.p);
                    }};
  if (rest == "distance" && !c.over_several())
    return Quantity{name, "m", [c, planar](const Frame&, const Motions& motions) {
                      if (planar)
                        return (carry(c.b, motions.at2(c.b.body)).p - carry(c.a, motions.at2(c.a.body)).p).norm();
                      return (carry(c.b, motions.at3(c.b.body)).p - carry(c.a, motions.at3(c.a.body)).p).norm();
                    }};
  return std::nullopt;
}

}  // namespace

Quantity find_quantity(const Mechanism& m, const std::string& name) {
  for (const Scalar& s : scalars())
    if (name == s.name) return {name, s.unit, [value = s.value](const Frame& f, const Motions&) { return value(f); }};
  const auto dot = name.find('.');
  std::optional<Quantity> found;
  if (dot != std::string::npos) {
    const std::string item = name.substr(0, dot), rest = name.substr(dot + 1);
    if (const int body = m.find_body(item); body >= 0) {
      found = body_quantity(m, name, body, rest);
      const auto second = rest.find('.');
      if (!found && second != std::string::npos)
        found = point_quantity(m, name, body, rest.substr(0, second), rest.substr(second + 1));
    } else if (const int joint = m.find_constraint(item); joint >= 0) {
      found = joint_quantity(m, name, joint, rest);
    }
  }
  if (found) return *found;
  const std::string near = nearest_name(name, quantity_names(m));
  throw ModelError(Diagnostic{"M160",
                              fmt::format("there is no quantity '{}'", name),
                              {},
                              near.empty()
                                  ? "quantities are like body.x, body.point.vy, joint.reaction.fx, energy.total"
                                  : fmt::format("did you mean '{}'?", near),
                              false});
}

std::vector<std::string> quantity_names(const Mechanism& m) {
  const bool planar = m.dimension() == 2;
  std::vector<std::string> names;
  for (const Scalar& s : scalars()) names.emplace_back(s.name);
  for (const auto& body : m.bodies()) {
    const std::string base = m.name(body.ref) + ".";
    for (const auto* columns : {&pose_columns(planar), &velocity_columns(planar), &acceleration_columns(planar)})
      for (const Column& c : *columns) names.push_back(base + c.name);
    const auto add_point = [&](const std::string& point) {
      for (const char* prefix : {"", "v", "a"})
        for (const char* axis : {"x", "y", "z"})
          if (!planar || *axis != 'z') names.push_back(base + point + "." + prefix + axis);
    };
    for (const auto& p : body.points) add_point(p.name);
    for (const auto& f : body.frames) add_point(f.name);
  }
  for (const auto& c : m.constraints()) {
    const std::string base = m.name(c.ref) + ".";
    for (const Column& column : reaction_columns(planar))
      for (const char* which : {"", "first.", "local.", "local.first."})
        if (!c.over_several() || std::string_view(which).find("first") == std::string_view::npos)
          names.push_back(base + "reaction." + which + column.name);
    if (c.measures_angle) names.push_back(base + "angle");
    if (c.slides) names.push_back(base + "displacement");
    if (!c.over_several()) names.push_back(base + "distance");
  }
  return names;
}

}  // namespace mortise::analysis
