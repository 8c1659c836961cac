#include <fmt/format.h>

#include <algorithm>

#include "mortise/view/curves.h"
#include "mortise/view/sheet_of_panels.h"

namespace mortise::view {

namespace {

// Later runs are thinner, so that the first is seen under one that lies on it.
constexpr double first_width = 3.2, later_width = 1.4;

struct Columns {
  std::vector<double> time;
  std::vector<std::vector<double>> x, y;  // one each per curve; x empty: time
};

Columns columns_of(const PlottedRun& p, const Window& window) {
  std::vector<analysis::Quantity> quantities;
  for (const Curve& c : p.curves) {
    if (c.x) quantities.push_back(*c.x);
    quantities.push_back(c.y);
  }
  Table table = tabulate(*p.mechanism, p.run.frames, quantities, window);
  Columns out{std::move(table.time), {}, {}};
  std::size_t next = 0;
  for (const Curve& c : p.curves) {
    out.x.push_back(c.x ? std::move(table.columns[next++]) : std::vector<double>{});
    out.y.push_back(std::move(table.columns[next++]));
  }
  return out;
}

Panel empty_panel(const Curve& c, bool log) {
  Panel panel{"", c.y.unit, {}, log || c.log, true};
  if (!c.x) return panel;
  panel.x_name = c.x->name, panel.x_unit = c.x->unit;
  panel.curve = true;
  panel.equal = !panel.log && c.x->unit == "m" && c.y.unit == "m";
  return panel;
}

bool share(const Panel& panel, const Panel& other) {
  return panel.unit == other.unit && panel.log == other.log && panel.x_name == other.x_name;
}

std::vector<Panel> panels_of_one(const PlottedRun& p, Columns columns, bool log) {
  std::vector<Panel> panels;
  std::vector<bool> closed;
  for (std::size_t k = 0; k < p.curves.size(); ++k) {
    const Curve& c = p.curves[k];
    const Panel wanted = empty_panel(c, log);
    std::size_t at = 0;
    while (at < panels.size() && (c.formula || closed[at] || !share(panels[at], wanted))) ++at;
    if (at == panels.size()) panels.push_back(wanted), closed.push_back(c.formula);
    Series series{c.y.name, std::move(columns.y[k]), ""};
    series.x = c.x ? std::move(columns.x[k]) : columns.time;
    panels[at].series.push_back(std::move(series));
  }
  for (Panel& panel : panels)
    if (panel.series.size() == 1) panel.title = panel.series[0].name, panel.series[0].name = "";
  return panels;
}

std::vector<Panel> panels_of_several(const std::vector<PlottedRun>& runs, std::vector<Columns> columns, bool log) {
  std::vector<Panel> panels;
  for (std::size_t k = 0; k < runs.front().curves.size(); ++k) {
    Panel panel = empty_panel(runs.front().curves[k], log);
    panel.title = runs.front().curves[k].y.name;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      Series series{runs[r].name, std::move(columns[r].y[k]), "", r == 0 ? first_width : later_width};
      series.x = runs[r].curves[k].x ? std::move(columns[r].x[k]) : columns[r].time;
      panel.series.push_back(std::move(series));
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace

std::string curve_page(const std::vector<PlottedRun>& runs, const CurveOptions& options, Readings* readings) {
  std::vector<Columns> columns;
  for (const PlottedRun& p : runs) columns.push_back(columns_of(p, options.window));
  SheetOfPanels sheet;
  const PlottedRun& first = runs.front();
  sheet.title = first.run.header.model_name.empty() ? "Model" : first.run.header.model_name;
  if (runs.size() == 1) {
    sheet.subtitle = describe_run(*first.mechanism, first.run, columns.front().time);
    sheet.panels = panels_of_one(first, std::move(columns.front()), options.log);
  } else {
    sheet.subtitle = fmt::format("{} results", runs.size());
    for (const PlottedRun& p : runs)
      sheet.notes.push_back(
          p.name + ": " + describe_run(*p.mechanism, p.run, columns[static_cast<std::size_t>(&p - runs.data())].time));
    sheet.panels = panels_of_several(runs, std::move(columns), options.log);
  }
  return draw_sheet(sheet, readings);
}

}  // namespace mortise::view
