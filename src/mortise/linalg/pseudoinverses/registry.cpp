// Every pseudoinverse by name: a new one is a line here.
#include <stdexcept>

#include "mortise/linalg/pseudoinverses/kinds.h"

namespace mortise::linalg {

const std::vector<PseudoinverseEntry>& pseudoinverses() {
  static const std::vector<PseudoinverseEntry> entries{
      {"svd", "singular values: the reference, error about 1e-16 times the condition", make_svd_pseudoinverse},
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
