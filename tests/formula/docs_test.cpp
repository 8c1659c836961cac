// docs/formulas.md stays true: every function is in it, its examples parse, its error messages are the real ones.
#include <gtest/gtest.h>

#include <fstream>

#include "mortise/formula/expression.h"

namespace mortise::formula {
namespace {

std::vector<std::string> lines_of_the_page(const std::string& heading) {
  std::ifstream file(MORTISE_SOURCE_DIR "/docs/formulas.md");
  std::vector<std::string> lines;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) inside = line == "## " + heading;
    if (inside) lines.push_back(line);
  }
  EXPECT_GT(lines.size(), 3u) << heading;
  return lines;
}

TEST(FormulaDocs, ListEveryFunction) {
  std::string all;
  for (const std::string& line : lines_of_the_page("Functions")) all += line + "\n";
  for (const FunctionInfo& f : functions()) EXPECT_NE(all.find("`" + f.name + "("), std::string::npos) << f.name;
}

TEST(FormulaDocs, ShowExamplesThatParse) {
  const std::vector<std::string> names = {"t", "omega", "T"};
  int examples = 0;
  for (const std::string& line : lines_of_the_page("Examples")) {
    const auto last = line.rfind("` |"), first = line.rfind('`', last - 1);
    if (last == std::string::npos) continue;
    EXPECT_NO_THROW(Expression::parse(line.substr(first + 1, last - first - 1), names)) << line;
    ++examples;
  }
  EXPECT_GE(examples, 5);
}

TEST(FormulaDocs, ShowTheRealErrors) {
  const std::vector<std::string> names = {"t", "L", "theta0"}, page = lines_of_the_page("When it is wrong");
  int errors = 0;
  for (std::size_t i = 0; i + 2 < page.size(); ++i) {
    if (!page[i].starts_with("    ") || !page[i - 1].empty()) continue;
    const std::string text = page[i].substr(4);
    try {
      Expression::parse(text, names);
      ADD_FAILURE() << text << " was accepted";
    } catch (const FormulaError& e) {
      std::string mark = std::string(4 + static_cast<std::size_t>(e.column), ' ') + "^" +
                         std::string(static_cast<std::size_t>(e.length) - 1, '~');
      if (!e.hint.empty()) mark += " " + e.hint;
      EXPECT_EQ(page[i + 1], mark);
      EXPECT_EQ(page[i + 2], std::string(8, ' ') + e.what());
    }
    ++errors;
  }
  EXPECT_GE(errors, 10);
}

}  // namespace
}  // namespace mortise::formula
