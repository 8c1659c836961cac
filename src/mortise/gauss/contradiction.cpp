#include "mortise/gauss/contradiction.h"

#include <algorithm>
#include <cmath>

#include "mortise/gauss/dependencies.h"
#include "mortise/gauss/whitened_rows.h"

namespace mortise::gauss {

namespace {
void factor_rows(const GaussProblem& problem, const linalg::RankPolicy& policy, linalg::RowGramSchmidt& rows) {
  const Pattern& p = *problem.pattern;
  rows.resize(p.m(), p.n());
  rows.begin(p.m(), p.n());
  WhitenedRows whitened(p);
  if (whitened.factor(problem, policy) < 0) {
    for (const WhitenedRows::Block& e : whitened.blocks())
      for (int i = 0; i < e.rows; ++i)
        for (int k = 0; k < e.size; ++k)
          rows.row(e.row + i)[e.begin + k] += whitened.values()[e.offset + i * e.size + k];
  } else {
    const Matrix A = problem.dense_A();
    for (int i = 0; i < p.m(); ++i)
      for (int k = 0; k < p.n(); ++k) rows.row(i)[k] = p.row_scale[index(i)] * A(i, k);
  }
  rows.factor(policy, problem.violation);
}
}  // namespace

std::vector<DependentRow> dependent_rows(const GaussProblem& problem, ConstSpan b, const linalg::RankPolicy& policy) {
  const Pattern& p = *problem.pattern;
  linalg::RowGramSchmidt rows;
  factor_rows(problem, policy, rows);
  RowDependencies dependencies;
  dependencies.resize(p.m());
  dependencies.find(rows, policy, problem.violation);

  double scale = 0;
  for (int i = 0; i < p.m(); ++i)
    if (problem.active[index(i)]) scale = std::max(scale, std::abs(p.row_scale[index(i)] * b[index(i)]));
  const double bound = policy.inconsistency(problem.violation, rows.rank().smallest_kept, scale);

  std::vector<DependentRow> out;
  for (int k = 0; k < dependencies.count(); ++k) {
    const int row = dependencies.row(k);
    if (!problem.active[index(row)]) continue;
    DependentRow d;
    d.row = row;
    std::vector<double> c;
    for (int j = 0; j <= row; ++j) {
      if (!dependencies.takes_part(k, j)) continue;
      const double t = dependencies.combination(k)[j] * p.row_scale[index(j)] / p.row_scale[index(row)];
      d.rows.push_back(j);
      c.push_back(-t);
      d.residual += t * b[index(j)];
    }
    d.coefficients = Eigen::Map<const Vector>(c.data(), static_cast<Eigen::Index>(c.size()));
    d.conflicting = std::abs(d.residual) * p.row_scale[index(row)] > bound * dependencies.enlargement(k);
    out.push_back(std::move(d));
  }
  std::sort(out.begin(), out.end(), [](const DependentRow& x, const DependentRow& y) { return x.row < y.row; });
  return out;
}

std::vector<DependentRow> contradictions(const GaussProblem& problem, ConstSpan b, const linalg::RankPolicy& policy) {
  std::vector<DependentRow> out = dependent_rows(problem, b, policy);
  std::erase_if(out, [](const DependentRow& d) { return !d.conflicting; });
  return out;
}

}  // namespace mortise::gauss
