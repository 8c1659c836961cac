// rk45: the Runge-Kutta pair of Dormand and Prince, orders 5 and 4, with dense output of order 4.
//
//     kᵢ = f(t + cᵢ h, y + h Σ_{j<i} aᵢⱼ kⱼ),   i = 1 … 7,       y₁ = y + h Σ bᵢ kᵢ,       e = h Σ (bᵢ − b̂ᵢ) kᵢ
//
// The last stage is f(t + h, y₁), which serves as the first of the next step, unless settling moved y₁: then f is
// evaluated again at the settled y.
//
// Dense output with θ = (t − t₀)/h, Δ = y₁ − y₀:
//
//     y(θ) = y₀ + θ (Δ + (1−θ) (r₃ + θ (r₄ + (1−θ) r₅))),
//     r₃ = h k₁ − Δ,    r₄ = Δ − h f₁ − r₃,    r₅ = h Σ dᵢ kᵢ;
//
// without r₅ it is the cubic through y and f of both ends, r₅ makes it of order 4. y₁ and f₁ are the settled ones, so
// the motion and its rate are continuous.
//
// Source: Dormand and Prince, J. Comput. Appl. Math. 6 (1980) 19-26; the dᵢ: Shampine's, as given in Hairer, Nørsett,
// Wanner, Solving Ordinary Differential Equations I, II.6 eq. (6.12). Step control: embedded_pair.h.
// Cost: 6 evaluations a trial, one more where settling moved y; 7 n multiply-adds a stage at most.
#pragma once

#include <array>

#include "mortise/integrate/embedded_pair.h"

namespace mortise::integrate {

class Rk45 final : public EmbeddedPair {
 public:
  explicit Rk45(const Settings& settings);

  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;

 private:
  void size_workspace(Eigen::Index n) override;
  void trial(double h, double t_new) override;
  bool ends_with_rates() const override { return true; }
  void prepare_dense(double h) override;
  void forget_dense() override;

  std::array<Vector, 6> k_;  // k_[0] is not used: ẏ at the start of the step is ydot_
  Vector r3_, r4_, r5_, r5_new_;
};

}  // namespace mortise::integrate
