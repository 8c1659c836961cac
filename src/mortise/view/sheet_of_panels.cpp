#include "mortise/view/sheet_of_panels.h"

#include <algorithm>

#include "mortise/view/axis.h"

namespace mortise::view {

namespace {

constexpr double inner_width = page_width - 2 * page_margin;
constexpr double narrowest_page = 860;

bool is_wide(const Panel& panel) { return !panel.curve && !panel.log_x; }

// Where panels go: wide ones fill a line, others stand two or three in one.
struct Slot {
  Box box;
  std::size_t panel;
};

std::vector<Slot> arrange(const std::vector<Panel>& panels, double& right, double& bottom) {
  std::vector<std::size_t> wide, narrow;
  for (std::size_t k = 0; k < panels.size(); ++k) (is_wide(panels[k]) ? wide : narrow).push_back(k);
  std::vector<Slot> slots;
  double y = page_header;
  const double each = wide.size() == 1 ? 460 : wide.size() == 2 ? 320 : 240;
  for (const std::size_t k : wide) {
    const double height = each + header_height(panels[k], inner_width) - line_height - 6;
    slots.push_back({{page_margin, y, inner_width, height}, k});
    y += height + page_gap;
  }
  const std::size_t columns =
      narrow.size() >= 3 && narrow.size() != 4 ? 3 : std::max<std::size_t>(narrow.size(), 1) / 2 + 1;
  const std::size_t most = std::min<std::size_t>(columns, 3);
  for (std::size_t k = 0; k < narrow.size(); k += most) {
    const auto count = static_cast<double>(most);
    const double width = std::min((inner_width - page_gap * (count - 1)) / count, 820.0);
    double height = 0;
    for (std::size_t i = k; i < std::min(k + most, narrow.size()); ++i)
      height = std::max(height, header_height(panels[narrow[i]], width) + std::min(width * 0.8, 560.0));
    for (std::size_t i = k; i < std::min(k + most, narrow.size()); ++i)
      slots.push_back({{page_margin + static_cast<double>(i - k) * (width + page_gap), y, width, height}, narrow[i]});
    y += height + page_gap;
  }
  bottom = y - page_gap;
  right = page_margin;
  for (const Slot& slot : slots) right = std::max(right, slot.box.right());
  return slots;
}

}  // namespace

void draw_headline(Svg& svg, const std::string& title, const std::string& subtitle, double width) {
  const double inner = width - 2 * page_margin;
  svg.text(page_margin, 34, shorten(title, inner, 22), {{"font-size", 22.0}, {"font-weight", "700"}});
  svg.text(page_margin, 54, shorten(subtitle, inner, 12), {{"font-size", 12.0}, {"fill", grey}});
}

std::string draw_sheet(const SheetOfPanels& sheet, Readings* readings) {
  double right = page_margin, bottom = page_header;
  const std::vector<Slot> slots = arrange(sheet.panels, right, bottom);
  const double notes = sheet.notes.empty() ? 0 : page_gap / 2 + line_height * static_cast<double>(sheet.notes.size());
  const double width = std::max(right + page_margin, narrowest_page);
  Svg svg(width, bottom + notes + page_margin, sheet.title);
  draw_headline(svg, sheet.title, sheet.subtitle, width);
  for (const Slot& slot : slots) draw(svg, sheet.panels[slot.panel], {}, slot.box, readings);
  for (std::size_t k = 0; k < sheet.notes.size(); ++k)
    svg.text(page_margin, bottom + page_gap / 2 + line_height * static_cast<double>(k + 1),
             shorten(sheet.notes[k], width - 2 * page_margin, label_size), {{"font-size", label_size}, {"fill", grey}});
  return svg.finish();
}

}  // namespace mortise::view
