// Every pseudoinverse by name: a new one is a line here.
#include <stdexcept>

#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {

const std::vector<PseudoinverseEntry>& pseudoinverses() {
  static const std::vector<PseudoinverseEntry> entries{
      {"svd", "singular values: the reference, error about 1e-15 times the condition", make_svd_pseudoinverse},
      {"cod", "complete orthogonal decomposition, rows pivoted: error about 3e-16 times the condition",
       make_cod_pseudoinverse},
      {"varga", "two Householder factorisations, columns pivoted: error about 3e-16 times the condition",
       make_varga_pseudoinverse},
      {"gram-schmidt", "GIGSP's orthonormal rows, pivoted, the cheapest: error about 2e-16 times the condition",
       make_gram_schmidt_pseudoinverse},
      {"greville", "row by row, longest first: error about 3e-16 times the condition squared",
       make_greville_pseudoinverse, true},
      {"ls-householder",
       "augmented least squares, Householder: error about 1e-16 times the condition squared, blind below 1e-7",
       make_ls_householder_pseudoinverse, true},
      {"ls-mgs",
       "augmented least squares, refined modified Gram-Schmidt, the slowest: error about 5e-17 times the condition "
       "squared",
       make_ls_mgs_pseudoinverse, true},
  };
  return entries;
}

std::unique_ptr<Pseudoinverse> make_pseudoinverse(const std::string& name) {
  std::string known;
  for (const PseudoinverseEntry& entry : pseudoinverses()) {
    if (entry.name == name) return entry.make();
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw std::invalid_argument("unknown pseudoinverse '" + name + "'; known: " + known);
}

}  // namespace mortise::linalg
