#include "mortise/analysis/quantity.h"

#include <fmt/format.h>

#include <algorithm>

namespace mortise::analysis {

namespace {

// "3 of 1000 bodies (link0, link1, link2)"
std::string describe_kept(const std::vector<std::string>& names, std::size_t all, const char* noun) {
  if (names.empty()) return fmt::format("no {}", noun);
  std::string list;
  for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 3); ++k) list += (k > 0 ? ", " : "") + names[k];
  return fmt::format("{} of {} {} ({}{})", names.size(), all, noun, list, names.size() > 3 ? ", …" : "");
}

}  // namespace

std::string describe_kept(const RunHeader& h) {
  return describe_kept(h.bodies, h.all_bodies(), "bodies") + " and " +
         describe_kept(h.joints, h.all_joints(), "joints");
}

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

Quantity find_quantity(const mechanism::Mechanism& m, const RunHeader& header, const std::string& name) {
  Quantity found = analysis::find_quantity(m, name);
  const auto stored = std::find(header.quantities.begin(), header.quantities.end(), name);
  if (header.kept && stored != header.quantities.end())
    found.value = [at = stored - header.quantities.begin()](const Frame& f, const mechanism::Motions&) {
      return f.quantities[at];
    };
  return found;
}

}  // namespace mortise::analysis
