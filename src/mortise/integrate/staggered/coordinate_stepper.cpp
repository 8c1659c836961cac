#include "mortise/integrate/staggered/coordinate_stepper.h"

#include <stdexcept>

namespace mortise::integrate {

CoordinateStepper::CoordinateStepper(const System& system) : system_(system), mass_(system.pattern()) {
  for (Vector* q : {&q_, &q_before_, &q_next_}) q->setZero(system.q_size());
  for (Vector* v : {&v_, &v_before_, &v_next_, &a_, &work_, &per_size_}) v->setZero(system.v_size());
  Vector q_sizes = Vector::Ones(system.q_size());
  per_size_.setOnes();
  system.typical_sizes(as_span(q_sizes), as_span(per_size_));
  per_size_ = per_size_.cwiseInverse();
}

void CoordinateStepper::begin(ConstSpan q_before, ConstSpan v_before, ConstSpan q, ConstSpan v, double delta) {
  q_before_ = as_vector(q_before);
  v_before_ = as_vector(v_before);
  q_ = as_vector(q);
  v_ = as_vector(v);
  delta_ = delta;
  separation_ = 0;
}

int CoordinateStepper::accelerate(const gauss::GaussProblem& problem, const linalg::RankPolicy& policy, ConstSpan Q,
                                  ConstSpan f) {
  a_ = as_vector(Q) - as_vector(f);
  if (gauss::mass_is_of_tree(problem)) {
    if (!tree_) tree_ = gauss::make_soft_factor(system_.pattern(), problem);
    if (!tree_->factor_mass(problem, policy)) return tree_->refusal().block;
    tree_->divide_by_mass(as_span(a_), as_span(a_));
    return -1;
  }
  if (const int block = mass_.factor(problem, policy); block >= 0) return block;
  mass_.whiten(a_.data(), work_.data());
  mass_.unwhiten(work_.data(), a_.data());
  return -1;
}

void CoordinateStepper::average(Span v) const { as_vector(v) = v_before_ + delta_ * a_; }

void CoordinateStepper::advance() {
  v_next_ = v_before_ + 2 * delta_ * a_;
  work_ = 2 * delta_ * v_;
  system_.cayley(as_span(q_before_), as_span(work_), as_span(q_next_));
  separation_ = (v_ - 0.5 * (v_before_ + v_next_)).cwiseProduct(per_size_).lpNorm<Eigen::Infinity>();
  q_before_.swap(q_);
  q_.swap(q_next_);
  v_before_.swap(v_);
  v_.swap(v_next_);
}

void CoordinateStepper::begin_one_chain(ConstSpan q, ConstSpan v_ahead, double delta) {
  q_ = as_vector(q);
  v_before_ = as_vector(v_ahead);
  delta_ = delta;
  separation_ = 0;
  a_.setZero();
  advance_one_chain();
}

void CoordinateStepper::advance_one_chain() {
  v_before_ += 2 * delta_ * a_;
  v_ = v_before_;
  work_ = 2 * delta_ * v_before_;
  system_.cayley(as_span(q_), as_span(work_), as_span(q_next_));
  q_before_.swap(q_);
  q_.swap(q_next_);
}

void CoordinateStepper::move(ConstSpan q, ConstSpan v) {
  q_ = as_vector(q);
  v_ = as_vector(v);
}

void CoordinateStepper::save(Memory& memory, const std::string& prefix) const {
  const auto nq = static_cast<std::size_t>(q_.size()), nv = static_cast<std::size_t>(v_.size());
  const Span slot = memory.slot(prefix, 2 * nq + 3 * nv + 2);
  as_vector(slot.subspan(0, nq)) = q_before_;
  as_vector(slot.subspan(nq, nq)) = q_;
  as_vector(slot.subspan(2 * nq, nv)) = v_before_;
  as_vector(slot.subspan(2 * nq + nv, nv)) = v_;
  as_vector(slot.subspan(2 * nq + 2 * nv, nv)) = a_;
  slot[2 * nq + 3 * nv] = delta_;
  slot[2 * nq + 3 * nv + 1] = separation_;
}

void CoordinateStepper::load(const Memory& memory, const std::string& prefix) {
  const auto nq = static_cast<std::size_t>(q_.size()), nv = static_cast<std::size_t>(v_.size());
  const ConstSpan slot = memory.read(prefix);
  if (slot.size() != 2 * nq + 3 * nv + 2)
    throw std::invalid_argument("the checkpoint does not fit the coordinates of this model");
  q_before_ = as_vector(slot.subspan(0, nq));
  q_ = as_vector(slot.subspan(nq, nq));
  v_before_ = as_vector(slot.subspan(2 * nq, nv));
  v_ = as_vector(slot.subspan(2 * nq + nv, nv));
  a_ = as_vector(slot.subspan(2 * nq + 2 * nv, nv));
  delta_ = slot[2 * nq + 3 * nv];
  separation_ = slot[2 * nq + 3 * nv + 1];
}

}  // namespace mortise::integrate
