#include "mortise/view/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/view/curves.h"
#include "mortise/view/sheet_of_panels.h"
#include "mortise/view/table.h"

namespace mortise::view {

using analysis::Frame;
using analysis::Quantity;
using mechanism::Mechanism;

namespace {

constexpr double margin = page_margin, gap = page_gap, header = page_header;

std::string plural(long count, const char* noun) { return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s"); }

// "1e-8": without the zero that printf puts there.
std::string short_power(double value) {
  std::string text = fmt::format("{:g}", value);
  const auto zero = text.find("e-0");
  if (zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

// The body whose coordinates the overview shows: the first that the frames keep; −1: none.
int shown_body(const Mechanism& m, const FrameSource& frames) {
  if (frames.bodies) return frames.bodies->empty() ? -1 : static_cast<int>(frames.bodies->front());
  return m.bodies().empty() ? -1 : 0;
}

std::vector<Quantity> overview_quantities(const Mechanism& m, int shown) {
  std::vector<Quantity> out;
  for (const char* name : {"energy.kinetic", "energy.potential", "energy.total", "energy.balance",
                           "constraint.position", "constraint.velocity"})
    out.push_back(analysis::find_quantity(m, name));
  if (shown < 0) return out;
  const mechanism::Body& first = m.bodies()[static_cast<std::size_t>(shown)];
  const std::string body = m.name(first.ref);
  std::vector<const char*> columns{"x", "y"};
  if (m.dimension() == 3) columns.push_back("z");
  if (!first.particle) {
    if (m.dimension() == 2) columns.push_back("angle");
    for (const char* q : {"qw", "qx", "qy", "qz"})
      if (m.dimension() == 3) columns.push_back(q);
  }
  for (const char* column : columns) out.push_back(analysis::find_quantity(m, body + "." + column));
  return out;
}

std::string after_dot(const std::string& name) { return name.substr(name.rfind('.') + 1); }

Panel panel_of(const std::string& title, const std::vector<Quantity>& quantities, const Table& table,
               std::initializer_list<std::size_t> which) {
  Panel panel;
  panel.title = title;
  for (const std::size_t k : which) {
    panel.unit = quantities[k].unit;
    panel.series.push_back({after_dot(quantities[k].name), table.columns[k], ""});
  }
  return panel;
}

// The largest value of each 1/200 of the run, in place of its values: rounding noise has no shape worth a line.
std::vector<double> upper_envelope(std::vector<double> y) {
  const std::size_t size = y.size() / 200 + 1;
  for (std::size_t begin = 0; begin < y.size(); begin += size) {
    const auto first = y.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = y.begin() + static_cast<std::ptrdiff_t>(std::min(begin + size, y.size()));
    const bool broken = std::any_of(first, last, [](double v) { return std::isnan(v); });
    std::fill(first, last, broken ? std::nan("") : *std::max_element(first, last));
  }
  return y;
}

// Energy, its error on a scale of its own, and how well the constraints hold.
std::vector<Panel> health_panels(const std::vector<Quantity>& quantities, const Table& table) {
  Panel energy = panel_of("Energy", quantities, table, {0, 1, 2});
  energy.series[2].color = ink, energy.series[2].width = 2.4;
  Panel error = panel_of("Energy error", quantities, table, {3});
  error.series[0].name = "";
  error.series[0].color = ink;
  std::vector<double>& y = error.series[0].y;
  const double start = y.empty() ? 0 : y.front();
  for (double& value : y) value -= start;
  Panel constraints = panel_of("Constraint violation", quantities, table, {4, 5});
  constraints.log = true;
  constraints.unit = "scaled, envelope";
  for (Series& series : constraints.series) {
    series.width = 1.2;
    series.y = upper_envelope(series.y);
  }
  return {energy, error, constraints};
}

// The shown body's coordinates: one panel per unit.
std::vector<Panel> body_panels(const std::vector<Quantity>& quantities, const Table& table) {
  std::vector<Panel> panels;
  for (std::size_t k = 6; k < quantities.size(); ++k) {
    if (panels.empty() || panels.back().unit != quantities[k].unit) {
      const char* what = quantities[k].unit == "m" ? "position" : quantities[k].unit == "rad" ? "angle" : "orientation";
      const std::string body = quantities[k].name.substr(0, quantities[k].name.rfind('.'));
      panels.push_back({shorten(body, 150, 13) + ", " + what, quantities[k].unit, {}});
    }
    panels.back().series.push_back({after_dot(quantities[k].name), table.columns[k], ""});
  }
  for (Panel& panel : panels)
    if (panel.series.size() == 1) panel.series[0].name = "";
  return panels;
}

}  // namespace

std::string describe_run(const Mechanism& m, const Run& run, const std::vector<double>& time) {
  const model::AnalysisSettings& a = m.model().analysis;
  std::string text;
  if (run.finished && (run.summary.rank > 0 || run.header.rows == 0)) {
    const long freedoms = run.header.v_size - run.summary.rank;
    text += fmt::format("{} of freedom, rank {} of {} · ", plural(freedoms, "degree"), run.summary.rank,
                        plural(run.header.rows, "row"));
  }
  if (!time.empty()) text += fmt::format("{:.4g} to {:.4g} s", time.front(), time.back());
  if (run.finished)
    text += fmt::format(" · {}, {}", plural(run.summary.steps, "step"), plural(run.summary.evaluations, "evaluation"));
  text += fmt::format(" · {}, tolerance {}, {}", a.integrator, short_power(a.tolerance),
                      a.stabilize == "none" ? "no stabilisation" : a.stabilize);
  if (run.header.kept) text += " · kept: " + analysis::describe_kept(run.header);
  if (!run.finished)
    text += " · unfinished run";
  else if (run.summary.status != "done")
    text += " · " + run.summary.status;
  return text;
}

std::string overview_page(const Mechanism& m, const Run& run, Readings* readings) {
  const std::vector<Quantity> quantities = overview_quantities(m, shown_body(m, run.frames));
  const Table table = tabulate(m, run.frames, quantities);
  const Strobe strobe = make_strobe(m, run.frames);
  const std::vector<Panel> right = health_panels(quantities, table), below = body_panels(quantities, table);

  const double left_width = 660, right_width = page_width - 2 * margin - gap - left_width;
  const double strobe_size = strobe_height(strobe, left_width, 720);
  const double below_height = below.empty() ? 0 : 190;
  const double height = std::max(strobe_size + (below.empty() ? 0 : gap + below_height), 620.0);
  Svg svg(page_width, header + height + margin, run.header.model_name);
  draw_headline(svg, run.header.model_name.empty() ? "Model" : run.header.model_name, describe_run(m, run, table.time));
  const Box left{margin, header, left_width, below.empty() ? height : strobe_size};
  draw(svg, strobe, left);
  for (std::size_t k = 0; k < below.size(); ++k) {
    const double each = (left_width - gap * static_cast<double>(below.size() - 1)) / static_cast<double>(below.size());
    const double top = left.bottom() + gap;
    draw(svg, below[k], table.time, {margin + static_cast<double>(k) * (each + gap), top, each, header + height - top},
         readings);
  }
  const double shares[] = {0.38, 0.28, 0.34};
  double y = header;
  for (std::size_t k = 0; k < right.size(); ++k) {
    const double each = (height - 2 * gap) * shares[k];
    draw(svg, right[k], table.time, {margin + left_width + gap, y, right_width, each}, readings);
    y += each + gap;
  }
  return svg.finish();
}

std::string motion_page(const Mechanism& m, const Run& run) {
  const Strobe strobe = make_strobe(m, run.frames);
  const double width = 520, height = strobe_height(strobe, width, 520);
  Svg svg(width + 2 * margin, height + 2 * margin, run.header.model_name);
  draw(svg, strobe, {margin, margin, width, height});
  return svg.finish();
}

std::string quantity_page(const Mechanism& m, const Run& run, const std::vector<Quantity>& quantities, bool log) {
  PlottedRun plotted{"", &m, run, {}};
  for (const Quantity& quantity : quantities) plotted.curves.push_back({std::nullopt, quantity, log, false});
  return curve_page({plotted}, {log, {}});
}

}  // namespace mortise::view
