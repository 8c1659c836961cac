// What an explicit integrator sees of a motion: ẏ = f(t, y) on a manifold that y is brought back to after each step.
#pragma once

#include "mortise/linalg/types.h"

namespace mortise {

class Motion;

class Flow {
 public:
  virtual ~Flow() = default;
  virtual int size() const = 0;
  // ẏ = f(t, y). Throws SolveError when anything is not finite: an integrator never sees a NaN.
  virtual void rates(double t, ConstSpan y, Span ydot) = 0;
  // Called once after each accepted step: normalises quaternions, projects on the constraints. Returns whether y moved
  // (then the integrator evaluates the rates again at the new y, so that its history is that of the projected motion).
  virtual bool settle(double t, Span y) = 0;
  // Takes out of an error of y (or of h·ẏ) the part that `settle` will take away, at the point of the last `rates`.
  virtual void keep_tangent_part(Span) {}
  // Called before the evaluations of each trial of a step. `stages`: some will be at points of low order, off the
  // manifold by more than the step in the end.
  virtual void begin_trial(bool /*stages*/) {}
  // How much that part counts in the error test of the trial: 1, or less where an evaluation of it lies near a singular
  // pose. There rounding moves the state along directions that the constraints hold only weakly, by far more than a
  // tight tolerance; `settle` takes this away, but no shorter step does: it would only land nearer to the singular
  // pose, and stop the run. Never nothing: a driven mechanism has no other part, and a step that lands far from the
  // constraints may be settled on another branch.
  virtual double weight_across(double /*tolerance*/) const { return 1; }
  // Whether the point of the last `rates` lies so near a singular pose that settling there turned rounding into a loss
  // of motion: another step size that ends elsewhere is better, where there is a choice.
  virtual bool lands_badly() const { return false; }
  // Typical magnitude of each component for the error norm: err_i / (tolerance · max(|y_i|, size_i)). Infinite: not
  // controlled.
  virtual void typical_sizes(Span sizes) const = 0;
  // The constrained mechanical system behind the flow, for integrators that need its masses, forces and rows one by one
  // instead of ẏ; none for other flows.
  virtual Motion* motion() { return nullptr; }
};

}  // namespace mortise
