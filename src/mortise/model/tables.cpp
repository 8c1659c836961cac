// Tables: C² splines through points, functions of one argument in every formula. Their numbers are formulas of the
// parameters; parameters cannot use tables, so that there is no circle.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mortise/formula/spline.h"
#include "mortise/model/names.h"
#include "mortise/model/read_field.h"
#include "mortise/model/scope.h"

namespace mortise::model {

namespace {

using formula::Spline;

class TableReader {
 public:
  TableReader(const Entry& entry, const Parameters& parameters, Report& report)
      : entry_(entry), node_(entry.value), parameters_(parameters), report_(report) {}

  std::shared_ptr<const Spline> read();

 private:
  bool numbers(const char* key, std::vector<double>& out, std::size_t count = 0);
  int choice(const char* key, const std::vector<std::string>& words);
  bool fits(const std::vector<double>& x, std::vector<double>& y);
  void fail(const char* code, const std::string& message, const Place& place, std::string hint = {}) {
    good_ = false;
    report_.error(code, message, place, std::move(hint));
  }

  const Entry& entry_;
  const Node& node_;
  const Parameters& parameters_;
  Report& report_;
  bool good_ = true;
};

// `count` 0: any.
bool TableReader::numbers(const char* key, std::vector<double>& out, std::size_t count) {
  const Node& list = *node_.find(key);
  if (list.kind != Node::Kind::list || (count && list.items.size() != count)) {
    fail("M104",
         fmt::format("expected a list of {}numbers for '{}', found {}", count ? "2 " : "", key, kind_name(list)),
         list.place);
    return false;
  }
  for (const Node& item : list.items) {
    const auto value = read_number(item, parameters_, {false, true, false, "a number of a table"}, report_);
    if (!value) return good_ = false;
    out.push_back(*value);
  }
  return true;
}

int TableReader::choice(const char* key, const std::vector<std::string>& words) {
  const Node* node = node_.find(key);
  if (!node) return 0;
  const auto found = std::find(words.begin(), words.end(), node->text);
  if (node->kind == Node::Kind::scalar && found != words.end()) return static_cast<int>(found - words.begin());
  fail("M207", fmt::format("{} is not a choice for '{}': {}", quote(node->text), key, list_names(words)), node->place,
       did_you_mean(node->text, words));
  return 0;
}

bool TableReader::fits(const std::vector<double>& x, std::vector<double>& y) {
  const Node &xs = *node_.find("x"), &ys = *node_.find("y");
  if (x.size() < 3) {
    fail("M320", fmt::format("table '{}' has {} points; a spline needs at least 3", entry_.key, x.size()), xs.place);
    return false;
  }
  if (x.size() != y.size()) {
    fail("M320", fmt::format("table '{}' has {} numbers in x and {} in y", entry_.key, x.size(), y.size()), ys.place,
         "one y for each x");
    return false;
  }
  for (std::size_t k = 1; k < x.size(); ++k)
    if (!(x[k - 1] < x[k])) {
      fail("M321",
           fmt::format("the x of table '{}' must increase strictly: {:.9g} comes after {:.9g}", entry_.key, x[k],
                       x[k - 1]),
           xs.items[k].place, "sort the points; one point for each x");
      return false;
    }
  return true;
}

std::shared_ptr<const Spline> TableReader::read() {
  const std::size_t before = report_.count();
  if (node_.kind != Node::Kind::map) {
    fail("M104", fmt::format("expected {{x: […], y: […]}} for table '{}', found {}", entry_.key, kind_name(node_)),
         node_.kind == Node::Kind::null ? entry_.place : node_.place);
    return nullptr;
  }
  check_keys(node_, {"x", "y", "ends", "slopes", "outside"}, "a table", report_);
  for (const char* key : {"x", "y"})
    if (!node_.find(key))
      fail("M206", fmt::format("table '{}' has no '{}'", entry_.key, key), entry_.place, "x and y are needed");
  const auto ends = static_cast<Spline::Ends>(choice("ends", {"natural", "clamped", "periodic"}));
  const auto outside = static_cast<Spline::Outside>(choice("outside", {"extend", "hold", "error"}));
  if (report_.count() != before || parameters_.broken) return nullptr;

  if (node_.find("slopes") && ends != Spline::Ends::clamped)
    fail("M322", "only the ends of a clamped table have given slopes", node_.find("slopes")->place,
         "add 'ends: clamped'");
  if (node_.find("outside") && ends == Spline::Ends::periodic)
    fail("M322", "a periodic table has no outside", node_.find("outside")->place, "remove 'outside'");
  std::vector<double> x, y, slopes;
  const bool read_x = numbers("x", x), read_y = numbers("y", y);
  if (node_.find("slopes")) numbers("slopes", slopes, 2);
  if (!read_x || !read_y || !fits(x, y) || !good_) return nullptr;
  if (slopes.empty()) slopes = {0, 0};

  if (ends == Spline::Ends::periodic) {
    const auto [low, high] = std::minmax_element(y.begin(), y.end());
    if (std::abs(y.back() - y.front()) > 1e-9 * (*high - *low)) {
      fail("M322",
           fmt::format("periodic table '{}' begins with y = {:.9g} and ends with {:.9g}", entry_.key, y.front(),
                       y.back()),
           node_.find("y")->items.back().place, "the last point is the first of the next period");
      return nullptr;
    }
    y.back() = y.front();  // they may differ by rounding: cos(0), cos(2*pi)
  }
  try {
    return std::make_shared<const Spline>(std::move(x), std::move(y), ends, outside, slopes[0], slopes[1]);
  } catch (const std::invalid_argument& e) {
    fail("M301", fmt::format("table '{}': {}", entry_.key, e.what()), node_.place, "scale its numbers");
    return nullptr;
  }
}

}  // namespace

void read_tables(const Node* section, Parameters& parameters, Report& report) {
  if (!section || section->kind == Node::Kind::null) return;
  if (section->kind != Node::Kind::map) {
    report.error("M104", fmt::format("expected a map of names and tables under tables, found {}", kind_name(*section)),
                 section->place);
    return;
  }
  const Parameters numbers = parameters;  // a table sees no other table
  for (const Entry& entry : section->entries) {
    if (!is_identifier(entry.key)) {
      report.error("M110", fmt::format("{} cannot name a table: use letters, digits and '_'", quote(entry.key)),
                   entry.place);
    } else if (is_formula_word(entry.key)) {
      report.error("M404", fmt::format("'{}' has a meaning in formulas and cannot name a table", entry.key),
                   entry.place);
    } else if (parameters.number.count(entry.key)) {
      report.error("M408", fmt::format("'{}' names a parameter and a table", entry.key), entry.place,
                   "rename one of them");
    } else {
      auto spline = TableReader(entry, numbers, report).read();
      // Formulas that use a broken table have no mistake of their own.
      if (!spline) spline = std::make_shared<const Spline>(std::vector<double>{0, 1, 2}, std::vector<double>{0, 1, 2});
      parameters.tables.push_back({entry.key, std::move(spline)});
    }
  }
}

}  // namespace mortise::model
