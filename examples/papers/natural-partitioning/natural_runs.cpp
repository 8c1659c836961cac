// Natural partitioning: runs of the study beside the sheet's reference, and beside stabilised multipliers in absolute
// coordinates (P.C.S.T.): triple pendulum, vehicle dropped from 1 m, manipulator led by its tip, seven links that
// deploy (specs/nasa-3-natural-partitioning.md §4). The source's own curves are lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/error.h"
#include "report.h"
#include "support/examples.h"

namespace {

using namespace mortise;
using papers::Report;
using test::Recording;
using test::run_example;
using test::Settings;

const std::string two_stages = "analysis.integrator=staggered-explicit-implicit";

double largest(const Recording& r, const std::string& quantity) {
  double most = 0;
  for (const double x : r.history(quantity)) most = std::max(most, std::abs(x));
  return most;
}

void pendulum(Report& report) {
  const double steps[] = {0.02, 0.01, 0.005, 0.0025}, sheet[] = {2.20e-3, 5.56e-4, 1.39e-4, 3.48e-5},
               energies[] = {2.9e-2, 7.2e-3, 1.8e-3, 4.5e-4};
  const Recording exact = run_example("triple-pendulum", {"analysis.tolerance=1e-12", "output.every=2"});
  for (std::size_t k = 0; k < 4; ++k) {
    const std::string row = fmt::format("{}", steps[k]);
    report.put("pendulum", row, "sheet", sheet[k]);
    report.put("pendulum", row, "sheet energy", energies[k]);
    for (const int merge : {0, 10}) {
      const Recording r =
          run_example("triple-pendulum",
                      {fmt::format("analysis.integrator={{type: staggered-explicit-implicit, merge: {}}}", merge),
                       fmt::format("analysis.step={}", steps[k]), "output.every=0.02"});
      double off = 0, held = 0;
      for (const char* body : {"bar1", "bar2", "bar3"})
        for (const char* end : {".x", ".y", ".z"})
          off = std::max(off, std::abs(r.last(std::string(body) + end) - exact.last(std::string(body) + end)));
      for (const analysis::Frame& f : r.frames) held = std::max({held, f.position_error, f.velocity_error});
      report.put("pendulum", row, fmt::format("error {}", merge), off);
      report.put("pendulum", row, fmt::format("rows {}", merge), held);
      report.put("pendulum", row, fmt::format("energy {}", merge), r.spread("energy.total"));
      report.claim(held < 1e-13, row + ": joints of the tree hold to rounding");
      report.claim(off < 1.1 * sheet[k], row + ": positions as in the sheet");
    }
  }
}

void vehicle(Report& report) {
  struct Row {
    const char* name;
    const char* quantity;
    double t, sheet;
  };
  const Row rows[] = {{"chassis at 0.4 s", "chassis.z", 0.4, 0.22707}, {"chassis at 0.5 s", "chassis.z", 0.5, 0.01621},
                      {"chassis at 0.6 s", "chassis.z", 0.6, 0.14682}, {"chassis at 0.7 s", "chassis.z", 0.7, 0.33688},
                      {"chassis at 0.8 s", "chassis.z", 0.8, 0.43520}, {"chassis at 1 s", "chassis.z", 1.0, 0.32958},
                      {"wheel at 0.4 s", "fl_wheel.z", 0.4, 0.26649},  {"wheel at 0.5 s", "fl_wheel.z", 0.5, 0.20797},
                      {"wheel at 0.6 s", "fl_wheel.z", 0.6, 0.29345},  {"wheel at 0.8 s", "fl_wheel.z", 0.8, 0.33645},
                      {"wheel at 1 s", "fl_wheel.z", 1.0, 0.28913}};
  const std::string absolute = "analysis.coordinates=absolute", step = "analysis.step=0.0005";
  const std::pair<const char*, Settings> methods[] = {{"natural", {}},
                                                      {"sparse", {absolute, "analysis.formulation=sparse"}},
                                                      {"N.P.S.", {two_stages, step}},
                                                      {"P.C.S.T.", {two_stages, step, absolute}}};
  for (const auto& [method, settings] : methods) {
    Settings all = settings;
    all.emplace_back("output.every=0.001");
    const Recording r = run_example("vehicle-drop", all);
    for (const Row& row : rows) {
      const double z = r.at(row.quantity, row.t);
      report.put("vehicle", row.name, "sheet", row.sheet);
      report.put("vehicle", row.name, method, z);
      report.claim(std::abs(z - row.sheet) < 7e-5, std::string(row.name) + " by " + method);
    }
    const std::pair<const char*, std::pair<std::string, double>> peaks[] = {
        {"front tyre", {"fl_tyre.force", 19348}},
        {"rear tyre", {"rl_tyre.force", 19723}},
        {"spring and damper", {"fl_strut.force", 13512}}};
    for (const auto& [name, what] : peaks) {
      double peak = 0;
      const std::string kind = what.first.substr(2);
      if (what.first == "fl_strut.force")
        for (const char* corner : {"fl", "rl"}) peak = std::max(peak, largest(r, corner + kind));
      else
        peak = largest(r, what.first);
      report.put("vehicle", std::string("largest force of ") + name, "sheet", what.second);
      report.put("vehicle", std::string("largest force of ") + name, method, peak);
      report.claim(std::abs(peak - what.second) < 0.01 * what.second, std::string(name) + " by " + method);
    }
  }
}

void manipulator(Report& report) {
  const Recording r = run_example("manipulator-tip-speed", {"analysis.tolerance=1e-11"});
  struct Peak {
    const char* joint;
    double rate, at;
  };
  for (const Peak& p :
       {Peak{"yaw", 7.716e-3, 93.2}, Peak{"shoulder", 5.846e-3, 66.7}, Peak{"elbow", 6.220e-3, 118.3}}) {
    const auto rate = r.history(std::string(p.joint) + ".rate");
    std::size_t best = 0;
    for (std::size_t k = 0; k < rate.size(); ++k)
      if (std::abs(rate[k]) > std::abs(rate[best])) best = k;
    report.put("manipulator", p.joint, "sheet", p.rate);
    report.put("manipulator", p.joint, "sheet at", p.at);
    report.put("manipulator", p.joint, "ours", std::abs(rate[best]));
    report.put("manipulator", p.joint, "ours at", r.frames[best].t);
    report.claim(std::abs(std::abs(rate[best]) - p.rate) < 1e-6, std::string(p.joint) + ": largest rate");
  }
}

void seven_links(Report& report) {
  const std::string natural = "analysis.coordinates=natural", adams = "analysis.integrator=adams",
                    tight = "analysis.tolerance=1e-11", step = "analysis.step=0.001";
  const std::pair<const char*, Settings> methods[] = {
      {"sparse Lagrange (adams)", {adams, "analysis.stabilize=projection", tight}},
      {"natural partitioning (adams)", {natural, adams, "analysis.stabilize=projection", tight}},
      {"staggered (absolute)", {two_stages, step}},
      {"staggered (natural)", {two_stages, natural, step}},
      {"trapezoidal (soft multipliers)", {"analysis.integrator=trapezoidal", step}},
      {"generalized-alpha", {"analysis.integrator=generalized-alpha", "analysis.stabilize=projection", step}},
      {"trapezoidal (Baumgarte)", {"analysis.integrator=trapezoidal", "analysis.stabilize=baumgarte", step}}};
  for (const auto& [method, settings] : methods) {
    try {
      const Recording r = run_example("seven-link-deployment", settings);
      report.put("seven", method, "first", r.result.events.front().t);
      report.put("seven", method, "last", r.result.events.back().t);
      report.put("seven", method, "angle", r.last("link0.angle"));
      report.put("seven", method, "torque", largest(r, "lock1.reaction.tz"));
      report.put("seven", method, "end", std::string("3 s"));
      report.claim(r.result.events.size() == 6, std::string(method) + ": six locks");
    } catch (const SolveError& error) {
      for (const char* column : {"first", "last", "angle", "torque"})
        report.put("seven", method, column, std::string("–"));
      report.put("seven", method, "end",
                 fmt::format("stopped at {:.3f} s ({})", error.report().time, error.report().code));
      report.claim(error.report().code == "S485", std::string(method) + ": stopped by dependent rows");
    }
  }
}

}  // namespace

int main() {
  Report report;
  pendulum(report);
  vehicle(report);
  manipulator(report);
  seven_links(report);
  return report.exit_code();
}
