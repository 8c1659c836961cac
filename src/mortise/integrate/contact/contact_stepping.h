// `contact-stepping`: rigid contacts with friction at the level of velocities, a fixed step h, no event located.
//
//   1  free motion      M (v_f − v) = h Q(q + h v/2, ½(v + v_f)),   A ½(v + v_f) = −½(c_t + c_t⁺)   mid-point rule
//   2  points           of the shapes at q that may close within h (Contacts)
//   3  impacts          pair after pair in the order of their numbers, until none approaches: γ_n⁺ ≥ e γ_n⁻ (Newton, by
//                       Moreau's law for the points of a pair); momentum runs along a row of touching balls
//   4  contact          0 ≤ p ⊥ g + h γ_n⁺ ≥ 0 (below zero: γ_n⁺ ≥ 0), Coulomb's cone, all points together
//                       (ContactSolver; then ContactRoles, island by island), joints exact
//   5  positions        q⁺ = q ⊕ h v⁺ where contacts act, q ⊕ ½h(v + v⁺) elsewhere: flights are parabolas
//   6  penetration      is taken back by the shortest way, as far as the step's own loss of energy pays for what is
//   lifted
//
// Energy. Where contacts act, E⁺ − E = Σ p·γ⁺ − ½|v⁺ − v|²_M under forces of constant direction such as weight; both
// terms are ≤ 0 at a solution. What unfinished sweeps leave of the first is guarded: if E would grow, velocities are
// scaled down by a hair. So under weight the energy never grows, whatever the number of sweeps; the ledger holds what
// contacts took (dissipated) and what drivers gave. Forces in that balance are those at the velocities that bodies move
// with: gyroscopic torques do no work there, applied forces only what bodies went. What impacts cost in joints, whose
// rows are those of the middle of the step, is in it, too.
//
// The speed of restitution is that at the surface: a body that is g away from it, or inside by −g, has (with α, the
// rate of γ in free motion) γ⁺² = e²(γ² − 2αg) + 2αg. So heights of bounces do not feel the step. Approaches slower
// than `rest_speed`, and than two steps of free motion change them, do not bounce.
//
// Frames between the ends of a step are interpolated linearly. Impulses of the step before are where the sweeps begin;
// they are in checkpoints. First order in h where contacts act, second elsewhere; no damping where nothing touches.
//
// Sources: Moreau, in: Nonsmooth Mechanics and Applications (1988); Jean and Moreau (1992); Stewart and Trinkle, Int.
// J. Numer. Methods Eng. 39 (1996) 2673-2691. Cost: two evaluations, one factorisation, and the sweeps.
#pragma once

#include <memory>

#include "mortise/integrate/basic_integrator.h"
#include "mortise/integrate/contact/contact_islands.h"
#include "mortise/integrate/contact/contact_roles.h"
#include "mortise/integrate/contact/contact_solver.h"
#include "mortise/motion/motion.h"

namespace mortise::integrate {

class ContactStepping final : public BasicIntegrator {
 public:
  explicit ContactStepping(const Settings& settings);
  // Before `start` or `load`. None: nothing touches.
  void set_contacts(std::unique_ptr<Contacts> contacts);

  void start(Flow& flow, double t, ConstSpan y) override;
  StepReport step(double stop) override;
  void dense(double t, Span y) const override;
  void save(Memory& memory) const override;
  void load(Flow& flow, const Memory& memory) override;
  std::vector<std::string> remarks() const override;

  // Of the last step, for tests.
  const std::vector<ContactPoint>& points() const { return points_; }
  ConstSpan impulses() const { return impulses_; }  // three a point, impacts included
  double deepest() const { return deepest_; }       // penetration met so far
  long sweeps_short() const { return short_; }      // steps whose sweeps ended before the tolerance was met

 private:
  void bind(Flow& flow);
  void evaluate(double t, const Vector& q, const Vector& v);
  void free_motion(double t, double h);
  void take_step(double t_new, double h);
  void impacts(double h);
  bool impact_of_pair(std::size_t first, std::size_t last, double h);
  void contact(double h);
  bool roles_fit(double wanted);
  void begin_with_last(double h);
  void mark();
  void find_velocities_of_way();
  void find_forces_of_way(double t, double h);
  bool meets_joints(const ContactPoint& point) const;
  double kinetic_of_pair(const ContactPoint& point) const;  // of v_
  double kinetic_of_cluster(int cluster, const Vector& v) const;
  void guard(double h);
  bool shift(double h);
  double lift(double t_new, Vector& q);
  double potential(double t, const Vector& q);
  void forget_contacts();
  double kinetic_of_marked(const Vector& v);
  bool marked(int block) const { return marked_[index(solver_->cluster(block))] != 0; }

  std::unique_ptr<Contacts> contacts_;
  Motion* motion_ = nullptr;
  const System* system_ = nullptr;
  std::unique_ptr<ContactSolver> solver_;
  ContactIslands islands_;
  ContactRoles roles_;
  std::unique_ptr<Scratch> scratch_;
  Evaluation evaluation_;
  gauss::GaussSolution solution_;
  State state_;
  Vector inputs_;
  // Of a step: velocities at its start (after impacts), in free motion, at its end; mean ones; right-hand sides.
  Vector v_, v_free_, v_new_, average_, q_mid_, q_try_, momentum_, work_, Q_old_, b_, c_t_, y_new_;
  std::vector<ContactPoint> points_;
  std::vector<double> impulses_, own_, before_, targets_, drift_;  // drift_: change of γ_n in free motion
  std::vector<unsigned char> marked_, impacted_;                   // clusters on which contacts, impacts act
  std::vector<int> row_cluster_;
  double dissipated_ = 0, driven_ = 0, speed_ = 1, length_ = 1;
  // Of the step before: keys, rising, and impulses.
  struct Last {
    std::uint64_t key;
    double p[3];
  };
  std::vector<Last> last_, next_;
  double last_h_ = 0;
  double t0_ = 0, j_ = 0;
  double deepest_ = 0;
  long short_ = 0, contact_steps_ = 0;
};

}  // namespace mortise::integrate
