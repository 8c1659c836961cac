#include "mortise/cli/diagnosis_json.h"

#include <cmath>

namespace mortise::cli {

using Json = nlohmann::ordered_json;
using mechanism::Mechanism;

namespace {

Json joints(const Mechanism& m, const std::vector<int>& list) {
  Json out = Json::array();
  for (const int joint : list) out.push_back(m.name(m.constraints()[index(joint)].ref));
  return out;
}

// A number, or null for an infinite one.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json motions(const Mechanism& m, const analysis::Diagnosis& d) {
  Json out = Json::array();
  for (const analysis::FreeMotion& motion : d.motions) {
    Json bodies = Json::object();
    for (const int body : motion.bodies) {
      const mechanism::Body& b = m.bodies()[index(body)];
      const Vector v = motion.v.segment(b.v, b.v_size());
      bodies[m.name(b.ref)] = std::vector<double>(v.data(), v.data() + v.size());
    }
    out.push_back({{"words", motion.words}, {"local", motion.local}, {"velocities", bodies}});
  }
  return out;
}

Json relaxations(const Mechanism& m, const std::vector<analysis::Relaxation>& list) {
  Json out = Json::array();
  for (const analysis::Relaxation& r : list)
    out.push_back({{"joint", m.name(m.constraints()[index(r.joint)].ref)}, {"to", r.to}, {"rows", r.rows}});
  return out;
}

Json redundancies(const Mechanism& m, const analysis::Diagnosis& d) {
  Json out = Json::array();
  for (const analysis::RedundantGroup& g : d.groups) {
    Json rows = Json::array();
    for (const int k : g.redundancies) {
      const analysis::Redundancy& r = d.redundancies[index(k)];
      Json terms = Json::object();
      for (std::size_t i = 0; i < r.rows.size(); ++i)
        terms[m.row_name(r.rows[i])] = r.coefficients[static_cast<Eigen::Index>(i)];
      rows.push_back({{"row", m.row_name(r.row)},
                      {"kind", analysis::name(r.kind)},
                      {"joints", joints(m, r.joints)},
                      {"coefficients", terms}});
    }
    Json group{{"joints", joints(m, g.joints)}, {"structural", g.structural},
               {"by_dimensions", g.dimensions}, {"pose", g.pose},
               {"unknown", g.unknown},          {"rows", rows}};
    if (g.relaxed) {
      group["isostatic_with_one_of"] = relaxations(m, g.relaxations);
      group["isostatic_with_all_of"] = relaxations(m, g.together);
    }
    out.push_back(std::move(group));
  }
  return out;
}

Json components(const std::vector<analysis::JointReaction::Component>& list) {
  Json out{{"unique", Json::array()}, {"not_unique", Json::array()}};
  for (const auto& c : list) out[c.unique ? "unique" : "not_unique"].push_back(c.name);
  return out;
}

Json conflicts(const Mechanism& m, const analysis::Diagnosis& d) {
  Json out = Json::array();
  for (const analysis::Conflict& c : d.conflicts) {
    Json repairs = Json::object();
    for (std::size_t i = 0; i < c.rows.size(); ++i)
      repairs[m.row_name(c.rows[i])] = c.repairs[static_cast<Eigen::Index>(i)];
    out.push_back({{"level", analysis::name(c.level)},
                   {"joints", joints(m, c.joints)},
                   {"repairs", repairs},
                   {"smallest_repair", m.row_name(c.rows[index(c.easiest)])}});
  }
  return out;
}

}  // namespace

Json to_json(const Mechanism& m, const analysis::Diagnosis& d) {
  Json redundant = Json::array(), conflicting = Json::array();
  for (const analysis::Redundancy& r : d.redundancies) redundant.push_back(m.row_name(r.row));
  for (const analysis::Conflict& c : d.conflicts)
    for (const int row : c.rows) conflicting.push_back(m.row_name(row));
  Json out{{"rows", d.rank.rows},
           {"gruebler", d.count.coordinates - d.rank.rows},
           {"rank", d.rank.rank},
           {"degrees_of_freedom", d.degrees_of_freedom},
           {"local_mobilities", d.local_mobilities},
           {"redundant_rows", redundant},
           {"conflicting_rows", conflicting},
           {"smallest_kept", d.rank.smallest_kept},
           {"largest_dropped", d.rank.largest_dropped},
           {"gap", finite(d.rank.gap())},
           {"characteristic_length", d.characteristic_length}};
  out["near_singular"] = joints(m, d.near_joints);
  out["motions"] = motions(m, d);
  out["redundancies"] = redundancies(m, d);
  out["conflicts"] = conflicts(m, d);
  Json reactions = Json::object();
  for (const analysis::JointReaction& r : d.reactions)
    reactions[m.name(m.constraints()[index(r.joint)].ref)] = components(r.components);
  out["reactions"] = {{"rule", m.model().analysis.reactions}, {"joints", reactions}};
  Json sums = Json::array();
  for (const analysis::ReactionSum& s : d.sums) {
    Json sum = components(s.components);
    sum["joints"] = joints(m, s.joints);
    sums.push_back(std::move(sum));
  }
  out["reactions"]["sums"] = sums;
  out["warnings"] = d.warnings;
  return out;
}

Json to_json(const Mechanism& m, const analysis::Checkup& checkup) {
  const mechanism::Count& count = checkup.diagnosis.count;
  Json out{{"model", m.model().name},
           {"dimension", m.dimension() == 2 ? "planar" : "spatial"},
           {"bodies", count.bodies},
           {"joints", count.joints},
           {"drivers", count.drivers},
           {"forces", count.forces},
           {"coordinates", count.coordinates},
           {"assembled", checkup.assembled},
           {"position_error", checkup.assembly.position_error},
           {"velocity_error", checkup.assembly.velocity_error}};
  out.update(to_json(m, checkup.diagnosis));
  for (const auto& move : checkup.assembly.moves)
    out["moved"].push_back(
        {{"body", m.name(m.bodies()[index(move.body)].ref)}, {"distance", move.distance}, {"turn", move.turn}});
  return out;
}

}  // namespace mortise::cli
