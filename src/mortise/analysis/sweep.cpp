#include "mortise/analysis/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>

#include "mortise/analysis/kinds.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/modes.h"
#include "mortise/analysis/quantity.h"
#include "mortise/gauss/random_bits.h"
#include "mortise/gauss/workers.h"

namespace mortise::analysis {

namespace {

using mechanism::Mechanism;

// One number of a case.
struct SweptColumn {
  enum class Over { last, largest, smallest, mean } over = Over::last;
  std::string quantity;  // without max(…)
  int mode = 0;          // > 0: of modes
  bool damping = false;
};

SweptColumn column_of(const model::QuantityName& name, bool modes) {
  SweptColumn column;
  if (modes) {
    const std::string& text = name.name;
    const std::size_t dot = text.find('.');
    if (text.starts_with("mode") && dot != std::string::npos) {
      const auto [end, error] = std::from_chars(text.data() + 4, text.data() + dot, column.mode);
      const std::string what = text.substr(dot + 1);
      column.damping = what == "damping";
      if (error == std::errc() && end == text.data() + dot && column.mode > 0 &&
          (what == "frequency" || what == "damping"))
        return column;
    }
    fail_model("M474", fmt::format("'{}' is nothing that modes have", text), name.place,
               "mode1.frequency, mode2.damping, …");
  }
  for (const auto& [word, over] : {std::pair{"max(", SweptColumn::Over::largest},
                                   {"min(", SweptColumn::Over::smallest},
                                   {"mean(", SweptColumn::Over::mean}})
    if (name.name.starts_with(word) && name.name.ends_with(")")) {
      const std::string_view head(word);
      column.over = over;
      column.quantity = name.name.substr(head.size(), name.name.size() - head.size() - 1);
      return column;
    }
  column.quantity = name.name;
  return column;
}

class Collector final : public Sink {
 public:
  Collector(const Mechanism& m, const std::vector<SweptColumn>& columns) : mechanism_(m), columns_(columns) {
    for (const SweptColumn& column : columns) quantities_.push_back(analysis::find_quantity(m, column.quantity));
    values.assign(columns.size(), 0);
  }
  void begin(const RunHeader&) override {}
  void frame(const Frame& frame) override {
    mechanism_.motions(as_span(frame.q), as_span(frame.v), motions_);
    ++frames_;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const double value = quantities_[k].value(frame, motions_);
      double& kept = values[k];
      switch (columns_[k].over) {
        case SweptColumn::Over::last:
          kept = value;
          break;
        case SweptColumn::Over::largest:
          kept = frames_ == 1 ? value : std::max(kept, value);
          break;
        case SweptColumn::Over::smallest:
          kept = frames_ == 1 ? value : std::min(kept, value);
          break;
        case SweptColumn::Over::mean:
          kept += (value - kept) / static_cast<double>(frames_);
          break;
      }
    }
  }
  void flush() override {}
  void end(const RunSummary&) override {}

  std::vector<double> values;

 private:
  const Mechanism& mechanism_;
  const std::vector<SweptColumn>& columns_;
  std::vector<analysis::Quantity> quantities_;
  mechanism::Motions motions_;
  long frames_ = 0;
};

std::string reason_of(const ModelError& error) {
  const Diagnostic& first = error.diagnostics().front();
  return fmt::format("{}: {}", first.code, first.message);
}

// Fills the case; returns false when it was interrupted.
bool run_case(const AnalysisKind& kind, const std::vector<SweptColumn>& columns, const Mechanism& m,
              const std::atomic<int>* interrupt, SweepCase& out) {
  if (kind.name == "modes") {
    const ModesResult result = run_modes(m);
    std::vector<const Mode*> swinging;
    for (const Mode& mode : result.modes)
      if (!mode.rigid) swinging.push_back(&mode);
    for (const SweptColumn& column : columns) {
      const auto k = static_cast<std::size_t>(column.mode - 1);
      out.results.push_back(k < swinging.size() ? (column.damping ? swinging[k]->damping : swinging[k]->frequency)
                                                : std::numeric_limits<double>::quiet_NaN());
    }
    return true;
  }
  Collector collector(m, columns);
  if (kind.run) {
    DynamicsOptions options;
    options.sink = &collector;
    options.interrupt = interrupt;
    if (kind.run(m, options).interrupted) return false;
  } else if (kind.name == "statics") {
    collector.frame(run_statics(m).frame);
  } else {
    collector.frame(run_assembly(m).frame);
  }
  out.results = collector.values;
  return true;
}

}  // namespace

long SweepTable::count(SweepCase::Status status) const {
  return std::count_if(cases.begin(), cases.end(), [&](const SweepCase& c) { return c.status == status; });
}

std::vector<std::vector<double>> sweep_points(const model::SweepSettings& settings) {
  std::vector<std::vector<double>> points;
  if (settings.samples > 0) {
    gauss::RandomBits random(static_cast<std::uint64_t>(settings.seed), 0);
    for (long k = 0; k < settings.samples; ++k) {
      std::vector<double> point;
      for (const model::SweepAxis& axis : settings.axes) {
        const double x = random.uniform();
        if (axis.values.empty()) {
          point.push_back(axis.low + x * (axis.high - axis.low));
        } else {
          const auto size = axis.values.size();
          point.push_back(axis.values[std::min(static_cast<std::size_t>(x * static_cast<double>(size)), size - 1)]);
        }
      }
      points.push_back(point);
    }
    return points;
  }
  points.emplace_back();
  for (const model::SweepAxis& axis : settings.axes) {
    std::vector<std::vector<double>> longer;
    for (const auto& point : points)
      for (const double value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
    if (points.size() > 10'000'000)
      fail_model("M473", "the grid of this sweep has more than 10 million points", settings.place, "samples: 1000");
  }
  return points;
}

SweepTable run_sweep(const model::SweepSettings& settings, const SweepLoader& load, const SweepOptions& options) {
  if (settings.axes.empty())
    fail_model("M473", "a sweep needs what to vary", settings.place,
               "sweep: {vary: {L: [0.5, 1]}, quantities: [arm.x]}");
  const AnalysisKind& kind = find_analysis(settings.of, settings.place);
  if (kind.name == "sweep") fail_model("M475", "a sweep of sweeps", settings.place, "vary more paths in one sweep");
  if (settings.quantities.empty())
    fail_model("M473", "a sweep needs the quantities to collect", settings.place,
               kind.name == "modes" ? "quantities: [mode1.frequency]" : "quantities: [arm.x, max(arm.vy)]");

  SweepTable table;
  table.of = kind.name;
  std::vector<SweptColumn> columns;
  const std::string type = "analysis.type=" + kind.name;
  {
    const auto m = load({type});
    for (const model::QuantityName& name : settings.quantities) {
      columns.push_back(column_of(name, kind.name == "modes"));
      table.columns.push_back(name.name);
      if (columns.back().mode == 0)
        table.units.push_back(mechanism::find_quantity(*m, columns.back().quantity, name.place).unit);
      else
        table.units.emplace_back(columns.back().damping ? "" : "Hz");
    }
  }
  for (const model::SweepAxis& axis : settings.axes) table.paths.push_back(axis.path);
  for (const auto& point : sweep_points(settings)) {
    table.cases.emplace_back();
    table.cases.back().values = point;
  }

  const auto settings_of = [&](const SweepCase& c) {
    std::vector<std::string> out{type};
    for (std::size_t k = 0; k < table.paths.size(); ++k)
      out.push_back(fmt::format("{}={:.17g}", table.paths[k], c.values[k]));
    return out;
  };
  // A path that does not exist is a mistake of the sweep, not of its first case.
  if (!table.cases.empty()) {
    try {
      load(settings_of(table.cases.front()));
    } catch (const ModelError& error) {
      for (const Diagnostic& d : error.diagnostics())
        if (d.code == "M610" || d.code == "M611" || d.code == "M103") throw;
    }
  }

  std::mutex one;
  long done = 0;
  const auto stopped = [&] { return options.interrupt && options.interrupt->load(); };
  gauss::Workers workers(static_cast<int>(settings.jobs));
  workers.for_each(static_cast<int>(table.cases.size()), [&](int index) {
    if (stopped()) return;
    SweepCase& c = table.cases[static_cast<std::size_t>(index)];
    SweepCase own = c;
    try {
      const auto m = load(settings_of(c));
      check_settings(m->model().analysis);
      if (!run_case(kind, columns, *m, options.interrupt, own)) return;
      own.status = SweepCase::Status::done;
    } catch (const SolveError& error) {
      own.status = SweepCase::Status::failed;
      own.reason = fmt::format("{}: {}", error.report().code, error.report().message);
    } catch (const ModelError& error) {
      own.status = SweepCase::Status::failed;
      own.reason = reason_of(error);
    }
    if (own.status == SweepCase::Status::failed) own.results.clear();
    const std::lock_guard lock(one);
    c = own;
    ++done;
    if (options.progress) options.progress(done, static_cast<long>(table.cases.size()));
  });
  table.interrupted = stopped() && table.count(SweepCase::Status::waiting) > 0;
  return table;
}

std::string sweep_csv(const SweepTable& table) {
  std::string out = "case";
  for (const std::string& path : table.paths) out += "," + path;
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    out += "," + table.columns[k] + (table.units[k].empty() ? "" : " [" + table.units[k] + "]");
  out += ",status\n";
  for (std::size_t k = 0; k < table.cases.size(); ++k) {
    const SweepCase& c = table.cases[k];
    if (c.status == SweepCase::Status::waiting) continue;
    out += fmt::format("{}", k + 1);
    for (const double value : c.values) out += fmt::format(",{:.17g}", value);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      out += j < c.results.size() ? fmt::format(",{:.17g}", c.results[j]) : std::string(",");
    std::string reason = c.reason;
    std::replace(reason.begin(), reason.end(), '"', '\'');
    out += c.status == SweepCase::Status::done ? ",done\n" : fmt::format(",\"{}\"\n", reason);
  }
  return out;
}

std::string sweep_text(const SweepTable& table) {
  std::vector<std::vector<std::string>> lines;
  std::vector<std::string> head{"case"};
  head.insert(head.end(), table.paths.begin(), table.paths.end());
  for (std::size_t k = 0; k < table.columns.size(); ++k)
    head.push_back(table.columns[k] + (table.units[k].empty() ? "" : " [" + table.units[k] + "]"));
  lines.push_back(head);
  std::string failed;
  for (std::size_t k = 0; k < table.cases.size(); ++k) {
    const SweepCase& c = table.cases[k];
    if (c.status == SweepCase::Status::waiting) continue;
    std::vector<std::string> line{fmt::format("{}", k + 1)};
    for (const double value : c.values) line.push_back(fmt::format("{:.6g}", value));
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      line.push_back(j < c.results.size() ? fmt::format("{:.9g}", c.results[j]) : std::string("-"));
    lines.push_back(line);
    if (c.status == SweepCase::Status::failed) failed += fmt::format("  case {}: {}\n", k + 1, c.reason);
  }
  std::vector<std::size_t> widths(head.size(), 0);
  for (const auto& line : lines)
    for (std::size_t j = 0; j < line.size(); ++j) widths[j] = std::max(widths[j], line[j].size());
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t j = 0; j < line.size(); ++j) out += fmt::format("{}{:>{}}", j ? "   " : "", line[j], widths[j]);
    out += "\n";
  }
  if (!failed.empty()) out += fmt::format("failed: {}\n{}", table.count(SweepCase::Status::failed), failed);
  if (const long waiting = table.count(SweepCase::Status::waiting); waiting > 0)
    out += fmt::format("not run: {} of {}\n", waiting, table.cases.size());
  return out;
}

}  // namespace mortise::analysis
