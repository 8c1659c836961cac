// Tyre: a wheel on the ground, as a spring and damper that only push, with friction against slip.
//
// The ground has the height h(x, y, t) above z = 0 (in the plane h(x, t) above y = 0). A wheel of radius R with its
// centre at height z is pressed in by δ = R + h − z and pushed by
//
//   F = k δ max(0, 1 + c δ̇)   along (−∇h, 1):  across the ground, with the vertical part F,
//
// which is minus the gradient of ½ k δ². The contact lies R across the ground below the centre; with N = F |(−∇h, 1)|
// and v_t the velocity of the wheel's material there along the ground, friction acts at the contact with
//
//   −µ N tanh(C |v_t| / µN) v_t/|v_t|:  C v_t for little slip, µ N at most, in all directions alike.
//
// Stored: ½ k δ² while pressed in. Dissipated: (F − k δ) δ̇ and the slip; a ground that moves applies F ∂h/∂t.
// What it leaves out: slip angles, relaxation, camber; a wheel that meets the ground beside its lowest point.
#include <algorithm>
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct TyreLaw {
  double radius = 0, stiffness = 0, damping = 0, friction = 0, slip = 0;
  // The vertical force; 0 out of contact.
  template <class L>
  double press(double depth, double rate, double ground_rate, L& out) const {
    if (!(depth > 0)) return 0;
    const double elastic = stiffness * depth, force = elastic * std::max(0.0, 1 + damping * rate);
    out.potential = 0.5 * elastic * depth;
    out.dissipated = (force - elastic) * rate;
    out.applied = force * ground_rate;
    return force;
  }
  // F_t / |v_t|
  double grip(double normal, double speed) const {
    const double limit = friction * normal;
    if (!(limit > 0)) return 0;
    const double z = slip * speed / limit;
    return z < 1e-4 ? slip * (1 - z * z / 3) : limit * std::tanh(z) / speed;
  }
};

struct Tyre2 {
  static constexpr int dimension = 2;
  TyreLaw law;
  void operator()(const Frame2<double>&, const Frame2<double>& b, const Formulas& f, Load<2>& out) const {
    const auto slope = f.along(0, {b.p.x(), 0}, 0, {1, 0});
    const double moves = f.along(0, {b.p.x(), 0}, 1, {0, 0}).first;
    const Eigen::Vector2d across(-slope.first, 1);
    const double depth = law.radius + slope.value - b.p.y(), rate = moves - across.dot(b.v);
    const double force = law.press(depth, rate, moves, out), stretch = across.norm();
    out.value = force * stretch;
    out.coordinate = depth;
    out.rate = rate;
    if (force == 0) return;
    const Eigen::Vector2d n = across / stretch, t(n.y(), -n.x()), arm = -law.radius * n;
    const double v = t.dot(b.v + b.w * perp(arm)), drag = -law.grip(out.value, std::abs(v)) * v;
    out.force = force * across + drag * t;
    out.torque = drag * (arm.x() * t.y() - arm.y() * t.x());
    out.dissipated -= drag * v;
  }
};

struct Tyre3 {
  static constexpr int dimension = 3;
  TyreLaw law;
  void operator()(const Frame3<double>&, const Frame3<double>& b, const Formulas& f, Load<3>& out) const {
    const double x = b.p.x(), y = b.p.y();
    const auto along_x = f.along(0, {x, y}, 0, {1, 0});
    const double along_y = f.along(0, {x, y}, 0, {0, 1}).first, moves = f.along(0, {x, y}, 1, {0, 0}).first;
    const Eigen::Vector3d across(-along_x.first, -along_y, 1);
    const double depth = law.radius + along_x.value - b.p.z(), rate = moves - across.dot(b.v);
    const double force = law.press(depth, rate, moves, out), stretch = across.norm();
    out.value = force * stretch;
    out.coordinate = depth;
    out.rate = rate;
    if (force == 0) return;
    const Eigen::Vector3d n = across / stretch, arm = -law.radius * n, v = b.v + b.w.cross(arm);
    const Eigen::Vector3d slip = v - n.dot(v) * n, drag = -law.grip(out.value, slip.norm()) * slip;
    out.force = force * across + drag;
    out.torque = arm.cross(drag);
    out.dissipated -= drag.dot(slip);
  }
};

void build_tyre(const ItemCopy& item, Builder& builder) {
  const Anchor b = builder.anchor(item.attachment("body"));
  if (b.body == ground) Builder::fail("M149", "a force on the ground moves nothing", item.place("body"));
  const TyreLaw law{item.number("radius", 0), item.number("stiffness"), item.number("damping", 0),
                    item.number("friction", 0), item.number("slip_stiffness", 0)};
  if (item.has("friction") != item.has("slip_stiffness"))
    Builder::fail("M164", "`friction` and `slip_stiffness` go together",
                  item.place(item.has("friction") ? "friction" : "slip_stiffness"),
                  "the grip is slip_stiffness * slip, at most friction * load");
  if (law.friction > 0 && law.radius > 0) builder.require_orientation(item, b, "body");
  const std::vector<model::Function> height{Builder::formula(item, "height")};
  if (!height[0].quantities.empty())
    Builder::fail("M164", "the height of the ground is a formula of the place and of t, not of quantities",
                  height[0].quantities[0].place);
  if (builder.planar() && height[0].expression.uses(2))
    Builder::fail("M164", "in the plane the height of the ground is a formula of x and t", height[0].place,
                  "y is the height itself");
  const ForceTraits traits{ForceScalar::force, "depth"};
  if (builder.planar())
    builder.add_force(item, Tyre2{law}, Anchor{}, b, height, item.place("body"), traits);
  else
    builder.add_force(item, Tyre3{law}, Anchor{}, b, height, item.place("body"), traits);
}

}  // namespace

Part tyre() {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields{
      {"body", FieldKind::attachment, true, "", "", "the wheel, or a named point on it: its centre", {}},
      {"radius", FieldKind::number, false, "0", "m", "of the wheel; 0: a point", {}},
      {"height", FieldKind::function, false, "0", "m", "of the ground, a formula of x (and y in space) and of t", {}},
      {"stiffness", FieldKind::number, true, "", "N/m", "of the tyre, upwards", {}},
      {"damping", FieldKind::number, false, "0", "s/m", "share of the force that comes with each m/s", {}},
      {"friction", FieldKind::number, false, "0", "", "coefficient: the limit of the grip", {}},
      {"slip_stiffness", FieldKind::number, false, "0", "N s/m", "grip in proportion to little slip", {}}};
  fields[2].variables = {"x", "y"};
  for (const std::size_t k : {1u, 3u, 4u, 5u, 6u}) fields[k].minimum = 0;
  return {
      {model::Section::force,
       "tyre",
       {"tire", "wheel-contact"},
       "a wheel on the ground: spring and damper that only push, friction against slip",
       true,
       true,
       fields,
       0,
       0},
      build_tyre,
      {R"(
δ = R + h − z,        F = k δ max(0, 1 + c δ̇) upwards, along (−∇h, 1);  nothing for δ < 0
friction at the contact: −µN tanh(C |v_t|/µN) v_t/|v_t|,        N = F |(−∇h, 1)|,  v_t: slip along the ground
)",
       R"(h is the `height` of the ground, z that of the wheel's centre: world z in space, y in the plane. k, c and R are
`stiffness`, `damping` and `radius`, µ and C `friction` and `slip_stiffness`, which go together. The contact is taken
R below the centre, across the ground: an edge that the wheel would meet before is not seen. Grip is alike in all
directions; there are no slip angles, no relaxation, no camber. ½ k δ² is stored, the rest dissipated; a ground that
moves applies F ∂h/∂t.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  wheel: {mass: 10, inertia: 0.4, at: [0, 0.4], velocity: [2, 0], points: {rim: [0, 0.3]}}
forces:
  road: {type: tyre, body: wheel, radius: 0.3, height: 0.06*cos(3*x), stiffness: 2e4, damping: 0.3, friction: 0.8,
         slip_stiffness: 500}
analysis: {until: 2.5}
)"}};
}

}  // namespace mortise::mechanism
