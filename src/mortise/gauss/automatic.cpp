#include "mortise/gauss/automatic.h"

#include "mortise/gauss/sparse.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::gauss {

namespace {

class HybridFactor final : public Factor {
 public:
  HybridFactor(std::unique_ptr<SparseFactor> sparse, std::unique_ptr<Factor> dense)
      : sparse_(std::move(sparse)), dense_(std::move(dense)), used_(sparse_.get()) {}

  // Where `sparse` did not do it is not asked again for a while: poses change slowly, and redundant rows stay so.
  bool factor(const GaussProblem& problem, const linalg::RankPolicy& policy) override {
    return choose([&](Factor& one) { return one.factor(problem, policy); });
  }
  void solve(ConstSpan Q, ConstSpan b, GaussSolution& solution) override {
    used_->solve(Q, b, solution);
    factor_flops_.clear();
    factor_flops_.add(used_->flops());
  }
  bool factor_and_solve(const GaussProblem& problem, const linalg::RankPolicy& policy,
                        GaussSolution& solution) override {
    const bool done = choose([&](Factor& one) { return one.factor_and_solve(problem, policy, solution); });
    factor_flops_.clear();
    factor_flops_.add(used_->flops());
    return done;
  }
  void step_accepted() override {
    sparse_->step_accepted();
    dense_->step_accepted();
  }
  void forget() override {
    sparse_->forget();
    dense_->forget();
    wait_ = 0;
  }
  Vector dependency(int row) const override { return used_->dependency(row); }

 private:
  template <class Try>
  bool choose(const Try& with) {
    constexpr int a_while = 16;
    used_ = sparse_.get();
    bool done = false;
    if (wait_ > 0)
      --wait_;
    else if (done = with(*sparse_) && sparse_->clear(); !done)
      wait_ = a_while;
    if (!done) {
      used_ = dense_.get();
      done = with(*dense_);
    }
    refusal_ = used_->refusal();
    return done;
  }

  std::unique_ptr<SparseFactor> sparse_;
  std::unique_ptr<Factor> dense_;
  Factor* used_;
  int wait_ = 0;
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
  const bool any_rank = pattern.m() > full_rank_rows;
  return std::make_unique<HybridFactor>(make_sparse_factor(pattern, any_rank), dense_->prepare(pattern));
}

std::string Automatic::choice(const Pattern& pattern) const {
  const std::string rows = " for " + std::to_string(pattern.m()) + " rows";
  if (always_dense_ || pattern.m() <= dense_rows) return dense_->name() + rows;
  if (pattern.m() > hybrid_rows) return "sparse" + rows;
  return (pattern.m() > full_rank_rows ? "sparse, near singular poses udwadia-kalaba,"
                                       : "sparse, where rows are redundant udwadia-kalaba,") +
         rows;
}

}  // namespace mortise::gauss
