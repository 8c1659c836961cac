// Impulses at contacts over exact joints: projected Gauss-Seidel on the contact rows, while every velocity that is met
// on the way fulfils the rows of all joints.
//
//     v⁺ = v + Σ_r u_r p_r,    u_r = (M⁻¹ − M⁻¹Aᵀ(A M⁻¹Aᵀ)⁺A M⁻¹) J_rᵀ
//
//     0 ≤ p_n  ⊥  J_n v⁺ − τ ≥ 0        p_t = Π( p_t − J_t v⁺/γ ),  Π on the disc |p_t| ≤ µ p_n     (Signorini,
//     Coulomb)
//
// u_r, the answer of the mechanism to a unit impulse at row r, is M⁻¹J_rᵀ for bodies without joints and one solution of
// the formulation `auto` for those in a cluster of joints: redundant rows are no matter, and no penalty stands for any
// joint. A fixed point of the sweeps fulfils Coulomb's law exactly (not its convex relaxation, which lifts what
// slides).
//
// Sweeps go forth and back in the order of the contacts, by one thread: the bits depend on nothing else. Without
// friction each local step lowers the kinetic energy.
//
// Sources: Jean, Moreau (1992); Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235-257 (nonlinear Gauss-Seidel).
// Cost: a sweep O(contacts × size of what answers); before it one solution a row that meets a cluster of joints.
// Allocates only while more contacts are met than ever before.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mortise/gauss/formulation.h"
#include "mortise/system/contacts.h"

namespace mortise::integrate {

class ContactSolver {
 public:
  ContactSolver(const gauss::Pattern& pattern, int tangents);

  // M, A and the rows that are on. Returns false and fills refusal() where the formulation cannot do this case.
  bool factor(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy);
  const gauss::Refusal& refusal() const { return factor_->refusal(); }
  // The motion without contacts: velocities that fulfil A v = b next to those of M v = momentum.
  void free(ConstSpan momentum, ConstSpan b, gauss::GaussSolution& solution) { factor_->solve(momentum, b, solution); }

  // Finds the answers u_r of these contacts; they are used by all that follows, until the next call. `c_t`: A v = −c_t.
  void begin(std::span<const ContactPoint> points, ConstSpan c_t);
  std::size_t size() const { return points_.size(); }
  int tangents() const { return tangents_; }
  // Of a contact's row at velocities v.
  double rate(std::size_t contact, int row, ConstSpan v) const;
  void apply(std::size_t contact, int row, double impulse, Span v) const;

  struct Sweeps {
    int most = 200;
    double wanted = 1e-10;  // largest change of a rate in a sweep at which to stop
    bool friction = true;
  };
  // Sweeps over the contacts first … last, until the largest change of a rate (impulse times answer) is below `wanted`;
  // `targets` are the τ, `impulses` (three a contact) are given and improved, v follows. Returns the last change.
  double sweep(std::size_t first, std::size_t last, ConstSpan targets, const Sweeps& how, Span impulses, Span v) const;

  // Bodies that joints connect have a cluster in common; −1: ground.
  int cluster(int block) const { return block < 0 ? -1 : cluster_[static_cast<std::size_t>(block)]; }
  const std::vector<int>& members(int cluster) const { return members_[index(cluster)]; }
  bool jointed(int block) const { return jointed_[index(block)] != 0; }
  int clusters() const { return static_cast<int>(members_.size()); }
  // Σ λ ∂φ/∂t of joint rows that drive, for a unit impulse at a row: what drivers do.
  double driven(std::size_t contact, int row) const { return driven_[3 * contact + static_cast<std::size_t>(row)]; }

 private:
  struct Segment {
    int column = 0, size = 0, at = 0;  // at: in values_
  };
  void answer_alone(int block, const double* J);
  bool answer_of_clusters(const ContactPoint& point, int row);
  double local(std::size_t contact, double target, double mu, bool friction, double* p, Span v) const;

  const gauss::Pattern& pattern_;
  int tangents_;
  std::unique_ptr<gauss::Factor> factor_;
  gauss::GaussSolution response_;
  std::vector<int> cluster_;               // of each block
  std::vector<std::vector<int>> members_;  // blocks of each cluster
  std::vector<unsigned char> jointed_;     // blocks that some row meets
  std::vector<double> inverse_mass_;       // of blocks, dense, laid out as M
  std::span<const ContactPoint> points_;
  std::vector<Segment> segments_;
  std::vector<int> first_segment_;  // three a contact, and one behind the last
  std::vector<double> values_, driven_;
  std::vector<double> diagonal_;  // 3 × 3 a contact: J u
  Vector right_, zero_;
};

}  // namespace mortise::integrate
