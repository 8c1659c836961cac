// Orthogonal complement by local constraint frames (Blajer, Bestle, Schiehlen): velocities that the constraints allow
// are v = N u, so Nᵀ takes the reactions out of the equations,
//
//     [NᵀM; A] a = [NᵀQ; b]            (stacked)
//     a = a₀ + N z,   A a₀ = b,   NᵀMN z = Nᵀ(Q − M a₀)            (minimal, the default)
//
// N comes from the local description A = Ĉ J (local_rows.h). Local coordinates x and n − k complementary ones y, picked
// from q, are coordinates too: with the columns of J in the order (y | rest), J = [J₁ J₂],
//
//     N = [ 0          I      ]        rows: y, rest;   columns: k − m of the local complements D̂, n − k of y.     (18)
//         [ J₂⁻¹D̂ᵀ   −J₂⁻¹J₁ ]
//
// The rest is chosen by pivoting on the columns of J, so that J₂ is well conditioned, and kept while its condition
// (‖J‖‖J₂⁻¹‖) is within ten times that of the best choice and below 1e6; a change needs no restart, since q and v are
// integrated whole. Reactions in the local frames, r̂ = J₂⁻ᵀ(Q − M a)_rest = Ĉᵀμ, give the multipliers without M⁻¹.
//
// Without a local description every row is its own local coordinate (Ĉ = I), and so it is when rows, or the local
// coordinates, depend on one another: then independent rows are kept, λ is the shortest, a row that contradicts earlier
// ones is left out and named, as in gigsp.h. A Ĉ_i without full rank is refused with the rows of its point.
// M may be singular where NᵀMN is not. The choice of y is remembered: results differ in the last bits with the history.
//
// Source: specs/orthogonal-complement.md §2, §3; (16)–(18), (35)–(37).
// Cost: 2nm² (rank) + 2nk² (choice) + 2k²(n−k) (N) + 2n²(n−m) (M N) + (n−m)²n, then (n−m)³/3, stacked 2n³/3.
#pragma once

#include <Eigen/LU>
#include <array>

#include "mortise/gauss/dense_factor.h"
#include "mortise/gauss/dependencies.h"
#include "mortise/gauss/local_rows.h"

namespace mortise::gauss {

class OrthogonalComplement final : public Formulation {
 public:
  enum class Form { minimal, stacked };

  explicit OrthogonalComplement(Form form = Form::minimal) : form_(form) {}
  std::string name() const override { return "orthogonal-complement"; }
  Capabilities can() const override;
  std::unique_ptr<Factor> prepare(const Pattern& pattern) const override;

 private:
  Form form_;
};

class OrthogonalComplementFactor final : public DenseFactor {
 public:
  OrthogonalComplementFactor(const Pattern& pattern, OrthogonalComplement::Form form);

  void forget() override { remembered_ = 0; }
  Vector dependency(int row) const override { return dependencies_.coefficients(row, pattern().row_scale); }

  // Of the last factorisation: N (n × (n − rank)), y (ascending), the condition ‖J‖‖J₂⁻¹‖ ≥ cond J₂.
  auto basis() const { return N_.leftCols(free_); }
  const std::vector<int>& complementary() const { return y_; }
  double condition() const { return condition_; }
  // Lays down y for all factorisations to come, until it is given empty; for comparison with the automatic choice. A
  // singular J₂ is refused as dependent_rows.
  void set_complementary(const std::vector<int>& y) { demanded_ = y; }

 private:
  struct Point {
    int coordinate = 0;               // first of its rows of J_
    int count = 0;                    // of active rows
    std::array<int, most_local> row;  // these, in the order of the pivots
    LocalMatrix Q, R;                 // Ĉᵀ P = Q R
    LocalMatrix D;
  };

  bool decompose() override;
  void resolve(const Vector& Q, const Vector& e, Vector& a, Vector& mu) override;

  bool take_local(bool& usable);
  bool take_point(const LocalPoint& point, int k, Point& out);
  void take_rows();
  bool choose(const linalg::RankPolicy& policy);
  bool factor_columns();
  double condition_of(const linalg::RowGramSchmidt& J2);
  void solve_J2(const double* y, double* x);             // J₂ x = y, x in the order of dep_
  void solve_J2_transposed(const double* w, double* y);  // J₂ᵀy = w, w in the order of dep_
  void build_basis();
  bool factor_mass();

  OrthogonalComplement::Form form_;
  linalg::RowGramSchmidt rows_, columns_, previous_;
  const linalg::RowGramSchmidt* J2_ = nullptr;
  RowDependencies dependencies_;
  std::vector<Point> points_;  // empty: Ĉ = I, the coordinates are the kept rows
  Matrix J_, N_, MN_, K_, stacked_;
  Eigen::PartialPivLU<Matrix> lu_;
  std::vector<int> dep_, y_, demanded_, last_dep_;
  std::vector<unsigned char> is_dep_;
  int active_rows_ = 0, k_ = 0, free_ = 0, remembered_ = 0;
  double condition_ = 0;
  Vector granted_, x_, w_k_, unit_, force_, z_;
};

}  // namespace mortise::gauss
