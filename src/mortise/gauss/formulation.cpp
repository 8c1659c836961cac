#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

std::string why_not(const Capabilities& can, const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::none:
      break;
    case Refusal::Kind::singular_mass:
      // Who can do without mass refuses only what is no mass at all.
      return can.singular_mass ? "mass matrix not positive" : "mass matrix singular";
    case Refusal::Kind::dependent_rows:
      return "rows depend on one another";
    case Refusal::Kind::not_unique:
      return "not unique: " + std::to_string(refusal.missing) +
             (refusal.missing == 1 ? " motion has" : " motions have") + " neither mass nor constraint";
  }
  return {};
}

}  // namespace mortise::gauss
