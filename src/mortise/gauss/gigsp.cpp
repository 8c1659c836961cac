#include "mortise/gauss/gigsp.h"

#include <algorithm>
#include <cmath>

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/dependencies.h"

namespace mortise::gauss {

namespace {

class GigspFactor final : public DenseFactor {
 public:
  GigspFactor(const Pattern& pattern, Gigsp::Order order) : DenseFactor(pattern, Form::whitened), order_(order) {
    rows_.resize(pattern.m(), pattern.n());
    dependencies_.resize(pattern.m());
    c_.setZero(std::min(pattern.m(), pattern.n()));
    granted_.setZero(pattern.m());
  }

  Vector dependency(int row) const override { return dependencies_.coefficients(row, pattern().row_scale); }

 private:
  bool decompose() override {
    rows_.begin(m(), n());
    for (int i = 0; i < m(); ++i)
      for (int j = 0; j < n(); ++j) rows_.row(i)[j] = A_(i, j);
    rows_.factor(policy_, violation_, order_);
    rank_ = rows_.rank();
    dependencies_.find(rows_, policy_, violation_, order_ == Gigsp::Order::pivoted);
    std::fill(fate_.begin(), fate_.end(), Fate::kept);
    for (int k = 0; k < dependencies_.count(); ++k) {
      const int row = dependencies_.row(k);
      fate_[index(row)] = rows_.fates()[index(row)] == linalg::RowFate::vanished ? Fate::vanished : Fate::dropped;
    }
    factor_flops_.add(rows_.flops() + dependencies_.flops());
    return true;
  }

  void resolve(const Vector& w_f, const Vector& e, Vector& w, Vector& mu) override {
    const int r = rank_.rank;
    // A row that asks for more than the earlier ones grant gets what they grant: then the pivots, whichever they are,
    // fulfil all the others.
    const double scale = m() > 0 ? e.lpNorm<Eigen::Infinity>() : 0;
    dependencies_.grant(e, policy_.inconsistency(violation_, rank_.smallest_kept, scale), excess_, granted_);
    for (int k = 0; k < r; ++k) c_[k] = granted_[rows_.kept(k)];
    rows_.solve(c_.data());
    w = w_f;
    for (int k = 0; k < r; ++k) {
      const Eigen::Map<const Vector> h(rows_.H(k), n());
      c_[k] -= h.dot(w_f);
      w += c_[k] * h;
    }
    // Rᵀμ = −c
    for (int k = 0; k < r; ++k) c_[k] = -c_[k];
    rows_.solve_transposed(c_.data());
    mu.setZero();
    for (int k = 0; k < r; ++k) mu[rows_.kept(k)] = c_[k];
    dependencies_.shorten(mu);
    solve_flops_.add(4.0 * n() * r + 2.0 * r * r + 6.0 * m() * dependencies_.count());
  }

  Gigsp::Order order_;
  linalg::RowGramSchmidt rows_;
  RowDependencies dependencies_;
  Vector c_, granted_;
};

}  // namespace

Capabilities Gigsp::can() const {
  Capabilities c;
  c.redundant_rows = true;
  c.gives_rank = true;
  return c;
}

std::unique_ptr<Factor> Gigsp::prepare(const Pattern& pattern) const {
  return std::make_unique<GigspFactor>(pattern, order_);
}

}  // namespace mortise::gauss
