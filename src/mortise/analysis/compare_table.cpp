// The tables of a comparison: for the eye, for a document, for a program.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mortise/analysis/compare.h"

namespace mortise::analysis {

namespace {

// 1e-06 as people write it.
std::string trimmed(std::string number) {
  const std::size_t e = number.find('e');
  if (e != std::string::npos && e + 2 < number.size() && number[e + 2] == '0') number.erase(e + 2, 1);
  return number;
}

std::string short_number(double x) { return x == 0 ? "0" : trimmed(fmt::format("{:.1e}", x)); }

// Columns of one case. What all cases share (one integrator, one tolerance) is left out by the caller.
struct Column {
  std::string title;
  bool right = false;
  bool choice = false;  // dropped when all cases agree on it
  std::vector<std::string> cells;
};

std::vector<Column> columns_of(const Comparison& c) {
  std::vector<Column> all;
  const auto add = [&](const char* title, bool right, bool choice, auto&& text) {
    Column column{title, right, choice, {}};
    for (const CaseResult& r : c.cases) column.cells.push_back(text(r));
    all.push_back(std::move(column));
  };
  const auto dash = [](const std::string& s) { return s.empty() ? std::string("-") : s; };
  add("formulation", false, false, [&](const CaseResult& r) { return r.method.formulation; });
  add("pseudoinverse", false, true, [&](const CaseResult& r) { return dash(r.method.pseudoinverse); });
  add("stabilize", false, true, [&](const CaseResult& r) { return r.method.stabilize; });
  add("coordinates", false, true, [&](const CaseResult& r) { return r.method.coordinates; });
  add("integrator", false, true, [&](const CaseResult& r) { return r.method.integrator; });
  add("tol", true, true, [&](const CaseResult& r) { return trimmed(fmt::format("{:.0e}", r.method.tolerance)); });
  add("rank tol", true, true, [&](const CaseResult& r) {
    return r.method.rank_tolerance > 0 ? trimmed(fmt::format("{:.0e}", r.method.rank_tolerance)) : std::string("-");
  });
  const auto ran = [](const CaseResult& r) { return !r.last.empty(); };
  add("correct until", false, false, [&](const CaseResult& r) {
    if (!ran(r)) return std::string("-");
    return r.correct ? fmt::format("{:g} s (all)", c.until) : fmt::format("{:.4g} s", r.correct_until);
  });
  add("error", true, false, [&](const CaseResult& r) { return ran(r) ? short_number(r.error) : std::string("-"); });
  add("Σφ²", true, false, [&](const CaseResult& r) { return ran(r) ? short_number(r.sum_phi2) : std::string("-"); });
  add("energy", true, false,
      [&](const CaseResult& r) { return ran(r) ? short_number(r.energy_error) : std::string("-"); });
  add("rank", true, true, [&](const CaseResult& r) { return ran(r) ? std::to_string(r.rank) : std::string("-"); });
  add("evals", true, false,
      [&](const CaseResult& r) { return r.evaluations ? std::to_string(r.evaluations) : std::string("-"); });
  add("steps", true, false, [&](const CaseResult& r) { return r.steps ? std::to_string(r.steps) : std::string("-"); });
  add("ms", true, false, [&](const CaseResult& r) { return ran(r) ? fmt::format("{:.1f}", 1e3 * r.cpu) : "-"; });
  add("kflop", true, false,
      [&](const CaseResult& r) { return r.flops > 0 ? fmt::format("{:.2f}", 1e-3 * r.flops) : std::string("-"); });
  add("note", false, true, [&](const CaseResult& r) { return r.reason; });
  std::erase_if(all, [](const Column& column) {
    return column.choice &&
           std::all_of(column.cells.begin(), column.cells.end(),
                       [&](const std::string& cell) { return cell == column.cells.front(); }) &&
           (column.title != "note" || column.cells.empty() || column.cells.front().empty());
  });
  return all;
}

// Characters on the screen: UTF-8 continuation bytes take no room.
std::size_t width(const std::string& s) {
  return static_cast<std::size_t>(
      std::count_if(s.begin(), s.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string pad(const std::string& s, std::size_t to, bool right) {
  const std::string space(to > width(s) ? to - width(s) : 0, ' ');
  return right ? space + s : s + space;
}

std::string table(const Comparison& c, const std::string& begin, const std::string& between, const std::string& end,
                  bool rule) {
  const std::vector<Column> columns = columns_of(c);
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    std::size_t most = width(column.title);
    for (const std::string& cell : column.cells) most = std::max(most, width(cell));
    widths.push_back(most);
  }
  std::string out;
  const auto line = [&](auto&& cell) {
    std::string text = begin;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (k > 0) text += between;
      text += pad(cell(k), widths[k], columns[k].right);
    }
    text += end;
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line([&](std::size_t k) { return columns[k].title; });
  if (rule)
    line([&](std::size_t k) {
      return std::string(std::max<std::size_t>(widths[k], 3) - 1, '-') + (columns[k].right ? ":" : "-");
    });
  for (std::size_t row = 0; row < c.cases.size(); ++row) line([&](std::size_t k) { return columns[k].cells[row]; });
  return out;
}

}  // namespace

std::string compare_table(const Comparison& c) { return table(c, "", "   ", "", false); }

std::string compare_markdown(const Comparison& c) { return table(c, "| ", " | ", " |", true); }

std::string compare_csv(const Comparison& c) {
  std::string out =
      "formulation,pseudoinverse,stabilize,coordinates,integrator,tolerance,rank_tolerance,ran,reached,correct_until,"
      "correct,error,end_error,sum_phi2,energy_error,rank,evaluations,steps,cpu_seconds,flops_per_solve,reason\n";
  for (const CaseResult& r : c.cases) {
    const Method& m = r.method;
    std::string reason = r.reason;
    std::replace(reason.begin(), reason.end(), '"', '\'');
    out += fmt::format(
        "{},{},{},{},{},{:.3e},{:.3e},{},{:.9g},{:.9g},{},{:.6e},{:.6e},{:.6e},{:.6e},{},{},{},{:.6e},{:.6e},\"{}\"\n",
        m.formulation, m.pseudoinverse, m.stabilize, m.coordinates, m.integrator, m.tolerance, m.rank_tolerance,
        r.ran ? 1 : 0, r.reached, r.correct_until, r.correct ? 1 : 0, r.error, r.end_error, r.sum_phi2, r.energy_error,
        r.rank, r.evaluations, r.steps, r.cpu, r.flops, reason);
  }
  return out;
}

}  // namespace mortise::analysis
