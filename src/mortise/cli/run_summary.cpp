#include "mortise/cli/run_summary.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "mortise/cli/commands.h"
#include "mortise/cli/diagnosis_json.h"
#include "mortise/mechanism/event.h"

namespace mortise::cli {

namespace {

// Lines under a heading; of many, the first and the last.
template <class Lines, class Print>
void print_list(const char* heading, const Lines& lines, std::size_t most, Print print) {
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (lines.size() > most && k == most - 2) {
      fmt::print("            … {} more (mortise export --events) …\n", lines.size() - most + 1);
      k = lines.size() - 1;
    }
    print(k == 0 ? heading : "", k);
  }
}

}  // namespace

double peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

MemoryUse memory_use(const mechanism::Mechanism& m, double before) {
  const double peak = peak_memory();
  return {peak, (peak - before) / static_cast<double>(std::max<std::size_t>(m.bodies().size(), 1))};
}

void print_memory(const MemoryUse& memory) {
  fmt::print("memory      {:.0f} MB at most, {:.1f} kB a body\n", memory.peak / 1e6, memory.a_body / 1e3);
}

std::string move_words(const mechanism::Mechanism& m, const analysis::BodyMove& move) {
  const auto shown = [](double value, double rounding) { return value > rounding ? value : 0; };
  return fmt::format("{:<16} {:.3g} mm, {:.3g} deg", m.name(m.bodies()[static_cast<std::size_t>(move.body)].ref),
                     1e3 * shown(move.distance, 1e-12 * m.characteristic_length()),
                     shown(move.turn, 1e-12) * 180 / M_PI);
}

void print_assembly(const mechanism::Mechanism& m, const analysis::AssemblyReport& report) {
  if (report.moves.empty() && report.largest_velocity_change < 1e-9) return;
  if (!report.moves.empty()) {
    fmt::print("assembled   {} moved to meet the joints\n",
               counted(static_cast<long>(report.moves.size()), "body", "bodies"));
    for (std::size_t k = 0; k < std::min<std::size_t>(report.moves.size(), 5); ++k)
      fmt::print("            {}\n", move_words(m, report.moves[k]));
  }
  if (report.largest_velocity_change >= 1e-9)
    fmt::print("            stated velocities changed by up to {:.3g} of the typical speed to meet the joints\n",
               report.largest_velocity_change);
}

void print_events(const mechanism::Mechanism& m, const std::vector<analysis::EventEntry>& events,
                  const std::vector<Stretch>& stretches) {
  print_list("events", events, 12, [&](const char* heading, std::size_t k) {
    const analysis::EventEntry& e = events[k];
    const std::string name = m.name(m.events()[static_cast<std::size_t>(e.event)].ref);
    std::string line = fmt::format("{:<12}t = {:<12.9g} s  {} {}", heading, e.t, name, e.what);
    if (!e.joints.empty() && e.joints != name) line += fmt::format(" ({})", e.joints);
    if (e.impulse > 0) line += fmt::format("   impulse {:.4g}, kinetic energy {:+.4g} J", e.impulse, e.work);
    fmt::print("{}\n", line);
    for (const Stretch& s : stretches)
      if (s.line == k + 1) {
        const std::string words = analysis::describe_briefly(m, s.diagnosis);
        fmt::print("            then: {}{}", words.substr(12, words.find('\n') - 11),
                   analysis::describe_conflicts(m, s.diagnosis));
      }
  });
}

void print_poses(const mechanism::Mechanism& m, const analysis::DynamicsResult& result) {
  const std::vector<analysis::PassedPose>& poses = result.poses;
  print_list("singular", poses, 8, [&](const char* heading, std::size_t k) {
    const analysis::PassedPose& p = poses[k];
    fmt::print("{:<12}t = {:<12.9g} s  {}; {}\n", heading, p.t, analysis::describe_pose(p, m),
               p.other ? "went on along the other branch" : "went straight on");
  });
  if (!poses.empty() && !poses.front().other)
    fmt::print("            straight on: the least change of velocity; another branch: --branch other\n");
  if (poses.empty() && !result.nearest.joints.empty())
    fmt::print("nearest     to a singular pose at t = {:.6g} s: a singular value of {:.1e} of the largest ({})\n",
               result.nearest.t, result.nearest.sigma, analysis::joint_names(m, result.nearest.joints));
}

void print_json(const mechanism::Mechanism& m, const analysis::DynamicsResult& r, const std::vector<Stretch>& stretches,
                const std::string& output, const MemoryUse& memory) {
  const auto& s = r.summary;
  nlohmann::ordered_json j{{"status", s.status},
                           {"model", m.model().name},
                           {"output", output},
                           {"frames", r.frames},
                           {"coordinates", m.pattern().n()},
                           {"rows", r.rank.rows},
                           {"rank", r.rank.rank},
                           {"degrees_of_freedom", m.pattern().n() - r.rank.rank},
                           {"steps", s.steps},
                           {"failed_steps", s.failed_steps},
                           {"evaluations", s.evaluations},
                           {"energy_drift", s.energy_drift},
                           {"worst_position", s.worst_position},
                           {"worst_velocity", s.worst_velocity},
                           {"cpu_seconds", s.cpu_total},
                           {"cpu_evaluate", s.cpu_evaluate},
                           {"cpu_solve", s.cpu_solve},
                           {"cpu_project", s.cpu_project},
                           {"cpu_output", s.cpu_output},
                           {"peak_bytes", memory.peak},
                           {"bytes_per_body", memory.a_body}};
  std::vector<std::string> near;
  for (const int joint : r.nearest.joints) near.push_back(m.name(m.constraints()[static_cast<std::size_t>(joint)].ref));
  j["nearest_singular_pose"] = {{"t", r.nearest.t}, {"sigma", r.nearest.sigma}, {"joints", near}};
  j["singular_poses"] = nlohmann::ordered_json::array();
  for (const analysis::PassedPose& p : r.poses) {
    std::vector<std::string> rows;
    for (const int row : p.rows) rows.push_back(m.row_name(row));
    j["singular_poses"].push_back({{"t", p.t},
                                   {"rank_before", p.rank_before},
                                   {"rank", p.rank},
                                   {"rows", rows},
                                   {"turn", p.turn},
                                   {"branch", p.other ? "other" : "smooth"}});
  }
  if (!m.events().empty()) {
    j["events"] = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < r.events.size(); ++k) {
      const analysis::EventEntry& e = r.events[k];
      j["events"].push_back({{"t", e.t},
                             {"event", m.name(m.events()[static_cast<std::size_t>(e.event)].ref)},
                             {"what", e.what},
                             {"joints", e.joints},
                             {"impulse", e.impulse},
                             {"work", e.work},
                             {"kinetic_before", e.kinetic_before},
                             {"kinetic_after", e.kinetic_after},
                             {"velocity_jump", e.jump}});
      for (const Stretch& s : stretches)
        if (s.line == k + 1) j["events"].back()["then"] = to_json(m, s.diagnosis);
    }
  }
  fmt::print("{}\n", j.dump(2));
}

}  // namespace mortise::cli
