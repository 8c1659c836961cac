// `auto`: what suits the size and the pose.
//
//   up to `dense_rows` rows     `udwadia-kalaba`: dense, in place
//   up to `full_rank_rows`      `sparse` where no row is redundant and its pivots are clear of zero, else
//                               `udwadia-kalaba`
//   up to `hybrid_rows`         `sparse` where all its pivots are clear of zero, else, near singular poses,
//                               `udwadia-kalaba`, which sees singular values and not their squares
//   more                        `sparse`
//
// All handle any rank. Settings of pseudoinverses (`pseudoinverse`, `reuse`) are for the dense one alone. The crossover
// was measured (benchmarks/scale_bench.cpp): dense work grows with the third power of the rows, the elimination along
// the joint graph with the number of bodies.
#pragma once

#include "mortise/gauss/formulation.h"

namespace mortise::gauss {

class Automatic final : public Formulation {
 public:
  static constexpr int dense_rows = 6, full_rank_rows = 60, hybrid_rows = 1000;

  explicit Automatic(const FormulationSettings& settings);
  std::string name() const override { return "auto"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;
  std::string choice(const Pattern& pattern) const override;

 private:
  std::unique_ptr<Formulation> dense_;
  bool always_dense_ = false;  // settings that only the dense one has
};

}  // namespace mortise::gauss
