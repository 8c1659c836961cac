// Frames and summaries of two runs, compared bit by bit.
#pragma once

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "mortise/analysis/sink.h"

namespace mortise::test {

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline bool same_bits(const Vector& a, const Vector& b) {
  return a.size() == b.size() &&
         (a.size() == 0 || std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0);
}

// Calls visit(name, number or vector) for every member of a frame.
template <class Frame, class Visit>
void each_member(Frame& f, const Visit& visit) {
  visit("t", f.t), visit("q", f.q), visit("v", f.v), visit("a", f.a), visit("lambda", f.lambda), visit("work", f.work);
  visit("pose", f.pose), visit("velocity", f.velocity), visit("acceleration", f.acceleration);
  visit("reaction", f.reaction), visit("kinetic", f.kinetic), visit("potential", f.potential);
  visit("dissipated", f.dissipated), visit("applied", f.applied), visit("constraint_work", f.constraint_work);
  visit("position_error", f.position_error), visit("velocity_error", f.velocity_error);
  visit("acceleration_error", f.acceleration_error);
}

// The first member that differs, or "".
inline std::string difference(const analysis::Frame& a, const analysis::Frame& b) {
  std::string found;
  each_member(a, [&](const char* name, const auto& left) {
    each_member(b, [&](const char* other, const auto& right) {
      if constexpr (std::is_same_v<decltype(left), decltype(right)>)
        if (found.empty() && std::strcmp(name, other) == 0 && !same_bits(left, right)) found = name;
    });
  });
  return found;
}

inline bool finite(const analysis::Frame& f) {
  bool all = true;
  each_member(f, [&](const char*, const auto& member) {
    if constexpr (std::is_same_v<std::decay_t<decltype(member)>, double>)
      all = all && std::isfinite(member);
    else
      all = all && member.allFinite();
  });
  return all;
}

// All but the seconds.
inline std::string difference(const analysis::RunSummary& a, const analysis::RunSummary& b) {
  if (a.status != b.status) return "status " + a.status + " and " + b.status;
  if (a.evaluations != b.evaluations)
    return std::to_string(a.evaluations) + " and " + std::to_string(b.evaluations) + " evaluations";
  if (a.steps != b.steps) return std::to_string(a.steps) + " and " + std::to_string(b.steps) + " steps";
  if (a.failed_steps != b.failed_steps) return "failed steps";
  if (a.rank != b.rank) return "rank";
  if (!same_bits(a.energy_drift, b.energy_drift)) return "energy drift";
  if (!same_bits(a.worst_position, b.worst_position)) return "worst position";
  if (!same_bits(a.worst_velocity, b.worst_velocity)) return "worst velocity";
  return "";
}

}  // namespace mortise::test
