// Drivers: a joint angle, a joint displacement, a distance or a coordinate follows a formula of time exactly, and a
// point follows a path.
//
//   value(q) − f(t) = 0,    A v − f'(t) = 0,    A a = −(Ȧ v) + f''(t)      (1 row each; a path 2 or 3)
//
// The driver `speed` prescribes the rate of such a value only, a nonholonomic row:
//
//   A v − f(t) = 0,    A a = −(Ȧ v) + f'(t)
#include <fmt/format.h>

#include "mortise/mechanism/measures.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

using model::FieldKind;
using model::FieldSpec;

const FieldSpec joint_field{"joint", FieldKind::joint, true, "", "", "the joint to drive", {}};
const FieldSpec active_field{"active", FieldKind::flag, false, "true", "", "false: the driver is there but off", {}};

FieldSpec function_field(const char* unit) {
  return {"function", FieldKind::function, true, "", unit, "the value as a formula of t", {}};
}

const char* const angles_are_had_by = "revolute, cylindrical, screw, planar, rolling and rack-pinion joints have one";
const char* const displacements_are_had_by = "prismatic, cylindrical, screw and point-on-line joints have one";

template <class Measure2, class Measure3>
void add(const ItemCopy& item, Builder& builder, const Anchor& a, const Anchor& b, Measure2 planar, Measure3 spatial,
         Offers offers) {
  const formula::Expression f = item.function("function");
  if (builder.planar())
    builder.add_constraint(item, Driven<Measure2>{planar}, a, b, offers, &f, item.place("function"));
  else
    builder.add_constraint(item, Driven<Measure3>{spatial}, a, b, offers, &f, item.place("function"));
}

// The rate of a measure.
template <class Measure>
struct Rated {
  static constexpr bool angular = Measure::row.unit == gauss::RowUnit::angle;
  static constexpr int dimension = Measure::dimension, rows = 1;
  static constexpr bool driven = true;
  static constexpr std::array<RowInfo, 1> info{
      {{"rate", gauss::RowKind::nonholonomic, angular ? gauss::RowUnit::angular_speed : gauss::RowUnit::speed}}};
  Measure measure;
  bool operator==(const Rated&) const = default;
  template <class Frame, class T, class Row>
  void operator()(const Frame& a, const Frame& b, const formula::Jet<T>& f, Row& out) const {
    measure(a, b, out);
    out.time[0] -= f.value;
    out.bias[0] -= f.first;
  }
};

// The components of s = p_b − p_a in the axes of frame a.
template <class Row, class T>
void follow(Row& out, int k, const formula::Jet<T>& f) {
  const auto i = static_cast<std::size_t>(k);
  out.phi[i] -= f.value;
  out.time[i] -= f.first;
  out.bias[i] -= f.second;
}

struct Path2 {
  static constexpr int dimension = 2, rows = 2, functions = 2;
  static constexpr bool driven = true;
  static constexpr std::array<RowInfo, 2> info{{{"x"}, {"y"}}};
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, const std::array<formula::Jet<T>, 2>& f,
                  Rows2<T, 2>& out) const {
    separation_along(out, 0, a, b, a.x);
    separation_along(out, 1, a, b, perp(a.x));
    for (int k = 0; k < 2; ++k) follow(out, k, f[static_cast<std::size_t>(k)]);
  }
};

struct Path3 {
  static constexpr int dimension = 3, rows = 3, functions = 3;
  static constexpr bool driven = true;
  static constexpr std::array<RowInfo, 3> info{{{"x"}, {"y"}, {"z"}}};
  template <class T>
  void operator()(const Frame3<T>& a, const Frame3<T>& b, const std::array<formula::Jet<T>, 3>& f,
                  Rows3<T, 3>& out) const {
    for (int k = 0; k < 3; ++k) {
      separation_along(out, k, a, b, Vec3<T>(a.E.col(k)));
      follow(out, k, f[static_cast<std::size_t>(k)]);
    }
  }
};

void build_rotation(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.measures_angle)
    Builder::fail("M148", fmt::format("joint '{}' has no angle to drive", item.text("joint")), item.place("joint"),
                  angles_are_had_by);
  const Anchor a = joint.a, b = joint.b;
  add(item, builder, a, b, Turn2{}, Turn3{}, {.angle = true});
}

void build_translation(const ItemCopy& item, Builder& builder) {
  const Constraint& joint = builder.joint(item, "joint");
  if (!joint.slides)
    Builder::fail("M148", fmt::format("joint '{}' has no displacement to drive", item.text("joint")),
                  item.place("joint"), displacements_are_had_by);
  const Anchor a = joint.a, b = joint.b;
  add(item, builder, a, b, Along2{}, Along3{}, {.length = true, .slides = true});
}

void drive_distance(const ItemCopy& item, Builder& builder) {
  const auto [a, b] = builder.two_points(item);
  add(item, builder, a, b, Length2{}, Length3{}, {.length = true});
}

void drive_coordinate(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  const std::string which = item.text("coordinate");
  if (which == "angle") {
    if (!builder.planar())
      Builder::fail("M146", "a body in space has no single angle", item.place("coordinate"),
                    "drive the angle of a revolute joint (type: rotation)");
    const formula::Expression f = item.function("function");
    builder.add_constraint(item, Driven<Turn2>{}, Anchor{}, b, {.angle = true}, &f, item.place("function"));
    return;
  }
  const int axis = which[0] - 'x';
  if (builder.planar() && axis == 2)
    Builder::fail("M146", "a planar model has no z coordinate", item.place("coordinate"), "use x, y or angle");
  add(item, builder, Anchor{}, b, Coordinate2{axis}, Coordinate3{axis}, {.length = true});
}

void build_path(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  Anchor a;
  if (item.has("relative_to")) {
    a = builder.anchor(item.attachment("relative_to"));
    builder.require_orientation(item, a, "relative_to");
  }
  const std::vector<formula::Expression> path = item.functions("path");
  if (builder.planar())
    builder.add_constraint(item, Path2{}, a, b, {}, path.data(), item.place("path"));
  else
    builder.add_constraint(item, Path3{}, a, b, {}, path.data(), item.place("path"));
}

template <class Measure2, class Measure3>
void add_rate(const ItemCopy& item, Builder& builder, const Anchor& a, const Anchor& b, Measure2 planar,
              Measure3 spatial) {
  const formula::Expression f = item.function("function");
  if (builder.planar())
    builder.add_constraint(item, Rated<Measure2>{planar}, a, b, {}, &f, item.place("function"));
  else
    builder.add_constraint(item, Rated<Measure3>{spatial}, a, b, {}, &f, item.place("function"));
}

void build_speed(const ItemCopy& item, Builder& builder) {
  if (item.has("joint") == item.has("body"))
    Builder::fail("M156", fmt::format("'{}' needs either a joint or a body", item.name()), item.place(),
                  "`joint: A` for the rate of its angle or displacement, `body: arm.tip` with `coordinate: x`");
  if (item.has("body") ? item.has("of") || !item.has("coordinate") : item.has("coordinate"))
    Builder::fail("M156", "a body has coordinates, a joint an angle or a displacement", item.place(),
                  "`body` goes with `coordinate`, `joint` with `of`");
  if (item.has("body")) {
    const Anchor b = builder.anchor(item.attachment("body"));
    const std::string which = item.text("coordinate");
    const int axis = which[0] - 'x';
    if (builder.planar() ? which == "z" : which == "angle")
      Builder::fail("M146",
                    fmt::format("a {} model has no coordinate '{}'", builder.planar() ? "planar" : "spatial", which),
                    item.place("coordinate"), builder.planar() ? "use x, y or angle" : "use x, y or z, or a joint");
    if (which == "angle")
      add_rate(item, builder, Anchor{}, b, Turn2{}, Turn3{});
    else
      add_rate(item, builder, Anchor{}, b, Coordinate2{axis}, Coordinate3{axis});
    return;
  }
  const Constraint& joint = builder.joint(item, "joint");
  const Anchor a = joint.a, b = joint.b;
  const bool both = joint.measures_angle && joint.slides;
  if (both && !item.has("of"))
    Builder::fail("M156", fmt::format("joint '{}' has an angle and a displacement", item.text("joint")),
                  item.place("joint"), "say which: `of: angle` or `of: displacement`");
  const std::string of = item.text("of", joint.slides ? "displacement" : "angle");
  if (of == "angle" ? !joint.measures_angle : !joint.slides)
    Builder::fail("M148", fmt::format("joint '{}' has no {} to drive", item.text("joint"), of), item.place("joint"),
                  of == "angle" ? angles_are_had_by : displacements_are_had_by);
  if (of == "angle")
    add_rate(item, builder, a, b, Turn2{}, Turn3{});
  else
    add_rate(item, builder, a, b, Along2{}, Along3{});
}

}  // namespace

Part rotation_driver() {
  return {
      {model::Section::driver,
       "rotation",
       {"angle", "motor"},
       "a joint angle as a function of time",
       true,
       true,
       {joint_field, function_field("rad"), active_field},
       1,
       1},
      build_rotation,
      {R"(
θ(q) − f(t) = 0        row turn
)",
       R"(θ is the joint's angle, of the second body against the first; in space it is compared on the nearest turn, so that f may
count turns. The reaction is the torque of the motor.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
drivers:
  motor: {type: rotation, joint: hinge, function: 30 deg*sin(2*t)}
analysis: {until: 3}
)"}};
}

Part translation_driver() {
  return {{model::Section::driver,
           "translation",
           {"displacement"},
           "a joint displacement as a function of time",
           true,
           true,
           {joint_field, function_field("m"), active_field},
           1,
           1},
          build_translation,
          {R"(
s(q) − f(t) = 0        row along
)",
           R"(s is the joint's displacement along its axis. The reaction is the force of the actuator.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  block: {mass: 1, inertia: 0.1, at: [0, 0], points: {a: [-0.2, 0], b: [0.2, 0]}}
joints:
  guide: {type: prismatic, between: [ground, block], axis: [4, 3]}
drivers:
  cylinder: {type: translation, joint: guide, function: 0.5*sin(2*t)}
analysis: {until: 3}
)"}};
}

Part distance_driver() {
  return {{model::Section::driver,
           "distance",
           {},
           "the distance of two points as a function of time",
           true,
           true,
           {{"between", FieldKind::attachments, true, "", "", "the two bodies, or named points on them", {}},
            {"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
            function_field("m"),
            active_field},
           1,
           1},
          drive_distance,
          {R"(
|p_b − p_a| − f(t) = 0        row length
)",
           R"(f must stay above zero: two points in one place have no line.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  load: {type: particle, mass: 1, at: [0.3, -1]}
drivers:
  winch: {type: distance, between: [ground, load], function: 1.0440307 + 0.3*sin(t)^2}
analysis: {until: 3}
)"}};
}

Part coordinate_driver() {
  return {{model::Section::driver,
           "coordinate",
           {},
           "a world coordinate of a point as a function of time",
           true,
           true,
           {{"body", FieldKind::attachment, true, "", "", "body, or a named point on it", {}},
            {"coordinate", FieldKind::choice, true, "", "", "which one", {"x", "y", "z", "angle"}},
            function_field("m or rad"),
            active_field},
           1,
           1},
          drive_coordinate,
          {R"(
e·p_b − f(t) = 0    or    angle_b − f(t) = 0        row coordinate (or turn)
)",
           R"(A world coordinate of a point, or a planar body's angle.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  cart: {type: particle, mass: 1, at: [0, 0]}
  bob: {type: particle, mass: 0.2, at: [0, -1]}
joints:
  rail: {type: coordinate, body: cart, coordinate: y}
  rod: {type: distance, between: [cart, bob]}
drivers:
  shaker: {type: coordinate, body: cart, coordinate: x, function: 0.3*sin(2*t)}
analysis: {until: 4}
)"}};
}

Part path_driver() {
  FieldSpec path{"path", FieldKind::function_vector, true, "", "m", "the place of the point as formulas of t", {}};
  return {{model::Section::driver,
           "path",
           {"point-path"},
           "a point along a path x(t), y(t) (, z(t))",
           true,
           true,
           {{"body", FieldKind::attachment, true, "", "", "body, or a named point on it", {}},
            path,
            {"relative_to",
             FieldKind::attachment,
             false,
             "ground",
             "",
             "body, or a named frame on it, in whose axes the path is given",
             {}},
            active_field},
           2,
           3},
          build_path,
          {R"(
E_aᵀ(p_b − p_a) − f(t) = 0        rows x, y (, z);  p_a, E_a: point and axes of `relative_to`
)",
           R"(The components of `path` are measured from the origin of the ground, or from the point and in the axes of
`relative_to`, which may move and must have an orientation. The path should begin where the point is modelled: else
the assembly moves it there. The reaction is the force that leads the point.)",
           R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, inertia: 0.1, at: [0, 0.5], angle: 90 deg}
  fore: {mass: 1, inertia: 0.1, at: [0.5, 1], points: {tip: [0.5, 0]}}
joints:
  shoulder: {type: revolute, between: [ground, upper], at: [0, 0]}
  elbow: {type: revolute, between: [upper, fore], at: [0, 1]}
drivers:
  hand: {type: path, body: fore.tip, path: [0.6 + 0.4*cos(t), 1 + 0.4*sin(t)]}
analysis: {until: 6.283}
)"}};
}

Part speed_driver() {
  FieldSpec function{"function", FieldKind::function, true, "", "m/s or rad/s", "the speed as a formula of t", {}};
  return {
      {model::Section::driver,
       "speed",
       {"velocity"},
       "the rate of a joint's angle or displacement, or of a coordinate, as a function of time",
       true,
       true,
       {{"joint", FieldKind::joint, false, "", "", "the joint to drive", {}},
        {"of", FieldKind::choice, false, "what the joint has", "", "which rate of it", {"angle", "displacement"}},
        {"body", FieldKind::attachment, false, "", "", "or a body, or a named point on it", {}},
        {"coordinate", FieldKind::choice, false, "", "", "which coordinate of it", {"x", "y", "z", "angle"}},
        function,
        active_field},
       1,
       1},
      build_speed,
      {R"(
ẋ − f(t) = 0        row rate (nonholonomic);  x: the joint's angle or displacement, or a coordinate of a body
)",
       R"(Either `joint`, with `of` where it has both an angle and a displacement, or `body` with `coordinate`. Only the rate is
given: x starts as modelled. The reaction is the force or torque of the motor.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0.3, 0], points: {tip: [0.3, 0]}}
  bob: {type: particle, mass: 0.5, at: [0.6, -0.5]}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
  rod: {type: distance, between: [arm.tip, bob]}
drivers:
  motor: {type: speed, joint: hinge, function: 2*sin(t)^2}
analysis: {until: 3}
)"}};
}

}  // namespace mortise::mechanism
