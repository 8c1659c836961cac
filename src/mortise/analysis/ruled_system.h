// A mechanism whose forces feel the reactions that a rule chooses: friction in a joint whose load rigid bodies do not
// decide. All else is that of the mechanism. One run and thread: the rule keeps what it found at a pose.
#pragma once

#include "mortise/analysis/reactions.h"

namespace mortise::analysis {

class RuledSystem final : public System {
 public:
  RuledSystem(const mechanism::Mechanism& mechanism, ReactionRule& rule) : m_(mechanism), rule_(rule) {}
  // Off where no row is redundant: the rule would change nothing.
  void set_on(bool on) { on_ = on; }
  const mechanism::Mechanism& mechanism() const { return m_; }

  void feedback(const State& state, ConstSpan a, ConstSpan lambda, Scratch& scratch, const Evaluation& e,
                Span z) const override {
    if (!on_) return m_.feedback(state, a, lambda, scratch, e, z);
    lambda_ = as_vector(lambda);
    rule_.apply(state, lambda_);
    m_.feedback(state, a, as_span(static_cast<const Vector&>(lambda_)), scratch, e, z);
  }

  const gauss::Pattern& pattern() const override { return m_.pattern(); }
  int q_size() const override { return m_.q_size(); }
  void evaluate(const State& s, unsigned needs, Scratch& scratch, Evaluation& e) const override {
    m_.evaluate(s, needs, scratch, e);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return m_.make_scratch(); }
  Vector initial_inputs() const override { return m_.initial_inputs(); }
  int feedback_size() const override { return m_.feedback_size(); }
  void add_feedback(const State& s, ConstSpan z, unsigned needs, Scratch& scratch, Evaluation& e) const override {
    m_.add_feedback(s, z, needs, scratch, e);
  }
  void feedback_sizes(Span z) const override { m_.feedback_sizes(z); }
  std::string feedback_name(int k) const override { return m_.feedback_name(k); }
  void qdot(ConstSpan q, ConstSpan v, Span out) const override { m_.qdot(q, v, out); }
  void tangent(ConstSpan q, ConstSpan qdot, Span v) const override { m_.tangent(q, qdot, v); }
  void retract(ConstSpan q, ConstSpan dv, Span out) const override { m_.retract(q, dv, out); }
  void cayley(ConstSpan q, ConstSpan dv, Span out) const override { m_.cayley(q, dv, out); }
  double largest_spin(ConstSpan v) const override { return m_.largest_spin(v); }
  bool normalize(Span q) const override { return m_.normalize(q); }
  void typical_sizes(Span q, Span v) const override { m_.typical_sizes(q, v); }
  double typical_energy() const override { return m_.typical_energy(); }
  std::string row_name(int row) const override { return m_.row_name(row); }
  std::string block_name(int block) const override { return m_.block_name(block); }
  SolveReport blame_non_finite(const State& s) const override { return m_.blame_non_finite(s); }

 private:
  const mechanism::Mechanism& m_;
  ReactionRule& rule_;
  bool on_ = true;
  mutable Vector lambda_;
};

}  // namespace mortise::analysis
