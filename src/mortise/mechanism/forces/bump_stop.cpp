// Bump stop: limits of a joint's angle or displacement, or of the distance of two points, as one-sided springs.
//
// Beyond a limit by δ, growing at the rate δ̇, the stop pushes back with
//
//   F = E(δ) max(0, 1 + c δ̇),      E = k δ²/2d for δ < d, k (δ − d/2) beyond:
//
// the stiffness rises over the depth d and the damping with the force (Hunt and Crossley, J. Appl. Mech. 42, 1975), so
// the onset is smooth; it never pulls, and a body that bounces off freely never even reaches the limit δ̇ = −1/c.
// Stored: ∫ E dδ; dissipated: (F − E) δ̇.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/mechanism/joint_coordinate.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <int Dimension>
struct BumpStop {
  static constexpr int dimension = Dimension;
  JointCoordinate<Dimension> coordinate;
  double lower = -infinity, upper = infinity, stiffness = 0, damping = 0, depth = 0;

  template <class Frame>
  void operator()(const Frame& a, const Frame& b, const Formulas&, Load<Dimension>& out) const {
    const auto at = coordinate.measure(a, b);
    const double push = stop(lower - at.x, -at.rate, out) - stop(at.x - upper, at.rate, out);
    coordinate.push(at, push, out);
  }

  double stop(double beyond, double rate, Load<Dimension>& out) const {
    if (!(beyond > 0)) return 0;
    const bool deep = beyond >= depth;
    const double elastic = stiffness * (deep ? beyond - depth / 2 : beyond * beyond / (2 * depth));
    const double force = elastic * std::max(0.0, 1 + damping * rate);
    const double past = beyond - depth / 2;
    out.potential += stiffness * (deep ? past * past / 2 + depth * depth / 24 : beyond * beyond * beyond / (6 * depth));
    out.dissipated += (force - elastic) * rate;
    return force;
  }
};

template <int Dimension>
void add_stop(const ItemCopy& item, Builder& builder, Builder::Coordinate kind, const Anchor& a, const Anchor& b) {
  BumpStop<Dimension> stop{{kind},
                           item.number("lower", -infinity),
                           item.number("upper", infinity),
                           item.number("stiffness"),
                           item.number("damping", 0),
                           item.number("depth", 1e-3)};
  const bool angle = kind == Builder::Coordinate::angle;
  builder.add_force(
      item, stop, a, b, {}, item.place(),
      {angle ? ForceScalar::torque : ForceScalar::force, angle                                       ? "angle"
                                                         : kind == Builder::Coordinate::displacement ? "displacement"
                                                                                                     : "length"});
}

void build_bump_stop(const ItemCopy& item, Builder& builder) {
  if (!item.has("lower") && !item.has("upper"))
    Builder::fail("M164", fmt::format("'{}' has no limit", item.name()), item.place(), "give `lower`, `upper` or both");
  if (item.has("lower") && item.has("upper") && item.number("lower") >= item.number("upper"))
    Builder::fail("M164", "`lower` must be below `upper`", item.place("upper"));
  if (item.has("joint") == item.has("between"))
    Builder::fail("M164", fmt::format("'{}' needs either a joint or two points", item.name()), item.place(),
                  "give `joint: name`, or `between: [body.point, body.point]` for limits of a distance");
  using Kind = Builder::Coordinate;
  Kind kind = Kind::length;
  std::array<Anchor, 2> ends;
  if (item.has("joint")) {
    const Constraint& joint = builder.joint(item, "joint");
    const std::string on = item.text("on", joint.measures_angle || !joint.slides ? "angle" : "displacement");
    kind = on == "angle" ? Kind::angle : Kind::displacement;
    builder.joint_with(item, kind);
    ends = {joint.a, joint.b};
  } else {
    ends = builder.two_points(item);
    if (ends[0].body == ends[1].body) Builder::fail("M142", "both ends are on the same body", item.place("between"));
  }
  builder.planar() ? add_stop<2>(item, builder, kind, ends[0], ends[1])
                   : add_stop<3>(item, builder, kind, ends[0], ends[1]);
}

}  // namespace

Part bump_stop() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"joint", FieldKind::joint, false, "", "", "the joint whose coordinate is limited", {}},
      {"on",
       FieldKind::choice,
       false,
       "angle, else displacement",
       "",
       "which coordinate of the joint",
       {"angle", "displacement"}},
      {"between",
       FieldKind::attachments,
       false,
       "",
       "",
       "instead of a joint: two points whose distance is limited",
       {}},
      {"points", FieldKind::points, false, "origins", "m", "one point per body, in body axes", {}},
      {"lower", FieldKind::number, false, "none", "m or rad", "limit below", {}},
      {"upper", FieldKind::number, false, "none", "m or rad", "limit above", {}},
      {"stiffness", FieldKind::number, true, "", "N/m or N m/rad", "beyond a limit", {}},
      {"damping",
       FieldKind::number,
       false,
       "0",
       "s/m or s/rad",
       "share of the force that comes with each m/s or rad/s",
       {}},
      {"depth", FieldKind::number, false, "0.001", "m or rad", "over which the stiffness rises", {}}};
  for (std::size_t k = 6; k < 9; ++k) fields[k].minimum = 0;
  return {
      {model::Section::force,
       "bump-stop",
       {"joint-limit", "end-stop"},
       "limits of a joint or of a distance: one-sided springs with damping that never pull",
       true,
       true,
       fields,
       0,
       0},
      build_bump_stop,
      {R"(
F = E(δ) max(0, 1 + c δ̇),        E = k δ²/2d for δ < d, else k (δ − d/2)
δ: how far the coordinate is beyond `lower` or `upper`;  k: `stiffness`,  c: `damping`,  d: `depth`
)",
       R"(Limits are those of a joint's angle (in space within ±π) or displacement, or of the distance of two points; they are
in radians or metres. The stop pushes the coordinate back and never pulls; the push counts positive towards larger
values. At least one of `lower` and `upper` must be given. ∫E dδ is stored, (F − E) δ̇ dissipated.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [0.5, 0], points: {tip: [0.5, 0]}}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
forces:
  stop: {type: bump-stop, joint: hinge, lower: -1, stiffness: 500, damping: 0.3, depth: 0.01}
analysis: {until: 1.5}
)"}};
}

}  // namespace mortise::mechanism
