// A constrained mechanical system, as the solvers see it: const and re-entrant. A Mechanism is one; so is a user's
// class.
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mortise/error.h"
#include "mortise/gauss/problem.h"
#include "mortise/system/state.h"

namespace mortise {

// What `evaluate` is asked for; it computes nothing else.
enum Needs : unsigned {
  need_constraints = 1u << 0,  // φ, A, c_t, φ̇
  need_dynamics = 1u << 1,     // M, Q, b, kinetic energy and powers (implies need_constraints)
  need_energy = 1u << 2,       // potential energy too
};

struct Evaluation {
  gauss::GaussProblem problem;
  Vector phi;     // m; 0 on nonholonomic and inactive rows
  Vector phidot;  // m; A v + c_t, 0 on inactive rows
  Vector c_t;     // m; explicit time part of the velocity form A v + c_t = 0
  double kinetic = 0, potential = 0;
  double power_dissipated = 0, power_applied = 0;

  void resize(const gauss::Pattern& p);
};

// Reusable scratch of one thread, made by the system it belongs to.
class Scratch {
 public:
  virtual ~Scratch() = default;
};

// A system of one's own gives its pattern, q_size and evaluate; the rest holds for coordinates with q̇ = v and is
// overridden where q is something else (quaternions, say). examples/cpp/own_system.cpp is one in a page.
class System {
 public:
  virtual ~System() = default;

  virtual const gauss::Pattern& pattern() const = 0;
  virtual int q_size() const = 0;
  int v_size() const { return pattern().n(); }

  // Only what is asked for; no allocation. Vectors have the sizes of Evaluation::resize.
  virtual void evaluate(const State&, unsigned needs, Scratch&, Evaluation&) const = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const { return std::make_unique<Scratch>(); }

  // Numbers given from outside (State::inputs), as they are at the start.
  virtual Vector initial_inputs() const { return {}; }

  // Loads that depend on the accelerations and multipliers which they help to cause: friction by the reaction of its
  // own joint. `evaluate` leaves them out of Q. They read a few numbers z of a solution (`feedback`), and
  // `add_feedback` adds them, for given z, to Q, to the powers and the potential. Motion finds the z for which both
  // agree. The scratch and the evaluation are those of the last `evaluate` at the same state.
  virtual int feedback_size() const { return 0; }
  virtual void feedback(const State&, ConstSpan /*a*/, ConstSpan /*lambda*/, Scratch&, const Evaluation&,
                        Span /*z*/) const {}
  virtual void add_feedback(const State&, ConstSpan /*z*/, unsigned /*needs*/, Scratch&, Evaluation&) const {}
  virtual void feedback_sizes(Span /*z*/) const {}                   // typical magnitudes
  virtual std::string feedback_name(int /*k*/) const { return {}; }  // "A.reaction.fx"

  // q̇ = N(q) v, for multistep and Runge-Kutta methods.
  virtual void qdot(ConstSpan q, ConstSpan v, Span out) const;
  // v from q̇: the inverse of qdot on the tangent space.
  virtual void tangent(ConstSpan q, ConstSpan qdot, Span v) const;
  // out = q ⊕ dv: moves along a tangent vector (exponential map on rotations). `out` may be q itself.
  virtual void retract(ConstSpan q, ConstSpan dv, Span out) const;
  // The same to second order without trigonometric functions: the mid-point rule for Euler parameters in closed form,
  // a turn by 4 atan(|δ|/4) about δ. Here `retract`.
  virtual void cayley(ConstSpan q, ConstSpan dv, Span out) const { retract(q, dv, out); }
  // The largest angular speed among bodies whose orientation is such a rotation: explicit methods bound it by their
  // step.
  virtual double largest_spin(ConstSpan /*v*/) const { return 0; }
  // Brings q back to its representation (unit quaternions); returns whether anything changed.
  virtual bool normalize(Span) const { return false; }

  // Sizes that make tolerances independent of units: a typical magnitude for each q and each v. Here 1.
  virtual void typical_sizes(Span q, Span v) const;
  // The same for work, which is integrated with the motion; infinite: whatever error it has is accepted.
  virtual double typical_energy() const { return std::numeric_limits<double>::infinity(); }

  // Names for messages: of a constraint row ("A.x"), of a velocity block ("body 'left'"). Here their numbers.
  virtual std::string row_name(int row) const;
  virtual std::string block_name(int block) const;
  // Describes which item produced a non-finite number in this evaluation: called after one was found. Here only when.
  virtual SolveReport blame_non_finite(const State&) const;
};

}  // namespace mortise
