#include "mortise/gauss/automatic.h"

#include "mortise/gauss/sparse.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss {

namespace {

class HybridFactor final : public Factor {
 public:
  HybridFactor(std::unique_ptr<SparseFactor> sparse, std::unique_ptr<Factor> dense)
      : sparse_(std::move(sparse)), dense_(std::move(dense)), used_(sparse_.get()) {}

  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    used_ = sparse_.get();
    bool done = sparse_->factor(problem, policy);
    if (!done || !sparse_->clear()) {
      used_ = dense_.get();
      done = dense_->factor(problem, policy);
    }
    refusal_ = used_->refusal();
    return done;
  }
  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    used_->solve(Q, b, solution);
    factor_flops_.clear();
    factor_flops_.add(used_->flops());
  }
  void step_accepted() override {
    sparse_->step_accepted();
    dense_->step_accepted();
  }
  void forget() override {
    sparse_->forget();
    dense_->forget();
  }
  Vector dependency(int row) const override { return used_->dependency(row); }

 private:
  std::unique_ptr<SparseFactor> sparse_;
  std::unique_ptr<Factor> dense_;
  Factor* used_;
};

}  // namespace

Automatic::Automatic(const FormulationSettings& settings)
    : dense_(std::make_unique<UdwadiaKalaba>(settings)),
      always_dense_(!settings.pseudoinverse.empty() || settings.reuse > 1) {}

Capabilities Automatic::can() const {
  Capabilities can = dense_->can();
  can.remembers = true;
  return can;
}

std::unique_ptr<Factor> Automatic::prepare(const Pattern& pattern) const {
  if (always_dense_ || pattern.m() <= dense_rows) return dense_->prepare(pattern);
  if (pattern.m() > hybrid_rows) return make_sparse_factor(pattern);
  return std::make_unique<HybridFactor>(make_sparse_factor(pattern), dense_->prepare(pattern));
}

std::string Automatic::choice(const Pattern& pattern) const {
  const std::string rows = " for " + std::to_string(pattern.m()) + " rows";
  if (always_dense_ || pattern.m() <= dense_rows) return dense_->name() + rows;
  return (pattern.m() > hybrid_rows ? "sparse" : "sparse, near singular poses udwadia-kalaba,") + rows;
}

}  // namespace mortise::gauss
