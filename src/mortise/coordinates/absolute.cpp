// Absolute coordinates: the mechanism as it is, N = I, γ = 0. Costs a call each; the measure of all the others.
#include <numeric>

#include "mortise/coordinates/kinds.h"

namespace mortise::coordinates {
namespace {

class Absolute final : public CoordinateSystem {
 public:
  explicit Absolute(const Mechanism& mechanism)
      : CoordinateSystem(mechanism), rows_(static_cast<std::size_t>(mechanism.pattern().m())) {
    std::iota(rows_.begin(), rows_.end(), 0);
  }

  void lift(const State& mapped, State& absolute) const override { copy(mapped, absolute); }
  void lower(const State& absolute, State& mapped) const override { copy(absolute, mapped); }
  const std::vector<int>& absolute_rows() const override { return rows_; }
  void lift_acceleration(ConstSpan own, Scratch&, Span absolute) const override {
    std::copy(own.begin(), own.end(), absolute.begin());
  }

  const gauss::Pattern& pattern() const override { return mechanism_.pattern(); }
  int q_size() const override { return mechanism_.q_size(); }
  void evaluate(const State& state, unsigned needs, Scratch& scratch, Evaluation& out) const override {
    mechanism_.evaluate(state, needs, scratch, out);
  }
  std::unique_ptr<Scratch> make_scratch() const override { return mechanism_.make_scratch(); }
  void feedback(const State& state, ConstSpan a, ConstSpan lambda, Scratch& scratch, const Evaluation& e,
                Span z) const override {
    mechanism_.feedback(state, a, lambda, scratch, e, z);
  }
  void add_feedback(const State& state, ConstSpan z, unsigned needs, Scratch& scratch, Evaluation& out) const override {
    mechanism_.add_feedback(state, z, needs, scratch, out);
  }
  void qdot(ConstSpan q, ConstSpan v, Span out) const override { mechanism_.qdot(q, v, out); }
  void tangent(ConstSpan q, ConstSpan rate, Span v) const override { mechanism_.tangent(q, rate, v); }
  void retract(ConstSpan q, ConstSpan dv, Span out) const override { mechanism_.retract(q, dv, out); }
  bool normalize(Span q) const override { return mechanism_.normalize(q); }
  void typical_sizes(Span q, Span v) const override { mechanism_.typical_sizes(q, v); }
  std::string row_name(int row) const override { return mechanism_.row_name(row); }
  std::string block_name(int block) const override { return mechanism_.block_name(block); }
  SolveReport blame_non_finite(const State& state) const override { return mechanism_.blame_non_finite(state); }

 private:
  static void copy(const State& from, State& to) {
    to.t = from.t;
    to.q = from.q;
    to.v = from.v;
    to.lambda = from.lambda;
    to.work = from.work;
    to.inputs = from.inputs;
    to.active = from.active;
  }

  std::vector<int> rows_;
};

}  // namespace

std::unique_ptr<CoordinateSystem> make_absolute(const Mechanism& mechanism, const State&) {
  return std::make_unique<Absolute>(mechanism);
}

}  // namespace mortise::coordinates
