#include "mortise/cli/compare_json.h"

#include <nlohmann/json.hpp>

namespace mortise::cli {

namespace {

nlohmann::ordered_json case_json(const analysis::CaseResult& r) {
  const analysis::Method& m = r.method;
  return {{"formulation", m.formulation},
          {"pseudoinverse", m.pseudoinverse},
          {"stabilize", m.stabilize},
          {"coordinates", m.coordinates},
          {"integrator", m.integrator},
          {"tolerance", m.tolerance},
          {"rank_tolerance", m.rank_tolerance},
          {"ran", r.ran},
          {"reason", r.reason},
          {"reached", r.reached},
          {"correct_until", r.correct_until},
          {"correct", r.correct},
          {"error", r.error},
          {"end_error", r.end_error},
          {"sum_phi2", r.sum_phi2},
          {"energy_error", r.energy_error},
          {"rank", r.rank},
          {"evaluations", r.evaluations},
          {"steps", r.steps},
          {"cpu_seconds", r.cpu},
          {"flops_per_solve", r.flops}};
}

}  // namespace

nlohmann::ordered_json to_json(const std::string& model, const analysis::Comparison& c,
                               const analysis::CompareOptions& options) {
  nlohmann::ordered_json j{{"kind", "comparison"},
                           {"model", model},
                           {"until", c.until},
                           {"within", options.within},
                           {"reference_tolerance", options.reference_tolerance},
                           {"reference_error", c.reference_error},
                           {"reference_until", c.reference_until},
                           {"rows", c.rows},
                           {"coordinates", c.coordinates},
                           {"cases", nlohmann::ordered_json::array()}};
  for (const analysis::CaseResult& r : c.cases) j["cases"].push_back(case_json(r));
  return j;
}

}  // namespace mortise::cli
