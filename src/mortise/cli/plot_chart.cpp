#include "mortise/cli/plot_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "mortise/error.h"
#include "mortise/view/sheet_of_panels.h"

namespace mortise::cli {

namespace {

using nlohmann::json;

constexpr const char* dashes[] = {"", "7 3", "2 3", "9 3 2 3"};

// What tells one method from another: the settings that differ somewhere in the table.
std::vector<std::string> distinguishing(const json& cases) {
  std::vector<std::string> keys;
  for (const char* key : {"formulation", "pseudoinverse", "stabilize", "coordinates", "integrator", "rank_tolerance"})
    if (std::any_of(cases.begin(), cases.end(), [&](const json& c) { return c.at(key) != cases[0].at(key); }))
      keys.emplace_back(key);
  if (keys.empty()) keys.emplace_back("formulation");
  return keys;
}

std::string label_of(const json& c, const std::vector<std::string>& keys) {
  std::string label;
  for (const std::string& key : keys) {
    const std::string word = c.at(key).is_string() ? c.at(key).get<std::string>() : c.at(key).dump();
    if (!word.empty()) label += (label.empty() ? "" : " · ") + word;
  }
  return label;
}

view::Panel log_log(const std::string& title, const std::string& unit, const std::string& x_name) {
  view::Panel panel{title, unit, {}, true, true};
  panel.x_name = x_name, panel.x_unit = "";
  panel.log_x = true, panel.curve = true;
  return panel;
}

void style(view::Series& series, std::size_t k) {
  series.color = view::palette(k);
  series.dash = dashes[k / 7 % std::size(dashes)];
  series.marks = true;
}

view::SheetOfPanels work_precision(const json& j) {
  const json& cases = j.at("cases");
  if (cases.empty()) throw std::invalid_argument("no case");
  const std::vector<std::string> keys = distinguishing(cases);
  std::vector<std::string> order;
  std::map<std::string, std::vector<json>> methods;
  std::map<std::string, std::vector<std::string>> absent;  // reason → methods
  for (const json& c : cases) {
    const std::string label = label_of(c, keys);
    if (!c.at("ran").get<bool>()) {
      std::vector<std::string>& names = absent[c.at("reason").get<std::string>()];
      if (names.empty() || names.back() != label) names.push_back(label);
      continue;
    }
    if (!methods.count(label)) order.push_back(label);
    methods[label].push_back(c);
  }
  view::Panel evaluations = log_log("Evaluations", "", "largest pose error"),
              seconds = log_log("Time", "s", "largest pose error");
  for (std::size_t k = 0; k < order.size(); ++k) {
    view::Series work{order[k], {}, ""};
    style(work, k);
    view::Series time = work;
    for (const json& c : methods[order[k]]) {
      work.x.push_back(c.at("error").get<double>());
      work.y.push_back(c.at("evaluations").get<double>());
      time.y.push_back(c.at("cpu_seconds").get<double>());
    }
    time.x = work.x;
    evaluations.series.push_back(std::move(work));
    seconds.series.push_back(std::move(time));
  }
  view::SheetOfPanels sheet{
      j.at("model").get<std::string>() + ": work and precision",
      fmt::format("to t = {:g} s · reference sure to {:.1e} · a point is a tolerance; further left is more accurate, "
                  "further down is less work",
                  j.at("until").get<double>(), j.at("reference_error").get<double>()),
      {std::move(evaluations), std::move(seconds)},
      {}};
  for (const auto& [reason, names] : absent)
    sheet.notes.push_back(fmt::format("not shown: {} ({})", fmt::join(names, ", "), reason));
  return sheet;
}

view::SheetOfPanels chart(const json& j) {
  view::Panel panel = log_log(j.at("y").get<std::string>(), j.value("y_unit", ""), j.at("x").get<std::string>());
  panel.log = j.value("log_y", true), panel.log_x = j.value("log_x", true);
  for (const json& s : j.at("series")) {
    view::Series series{s.at("name").get<std::string>(), {}, ""};
    style(series, panel.series.size());
    for (const json& point : s.at("points")) series.x.push_back(point.at(0)), series.y.push_back(point.at(1));
    panel.series.push_back(std::move(series));
  }
  return {j.at("title").get<std::string>(), j.value("subtitle", ""), {panel}, {}};
}

}  // namespace

std::string chart_page(const std::string& path, view::Readings& readings) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ResultError(path, "cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  try {
    const json j = json::parse(text.str());
    const std::string kind = j.value("kind", "");
    if (kind == "comparison") return draw_sheet(work_precision(j), &readings);
    if (kind == "chart") return draw_sheet(chart(j), &readings);
  } catch (const json::exception& error) {
    throw ResultError(path, fmt::format("is no table to draw: {}", error.what()));
  } catch (const std::invalid_argument& error) {
    throw ResultError(path, fmt::format("is no table to draw: {}", error.what()));
  }
  throw ResultError(path, "is no table to draw; `mortise compare MODEL --json > FILE` writes one");
}

}  // namespace mortise::cli
