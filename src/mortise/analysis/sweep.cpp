#include "mortise/analysis/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>

#include "mortise/analysis/batch.h"
#include "mortise/analysis/kinds.h"
#include "mortise/analysis/methods.h"
#include "mortise/analysis/modes.h"
#include "mortise/analysis/observe.h"
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

double frames_every(const Mechanism& m) {
  const double every = m.model().output.every;
  return every > 0 ? every : m.model().analysis.until / 1000;
}

// Whether the run of a case is what a Batch does: rk4 with projection, by the default formulation. `frames`: those on
// the way are wanted too, so steps must end there.
bool fits_batch(const Mechanism& m, bool frames) {
  const model::AnalysisSettings& s = m.model().analysis;
  const double steps = frames_every(m) / s.step;
  return s.integrator == "rk4" && s.step > 0 && s.stabilize == "projection" && s.levels.empty() && s.weight == "mass" &&
         s.coordinates == "absolute" && (s.formulation == "auto" || s.formulation == "sparse") &&
         s.pseudoinverse.empty() && s.reuse == 1 && s.reactions == "minimum-norm" && s.branch == "smooth" &&
         m.events().empty() && (!frames || std::abs(steps - std::round(steps)) < 1e-9 * steps);
}

// Frames of one copy of a batch, for the collector of its case.
class LaneCase {
 public:
  LaneCase(const Mechanism& m, const std::vector<SweptColumn>& columns)
      : collector(m, columns),
        formulation_(make_formulation(m.model().analysis)),
        stabilizer_(make_stabilizer(m.model().analysis, m)),
        motion_(m, *formulation_, *stabilizer_, rank_policy(m.model().analysis)),
        observer_(m, motion_, false) {
    observer_.resize(frame_);
    solution_.resize(m.pattern());
    energies_.resize(m.pattern());
  }
  void collect(const Batch& batch, int copy) {
    batch.look(copy, look_);
    solution_.a = look_.a;
    solution_.lambda = look_.state.lambda;
    energies_.kinetic = look_.kinetic;
    energies_.potential = look_.potential;
    observer_.describe(look_.state, solution_, energies_, frame_);
    frame_.position_error = look_.violation.position;
    frame_.velocity_error = look_.violation.velocity;
    collector.frame(frame_);
  }
  Collector collector;

 private:
  std::unique_ptr<gauss::Formulation> formulation_;
  std::unique_ptr<Stabilizer> stabilizer_;
  Motion motion_;
  Observer observer_;
  BatchLook look_;
  gauss::GaussSolution solution_;
  Evaluation energies_;
  Frame frame_;
};

constexpr int cases_at_once = 1024;  // of a batch: mechanisms are kept as long as it runs

// Runs those cases of a sweep side by side that a Batch can run; the others stay as they are.
class LaneSweep {
 public:
  LaneSweep(SweepTable& table, const std::vector<SweptColumn>& columns, int threads, const SweepOptions& options)
      : table_(table), columns_(columns), threads_(threads), options_(options), workers_(threads) {
    for (const SweptColumn& column : columns) frames_ = frames_ || column.over != SweptColumn::Over::last;
  }

  bool fits(const Mechanism& m) const { return fits_batch(m, frames_); }

  template <class LoadCase>
  void run(const LoadCase& load) {
    const int count = static_cast<int>(table_.cases.size());
    for (int begin = 0; begin < count && !stopped(); begin += cases_at_once) {
      const int some = std::min(cases_at_once, count - begin);
      std::vector<std::shared_ptr<const Mechanism>> loaded(static_cast<std::size_t>(some));
      workers_.for_each(some, [&](int k) {
        try {
          std::shared_ptr<const Mechanism> m = load(table_.cases[static_cast<std::size_t>(begin + k)]);
          check_settings(m->model().analysis);
          if (fits(*m)) loaded[static_cast<std::size_t>(k)] = std::move(m);
        } catch (const ModelError&) {  // told when it is run alone
        }
      });
      run_together(begin, loaded);
    }
  }

 private:
  bool stopped() const { return options_.interrupt && options_.interrupt->load(); }

  void run_together(int begin, const std::vector<std::shared_ptr<const Mechanism>>& loaded) {
    std::vector<BatchCopy> copies;
    std::vector<std::size_t> numbers;
    for (std::size_t k = 0; k < loaded.size(); ++k)
      if (loaded[k] && (copies.empty() || same_times(*copies.front().mechanism, *loaded[k]))) {
        copies.push_back({loaded[k], {}});
        numbers.push_back(static_cast<std::size_t>(begin) + k);
      }
    if (copies.empty()) return;
    const double until = copies.front().mechanism->model().analysis.until;
    const double every = frames_every(*copies.front().mechanism);
    Batch batch(copies, {0, threads_});
    std::vector<std::unique_ptr<LaneCase>> cases;
    for (const BatchCopy& copy : copies) cases.push_back(std::make_unique<LaneCase>(*copy.mechanism, columns_));
    const auto collect = [&] {
      workers_.for_each(batch.size(), [&](int k) {
        if (batch.failure(k).empty()) cases[static_cast<std::size_t>(k)]->collect(batch, k);
      });
    };
    if (frames_) collect();
    for (double k = 1; batch.t() < until; ++k) {
      if (stopped()) return;
      const double t = frames_ ? k * every : until;
      batch.advance(t > until - 1e-9 * every ? until : t);
      if (frames_ || batch.t() == until) collect();
    }
    for (int k = 0; k < batch.size(); ++k) {
      if (!batch.failure(k).empty()) continue;  // run alone, it says where and why
      SweepCase& c = table_.cases[numbers[static_cast<std::size_t>(k)]];
      c.results = cases[static_cast<std::size_t>(k)]->collector.values;
      c.status = SweepCase::Status::done;
      table_.in_lanes += batch.way(k) == Batch::Way::lanes;
    }
    if (options_.progress)
      options_.progress(table_.count(SweepCase::Status::done), static_cast<long>(table_.cases.size()));
  }

  static bool same_times(const Mechanism& a, const Mechanism& b) {
    return a.model().analysis.until == b.model().analysis.until && a.model().analysis.step == b.model().analysis.step &&
           frames_every(a) == frames_every(b);
  }

  SweepTable& table_;
  const std::vector<SweptColumn>& columns_;
  int threads_;
  const SweepOptions& options_;
  gauss::Workers workers_;
  bool frames_ = false;
};

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
  bool lanes = false;
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
    lanes = kind.name == "dynamics" && LaneSweep(table, columns, 1, options).fits(*m);
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

  if (lanes)
    LaneSweep(table, columns, static_cast<int>(settings.jobs), options).run([&](const SweepCase& c) {
      return load(settings_of(c));
    });

  std::mutex one;
  long done = table.count(SweepCase::Status::done);
  const auto stopped = [&] { return options.interrupt && options.interrupt->load(); };
  gauss::Workers workers(static_cast<int>(settings.jobs));
  workers.for_each(static_cast<int>(table.cases.size()), [&](int index) {
    if (stopped()) return;
    SweepCase& c = table.cases[static_cast<std::size_t>(index)];
    if (c.status == SweepCase::Status::done) return;
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
