#include "mortise/mechanism/quantities.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "mortise/mechanism/event.h"

namespace mortise::mechanism {

namespace {

using Source = Quantity::Source;

struct Column {
  const char* name;
  const char* unit;
};

// Columns of poses, velocities, accelerations and reactions as Mechanism writes them.
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
  Source source;
  double (*value)(const Instant&);
};

double balance(const Instant& i) {
  return i.kinetic + i.potential + i.work[work_dissipated] - i.work[work_applied] - i.work[work_constraint];
}

const std::array<Scalar, 11>& scalars() {
  static const std::array<Scalar, 11> all{{
      {"t", "s", Source::state, [](const Instant& i) { return i.t; }},
      {"energy.kinetic", "J", Source::state, [](const Instant& i) { return i.kinetic; }},
      {"energy.potential", "J", Source::potential, [](const Instant& i) { return i.potential; }},
      {"energy.total", "J", Source::potential, [](const Instant& i) { return i.kinetic + i.potential; }},
      {"energy.dissipated", "J", Source::state, [](const Instant& i) { return i.work[work_dissipated]; }},
      {"energy.applied", "J", Source::state, [](const Instant& i) { return i.work[work_applied]; }},
      {"energy.constraint_work", "J", Source::state, [](const Instant& i) { return i.work[work_constraint]; }},
      {"energy.balance", "J", Source::potential, balance},
      {"constraint.position", "", Source::errors, [](const Instant& i) { return i.position_error; }},
      {"constraint.velocity", "", Source::errors, [](const Instant& i) { return i.velocity_error; }},
      {"constraint.acceleration", "", Source::errors, [](const Instant& i) { return i.acceleration_error; }},
  }};
  return all;
}

Quantity of_state(const std::string& name, const char* unit, std::function<double(const Instant&)> value) {
  return {name, unit, Source::state, -1, -1, std::move(value)};
}

Quantity of_solution(const std::string& name, const char* unit, std::function<double(const Instant&)> value) {
  return {name, unit, Source::solution, -1, -1, std::move(value)};
}

// x, vx, ax of a point: axis and order of the derivative.
std::optional<std::pair<int, int>> point_column(const std::string& text, bool planar);

Quantity at_point(const Mechanism& m, const std::string& name, int body, const Eigen::Vector3d& at, int axis,
                  int order) {
  const Body& b = m.bodies()[static_cast<std::size_t>(body)];
  Anchor anchor;
  anchor.body = body;
  anchor.p = at - b.center;
  const int v = b.v;
  const bool particle = b.particle;
  static constexpr const char* units[] = {"m", "m/s", "m/s^2"};
  const auto make = order == 2 ? of_solution : of_state;
  if (m.dimension() == 2)
    return make(name, units[order], [=](const Instant& i) {
      const auto p = carry(anchor, i.motions->at2(anchor.body));
      if (order == 0) return p.p[axis];
      if (order == 1) return p.v[axis];
      const double* a = i.a.data() + v;
      const Eigen::Vector2d sum = Eigen::Vector2d(a[0], a[1]) + (particle ? 0 : a[2]) * perp(p.d) + p.c;
      return sum[axis];
    });
  return make(name, units[order], [=, &m](const Instant& i) {
    const auto p = carry(anchor, i.motions->at3(anchor.body));
    if (order == 0) return p.p[axis];
    if (order == 1) return p.v[axis];
    const Acceleration3 of = m.acceleration(anchor.body, i.motions->at3(anchor.body), i.a);
    return Eigen::Vector3d(of.linear + of.angular.cross(p.d) + p.c)[axis];
  });
}

// The body's own columns: pose, velocity and acceleration of its origin, its rotation.
std::optional<Quantity> body_quantity(const Mechanism& m, const std::string& name, int body, const std::string& rest) {
  const bool planar = m.dimension() == 2;
  const Body& b = m.bodies()[static_cast<std::size_t>(body)];
  if (const auto point = point_column(rest, planar))
    return at_point(m, name, body, Eigen::Vector3d::Zero(), point->first, point->second);
  const int dim = planar ? 2 : 3, q = b.q, v = b.v;
  const bool particle = b.particle;
  if (int k = column_of(pose_columns(planar), rest); k >= dim) {
    const bool real = planar || rest == "qw";  // of a particle: the identity
    if (particle) return of_state(name, "", [real, planar](const Instant&) { return real && !planar ? 1.0 : 0.0; });
    if (planar)
      return of_state(name, "rad", [at = static_cast<std::size_t>(q + k)](const Instant& i) { return i.q[at]; });
    return of_state(name, "", [&b, k](const Instant& i) {
      const geometry::Quaternion p = orientation_of(b, i.q);
      return k == 3 ? p.w : k == 4 ? p.x : k == 5 ? p.y : p.z;
    });
  }
  if (int k = column_of(velocity_columns(planar), rest); k >= dim)
    return of_state(name, "rad/s",
                    [=](const Instant& i) { return planar ? i.motions->at2(body).w : i.motions->at3(body).w[k - 3]; });
  if (int k = column_of(acceleration_columns(planar), rest); k >= dim)
    return of_solution(name, "rad/s^2", [=, &m](const Instant& i) {
      if (particle) return 0.0;
      if (planar) return i.a[static_cast<std::size_t>(v + 2)];
      return m.acceleration(body, i.motions->at3(body), i.a).angular[k - 3];
    });
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
  const Body& b = m.bodies()[static_cast<std::size_t>(body)];
  std::optional<Eigen::Vector3d> at;
  for (const auto& p : b.points)
    if (p.name == point) at = p.at;
  for (const auto& f : b.frames)
    if (f.name == point) at = f.at;
  const auto what = point_column(column, m.dimension() == 2);
  if (!at || !what) return std::nullopt;
  return at_point(m, name, body, *at, what->first, what->second);
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
  const auto value = [=](const Instant& instant) {
    const Motions& motions = *instant.motions;
    // What the second body feels at its point; the first feels the opposite, at its own point.
    Eigen::Matrix<double, 6, 1> w = Eigen::Matrix<double, 6, 1>::Zero();
    const double* r = instant.reaction.data() + static_cast<std::ptrdiff_t>(index) * width;
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
  Quantity out = of_solution(name, reaction_columns(planar)[static_cast<std::size_t>(k)].unit, value);
  out.constraint = index;
  return out;
}

// What a driver of one row gives along what it drives: its reaction is that of λ = −1 times the effort.
Quantity effort_quantity(const Mechanism& m, const std::string& name, int index) {
  const Constraint c = m.constraints()[static_cast<std::size_t>(index)];
  const gauss::RowUnit unit = m.pattern().rows[static_cast<std::size_t>(c.row)].unit;
  const bool turns = unit == gauss::RowUnit::angle || unit == gauss::RowUnit::angular_speed;
  std::vector<double> one(static_cast<std::size_t>(c.row) + 1, 0);
  one.back() = -1;
  const std::size_t width = m.dimension() == 2 ? 3 : 6;
  Quantity out = of_solution(name, turns ? "N m" : "N", [=, &m](const Instant& i) {
    const Wrench w = m.reaction_on(c, c.b, *i.motions, i.t, one);
    std::array<double, 6> of_one{w[0], w[1], width == 3 ? w[5] : w[2], w[3], w[4], w[5]};
    const double* r = i.reaction.data() + static_cast<std::size_t>(index) * width;
    double along = 0, length = 0;
    for (std::size_t k = 0; k < width; ++k) along += r[k] * of_one[k], length += of_one[k] * of_one[k];
    return along / length;
  });
  out.constraint = index;
  return out;
}

std::optional<Quantity> joint_quantity(const Mechanism& m, const std::string& name, int index,
                                       const std::string& rest) {
  if (rest.starts_with("reaction.")) return reaction_quantity(m, name, index, rest.substr(9));
  if (const Constraint& driver = m.constraints()[static_cast<std::size_t>(index)];
      rest == "effort" && driver.driver && driver.rows == 1)
    return effort_quantity(m, name, index);
  const Constraint c = m.constraints()[static_cast<std::size_t>(index)];
  const bool planar = m.dimension() == 2;
  // A function of the two frames, planar or spatial.
  const auto of_frames = [&](const char* unit, auto plane, auto space) {
    if (planar)
      return of_state(name, unit, [=](const Instant& i) {
        return plane(carry(c.a, i.motions->at2(c.a.body)), carry(c.b, i.motions->at2(c.b.body)));
      });
    return of_state(name, unit, [=](const Instant& i) {
      return space(carry(c.a, i.motions->at3(c.a.body)), carry(c.b, i.motions->at3(c.b.body)));
    });
  };
  using F2 = Frame2<double>;
  using F3 = Frame3<double>;
  if (rest == "angle" && c.measures_angle)
    return of_frames(
        "rad", [](const F2& a, const F2& b) { return b.angle - a.angle; },
        [](const F3& a, const F3& b) { return std::atan2(a.E.col(1).dot(b.E.col(0)), a.E.col(0).dot(b.E.col(0))); });
  if (rest == "rate" && c.measures_angle)
    return of_frames(
        "rad/s", [](const F2& a, const F2& b) { return b.w - a.w; },
        [](const F3& a, const F3& b) { return a.E.col(2).dot(b.w - a.w); });
  if (rest == "displacement" && c.slides)
    return of_frames(
        "m", [](const F2& a, const F2& b) { return a.x.dot(b.p - a.p); },
        [](const F3& a, const F3& b) { return a.E.col(2).dot(b.p - a.p); });
  if (rest == "speed" && c.slides)
    return of_frames(
        "m/s", [](const F2& a, const F2& b) { return a.x.dot(b.v - a.v) + a.w * perp(a.x).dot(b.p - a.p); },
        [](const F3& a, const F3& b) {
          const Eigen::Vector3d u = a.E.col(2);
          return u.dot(b.v - a.v) + a.w.cross(u).dot(b.p - a.p);
        });
  if (rest == "distance" && !c.over_several())
    return of_frames(
        "m", [](const F2& a, const F2& b) { return (b.p - a.p).norm(); },
        [](const F3& a, const F3& b) { return (b.p - a.p).norm(); });
  return std::nullopt;
}

std::optional<Quantity> force_quantity(const Mechanism& m, const std::string& name, int index,
                                       const std::string& rest) {
  const Force& force = m.forces()[static_cast<std::size_t>(index)];
  const bool planar = m.dimension() == 2;
  const auto of_record = [&](const char* unit, auto value) {
    return Quantity{
        name,  unit, Source::force,
        index, -1,   [index, value](const Instant& i) {
                      return value(i.forces[static_cast<std::size_t>(index)]); }};
  };
  const auto length = [](const double* x) { return std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); };
  if (rest == "force") {
    if (force.scalar == ForceScalar::force) return of_record("N", [](const ForceRecord& r) { return r.value; });
    return of_record("N", [=](const ForceRecord& r) { return length(r.force); });
  }
  if (rest == "torque") {
    if (force.scalar == ForceScalar::torque) return of_record("N m", [](const ForceRecord& r) { return r.value; });
    if (planar) return of_record("N m", [](const ForceRecord& r) { return r.torque[2]; });
    return of_record("N m", [=](const ForceRecord& r) { return length(r.torque); });
  }
  if (rest == "power") return of_record("W", [](const ForceRecord& r) { return r.power; });
  if (force.coordinate) {
    const bool angle = std::string_view(force.coordinate) == "angle";
    if (rest == force.coordinate)
      return of_record(angle ? "rad" : "m", [](const ForceRecord& r) { return r.coordinate; });
    if (rest == "rate") return of_record(angle ? "rad/s" : "m/s", [](const ForceRecord& r) { return r.rate; });
  }
  if (const int k = column_of(reaction_columns(planar), rest); k >= 0) {
    const bool torque = rest[0] == 't';
    const int axis = rest[1] - 'x';
    return of_record(torque ? "N m" : "N",
                     [=](const ForceRecord& r) { return torque ? r.torque[axis] : r.force[axis]; });
  }
  return std::nullopt;
}

// EVENT.state: the first number that the event remembers.
std::optional<Quantity> event_quantity(const Mechanism& m, const std::string& name, const std::string& item,
                                       const std::string& rest) {
  if (rest != "state") return std::nullopt;
  const int event = m.find_event(item);
  if (event < 0) return std::nullopt;
  return of_state(name, "",
                  [at = static_cast<std::size_t>(m.events()[static_cast<std::size_t>(event)].slot)](const Instant& i) {
                    return i.inputs[at];
                  });
}

std::optional<Quantity> input_quantity(const Mechanism& m, const std::string& name, const std::string& input) {
  const auto& names = m.model().input_names;
  const auto found = std::find(names.begin(), names.end(), input);
  if (found == names.end()) return std::nullopt;
  return of_state(name, "",
                  [at = static_cast<std::size_t>(found - names.begin())](const Instant& i) { return i.inputs[at]; });
}

}  // namespace

Quantity find_quantity(const Mechanism& m, const std::string& name, const Place& place) {
  const NameLookup lookup{[&](const std::string& item) { return m.find_body(item); },
                          [&](const std::string& item) { return m.find_constraint(item); },
                          [&](const std::string& item) { return m.find_force(item); }};
  return find_quantity(m, lookup, name, place);
}

Quantity find_quantity(const Mechanism& m, const NameLookup& lookup, const std::string& name, const Place& place) {
  for (const Scalar& s : scalars())
    if (name == s.name) return {name, s.unit, s.source, -1, -1, s.value};
  const auto dot = name.find('.');
  std::optional<Quantity> found;
  if (dot != std::string::npos) {
    const std::string item = name.substr(0, dot), rest = name.substr(dot + 1);
    if (item == "input") {
      found = input_quantity(m, name, rest);
    } else if (const int body = lookup.body(item); body >= 0) {
      found = body_quantity(m, name, body, rest);
      const auto second = rest.find('.');
      if (!found && second != std::string::npos)
        found = point_quantity(m, name, body, rest.substr(0, second), rest.substr(second + 1));
    } else if (const int joint = lookup.constraint(item); joint >= 0) {
      found = joint_quantity(m, name, joint, rest);
    } else if (const int force = lookup.force(item); force >= 0) {
      found = force_quantity(m, name, force, rest);
    }
    if (!found) found = event_quantity(m, name, item, rest);
  }
  if (found) return *found;
  const std::string near = nearest_name(name, quantity_names(m));
  throw ModelError(Diagnostic{"M160", fmt::format("there is no quantity '{}'", name), place,
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
    const auto add = [&](const char* column) { names.push_back(base + column); };
    if (c.measures_angle) add("angle"), add("rate");
    if (c.slides) add("displacement"), add("speed");
    if (!c.over_several()) add("distance");
    if (c.driver && c.rows == 1) add("effort");
  }
  for (const Force& f : m.forces()) {
    const std::string base = m.name(f.ref) + ".";
    for (const char* column : {"force", "torque", "power"}) names.push_back(base + column);
    for (const Column& column : reaction_columns(planar)) names.push_back(base + column.name);
    if (f.coordinate) names.push_back(base + f.coordinate), names.push_back(base + "rate");
  }
  for (const Event& event : m.events())
    if (const std::string own = m.name(event.ref) + ".state"; names.empty() || names.back() != own)
      names.push_back(own);
  for (const std::string& input : m.model().input_names) names.push_back("input." + input);
  return names;
}

}  // namespace mortise::mechanism
