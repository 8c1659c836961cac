#include "mortise/analysis/quantity.h"

namespace mortise::analysis {

mechanism::Instant instant(const Frame& f, const mechanism::Motions& motions) {
  mechanism::Instant i;
  i.t = f.t;
  i.motions = &motions;
  i.q = as_span(f.q);
  i.v = as_span(f.v);
  i.work = as_span(f.work);
  i.inputs = as_span(f.inputs);
  i.a = as_span(f.a);
  i.reaction = as_span(f.reaction);
  i.kinetic = f.kinetic;
  i.potential = f.potential;
  i.position_error = f.position_error;
  i.velocity_error = f.velocity_error;
  i.acceleration_error = f.acceleration_error;
  return i;
}

Quantity find_quantity(const mechanism::Mechanism& m, const std::string& name) {
  const mechanism::Quantity found = mechanism::find_quantity(m, name);
  const bool force = found.source == mechanism::Quantity::Source::force;
  const Vector inputs = m.initial_inputs();
  return {found.name, found.unit, [&m, found, force, inputs](const Frame& f, const mechanism::Motions& motions) {
            mechanism::Instant i = instant(f, motions);
            if (i.inputs.empty()) i.inputs = as_span(inputs);  // a frame from a file: inputs are as modelled
            const std::unique_ptr<Scratch> scratch = force ? m.make_scratch() : nullptr;
            if (force) i.forces = m.force_records(i, *scratch);
            return found.value(i);
          }};
}

}  // namespace mortise::analysis
