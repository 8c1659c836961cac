#include "mortise/cli/run_report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/modes.h"
#include "mortise/analysis/quantity.h"
#include "mortise/analysis/sweep.h"
#include "mortise/cli/commands.h"
#include "mortise/io/results.h"
#include "mortise/io/yaml.h"
#include "mortise/mechanism/parts.h"

namespace mortise::cli {

namespace {

using Json = nlohmann::ordered_json;
using mechanism::Mechanism;

std::vector<double> numbers(const Vector& x) { return {x.data(), x.data() + x.size()}; }

// Bodies, efforts of drivers, reactions and output quantities of one frame.
struct Value {
  std::string name;
  std::vector<double> values;
};

std::vector<Value> rows_of(const std::vector<std::string>& names, const Vector& values) {
  std::vector<Value> lines;
  const Eigen::Index width = names.empty() ? 0 : values.size() / static_cast<Eigen::Index>(names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    lines.push_back({names[k], numbers(values.segment(static_cast<Eigen::Index>(k) * width, width))});
  return lines;
}

std::vector<std::string> body_names(const Mechanism& m) {
  std::vector<std::string> names;
  for (const auto& body : m.bodies()) names.push_back(m.name(body.ref));
  return names;
}

std::vector<std::string> joint_names(const Mechanism& m) {
  std::vector<std::string> names;
  for (const auto& c : m.constraints()) names.push_back(m.name(c.ref));
  return names;
}

std::vector<Value> efforts_of(const Mechanism& m, const analysis::Frame& frame) {
  std::vector<Value> lines;
  mechanism::Motions motions;
  m.motions(as_span(frame.q), as_span(frame.v), motions);
  for (const auto& c : m.constraints())
    if (c.driver && c.rows == 1) {
      const auto effort = analysis::find_quantity(m, m.name(c.ref) + ".effort");
      lines.push_back({effort.name, {effort.value(frame, motions)}});
    }
  return lines;
}

std::vector<Value> quantities_of(const Mechanism& m, const analysis::Frame& frame) {
  std::vector<Value> lines;
  for (std::size_t k = 0; k < m.output_quantities().size(); ++k)
    lines.push_back({m.output_quantities()[k].name, {frame.quantities[static_cast<Eigen::Index>(k)]}});
  return lines;
}

void print_lines(const char* title, const std::string& columns, const std::vector<Value>& lines) {
  if (lines.empty()) return;
  fmt::print("\n{:<24} {}\n", title, columns);
  double largest = 0;
  for (const Value& line : lines)
    for (const double value : line.values) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < lines.size() && k < 24; ++k) {
    fmt::print("{:<24}", lines[k].name);
    for (const double value : lines[k].values) fmt::print(" {:>13.7g}", std::abs(value) < 1e-13 * largest ? 0 : value);
    fmt::print("\n");
  }
  if (lines.size() > 24) fmt::print("… and {} more (--json has all)\n", lines.size() - 24);
}

void print_frame(const Mechanism& m, const analysis::Frame& frame, bool forces) {
  const bool planar = m.dimension() == 2;
  print_lines("Bodies", planar ? "   x [m]         y [m]         angle [rad]" : "   x y z [m], qw qx qy qz",
              rows_of(body_names(m), frame.pose));
  if (forces) {
    print_lines("Reactions", planar ? "   fx [N]        fy [N]        tz [N m]" : "   fx fy fz [N], tx ty tz [N m]",
                rows_of(joint_names(m), frame.reaction));
    print_lines("Efforts", "   [N, N m]", efforts_of(m, frame));
  }
  print_lines("Quantities", "", quantities_of(m, frame));
}

Json json_of(const std::vector<Value>& lines) {
  Json j = Json::object();
  for (const Value& line : lines) j[line.name] = line.values.size() == 1 ? Json(line.values[0]) : Json(line.values);
  return j;
}

void add_frame(Json& j, const Mechanism& m, const analysis::Frame& frame, bool forces) {
  j["bodies"] = json_of(rows_of(body_names(m), frame.pose));
  if (forces) {
    j["reactions"] = json_of(rows_of(joint_names(m), frame.reaction));
    j["efforts"] = json_of(efforts_of(m, frame));
  }
  j["quantities"] = json_of(quantities_of(m, frame));
}

// One frame as a result file.
void save_frame(const Mechanism& m, const analysis::Frame& frame, const std::string& path) {
  io::ResultWriter writer(path);
  const auto formulation = gauss::make_formulation("auto");
  class Still final : public Stabilizer {
    std::string name() const override { return "none"; }
  } still;
  Motion motion(m, *formulation, still, {});
  writer.begin(analysis::Observer(m, motion, false).header(analysis::describe(m.model().analysis)));
  writer.frame(frame);
  analysis::RunSummary summary;
  summary.status = "done";
  writer.end(summary);
}

int report_assembly(const Mechanism& m, const ReportOptions& o) {
  const analysis::AssemblyResult r = analysis::run_assembly(m);
  if (!o.output.empty()) save_frame(m, r.frame, o.output);
  if (o.json) {
    Json j{{"analysis", "assemble"},
           {"model", m.model().name},
           {"iterations", r.report.iterations},
           {"rows", r.rank.rows},
           {"rank", r.rank.rank},
           {"degrees_of_freedom", m.pattern().n() - r.rank.rank},
           {"position_error", r.report.position_error},
           {"velocity_error", r.report.velocity_error}};
    for (const auto& move : r.report.moves)
      j["moved"].push_back({{"body", m.name(m.bodies()[static_cast<std::size_t>(move.body)].ref)},
                            {"distance", move.distance},
                            {"turn", move.turn}});
    add_frame(j, m, r.frame, false);
    fmt::print("{}\n", j.dump(2));
  } else if (!o.quiet) {
    fmt::print("assembled   {}, {} moved   worst |φ| {:.0e}, |φ̇| {:.0e}\n", counted(r.report.iterations, "step"),
               counted(static_cast<long>(r.report.moves.size()), "body", "bodies"), r.report.position_error,
               r.report.velocity_error);
    print_frame(m, r.frame, false);
  }
  return 0;
}

const char* name_of(analysis::StaticsResult::Stability s) {
  using Stability = analysis::StaticsResult::Stability;
  return s == Stability::stable ? "stable" : s == Stability::neutral ? "neutral" : "unstable";
}

Json json_of(const analysis::StaticsResult& r) {
  return {{"stability", name_of(r.stability)}, {"steps", r.iterations},  {"unbalanced", r.unbalanced},
          {"degrees_of_freedom", r.freedoms},  {"free_motions", r.free}, {"unstable_motions", r.unstable}};
}

void print_equilibrium(const analysis::StaticsResult& r) {
  fmt::print("equilibrium {} after {}   out of balance {:.0e} of the largest load\n", name_of(r.stability),
             counted(r.iterations, "step"), r.unbalanced);
  for (const std::string& motion : r.free)
    fmt::print("free        {}   (no stiffness: stays where it is put)\n", motion);
  for (const std::string& motion : r.unstable) fmt::print("unstable    {}\n", motion);
}

int report_statics(const Mechanism& m, const ReportOptions& o) {
  const analysis::StaticsResult r = analysis::run_statics(m);
  if (!o.output.empty()) save_frame(m, r.frame, o.output);
  if (o.json) {
    Json j{{"analysis", "statics"}, {"model", m.model().name}};
    j.update(json_of(r));
    add_frame(j, m, r.frame, true);
    fmt::print("{}\n", j.dump(2));
  } else if (!o.quiet) {
    print_equilibrium(r);
    print_frame(m, r.frame, true);
  }
  return 0;
}

int report_modes(const Mechanism& m, const ReportOptions& o) {
  const analysis::ModesResult r = analysis::run_modes(m);
  if (o.json) {
    Json j{{"analysis", "modes"}, {"model", m.model().name}, {"degrees_of_freedom", r.freedoms}};
    j["equilibrium"] = json_of(r.equilibrium);
    j["modes"] = Json::array();
    for (const analysis::Mode& mode : r.modes)
      j["modes"].push_back({{"frequency", mode.frequency},
                            {"omega", mode.omega},
                            {"damping", mode.damping},
                            {"root", {mode.root.real(), mode.root.imag()}},
                            {"rigid", mode.rigid},
                            {"motion", mode.words},
                            {"shape", numbers(mode.real)},
                            {"shape_imaginary", numbers(mode.imaginary)}});
    add_frame(j, m, r.equilibrium.frame, true);
    fmt::print("{}\n", j.dump(2));
  } else if (!o.quiet) {
    print_equilibrium(r.equilibrium);
    fmt::print("\n{:>4}  {:>14}  {:>14}  {:>10}   motion\n", "mode", "frequency [Hz]", "omega [rad/s]", "damping");
    for (std::size_t k = 0; k < r.modes.size(); ++k) {
      const analysis::Mode& mode = r.modes[k];
      if (mode.rigid)
        fmt::print("{:>4}  {:>14}  {:>14}  {:>10}   {}\n", k + 1, "rigid", "0", "-", mode.words);
      else
        fmt::print("{:>4}  {:>14.8g}  {:>14.8g}  {:>10.4g}   {}{}\n", k + 1, mode.frequency, mode.omega,
                   std::abs(mode.damping) < 1e-12 ? 0 : mode.damping, mode.words,
                   mode.damping < -1e-9          ? "   (grows)"
                   : std::abs(mode.damping) >= 1 ? "   (does not swing)"
                                                 : "");
    }
  }
  if (!o.output.empty() && !r.modes.empty()) {
    io::ResultWriter writer(o.output);
    std::size_t first = 0;
    while (first + 1 < r.modes.size() && r.modes[first].rigid) ++first;
    analysis::animate(m, r, first, 0.1, 60, writer);
    if (!o.quiet && !o.json) fmt::print("\nmode {} as a motion: {}\n", first + 1, o.output);
  }
  return 0;
}

int report_sweep(const Mechanism& m, const ReportOptions& o) {
  const std::string text = m.model().text;
  analysis::SweepOptions options;
  options.interrupt = &signal_received;
  const bool shown = !o.quiet && isatty(STDERR_FILENO) != 0;
  if (shown) options.progress = [](long done, long all) { fmt::print(stderr, "\r{} of {} cases\033[K", done, all); };
  const analysis::SweepTable table = analysis::run_sweep(
      m.model().analysis.sweep,
      [&](const std::vector<std::string>& settings) {
        return Mechanism::compile(
            std::make_shared<const model::Model>(io::load_model_text(text, "model", mechanism::catalogue(), settings)));
      },
      options);
  if (shown) fmt::print(stderr, "\r\033[K");
  if (!o.output.empty()) {
    std::ofstream file(o.output);
    file << analysis::sweep_csv(table);
    if (!file.flush()) throw OutputError(o.output, "cannot be written");
  }
  using Status = analysis::SweepCase::Status;
  if (o.json) {
    Json j{{"analysis", "sweep"},
           {"of", table.of},
           {"model", m.model().name},
           {"paths", table.paths},
           {"columns", table.columns},
           {"units", table.units},
           {"interrupted", table.interrupted},
           {"in_lanes", table.in_lanes}};
    j["cases"] = Json::array();
    for (const analysis::SweepCase& c : table.cases)
      if (c.status != Status::waiting) {
        Json line{{"values", c.values}, {"results", c.results}};
        if (c.status == Status::failed) line["failed"] = c.reason;
        j["cases"].push_back(line);
      }
    fmt::print("{}\n", j.dump(2));
  } else if (!o.quiet) {
    fmt::print("{}{}: {} of {} cases done{}{}\n", analysis::sweep_text(table), table.of, table.count(Status::done),
               table.cases.size(), table.in_lanes > 0 ? fmt::format(", {} side by side", table.in_lanes) : "",
               o.output.empty() ? "" : "   " + o.output);
  }
  return table.interrupted ? 128 + signal_received.load() : 0;
}

}  // namespace

int run_report(const Mechanism& m, const ReportOptions& o) {
  const std::string& type = m.model().analysis.type;
  if (!o.quiet && !o.json) {
    fmt::print("{}\n", headline(m));
    std::fflush(stdout);
  }
  if (type == "assemble") return report_assembly(m, o);
  if (type == "statics") return report_statics(m, o);
  if (type == "modes") return report_modes(m, o);
  return report_sweep(m, o);
}

}  // namespace mortise::cli
