// `auto`: the formulation that suits the size. Few rows: `udwadia-kalaba`, dense, in place; more than `dense_rows`:
// `sparse`. Settings of pseudoinverses (`pseudoinverse`, `reuse`) are for the dense one alone. Both handle any rank.
// The crossover was measured (benchmarks/scale_bench.cpp): dense work grows with the third power of the rows, the
// elimination along the joint graph with the number of bodies.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class Automatic final : public Formulation {
 public:
  static constexpr int dense_rows = 32;

  explicit Automatic(const FormulationSettings& settings);
  std::string name() const override { return "auto"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
  std::string choice(const Pattern& pattern) const override;

 private:
  const Formulation& pick(const Pattern& pattern) const;
  std::unique_ptr<Formulation> dense_, sparse_;
  bool always_dense_ = false;  // settings that only the dense one has
};

}  // namespace mortise::gauss
