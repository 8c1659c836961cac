// Constraints written at the points where they act, in few local coordinates x = g(q):
//
//     f̂_i(x_i) = 0,    Ĉ_i = ∂f̂_i/∂x_i (m_i × n_i, n_i ≤ 6),    J = ∂g/∂q (k × n),        A = Ĉ J,  Ĉ = blockdiag(Ĉ_i).
//
// A system that has its rows in this form may point to them with GaussProblem::local; the complement D̂_i, D̂_iĈ_iᵀ = 0,
// of so small a matrix is known in closed form (below, one function a kind of constraint) or costs next to nothing.
// Multipliers become forces and moments in the local frame, r̂ = Ĉᵀλ₀ with λ₀ = −λ: physical ones, which rows of A λ are
// not. Rows given at velocity level (rolling) take part like all others.
//
// Source: specs/orthogonal-complement.md §2, (2)–(11), and its table of local constraints.
#pragma once

#include <stdexcept>
#include <vector>

#include "mortise/linalg/rank_policy.h"
#include "mortise/linalg/types.h"

namespace mortise::linalg {
class TreeMass;
}

namespace mortise::gauss {

class TreeFormulation;

inline constexpr int most_local = 6;
using LocalMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most_local, most_local>;

struct LocalConstraint {
  LocalMatrix C;  // Ĉ_i
  LocalMatrix D;  // D̂_i; without rows when m_i = n_i, and where it has to be found
};

struct LocalPoint {
  int row = 0;  // its first row of A, and of J
  int coordinate = 0;
  LocalConstraint at;
};

struct LocalRows {
  std::vector<LocalPoint> points;  // each active row of A belongs to one of them
  Matrix J;
  std::vector<double> scale;  // k, or empty: 1 / nominal norm of the row of J, for rank and condition
  // Where the unknowns are those of bodies on a tree: their mass, which then is nowhere else (M is zero); not owned.
  // Without points.
  const linalg::TreeMass* tree = nullptr;
  const TreeFormulation* by = nullptr;  // how such problems are to be solved; not owned

  int k() const { return static_cast<int>(J.rows()); }
  Matrix A(int m) const;  // Ĉ J with m rows; allocates
};

// Ĉ_i has lost rank: this choice of local coordinates does not suit the pose.
class LocalRankDeficient : public std::domain_error {
 public:
  using std::domain_error::domain_error;
};

// D̂ by QR of Ĉᵀ: orthonormal rows. Throws LocalRankDeficient.
LocalMatrix local_complement(const LocalMatrix& C, const linalg::RankPolicy& policy = {});
// r̂ = Ĉᵀλ₀ for all points, k entries: what each constraint exerts along its local coordinates.
Vector local_reactions(const LocalRows& local, ConstSpan lambda);

// The table. Coordinates in parentheses.
LocalConstraint planar_pin();                         // (Δx, Δy) = 0
LocalConstraint spherical_closure();                  // (Δx, Δy, Δz) = 0
LocalConstraint revolute_closure();                   // (3 offsets, 2 products of directions) = 0
LocalConstraint prescribed_coordinate();              // (x): x − s(t) = 0; ∂f̂/∂t = −ṡ
LocalConstraint point_on_line_along_normal();         // (x₁): x₁ − c = 0
LocalConstraint point_on_line(double alpha);          // (x, y): y − (x − c/sin α) tan α = 0; not at 90°
LocalConstraint point_on_circle(double x, double y);  // (x, y): x² + y² − R² = 0; not at the centre
LocalConstraint point_on_surface(double slope_x, double slope_y);  // (x, y, z): z − s(x, y) = 0
LocalConstraint rolling_disc(double radius);                       // (ẋ, θ̇): ẋ − R θ̇ = 0

}  // namespace mortise::gauss
