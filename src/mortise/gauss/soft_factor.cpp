#include "mortise/gauss/soft_factor.h"

#include "mortise/gauss/local_rows.h"
#include "mortise/gauss/sparse.h"
#include "mortise/gauss/tree_formulation.h"

namespace mortise::gauss {

bool mass_is_of_tree(const GaussProblem& problem) { return problem.local && problem.local->tree; }

std::unique_ptr<SoftFactor> make_soft_factor(const Pattern& pattern, const GaussProblem& problem) {
  if (!mass_is_of_tree(problem)) return make_sparse_factor(pattern);
  if (!problem.local->by) throw std::logic_error("a tree without a way to solve its problems");
  return problem.local->by->prepare_soft(pattern);
}

}  // namespace mortise::gauss
