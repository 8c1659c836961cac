// `mortise plot` as users call it: files, quantities, formats, and what it says when something is wrong.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

struct PlotFolder : Folder {
  std::string a = *this / "a.h5", b = *this / "b.h5";
  PlotFolder() {
    for (const std::string& path : {a, b}) {
      const Ended end =
          execute(program(), {"run", example("five-bar"), "-q", "-o", path, "--set", "analysis.until=1", "--set",
                              path == a ? "analysis.stabilize=projection" : "analysis.stabilize=none"});
      EXPECT_EQ(end.code, 0) << shown(end);
    }
  }
  Ended plot(std::vector<std::string> words) const {
    words.insert(words.begin(), "plot");
    return execute(program(), words);
  }
};

TEST(PlotCommand, WritesEveryFormatByItsEnding) {
  const PlotFolder f;
  for (const char* name : {"p.svg", "p.html"}) {
    const Ended end = f.plot({f.a, "left.angle:left.wz", "energy", "-o", f / name});
    ASSERT_EQ(end.code, 0) << shown(end);
    EXPECT_EQ(end.out, f / name + "\n");
    EXPECT_NE(content(f / name).find("energy.balance"), std::string::npos);
  }
  EXPECT_TRUE(content(f / "p.html").starts_with("<!DOCTYPE html>"));
  const Ended other = f.plot({f.a, "-o", f / "p.bmp"});
  EXPECT_EQ(other.code, 6);
  EXPECT_NE(other.err.find(".svg, .png or .html"), std::string::npos) << other.err;
}

TEST(PlotCommand, WritesPngOrSaysWhatIsMissing) {
  const PlotFolder f;
  const Ended end = f.plot({f.a, "-o", f / "p.png"});
  if (end.code == 0)
    EXPECT_TRUE(content(f / "p.png").starts_with("\x89PNG"));
  else
    EXPECT_NE(end.err.find("librsvg2-bin"), std::string::npos) << shown(end);
  ProcessOptions nowhere;
  nowhere.setting = {{"PATH", f.path()}};
  const Ended without = execute(program(), {"plot", f.a, "-o", f / "q.png"}, nowhere);
  EXPECT_EQ(without.code, 6);
  EXPECT_NE(without.err.find("librsvg2-bin"), std::string::npos) << shown(without);
  EXPECT_FALSE(std::filesystem::exists(f / "q.png"));
}

TEST(PlotCommand, LaysSeveralResultsOnOneAnother) {
  const PlotFolder f;
  const Ended end = f.plot({f.a, f.b, "left.angle", "constraint.position", "-o", f / "p.svg"});
  ASSERT_EQ(end.code, 0) << shown(end);
  const std::string text = content(f / "p.svg");
  EXPECT_NE(text.find(">a</text>"), std::string::npos);
  EXPECT_NE(text.find("no stabilisation"), std::string::npos);
  EXPECT_EQ(f.plot({f.a, f.b, "-o", f / "q.svg"}).code, 0);
}

TEST(PlotCommand, DrawsWorkAndPrecisionOfAComparison) {
  const PlotFolder f;
  const Ended compare = execute(program(), {"compare", example("five-bar"), "--set", "analysis.until=0.5", "--json",
                                            "--formulations", "sparse,lagrange", "--tolerances", "1e-5,1e-8"});
  ASSERT_EQ(compare.code, 0) << shown(compare);
  f.write("c.json", compare.out);
  const Ended end = f.plot({f / "c.json"});
  ASSERT_EQ(end.code, 0) << shown(end);
  const std::string text = content(f / "c.svg");
  EXPECT_NE(text.find("largest pose error"), std::string::npos);
  EXPECT_NE(text.find("not shown: lagrange (rows depend on one another)"), std::string::npos);
  f.write("chart.json", R"({"kind": "chart", "title": "Scaling", "x": "bodies", "y": "time", "y_unit": "s",
                           "series": [{"name": "sparse", "points": [[10, 1e-5], [1000, 1e-3]]}]})");
  EXPECT_EQ(f.plot({f / "chart.json"}).code, 0);
  f.write("bad.json", R"({"kind": "chart", "title": 3})");
  f.write("none.json", "[1, 2");
  for (const char* name : {"bad.json", "none.json"}) {
    const Ended bad = f.plot({f / name});
    EXPECT_EQ(bad.code, 3) << shown(bad);
    EXPECT_NE(bad.err.find("no table to draw"), std::string::npos) << bad.err;
  }
}

TEST(PlotCommand, SaysWhatIsWrong) {
  const PlotFolder f;
  struct Case {
    std::vector<std::string> words;
    int code;
    std::string says;
  };
  for (const Case& c : std::vector<Case>{{{f.a, "left.angel"}, 3, "did you mean 'left.angle'?"},
                                         {{f.a, "left.x", "--from", "9"}, 3, "covers 0 … 1 s"},
                                         {{f.a, "left.x", "--from", "2", "--to", "1"}, 2, "--from is later than --to"},
                                         {{f.a, "--to", "1"}, 2, "need quantities"},
                                         {{f.a, "--against", "left.x"}, 2, "--against needs quantities"},
                                         {{f.a, "left.x", "--motion"}, 2, "--motion"},
                                         {{f.a, f / "none.h5", "left.x"}, 3, "none.h5"},
                                         {{f.a, "left.x", "-o", f.a}, 6, "is the result itself"}}) {
    const Ended end = f.plot(c.words);
    EXPECT_EQ(end.code, c.code) << c.says << "\n" << shown(end);
    EXPECT_NE(end.err.find(c.says), std::string::npos) << shown(end);
  }
}

}  // namespace
}  // namespace mortise::test
