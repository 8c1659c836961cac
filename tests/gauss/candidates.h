// All formulations that compute their answer, each with every pseudoinverse that it may be built on.
#pragma once

#include <string>
#include <vector>

#include "mortise/gauss/formulation.h"
#include "mortise/linalg/pseudoinverse.h"

namespace mortise::gauss::testing {

struct Candidate {
  std::string name;
  std::unique_ptr<Formulation> formulation;
  // The power of the condition with which rounding grows: one where orthogonal factors of the rows are used, two where
  // S, X or the pseudoinverse show squares of singular values, four where both do.
  int power = 1;

  Capabilities can() const { return formulation->can(); }
};

inline std::vector<Candidate> candidates() {
  std::vector<Candidate> out;
  for (const FormulationEntry& entry : formulations()) {
    if (entry.name == "auto") continue;
    auto formulation = make_formulation(entry.name);
    const Capabilities can = formulation->can();
    if (can.search) continue;
    const bool squares =
        entry.name == "lagrange" || entry.name == "sparse" || entry.name == "least-squares-1" || entry.name == "direct";
    out.push_back({entry.name, std::move(formulation), squares ? 2 : 1});
    if (!can.pseudoinverse) continue;
    for (const linalg::PseudoinverseEntry& inverse : linalg::pseudoinverses()) {
      if (can.unsquared && inverse.squares) continue;  // refused by name (M207)
      FormulationSettings settings;
      settings.pseudoinverse = inverse.name;
      out.push_back({entry.name + " " + inverse.name, make_formulation(entry.name, settings),
                     (squares ? 2 : 1) * (inverse.squares ? 2 : 1)});
    }
  }
  return out;
}

}  // namespace mortise::gauss::testing
