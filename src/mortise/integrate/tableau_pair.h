// An embedded Runge-Kutta pair given by its table: rkv56, rk78.
//
// Dense output is built up ("bootstrapped") on demand. With θ = (t − t₀)/h, the cubic H through y and f of both ends
// and w = θ²(1−θ)²,
//
//     y(θ) = H(θ) + Σⱼ w(θ) gⱼ(θ) dⱼ,      dⱼ = h fⱼ − H'(θⱼ),      (w gⱼ)'(θᵢ) = δᵢⱼ,   gⱼ of degree m − 1,
//
// has the rates fⱼ at the m points θⱼ and degree m + 3. When the fⱼ belong to states that are known with an error of
// O(h^(m+3)), y(θ) errs by O(h^(m+4)). The first fⱼ are stages; each further level evaluates f at one point more, at
// the states that the level before gives. rkv56: quartic, quintic (local error O(h⁶)); rk78: quintic, sextic, septic
// (O(h⁸)): as small as the estimate that chose the step. y₁ and f₁ are the settled ones, so that the motion and its
// rate are continuous. Evaluations are made when `dense` is first called inside a step, never else.
// Source of the idea: Enright, Jackson, Nørsett, Thomsen, ACM Trans. Math. Softw. 12 (1986) 193-218.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mortise/integrate/embedded_pair.h"
#include "mortise/integrate/tableau.h"

namespace mortise::integrate {

class TableauPair : public EmbeddedPair {
 public:
  TableauPair(const Settings& settings, const Tableau& table);

  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;

 private:
  static constexpr int most_points = 4;
  // The points of a level, and g_j(θ) = Σ_k coefficient(k, j) θᵏ.
  struct Level {
    std::vector<double> points;
    Eigen::MatrixXd coefficients;
  };
  // What is known of the last step: nothing (a start, or a step within rounding), its stages, or the whole polynomial.
  enum class Known { ends, stages, all };

  void size_workspace(Eigen::Index n) override;
  void trial(double h, double t_new) override;
  bool ends_with_rates() const override { return table_.ends_with_rates; }
  void prepare_dense(double h) override;
  void forget_dense() override { known_ = Known::ends; }

  static Level level(std::vector<double> points);
  void complete() const;
  // d_ ← h f_ − H' for the points of a level whose rates are in d_; y at θ by the level whose dⱼ are in d_.
  void subtract_cubic(const Level& at) const;
  void evaluate(const Level& by, double theta, Span y) const;

  const Tableau& table_;
  std::vector<Level> levels_;
  std::vector<Vector> k_;  // k_[0] is not used: ẏ at the start of the step is ydot_; where the last stage is f(t + h,
                           // y₁) it is f_new_
  Vector f_old_;
  // Written by the first call of `dense` in a step.
  mutable Known known_ = Known::ends;
  mutable std::array<Vector, most_points> d_, rates_, kept_;
  mutable Vector point_;
  std::array<std::string, most_points> d_names_;
  std::string f_old_name_;
};

class Rkv56 final : public TableauPair {
 public:
  explicit Rkv56(const Settings& settings) : TableauPair(settings, rkv56_tableau()) {}
};

class Rk78 final : public TableauPair {
 public:
  explicit Rk78(const Settings& settings) : TableauPair(settings, rk78_tableau()) {}
};

}  // namespace mortise::integrate
