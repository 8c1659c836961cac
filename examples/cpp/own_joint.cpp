// A joint of one's own: a point of the second body stays on a parabola of the first, which must not turn.
//
//     φ = s_y − κ s_x²/2,     φ̇ = u·ṡ,     φ̈ = u·s̈ − κ ṡ_x²,      s = p_b − p_a,   u = (−κ s_x, 1)
//
// A kernel says what its row is; `separation` writes the columns of u·ṡ and the part of u·s̈ that is free of
// accelerations. The rest (drivers, redundancy, projection, reactions, messages) comes from the library.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>

namespace {

using namespace mortise;
using namespace mortise::mechanism;

struct Parabola2 {
  static constexpr int dimension = 2, rows = 1;
  static constexpr bool driven = false;
  static constexpr std::array<RowInfo, 1> info{{{"curve"}}};
  double kappa = 0;
  template <class T>
  void operator()(const Frame2<T>& a, const Frame2<T>& b, Rows2<T, 1>& out) const {
    const Vec2<T> s = b.p - a.p, sdot = b.v - a.v;
    separation(out, 0, a, b, Vec2<T>(-T(kappa) * s.x(), T(1)));
    out.phi[0] = s.y() - T(kappa / 2) * s.x() * s.x();
    out.bias[0] -= T(kappa) * sdot.x() * sdot.x();
  }
};

Part parabola() {
  model::PartInfo info;
  info.section = model::Section::joint;
  info.type = "parabola";
  info.help = "keeps a point on the parabola y = curvature x²/2 of the ground";
  info.spatial = false;
  info.rows_planar = 1;
  info.fields = joint_fields(0, {{"curvature", model::FieldKind::number, true, "", "1/m", "at the vertex", {}}});
  return {info, [](const ItemCopy& item, Builder& builder) {
            const auto [a, b] = builder.two_points(item);
            if (a.body != ground)
              Builder::fail("X001", "a parabola is fixed to the ground", item.place("between"),
                            "name the ground first: between: [ground, bead]");
            builder.add_constraint(item, Parabola2{item.number("curvature")}, a, b);
          }};
}

}  // namespace

int main() {
  PartList parts;
  parts.add(parabola());
  Simulation sim(build(ModelBuilder::planar("Bead on a parabola")
                           .gravity({0, -9.81})
                           .parameter("kappa", 2)
                           .body("bead", "particle", {{"mass", 0.3}, {"at", {1, "kappa/2"}}})
                           .joint("wire", "parabola", {{"between", {"ground", "bead"}}, {"curvature", "kappa"}})
                           .analysis({{"tolerance", 1e-11}}),
                       parts),
                 parts);
  // From rest at height 1 m: v² = 2 g (1 − y), wherever it is.
  double worst = 0, off_the_wire = 0;
  for (int k = 0; k < 50; ++k) {
    sim.step(0.05);
    const double x = sim.get("bead.x"), y = sim.get("bead.y"), v = std::hypot(sim.get("bead.vx"), sim.get("bead.vy"));
    worst = std::max(worst, std::abs(v * v - 2 * 9.81 * (1 - y)));
    off_the_wire = std::max(off_the_wire, std::abs(y - x * x));
  }
  std::cout << "v² is off by " << worst << " m²/s², the bead from its wire by " << off_the_wire << " m\n";
  return worst < 1e-7 && off_the_wire < 1e-13 ? 0 : 1;
}
