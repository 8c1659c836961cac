#include "mortise/view/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mortise/view/axis.h"

namespace mortise::view {

namespace {

constexpr double title_size = 13, swatch = 18;
constexpr double time_label_height = 20;
constexpr double bold = 1.12;  // how much wider a title is than its estimate

struct LegendEntry {
  const Series* series;
  std::string color, label;
  double x = 0;
  int line = 0;
};

std::string color_of(const Panel& panel, std::size_t k) {
  return panel.series[k].color.empty() ? palette(k) : panel.series[k].color;
}

double title_width(const Panel& panel) {
  return text_width(panel.title, title_size) * bold + (panel.unit.empty() ? 0 : 10) +
         text_width(panel.unit, label_size) + (panel.log ? 12 : 46);
}

// Entries from the right of the title on; those that do not fit go to lines of their own below.
std::vector<LegendEntry> legend(const Panel& panel, double width, int& lines) {
  std::vector<LegendEntry> entries;
  lines = 1;
  if (panel.series.size() < 2 && (panel.series.empty() || panel.series[0].name.empty())) return entries;
  double total = 0;
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    LegendEntry e{&panel.series[k], color_of(panel, k), shorten(panel.series[k].name, width - 60, label_size), 0, 0};
    total += swatch + 5 + text_width(e.label, label_size) + 14;
    entries.push_back(e);
  }
  const bool beside = title_width(panel) + total <= width;
  double x = beside ? width - total + 14 : 0;
  int line = beside ? 0 : 1;
  for (LegendEntry& e : entries) {
    const double w = swatch + 5 + text_width(e.label, label_size);
    if (x + w > width + 0.5 && x > 0) x = 0, ++line;
    e.x = x, e.line = line;
    x += w + 14;
  }
  lines = line + 1;
  return entries;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double v) { low = std::min(low, v), high = std::max(high, v); }
  bool empty() const { return low > high; }
};

const std::vector<double>& abscissae(const Series& s, const std::vector<double>& time) {
  return s.x.empty() ? time : s.x;
}

Range range_of(const Panel& panel) {
  Range range;
  for (const Series& s : panel.series)
    for (const double v : s.y)
      if (std::isfinite(v) && (!panel.log || v > 0)) range.add(v);
  return range;
}

Range x_range_of(const Panel& panel, const std::vector<double>& time) {
  Range range;
  const auto add = [&](const std::vector<double>& values) {
    for (const double v : values)
      if (std::isfinite(v) && (!panel.log_x || v > 0)) range.add(v);
  };
  for (const Series& s : panel.series) add(abscissae(s, time));
  if (panel.series.empty()) add(time);
  if (range.empty()) range = panel.log_x ? Range{1, 10} : Range{0, 1};
  return range;
}

// Both ranges grow until a unit has as many pixels in both.
void make_equal(Range& x, Range& y, const Box& area) {
  // 1.08: a little air, so that the curve does not touch the frame.
  const double unit = 1.08 * std::max({(x.high - x.low) / area.width, (y.high - y.low) / area.height, 1e-300});
  const auto grow = [&](Range& range, double pixels) {
    const double middle = (range.low + range.high) / 2, half = unit * pixels / 2;
    range = {middle - half, middle + half};
  };
  grow(x, area.width), grow(y, area.height);
}

Reading reading_of(const Panel& panel, const std::vector<double>& time, const Box& area, const Axis& x, const Axis& y) {
  Reading out{area,
              {x.origin(), x.scale(), x.log()},
              {y.origin(), y.scale(), y.log()},
              panel.x_name.empty() ? "t" : panel.x_name,
              panel.x_unit,
              panel.unit,
              panel.curve,
              {}};
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    const Series& s = panel.series[k];
    const std::vector<double>& all = abscissae(s, time);
    const std::size_t count = std::min(all.size(), s.y.size()), every = count / most_readings + 1;
    Series thin{s.name.empty() ? panel.title : s.name, {}, color_of(panel, k)};
    for (std::size_t i = 0; i < count; i += every) thin.x.push_back(all[i]), thin.y.push_back(s.y[i]);
    out.series.push_back(std::move(thin));
  }
  return out;
}

}  // namespace

const std::string& palette(std::size_t k) {
  static const std::string colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555"};
  return colors[k % std::size(colors)];
}

double header_height(const Panel& panel, double width) {
  int lines = 1;
  legend(panel, width - left_margin - right_margin, lines);
  return lines * line_height + 6;
}

std::string series_path(const std::vector<double>& x, const std::vector<double>& y, bool thinning) {
  Path path;
  const std::size_t n = std::min(x.size(), y.size());
  const auto shown = [&](std::size_t k) { return std::isfinite(x[k]) && std::isfinite(y[k]); };
  for (std::size_t begin = 0; begin < n;) {
    if (!shown(begin)) {
      ++begin;
      continue;
    }
    std::size_t end = begin + 1;
    while (end < n && shown(end)) ++end;
    if (end == begin + 1) path.dot(x[begin], y[begin]);
    if (end > begin + 1) path.move(x[begin], y[begin]);
    for (std::size_t k = begin; end > begin + 1 && k < end;) {
      std::size_t last = k, low = k, high = k;
      while (thinning && last + 1 < end && std::floor(x[last + 1]) == std::floor(x[k])) {
        ++last;
        if (y[last] < y[low]) low = last;
        if (y[last] > y[high]) high = last;
      }
      for (const std::size_t i : {k, std::min(low, high), std::max(low, high), last}) path.line(x[i], y[i]);
      k = last + 1;
    }
    begin = end;
  }
  return path.str();
}

void draw(Svg& svg, const Panel& panel, const std::vector<double>& time, const Box& box, Readings* readings) {
  const double header = header_height(panel, box.width);
  const Box area{
      box.x + left_margin, box.y + header, box.width - left_margin - right_margin,
      box.height - header - (panel.time_labels ? time_label_height + (panel.x_name.empty() ? 0 : line_height) : 4)};
  Range range = range_of(panel);
  const bool nothing = range.empty();
  if (nothing) range = panel.log ? Range{1, 10} : Range{0, 1};
  Range times = x_range_of(panel, time);
  if (panel.equal) make_equal(times, range, area);
  const int most = std::clamp(static_cast<int>(area.height / 26) + 1, 3, 7);
  const bool fit = (panel.curve || panel.log_x) && !panel.equal;
  const Axis y(range.low, range.high, area.bottom(), area.y, panel.log, !panel.equal, most);
  const Axis x(times.low, times.high, area.x, area.right(), panel.log_x, fit, area.width > 400 ? 12 : 7);
  if (readings) readings->push_back(reading_of(panel, time, area, x, y));

  svg.open("g", {{"class", "panel"}});
  const std::string unit = scaled_unit(y.labels(), panel.unit);
  svg.text(area.x, box.y + 13, panel.title, {{"font-size", title_size}, {"font-weight", "600"}});
  if (!unit.empty())
    svg.text(area.x + (panel.title.empty() ? 0 : text_width(panel.title, title_size) * bold + 10), box.y + 13, unit,
             {{"font-size", label_size}, {"fill", grey}});
  int lines = 1;
  for (const LegendEntry& e : legend(panel, area.width, lines)) {
    const double at = box.y + 13 + e.line * line_height;
    Attributes swatch_line{{"stroke", e.color}, {"stroke-width", e.series->width + 0.5}, {"stroke-linecap", "round"}};
    if (!e.series->dash.empty()) swatch_line.emplace_back("stroke-dasharray", e.series->dash);
    svg.line(area.x + e.x, at - 4, area.x + e.x + swatch, at - 4, swatch_line);
    svg.text(area.x + e.x + swatch + 5, at, e.label, {{"font-size", label_size}});
  }

  svg.open("g", {{"stroke", "#e4e7ec"}, {"stroke-width", 1.0}});
  for (const double t : x.ticks()) svg.line(x.pixel(t), area.y, x.pixel(t), area.bottom(), {});
  for (const double v : y.ticks()) svg.line(area.x, y.pixel(v), area.right(), y.pixel(v), {});
  svg.close();
  svg.open("g", {{"font-size", label_size}, {"fill", grey}, {"text-anchor", "end"}});
  for (std::size_t k = 0; k < y.ticks().size(); ++k)
    svg.text(area.x - 7, y.pixel(y.ticks()[k]) + 4, y.labels().labels[k]);
  svg.close();
  if (panel.time_labels) {
    svg.open("g", {{"font-size", label_size}, {"fill", grey}, {"text-anchor", "middle"}});
    // Time needs its unit only, behind the last label; anything else its name, on a line of its own.
    const std::string unit_of_x = scaled_unit(x.labels(), panel.x_unit);
    for (std::size_t k = 0; k < x.ticks().size(); ++k) {
      const bool last = k + 1 == x.ticks().size() && panel.x_name.empty();
      svg.text(x.pixel(x.ticks()[k]), area.bottom() + 15, x.labels().labels[k] + (last ? " " + unit_of_x : ""));
    }
    if (!panel.x_name.empty())
      svg.text(area.x + area.width / 2, area.bottom() + 15 + line_height,
               panel.x_name + (unit_of_x.empty() ? "" : "  [" + unit_of_x + "]"));
    svg.close();
  }

  if (nothing)
    svg.text(area.x + area.width / 2, area.y + area.height / 2 + 4,
             panel.log ? "no value above zero" : "no finite value", {{"fill", grey}, {"text-anchor", "middle"}});
  std::vector<double> px, py;
  for (std::size_t k = 0; k < panel.series.size(); ++k) {
    const Series& s = panel.series[k];
    const std::vector<double>& all = abscissae(s, time);
    px.resize(all.size()), py.resize(s.y.size());
    std::transform(all.begin(), all.end(), px.begin(), [&](double v) { return x.pixel(v); });
    std::transform(s.y.begin(), s.y.end(), py.begin(), [&](double v) { return y.pixel(v); });
    const std::string d = series_path(px, py, !panel.curve);
    if (d.empty()) continue;
    Attributes line{{"d", d},
                    {"fill", "none"},
                    {"stroke", color_of(panel, k)},
                    {"stroke-width", s.width},
                    {"stroke-linejoin", "round"},
                    {"stroke-linecap", "round"}};
    if (!s.dash.empty()) line.emplace_back("stroke-dasharray", s.dash);
    svg.leaf("path", line);
    for (std::size_t i = 0; s.marks && i < std::min(px.size(), py.size()); ++i)
      if (std::isfinite(px[i]) && std::isfinite(py[i]))
        svg.leaf("circle", {{"cx", px[i]}, {"cy", py[i]}, {"r", 3.0}, {"fill", color_of(panel, k)}});
  }
  svg.close();
}

}  // namespace mortise::view
