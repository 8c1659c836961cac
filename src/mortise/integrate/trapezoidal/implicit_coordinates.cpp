#include "mortise/integrate/trapezoidal/implicit_coordinates.h"

#include <stdexcept>

namespace mortise::integrate {

ImplicitCoordinates::ImplicitCoordinates(const System& system, ImplicitFormula formula)
    : system_(system), formula_(formula), mass_(system.pattern()) {
  for (Vector* q : {&q_, &q_trial_, &q_next_}) q->setZero(system.q_size());
  for (Vector* v : {&v_, &a_, &v_trial_, &a_trial_, &move_, &h_v_, &h_move_, &free_a_, &free_v_, &back_, &work_})
    v->setZero(system.v_size());
  per_size_.setOnes(system.q_size());
  Vector v_sizes = Vector::Ones(system.v_size());
  system.typical_sizes(as_span(per_size_), as_span(v_sizes));
  per_size_ = per_size_.cwiseInverse();
}

void ImplicitCoordinates::begin(ConstSpan q, ConstSpan v, ConstSpan a) {
  q_ = as_vector(q);
  v_ = as_vector(v);
  a_ = as_vector(a);
}

void ImplicitCoordinates::predict(double h) {
  delta_ = reach_of(formula_, h);
  const double kept = memory_of(formula_) * delta_;
  h_v_ = v_ + kept * a_;
  h_move_ = kept * v_;
  move_ = h * v_ + 0.5 * h * h * a_;
  v_trial_ = v_ + h * a_;
  a_trial_ = a_;
  system_.cayley(as_span(q_), as_span(move_), as_span(q_trial_));
  back_ = h_move_ - move_;
}

int ImplicitCoordinates::divide(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan Q) {
  if (const int block = mass_.factor(problem, policy); block >= 0) return block;
  mass_.whiten(Q.data(), work_.data());
  mass_.unwhiten(work_.data(), free_a_.data());
  free_v_ = h_v_ + delta_ * free_a_;
  return -1;
}

void ImplicitCoordinates::accelerate(ConstSpan f) {
  mass_.whiten(f.data(), work_.data());
  mass_.unwhiten(work_.data(), a_trial_.data());
  a_trial_ = free_a_ - a_trial_;
}

double ImplicitCoordinates::correct() {
  v_trial_ = h_v_ + delta_ * a_trial_;
  move_ = h_move_ + delta_ * v_trial_;
  system_.cayley(as_span(q_), as_span(move_), as_span(q_next_));
  const double change = (q_next_ - q_trial_).cwiseProduct(per_size_).lpNorm<Eigen::Infinity>();
  q_trial_.swap(q_next_);
  back_ = h_move_ - move_;
  return change;
}

void ImplicitCoordinates::accept() {
  q_ = q_trial_;
  v_ = v_trial_;
  a_ = a_trial_;
}

void ImplicitCoordinates::save(Memory& memory, const std::string& name) const {
  const auto nq = index(q_.size()), nv = index(v_.size());
  const Span slot = memory.slot(name, nq + 2 * nv);
  as_vector(slot.subspan(0, nq)) = q_;
  as_vector(slot.subspan(nq, nv)) = v_;
  as_vector(slot.subspan(nq + nv, nv)) = a_;
}

void ImplicitCoordinates::load(const Memory& memory, const std::string& name) {
  const auto nq = index(q_.size()), nv = index(v_.size());
  const ConstSpan slot = memory.read(name);
  if (slot.size() != nq + 2 * nv)
    throw std::invalid_argument("the checkpoint does not fit the coordinates of this model");
  begin(slot.subspan(0, nq), slot.subspan(nq, nv), slot.subspan(nq + nv, nv));
}

}  // namespace mortise::integrate
