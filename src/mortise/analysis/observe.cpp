#include "mortise/analysis/observe.h"

#include <algorithm>
#include <cmath>

#include "mortise/analysis/quantity.h"
#include "mortise/mechanism/event.h"

namespace mortise::analysis {

Observer::Observer(const mechanism::Mechanism& mechanism, Motion& motion, bool project)
    : mechanism_(mechanism), motion_(motion), project_(project) {
  solution_.resize(mechanism.pattern());
  const auto of_force = [](const mechanism::Quantity& q) { return q.source == mechanism::Quantity::Source::force; };
  const auto& output = mechanism.output_quantities();
  if (std::any_of(output.begin(), output.end(), of_force)) scratch_ = mechanism.make_scratch();
}

void Observer::resize(Frame& frame) const {
  const auto bodies = static_cast<Eigen::Index>(mechanism_.bodies().size());
  const auto joints = static_cast<Eigen::Index>(mechanism_.constraints().size());
  const bool planar = mechanism_.dimension() == 2;
  frame.q.setZero(mechanism_.q_size());
  frame.v.setZero(mechanism_.v_size());
  frame.a.setZero(mechanism_.v_size());
  frame.lambda.setZero(mechanism_.pattern().m());
  frame.work.setZero(work_count);
  frame.pose.setZero(bodies * (planar ? 3 : 7));
  frame.velocity.setZero(bodies * (planar ? 3 : 6));
  frame.acceleration.setZero(bodies * (planar ? 3 : 6));
  frame.reaction.setZero(joints * (planar ? 3 : 6));
  frame.inputs = mechanism_.initial_inputs();
  frame.active.setZero(mechanism_.events().empty() ? 0 : mechanism_.pattern().m());
  frame.quantities.setZero(static_cast<Eigen::Index>(mechanism_.output_quantities().size()));
}

void Observer::observe(State& state, Frame& frame) {
  if (project_) motion_.project(state, Motion::Start::fresh);
  motion_.accelerate(state, solution_, need_energy);
  if (rule_ && solution_.rank.redundant() > 0) rule_->apply(state, solution_.lambda);
  describe(state, solution_, motion_.evaluation(), frame);
}

void Observer::describe(const State& state, const gauss::GaussSolution& solution, const Evaluation& e, Frame& frame) {
  frame.t = state.t;
  frame.q = state.q;
  frame.v = state.v;
  frame.a = solution.a;
  frame.lambda = solution.lambda;
  frame.work = state.work;
  frame.inputs = state.inputs;
  for (Eigen::Index row = 0; row < frame.active.size(); ++row)
    frame.active[row] = state.active[static_cast<std::size_t>(row)];
  mechanism_.motions(as_span(state.q), as_span(state.v), motions_);
  mechanism_.poses(motions_, as_span(state.q), as_span(frame.pose));
  mechanism_.velocities(motions_, as_span(frame.velocity));
  mechanism_.accelerations(motions_, as_span(solution.a), as_span(frame.acceleration));
  mechanism_.reactions(motions_, state.t, as_span(solution.lambda), as_span(frame.reaction));
  frame.kinetic = e.kinetic;
  frame.potential = e.potential;
  frame.dissipated = state.work[work_dissipated];
  frame.applied = state.work[work_applied];
  frame.constraint_work = state.work[work_constraint];
  const Violation violation = motion_.violation(e);
  frame.position_error = violation.position;
  frame.velocity_error = violation.velocity;
  frame.acceleration_error = solution.residual;
  const auto& output = mechanism_.output_quantities();
  if (output.empty()) return;
  mechanism::Instant i = instant(frame, motions_);
  if (scratch_) i.forces = mechanism_.force_records(i, *scratch_);
  frame.quantities.resize(static_cast<Eigen::Index>(output.size()));
  for (std::size_t k = 0; k < output.size(); ++k) frame.quantities[static_cast<Eigen::Index>(k)] = output[k].value(i);
}

void Observer::name_kept(RunHeader& h) const {
  Kept& kept = h.kept.emplace();
  kept.all_bodies = static_cast<int>(mechanism_.bodies().size());
  kept.all_joints = static_cast<int>(mechanism_.constraints().size());
  const auto add = [](std::vector<std::uint32_t>& to, int begin, int count) {
    for (int k = begin; k < begin + count; ++k) to.push_back(static_cast<std::uint32_t>(k));
  };
  for (const int index : mechanism_.output_bodies()) {
    const mechanism::Body& body = mechanism_.bodies()[static_cast<std::size_t>(index)];
    h.bodies.push_back(mechanism_.name(body.ref));
    add(kept.bodies, index, 1);
    add(kept.q, body.q, body.q_size());
    add(kept.v, body.v, body.v_size());
  }
  for (const int index : mechanism_.output_joints()) {
    const mechanism::Constraint& joint = mechanism_.constraints()[static_cast<std::size_t>(index)];
    h.joints.push_back(mechanism_.name(joint.ref));
    add(kept.joints, index, 1);
    add(kept.rows, joint.row, joint.rows);
    for (int row = joint.row; row < joint.row + joint.rows; ++row) h.row_names.push_back(mechanism_.row_name(row));
  }
}

RunHeader Observer::header(const std::string& options) const {
  RunHeader h;
  h.dimension = mechanism_.dimension();
  h.q_size = mechanism_.q_size();
  h.v_size = mechanism_.v_size();
  h.rows = mechanism_.pattern().m();
  h.single = mechanism_.model().output.precision == "float32";
  if (mechanism_.model().output.restricted) {
    name_kept(h);
  } else {
    for (const auto& body : mechanism_.bodies()) h.bodies.push_back(mechanism_.name(body.ref));
    for (const auto& c : mechanism_.constraints()) h.joints.push_back(mechanism_.name(c.ref));
    for (int row = 0; row < h.rows; ++row) h.row_names.push_back(mechanism_.row_name(row));
  }
  for (const mechanism::Quantity& q : mechanism_.output_quantities()) {
    h.quantities.push_back(q.name);
    h.quantity_units.push_back(q.unit.empty() ? "1" : q.unit);
  }
  for (const mechanism::Event& event : mechanism_.events()) h.events.push_back(mechanism_.name(event.ref));
  if (!h.events.empty()) h.inputs = static_cast<int>(mechanism_.initial_inputs().size());
  h.model_name = mechanism_.model().name;
  h.model_text = mechanism_.model().text;
  h.version = MORTISE_VERSION;
  h.options = options;
  return h;
}

}  // namespace mortise::analysis
