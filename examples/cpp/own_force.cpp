// A force of one's own: attraction by the inverse square of the distance, as of a sun or a magnet. It is a kernel that
// fills a Load, and an entry for the catalogue; nothing in the library changes. The new type works in files too.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>
#include <numbers>

namespace {

using namespace mortise;
using namespace mortise::mechanism;

// On b acts −k/r² along the line from a to b; the opposite acts on a. Stored energy −k/r.
struct Attraction2 {
  static constexpr int dimension = 2;
  double k = 0;
  template <class Formulas>  // values of the formulas that were passed to add_force: none here
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Formulas&, Load<2>& out) const {
    const Eigen::Vector2d s = b.p - a.p;
    const double r = s.norm();
    out.force = -k / (r * r * r) * s;
    out.potential = -k / r;
  }
};

Part attraction() {
  model::PartInfo info;
  info.section = model::Section::force;
  info.type = "attraction";
  info.help = "pulls two points together by k / r²";
  info.spatial = false;
  info.fields = {{"between", model::FieldKind::attachments, true, "", "", "the two points", {}},
                 {"k", model::FieldKind::number, true, "", "N m²", "strength", {}}};
  return {info, [](const ItemCopy& item, Builder& builder) {
            const auto [a, b] = builder.two_points(item);
            builder.add_force(item, Attraction2{item.number("k")}, a, b);
          }};
}

}  // namespace

int main() {
  PartList parts;
  parts.add(attraction());
  // A planet with k/m = 1 on an ellipse of half axis 1 and eccentricity e: its period is 2π.
  const double e = 0.5;
  Simulation sim(build(ModelBuilder::planar("Planet")
                           .body("planet", "particle",
                                 {{"mass", 3}, {"at", {1 - e, 0}}, {"velocity", {0, std::sqrt((1 + e) / (1 - e))}}})
                           .force("sun", "attraction", {{"between", {"ground", "planet"}}, {"k", 3}})
                           .analysis({{"integrator", "rk78"}, {"tolerance", 1e-12}}),
                       parts),
                 parts);
  sim.advance_to(2 * std::numbers::pi);
  const double off = std::hypot(sim.get("planet.x") - (1 - e), sim.get("planet.y"));
  std::cout << "after one period the planet is " << off << " m from its start\n";

  // Mistakes are found as in the library's own parts.
  try {
    build(ModelBuilder::planar("Planet").body("planet", "particle", {{"mass", 3}}).force("sun", "atraction", {}),
          parts);
    return 1;
  } catch (const ModelError& error) {
    std::cout << error.what() << '\n';
  }
  return off < 1e-9 ? 0 : 1;
}
