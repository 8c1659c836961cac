// Drawing of a strobe picture: ground, traces, poses from the first to the last, axes in m, legend and caption.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/view/axis.h"
#include "mortise/view/strobe.h"

namespace mortise::view {

namespace {

constexpr double top_margin = 24, axis_height = 22;
constexpr double padding = 30;  // pixels between the motion and the frame: half a bar, a pivot with its hatching
constexpr double bar = 9, joint_radius = 3.2;
constexpr const char *edge = "#2b2f36", *pale = "#8a909c";

std::string tint(const std::string& color, double strength) {
  const auto channel = [&](std::size_t at) {
    const double value = std::stoi(color.substr(at, 2), nullptr, 16);
    return static_cast<int>(std::lround(255 + (value - 255) * strength));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(1), channel(3), channel(5));
}

struct LegendItem {
  std::string name, color;
  bool trace = false;
  double x = 0, line = 0;
};

std::vector<LegendItem> strobe_legend(const Strobe& strobe, double width, int& lines) {
  constexpr std::size_t most = 8;
  std::vector<LegendItem> items;
  const auto& bodies = strobe.skeleton.bodies;
  for (std::size_t k = 0; k < std::min(bodies.size(), most); ++k) items.push_back({bodies[k].name, palette(k)});
  if (bodies.size() > most) items.push_back({fmt::format("and {} more", bodies.size() - most), ""});
  std::string paths;
  for (const Tracer& tracer : strobe.skeleton.tracers) paths += (paths.empty() ? "" : ", ") + tracer.name;
  if (strobe.skeleton.has_points)
    items.push_back({(strobe.skeleton.tracers.size() > 1 ? "paths of " : "path of ") + paths, edge, true});
  double x = 0;
  int line = 0;
  for (LegendItem& item : items) {
    item.name = shorten(item.name, width - 40, label_size);
    const double w = (item.color.empty() ? 0 : 21) + text_width(item.name, label_size);
    if (x + w > width + 0.5 && x > 0) x = 0, ++line;
    item.x = x, item.line = line;
    x += w + 14;
  }
  lines = items.empty() ? 0 : line + 1;
  return items;
}

double footer(const Strobe& strobe, double width) {
  int lines = 0;
  strobe_legend(strobe, width - left_margin - right_margin, lines);
  return axis_height + lines * line_height + line_height + 4;
}

// From metres to pixels: equal scales, the motion in the middle of the area.
class Sheet {
 public:
  Sheet(const Strobe& strobe, const Box& area) : strobe_(strobe), area_(area) {
    const Eigen::Vector2d size = strobe.extent.sizes();
    scale_ = std::min((area.width - 2 * padding) / size.x(), (area.height - 2 * padding) / size.y());
    middle_ = strobe.extent.center();
  }
  Eigen::Vector2d pixel(const Eigen::Vector2d& p) const {
    return {area_.x + area_.width / 2 + (p.x() - middle_.x()) * scale_,
            area_.y + area_.height / 2 - (p.y() - middle_.y()) * scale_};
  }
  Eigen::Vector2d pixel(const Anchor& anchor, const Motions& motions) const {
    return pixel(strobe_.camera(world_point(anchor, motions, strobe_.skeleton.dimension)));
  }
  Axis x_axis() const {
    const double half = area_.width / 2 / scale_;
    return {middle_.x() - half, middle_.x() + half, area_.x, area_.right(), false, false, 10};
  }
  Axis y_axis() const {
    const double half = area_.height / 2 / scale_;
    return {middle_.y() - half,
            middle_.y() + half,
            area_.bottom(),
            area_.y,
            false,
            false,
            std::clamp(static_cast<int>(area_.height / 40), 4, 10)};
  }
  const Strobe& strobe() const { return strobe_; }
  const Box& area() const { return area_; }

 private:
  const Strobe& strobe_;
  Box area_;
  double scale_ = 1;
  Eigen::Vector2d middle_;
};

void draw_axes(Svg& svg, const Sheet& sheet) {
  const Box& area = sheet.area();
  const Axis x = sheet.x_axis(), y = sheet.y_axis();
  svg.open("g", {{"stroke", "#eef0f3"}});
  for (const double t : x.ticks()) svg.line(x.pixel(t), area.y, x.pixel(t), area.bottom(), {});
  for (const double t : y.ticks()) svg.line(area.x, y.pixel(t), area.right(), y.pixel(t), {});
  svg.close();
  svg.leaf("rect", {{"x", area.x},
                    {"y", area.y},
                    {"width", area.width},
                    {"height", area.height},
                    {"fill", "none"},
                    {"stroke", "#d5d9e0"}});
  svg.open("g", {{"font-size", label_size}, {"fill", grey}, {"text-anchor", "middle"}});
  for (std::size_t k = 0; k < x.ticks().size(); ++k) {
    const bool last = k + 1 == x.ticks().size();
    svg.text(x.pixel(x.ticks()[k]), area.bottom() + 15,
             x.labels().labels[k] + (last ? " " + scaled_unit(x.labels(), "m") : ""));
  }
  svg.close();
  svg.open("g", {{"font-size", label_size}, {"fill", grey}, {"text-anchor", "end"}});
  for (std::size_t k = 0; k < y.ticks().size(); ++k)
    svg.text(area.x - 7, y.pixel(y.ticks()[k]) + 4, y.labels().labels[k]);
  svg.close();
}

// A triangle on hatched ground, below the pivot; above it when the motion hangs down from there.
void draw_pivot(Svg& svg, const Sheet& sheet, const GroundPivot& pivot) {
  const Eigen::Vector2d p = sheet.pixel(pivot.anchor, {});
  const bool hangs = sheet.strobe().camera(pivot.anchor.p).y() > sheet.strobe().extent.center().y();
  const double s = hangs ? -1 : 1;
  svg.open("g", {{"class", "pivot"}, {"stroke", edge}, {"stroke-width", 1.2}, {"fill", "#fff"}});
  svg.title(pivot.name);
  Path triangle, ground;
  triangle.move(p.x(), p.y());
  triangle.line(p.x() - 8, p.y() + s * 13);
  triangle.line(p.x() + 8, p.y() + s * 13);
  triangle.close();
  ground.move(p.x() - 12, p.y() + s * 13);
  ground.line(p.x() + 12, p.y() + s * 13);
  for (int k = 0; k < 5; ++k) {
    ground.move(p.x() - 8 + 5 * k, p.y() + s * 13);
    ground.line(p.x() - 12 + 5 * k, p.y() + s * 18);
  }
  svg.leaf("path", {{"d", triangle.str()}, {"stroke-linejoin", "round"}});
  svg.leaf("path", {{"d", ground.str()}});
  svg.leaf("circle", {{"cx", p.x()}, {"cy", p.y()}, {"r", joint_radius}});
  svg.close();
}

enum class Style { outline, faint, strong };

void draw_body(Svg& svg, const Sheet& sheet, const BodyShape& shape, const Motions& motions, Style style) {
  const std::string& color = palette(static_cast<std::size_t>(shape.body));
  const bool outline = style == Style::outline;
  svg.open("g", {{"class", "body"}});
  if (style == Style::strong) svg.title(shape.name);
  Anchor center;
  center.body = shape.body;
  std::vector<Eigen::Vector2d> points;
  for (const Anchor& anchor : shape.points) points.push_back(sheet.pixel(anchor, motions));
  const bool lone = shape.points.size() < 2;
  const Eigen::Vector2d middle = sheet.pixel(center, motions);
  const bool disc = shape.particle || points.empty() || (lone && (points[0] - middle).norm() < 1);
  const std::string fill = outline ? "#fff" : tint(color, 0.45), rim = outline ? pale : color;
  if (!disc) {
    if (lone) points.push_back(middle);
    const std::vector<Eigen::Vector2d> hull = convex_hull(points);
    Path path;
    path.move(hull[0].x(), hull[0].y());
    for (std::size_t k = 1; k < hull.size(); ++k) path.line(hull[k].x(), hull[k].y());
    if (hull.size() > 2) path.close();
    // Twice: the rim, then the inside on top of it, 1.3 pixels thinner on each side.
    const bool area = hull.size() > 2;
    for (const bool inside : {false, true})
      svg.leaf("path", {{"d", path.str()},
                        {"fill", !area    ? "none"
                                 : inside ? fill
                                          : rim},
                        {"stroke", inside ? fill : rim},
                        {"stroke-width", inside ? bar - 2.6 : bar},
                        {"stroke-linejoin", "round"},
                        {"stroke-linecap", "round"}});
  }
  if (disc || lone)
    svg.leaf(
        "circle",
        {{"cx", middle.x()}, {"cy", middle.y()}, {"r", 7.0}, {"fill", fill}, {"stroke", rim}, {"stroke-width", 1.4}});
  svg.close();
}

void draw_pose(Svg& svg, const Sheet& sheet, std::size_t pose) {
  const Strobe& strobe = sheet.strobe();
  const Motions& motions = strobe.poses[pose];
  const std::size_t count = strobe.poses.size();
  const bool last = pose + 1 == count, first = pose == 0 && !last;
  const double age = count > 2 ? static_cast<double>(pose) / static_cast<double>(count - 1) : 1;
  const Style style = last ? Style::strong : first ? Style::outline : Style::faint;
  svg.open("g", {{"class", "pose"}, {"opacity", last ? 1.0 : first ? 0.9 : 0.12 + 0.26 * age}});
  if (!last) svg.title(fmt::format("t = {:.4g} s", strobe.times[pose]));
  for (const Rod& rod : strobe.skeleton.rods) {
    const Eigen::Vector2d a = sheet.pixel(rod.a, motions), b = sheet.pixel(rod.b, motions);
    svg.line(a.x(), a.y(), b.x(), b.y(),
             {{"stroke", first ? pale : edge},
              {"stroke-width", rod.rail || first ? 1.0 : 1.8},
              {"stroke-dasharray", rod.rail ? "5 3" : "none"}});
  }
  for (const BodyShape& shape : strobe.skeleton.bodies) draw_body(svg, sheet, shape, motions, style);
  if (last)
    for (const Anchor& joint : strobe.skeleton.joints) {
      const Eigen::Vector2d p = sheet.pixel(joint, motions);
      svg.leaf("circle", {{"cx", p.x()},
                          {"cy", p.y()},
                          {"r", joint_radius},
                          {"fill", "#fff"},
                          {"stroke", edge},
                          {"stroke-width", 1.2}});
    }
  svg.close();
}

void draw_triad(Svg& svg, const Sheet& sheet) {
  const Camera& camera = sheet.strobe().camera;
  if (camera.caption.empty()) return;
  const Eigen::Vector2d o(sheet.area().right() - 40, sheet.area().y + 44);
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector2d d = camera(Eigen::Vector3d::Unit(k)) * 26;
    svg.line(o.x(), o.y(), o.x() + d.x(), o.y() - d.y(), {{"stroke", grey}, {"stroke-width", 1.4}});
    svg.text(o.x() + 1.35 * d.x(), o.y() - 1.35 * d.y() + 4, std::string(1, "xyz"[k]),
             {{"font-size", label_size}, {"fill", grey}, {"text-anchor", "middle"}});
  }
}

}  // namespace

double strobe_height(const Strobe& strobe, double width, double most) {
  const double inner = width - left_margin - right_margin - 2 * padding;
  const Eigen::Vector2d size = strobe.extent.sizes();
  return std::clamp(inner * size.y() / size.x() + 2 * padding + top_margin + footer(strobe, width), 300.0, most);
}

void draw(Svg& svg, const Strobe& strobe, const Box& box) {
  const Box area{box.x + left_margin, box.y + top_margin, box.width - left_margin - right_margin,
                 box.height - top_margin - footer(strobe, box.width)};
  const Sheet sheet(strobe, area);
  svg.open("g", {{"class", "strobe"}});
  svg.text(area.x, box.y + 13, "Motion", {{"font-size", 13.0}, {"font-weight", "600"}});
  draw_axes(svg, sheet);
  for (std::size_t pose = 0; pose + 1 < strobe.poses.size(); ++pose) draw_pose(svg, sheet, pose);
  for (std::size_t k = 0; k < strobe.traces.size(); ++k) {
    std::vector<double> x, y;
    for (const Eigen::Vector2d& p : strobe.traces[k]) x.push_back(sheet.pixel(p).x()), y.push_back(sheet.pixel(p).y());
    const int body = strobe.skeleton.tracers[k].anchor.body;
    svg.leaf("path",
             {{"class", "trace"},
              {"d", series_path(x, y, false)},
              {"fill", "none"},
              {"stroke", strobe.skeleton.has_points ? std::string(edge) : palette(static_cast<std::size_t>(body))},
              {"stroke-width", 1.1},
              {"stroke-opacity", 0.75},
              {"stroke-linejoin", "round"},
              {"stroke-linecap", "round"}});
  }
  for (const GroundPivot& pivot : strobe.skeleton.pivots) draw_pivot(svg, sheet, pivot);
  if (!strobe.poses.empty()) draw_pose(svg, sheet, strobe.poses.size() - 1);
  for (const GroundPivot& pivot : strobe.skeleton.pivots) {
    const Eigen::Vector2d p = sheet.pixel(pivot.anchor, {});
    svg.leaf(
        "circle",
        {{"cx", p.x()}, {"cy", p.y()}, {"r", joint_radius}, {"fill", "#fff"}, {"stroke", edge}, {"stroke-width", 1.2}});
  }
  draw_triad(svg, sheet);

  int lines = 0;
  const double top = area.bottom() + axis_height + 14;
  for (const LegendItem& item : strobe_legend(strobe, area.width, lines)) {
    const double x = area.x + item.x, y = top + item.line * line_height;
    const double shift = item.color.empty() ? 0 : 21;
    if (!item.color.empty())
      svg.line(x + 3, y - 4, x + 13, y - 4,
               {{"stroke", item.trace ? item.color : tint(item.color, 0.8)},
                {"stroke-width", item.trace ? 1.2 : 7.0},
                {"stroke-linecap", "round"}});
    svg.text(x + shift, y, item.name, {{"font-size", label_size}});
  }
  std::string caption = strobe.poses.empty() ? "no finite frame to show"
                        : strobe.poses.size() == 1
                            ? fmt::format("pose at t = {:.4g} s", strobe.times[0])
                            : fmt::format("{} poses that cover the run; outline: t = {:.4g} s, strong: t = {:.4g} s",
                                          strobe.poses.size(), strobe.times.front(), strobe.times.back());
  if (strobe.traced_from) caption += fmt::format("; paths from t = {:.4g} s on", *strobe.traced_from);
  if (!strobe.camera.caption.empty()) caption += "; " + strobe.camera.caption;
  svg.text(area.x, top + lines * line_height, caption, {{"font-size", label_size}, {"fill", grey}});
  svg.close();
}

}  // namespace mortise::view
