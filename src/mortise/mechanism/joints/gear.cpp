// Gear: two wheels with z_1 and z_2 teeth, each turning in a joint of its own.
//
//   θ_1 + (z_2/z_1) θ_2 = as modelled      (internal: −)        (1 row, in radians of the first wheel)
//
// θ are the joints' angles: of the second body against the first, about the joint's axis. Where both joints sit on one
// body (the carrier, or the ground) this is the meshing of the two wheels, wherever the carrier moves; axes need not be
// parallel (bevel gears). In space angles are known up to full turns: the row is known up to turns by whole teeth,
// 2π gcd(z_1, z_2)/z_1 of the first wheel, and is taken on the nearest of them.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "mortise/mechanism/commensurate.h"
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

// Teeth as whole numbers; a ratio in the plane, where no turn is lost, may be any.
struct Wheels {
  double ratio = 1;   // z_2/z_1
  double period = 0;  // radians of the first wheel
};

Wheels wheels(const ItemCopy& item, bool planar) {
  if (item.has("teeth") == item.has("ratio"))
    Builder::fail("M170", fmt::format("gear '{}' needs either teeth or a ratio", item.name()), item.place(),
                  "write teeth: [20, 40], or ratio: 2 (turns of the first wheel for one of the second)");
  long long first = 1, second = 1;
  if (item.has("teeth")) {
    const auto teeth = item.pair("teeth");
    for (const double z : teeth)
      if (!(z >= 1 && z <= 1e6 && z == std::floor(z)))
        Builder::fail("M170", fmt::format("{:.6g} is not a number of teeth", z), item.place("teeth"),
                      "whole numbers above zero; a wheel inside a ring is written internal: true");
    first = static_cast<long long>(teeth[0]), second = static_cast<long long>(teeth[1]);
  } else {
    const double ratio = item.number("ratio");
    if (!(ratio > 0))
      Builder::fail("M170", "the ratio must be above zero", item.place("ratio"),
                    "the same sense of rotation is written internal: true");
    if (planar) return {ratio, 0};
    const auto fraction = as_fraction(ratio);
    if (!fraction)
      Builder::fail("M170",
                    fmt::format("the ratio {:.12g} is no fraction with a denominator up to 1000: after a full turn it "
                                "would be unknown which teeth meet",
                                ratio),
                    item.place("ratio"), "give teeth: [z1, z2], or use type: speed-coupling");
    first = fraction->under, second = fraction->over;
  }
  const auto common = static_cast<double>(std::gcd(first, second));
  const auto z1 = static_cast<double>(first), z2 = static_cast<double>(second);
  return {z2 / z1, planar ? 0 : 2 * M_PI * common / z1};
}

void build_gear(const ItemCopy& item, Builder& builder) {
  const Wheels pair = wheels(item, builder.planar());
  std::vector<Measured> terms;
  for (const std::string& name : item.joints("joints")) {
    if (!builder.joint(name, item.place("joints")).measures_angle)
      Builder::fail("M148", fmt::format("joint '{}' has no angle for a gear", name), item.place("joints"),
                    "revolute and cylindrical joints have one");
    terms.push_back(builder.measured(name + ".angle", Builder::Names::coordinates, item.place("joints")));
  }
  const double second = item.flag("internal", false) ? -pair.ratio : pair.ratio;
  const double modelled = builder.modelled_value(terms[0]) + second * builder.modelled_value(terms[1]);
  builder.add_coupling(item, terms, {1.0, second}, true, modelled, pair.period);
}

}  // namespace

Part gear() {
  using model::FieldKind;
  return {
      {model::Section::joint,
       "gear",
       {"gears"},
       "couples the angles of two joints by teeth: spur, ring and bevel gears",
       true,
       true,
       {{"joints", FieldKind::joints, true, "", "", "the joints in which the two wheels turn", {}},
        {"teeth", FieldKind::pair, false, "", "", "of the two wheels: [20, 40]", {}},
        {"ratio", FieldKind::number, false, "", "", "instead of teeth: turns of the first for one of the second", {}},
        {"internal", FieldKind::flag, false, "false", "", "true: both wheels turn in the same sense", {}},
        {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its row is off", {}}},
       1,
       1},
      build_gear,
      {R"(
θ_1 + (z_2/z_1) θ_2 = as modelled        row sum, in radians of the first wheel;  internal: θ_1 − (z_2/z_1) θ_2
)",
       R"(θ are the joints' angles: of the second body of each against its first. Wheels mesh when both joints name the body
that carries them first (the carrier, or the ground): then they turn against one another, with `internal: true` in the
same sense. Axes need not be parallel. Either `teeth` or a `ratio` z_2/z_1 must be given. In the plane any ratio does;
in space, where angles are known up to full turns, it has to be a fraction with a denominator up to 1000, and the row
follows any number of turns. The reaction shown is that on the second wheel, or on its carrier where that wheel is
the ground.)",
       R"(
mortise: 1
dimension: planar
bodies:
  carrier: {mass: 1, inertia: 0.1, at: [0, 0], angular_velocity: 2}
  planet: {mass: 0.5, inertia: 0.01, at: [0.3, 0], velocity: [0, 0.6], angular_velocity: 6, points: {tooth: [0.1, 0]}}
joints:
  sun: {type: revolute, between: [carrier, ground], at: [0, 0]}
  pin: {type: revolute, between: [carrier, planet], at: [0.3, 0]}
  mesh: {type: gear, joints: [sun, pin], teeth: [40, 20]}
analysis: {until: 3.1416}
)"}};
}

}  // namespace mortise::mechanism
