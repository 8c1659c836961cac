// The strict reader, includes and `--set`.
#include "mortise/io/yaml.h"

#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

#include "mortise/model/emit.h"
#include "support/test_catalogue.h"

namespace mortise::io {
namespace {

namespace fs = std::filesystem;
using model::Node;

Diagnostic first_mistake(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& e) {
    return e.diagnostics().front();
  }
  return {"none", "", {}, "", false};
}

Diagnostic read_mistake(const std::string& text) {
  return first_mistake([&] { read_yaml_text(text, "x.yaml"); });
}

double seconds(const std::function<void()>& action) {
  const std::clock_t start = std::clock();
  action();
  return double(std::clock() - start) / CLOCKS_PER_SEC;
}

std::string repeat(const std::string& piece, int count) {
  std::string out;
  for (int k = 0; k < count; ++k) out += piece;
  return out;
}

// A folder of its own for each test, removed at the end.
class Files : public testing::Test {
 protected:
  Files() {
    folder_ =
        fs::path(MORTISE_BINARY_DIR) / "test-files" / testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Files() override { fs::remove_all(folder_); }
  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  Diagnostic mistake(const fs::path& path) const {
    return first_mistake([&] { load_model(path, test::test_catalogue()); });
  }
  fs::path folder_;
};

TEST(YamlReader, KeepsPlacesAndQuotes) {
  const Node root = read_yaml_text("a: 1\nb: {c: 'x', d: [2, \"y z\"]}\ne:\n  - f\n", "x.yaml");
  ASSERT_EQ(root.kind, Node::Kind::map);
  const Node& c = *root.find("b")->find("c");
  EXPECT_TRUE(c.quoted);
  EXPECT_EQ(c.text, "x");
  EXPECT_EQ(c.place.line, 2);
  EXPECT_EQ(c.place.column, 8);
  EXPECT_EQ(c.place.length, 3);
  const Node& y = root.find("b")->find("d")->items[1];
  EXPECT_EQ(y.inside(2, 1).column, y.place.column + 3);
  EXPECT_EQ(root.find("e")->items[0].place.str(), "x.yaml:4:5");
  EXPECT_FALSE(root.find("a")->quoted);
  EXPECT_EQ(root.find("zzz"), nullptr);
}

TEST(YamlReader, ReadsWindowsLinesAndAByteOrderMark) {
  const Node root = read_yaml_text(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: \"two\"\r\nc:\r\n  d: three\r\n",
      "x.yaml");
  EXPECT_EQ(root.find("b")->text, "two");
  EXPECT_TRUE(root.find("b")->verbatim);
  EXPECT_EQ(root.find("c")->find("d")->place.str(), "x.yaml:4:6");
  EXPECT_EQ(root.find("c")->find("d")->text, "three");
}

TEST(YamlReader, KnowsWhenATextDoesNotStandInTheFile) {
  const Node root = read_yaml_text("a: \"x\\ty\"\nb: two\n  lines\nc: 'it''s'\nd: |\n  block\n", "x.yaml");
  for (const model::Entry& e : root.entries) {
    EXPECT_FALSE(e.value.verbatim) << e.key;
    EXPECT_EQ(e.value.inside(3, 1).column, 4) << e.key;
  }
  EXPECT_EQ(root.find("c")->text, "it's");
}

TEST(YamlReader, ReadsJson) {
  const Node root =
      read_yaml_text("{\"mortise\": 1, \"list\": [1, 2.5e-3, true, null],\n \"m\": {\"a\": \"b\"}}", "x.json");
  EXPECT_EQ(root.find("mortise")->text, "1");
  EXPECT_EQ(root.find("list")->items[3].kind, Node::Kind::null);
  EXPECT_EQ(root.find("m")->find("a")->text, "b");
}

TEST(YamlReader, RefusesWhatIsNoTextFile) {
  EXPECT_EQ(read_mistake("").code, "M503");
  EXPECT_EQ(read_mistake("# only a comment\n").code, "M503");
  EXPECT_EQ(read_mistake("~").code, "M503");
  EXPECT_EQ(read_mistake(std::string("\0\1\2", 3)).code, "M504");
  EXPECT_EQ(read_mistake("a: \xff\xfe").code, "M504");
  EXPECT_EQ(read_mistake("a: \xc0\xaf").code, "M504");      // overlong
  EXPECT_EQ(read_mistake("a: \xed\xa0\x80").code, "M504");  // half of a surrogate pair
  EXPECT_EQ(read_mistake("a: b\x07").code, "M504");
  EXPECT_EQ(read_mistake("\x89HDF\r\n\x1a\n").code, "M504");
  EXPECT_EQ(read_mistake("a: \xf0\x9f\x98\x80 \xe2\x82\xac \xc3\xa4\n").code, "none");
}

TEST(YamlReader, KeepsItsLimits) {
  EXPECT_LT(seconds([] { EXPECT_EQ(read_mistake(repeat("[", 1000000)).code, "M506"); }), 1.0);
  EXPECT_LT(seconds([] { EXPECT_EQ(read_mistake("a: " + repeat("{a: ", 1000000)).code, "M506"); }), 1.0);
  EXPECT_LT(seconds([] { EXPECT_EQ(read_mistake(repeat("- ", 1000000)).code, "M506"); }), 1.0);
  EXPECT_EQ(read_mistake(repeat("[", 64) + repeat("]", 64)).code, "none");
  EXPECT_EQ(read_mistake(repeat("[", 65) + repeat("]", 65)).code, "M506");
  EXPECT_EQ(read_mistake(std::string(largest_file + 1, ' ')).code, "M505");
  // An alias bomb stops at its first anchor.
  EXPECT_EQ(read_mistake("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n").code, "M509");
}

TEST(YamlReader, SpeaksInItsOwnWords) {
  for (const char* text : {"a: [1, 2",     "a: {b: 1",     "a: 'x",
                           "a: \"\\q\"",   "a: 1\n b: 2",  "a: b: c",
                           "- a\nb: 1",    "a: ]",         "a: %x",
                           "a: @x",        "a: `x`",       "a: *",
                           "a: &",         "a: !<x",       "%YAML 3.0\n---\na: 1",
                           "a: |0\n x",    "a: [1, 2}",    "{a: 1}}",
                           "a: - b",       "a: \"\\u12\"", "a:\n\t- b",
                           "a: 'x' 'y'",   "a: \"x",       "%TAG ! x\n%TAG ! y\n---\na",
                           "a: !!x !!y b", "a: &x &y b"}) {
    const Diagnostic d = read_mistake(text);
    EXPECT_NE(d.code, "none") << text;
    for (const char* theirs : {"not found", "illegal", "flow", "scalar", "token", "sequence", "YAML::"})
      EXPECT_EQ(d.message.find(theirs), std::string::npos) << text << "\n" << d.message;
  }
}

TEST(YamlReader, EmitsWhatItReads) {
  // Random trees of awkward texts survive the way to text and back.
  std::mt19937 random(7);
  const std::vector<std::string> texts{"1",      "-2.5",   "a b",         "x: y", "#",      "- a",  "null", "~",
                                       "",       "[1]",    "{a}",         "it's", "\"q\"",  "a\nb", "a\tb", "*x",
                                       "&x",     "!t",     "%",           "@",    "30 deg", "a#b",  "a #b", "true",
                                       "link$i", "$(i+1)", "\xc3\xa4",    "a\\b", ": ",     " a",   "a ",   "---",
                                       "...",    "a,b",    "2*pi*sin(t)", "-",    "?",      "|",    ">",    "\x01"};
  const std::function<Node(int)> tree = [&](int depth) {
    Node node;
    const int kind = static_cast<int>(random() % (depth > 3 ? 2 : 4));
    node.kind = static_cast<Node::Kind>(kind);
    if (kind == 1) {
      node.text = texts[random() % texts.size()];
      node.quoted = random() % 2;
    }
    const int size = static_cast<int>(random() % 4);
    if (kind == 2)
      for (int k = 0; k < size; ++k) node.items.push_back(tree(depth + 1));
    if (kind == 3)
      for (int k = 0; k < size; ++k) {
        const std::string key = texts[random() % texts.size()];
        if (!node.find(key) && key != "<<") node.entries.push_back({key, {}, tree(depth + 1)});
      }
    return node;
  };
  const std::function<bool(const Node&, const Node&)> same = [&](const Node& a, const Node& b) {
    if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() ||
        a.entries.size() != b.entries.size())
      return false;
    for (std::size_t k = 0; k < a.items.size(); ++k)
      if (!same(a.items[k], b.items[k])) return false;
    for (std::size_t k = 0; k < a.entries.size(); ++k)
      if (a.entries[k].key != b.entries[k].key || !same(a.entries[k].value, b.entries[k].value)) return false;
    return true;
  };
  for (int k = 0; k < 10000; ++k) {
    Node root;
    root.kind = Node::Kind::map;
    root.entries.push_back({"a", {}, tree(0)});
    root.entries.push_back({"b", {}, tree(0)});
    const std::string text = model::emit_yaml(root);
    try {
      ASSERT_TRUE(same(read_yaml_text(text, "x.yaml"), root)) << text;
    } catch (const ModelError& e) {
      FAIL() << e.what() << "\n" << text;
    }
  }
}

TEST_F(Files, OpensRegularFilesOnly) {
  EXPECT_EQ(mistake(folder_ / "none.yaml").code, "M501");
  write("model.yaml", "");
  EXPECT_EQ(mistake(folder_ / "modle.yaml").hint, "did you mean 'model.yaml'?");
  EXPECT_EQ(mistake(folder_).code, "M502");
  EXPECT_EQ(mistake("/dev/zero").code, "M502");
  EXPECT_EQ(mistake(folder_ / "model.yaml").code, "M503");
  EXPECT_EQ(mistake("").code, "M501");
}

TEST_F(Files, IncludesMergeSections) {
  write("parts/arm.yaml", "bodies: {arm: {mass: L}}\ninclude: deeper/more.yaml\n");
  write("parts/deeper/more.yaml", "mortise: 1\ndimension: planar\nparameters: {L: 2}\n");
  const fs::path path = write("model.yaml",
                              "mortise: 1\ndimension: planar\ninclude: [parts/arm.yaml]\n"
                              "bodies: {leg: {mass: 3}}\nparameters: {K: L}\n");
  const model::Model m = load_model(path, test::test_catalogue(), {"L=5"});
  ASSERT_EQ(m.items.size(), 2u);
  EXPECT_EQ(m.items[0].pattern, "arm");
  EXPECT_EQ(model::ItemCopy(m, m.items[0], 0).number("mass"), 5);
  EXPECT_EQ(m.parameter_names, (std::vector<std::string>{"L", "K"}));
  // The stored text needs no other file.
  const model::Model again = load_model_text(m.text, "stored", test::test_catalogue());
  EXPECT_EQ(again.text, m.text);
  EXPECT_EQ(again.parameter_values, m.parameter_values);
}

TEST_F(Files, IncludesNeverLeaveTheFolder) {
  write("secret.yaml", "bodies: {arm: {mass: 1}}\n");
  const std::string head = "mortise: 1\ndimension: planar\n";
  fs::create_directories(folder_ / "models/sub");
  fs::create_symlink("../secret.yaml", folder_ / "models/link.yaml");
  fs::create_symlink("..", folder_ / "models/up");
  EXPECT_EQ(mistake(write("models/a.yaml", head + "include: [link.yaml]\n")).code, "M601");
  EXPECT_EQ(mistake(write("models/b.yaml", head + "include: [up/secret.yaml]\n")).code, "M601");
  EXPECT_EQ(mistake(write("models/c.yaml", head + "include: [sub/../../secret.yaml]\n")).code, "M601");
  EXPECT_EQ(mistake(write("models/d.yaml", head + "include: ['']\n")).code, "M601");
  // Through an included file as well; a link inside the folder is fine.
  write("models/sub/part.yaml", "include: [../../secret.yaml]\n");
  EXPECT_EQ(mistake(write("models/e.yaml", head + "include: [sub/part.yaml]\n")).code, "M601");
  write("models/sub/good.yaml", "bodies: {arm: {mass: 1}}\n");
  fs::create_symlink("sub/good.yaml", folder_ / "models/inside.yaml");
  EXPECT_EQ(mistake(write("models/f.yaml", head + "include: [inside.yaml]\n")).code, "none");
  EXPECT_EQ(first_mistake([&] { load_model_text(head + "include: [a.yaml]\n", "x", test::test_catalogue()); }).code,
            "M601");
}

TEST_F(Files, IncludesAreBounded) {
  const std::string head = "mortise: 1\ndimension: planar\n";
  write("a.yaml", "include: [b.yaml]\n");
  write("b.yaml", "include: [a.yaml]\n");
  EXPECT_EQ(mistake(write("circle.yaml", head + "include: [a.yaml]\n")).code, "M602");
  for (int k = 0; k < 20; ++k)
    write("d" + std::to_string(k) + ".yaml", "include: [d" + std::to_string(k + 1) + ".yaml]\n");
  EXPECT_EQ(mistake(write("deep.yaml", head + "include: [d0.yaml]\n")).code, "M603");
  // Doubling at each level: the number of files is bounded too.
  for (int k = 0; k < 12; ++k)
    write("e" + std::to_string(k) + ".yaml",
          "include: [e" + std::to_string(k + 1) + ".yaml, e" + std::to_string(k + 1) + ".yaml]\n");
  write("e12.yaml", "{}\n");
  EXPECT_EQ(mistake(write("wide.yaml", head + "include: [e0.yaml]\n")).code, "M603");
}

const std::string small = R"yaml(mortise: 1
dimension: planar
parameters: {L: 1, mass: 2}
bodies: {arm: {mass: mass, at: [L, 0]}}
)yaml";

Node with(const std::string& setting) {
  Node root = read_yaml_text(small, "x.yaml");
  apply_setting(root, setting);
  return root;
}

TEST(Settings, ReachEveryValue) {
  EXPECT_EQ(with("L=2*3").find("parameters")->find("L")->text, "2*3");
  EXPECT_EQ(with("bodies.arm.at.1=7").find("bodies")->find("arm")->find("at")->items[1].text, "7");
  EXPECT_EQ(with("bodies.arm.inertia=7").find("bodies")->find("arm")->find("inertia")->text, "7");
  EXPECT_EQ(with("analysis.stabilize.type=baumgarte").find("analysis")->find("stabilize")->find("type")->text,
            "baumgarte");
  EXPECT_EQ(with("gravity=[0, -1]").find("gravity")->items[1].text, "-1");
  EXPECT_EQ(with("name=a=b").find("name")->text, "a=b");
  EXPECT_EQ(with("bodies.arm={mass: 3}").find("bodies")->find("arm")->find("mass")->text, "3");
}

TEST(Settings, ExplainTheirMistakes) {
  const auto mistake = [](const std::string& s) { return first_mistake([&] { with(s); }); };
  EXPECT_EQ(mistake("L").code, "M610");
  EXPECT_EQ(mistake("L=").code, "M610");
  EXPECT_EQ(mistake("L= ").code, "M610");
  EXPECT_EQ(mistake("=1").code, "M610");
  EXPECT_EQ(mistake("bodies..mass=1").code, "M610");
  EXPECT_EQ(mistake("a\nb=1\n2").code, "M610");
  EXPECT_EQ(mistake("mas=1").code, "M611");
  EXPECT_EQ(mistake("mas=1").hint, "did you mean 'mass'?");
  EXPECT_EQ(mistake("bodies.amr.mass=1").hint, "did you mean 'arm'?");
  EXPECT_EQ(mistake("bodies.amr.mass=1").place.column, 8);
  EXPECT_EQ(mistake("body.arm.mass=1").code, "M611");
  EXPECT_EQ(mistake("parameters.K=1").code, "M611");
  EXPECT_EQ(mistake("bodies.arm.at.2=1").code, "M611");
  EXPECT_EQ(mistake("bodies.arm.at.x=1").code, "M611");
  EXPECT_EQ(mistake("bodies.arm.mass.x=1").code, "M611");
  EXPECT_EQ(mistake("include=[a]").code, "M611");
  EXPECT_EQ(mistake("include.0=a").code, "M611");
  const Diagnostic bracket = mistake("L=[1");
  EXPECT_EQ(bracket.code, "M507");
  EXPECT_EQ(bracket.place.source->name, "--set L=[1");
}

TEST(Settings, PointIntoTheArgument) {
  const auto mistake = [](const std::string& s) {
    return first_mistake([&] { load_model_text(small, "x.yaml", test::test_catalogue(), {s}); });
  };
  const Diagnostic d = mistake("bodies.arm.mass=2*Q");
  EXPECT_EQ(d.code, "M401");
  EXPECT_EQ(d.place.column, 19);
  EXPECT_EQ(d.place.source->text, "bodies.arm.mass=2*Q");
  EXPECT_EQ(mistake("bodies.arm.colour=2").code, "M205");
  EXPECT_EQ(mistake("bodies.arm.mass=-2").code, "M302");
}

}  // namespace
}  // namespace mortise::io
