// Every file in tests/model/bad is a mistake somebody makes. Its first comment lines say what must be reported:
//
//     # 6:13 M203 did you mean 'revolute'?          line:column code [a piece of the message]
//
// and nothing else may be reported. Each code of docs/errors.md is met by at least one of them or by a test below.
#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <set>
#include <sstream>

#include "mortise/io/yaml.h"
#include "support/test_catalogue.h"

namespace mortise {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(MORTISE_SOURCE_DIR) / "tests/model/bad";

struct Expected {
  int line, column;  // 0: no place
  std::string code, piece;
};

std::vector<Expected> expectations(const fs::path& file) {
  std::ifstream in(file);
  std::vector<Expected> found;
  const std::regex form(R"re(# (?:(\d+):(\d+)|-) (M\d\d\d) ?(.*))re");
  for (std::string line; std::getline(in, line);) {
    std::smatch m;
    if (!std::regex_match(line, m, form)) break;
    found.push_back({m[1].matched ? std::stoi(m[1]) : 0, m[2].matched ? std::stoi(m[2]) : 0, m[3], m[4]});
  }
  return found;
}

std::vector<Diagnostic> diagnose(const std::function<void()>& load) {
  try {
    load();
  } catch (const ModelError& e) {
    return e.diagnostics();
  }
  return {};
}

std::vector<fs::path> bad_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

class BadModel : public testing::TestWithParam<fs::path> {};

TEST_P(BadModel, IsReportedAtItsPlace) {
  const std::vector<Expected> expected = expectations(GetParam());
  ASSERT_FALSE(expected.empty()) << "no expectation in the first lines";
  const std::clock_t start = std::clock();
  const std::vector<Diagnostic> found = diagnose([&] { io::load_model(GetParam(), test::test_catalogue()); });
  EXPECT_LT(double(std::clock() - start) / CLOCKS_PER_SEC, 0.5);
  std::string all;
  for (const Diagnostic& d : found) all += render(d) + "\n";
  ASSERT_EQ(found.size(), expected.size()) << all;
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].code, expected[k].code) << all;
    EXPECT_EQ(found[k].place.line, expected[k].line) << all;
    EXPECT_EQ(found[k].place.column, expected[k].column) << all;
    EXPECT_NE(render(found[k]).find(expected[k].piece), std::string::npos) << all;
    for (const char* internal : {"std::", "basic_string", "nullptr", "YAML::", "vector::", "_M_"})
      EXPECT_EQ(render(found[k]).find(internal), std::string::npos) << all;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, BadModel, testing::ValuesIn(bad_files()), [](const auto& info) {
  std::string name = info.param.stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BadModels, AreMany) { EXPECT_GE(bad_files().size(), 60u); }

// Codes that no file of the folder can meet are named in the tests of the rooms that give them.
TEST(BadModels, MeetEveryCodeOfTheDocumentation) {
  const auto read = [](const fs::path& file) {
    std::ifstream in(file);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  };
  const std::string errors = read(fs::path(MORTISE_SOURCE_DIR) / "docs/errors.md");
  std::set<std::string> documented, met;
  const std::regex named(R"re(\bM\d\d\d\b)re");
  for (const char* room : {"tests/model", "tests/io", "tests/mechanism", "tests/analysis", "tests/coordinates",
                           "tests/integrate", "tests/cli", "bindings/python/tests"})
    for (const auto& entry : fs::directory_iterator(fs::path(MORTISE_SOURCE_DIR) / room)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = read(entry.path());
      for (std::sregex_iterator it(text.begin(), text.end(), named), end; it != end; ++it) met.insert(it->str());
    }
  const std::regex code(R"re(\| (M\d\d\d) \|)re");
  for (std::sregex_iterator it(errors.begin(), errors.end(), code), end; it != end; ++it) documented.insert((*it)[1]);
  for (const fs::path& file : bad_files())
    for (const Expected& e : expectations(file)) met.insert(e.code);
  EXPECT_EQ(documented, met);
}

}  // namespace
}  // namespace mortise
