// What surrounds the mathematics: starters, explanations, completion, the manual page, JSON on every table, colours.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>

#include "cli/result_files.h"
#include "mortise/mechanism/parts.h"
#include "mortise/view/method_pages.h"

namespace mortise::test {
namespace {

using nlohmann::json;

std::string said(const std::vector<std::string>& arguments) {
  const Ended end = execute(program(), arguments);
  EXPECT_EQ(end.code, 0) << shown(end);
  return end.out;
}

std::set<std::string> lines(const std::string& text) {
  std::set<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.insert(line);
  return out;
}

// The first group of every match.
std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), none; at != none; ++at) out.push_back((*at)[1]);
  return out;
}

std::set<std::string> completed(std::vector<std::string> words) {
  words.insert(words.begin(), "__complete");
  return lines(said(words));
}

// The commands, as the program itself lists them.
std::set<std::string> commands() { return completed({""}); }

std::string docs(const std::string& name) {
  std::ifstream file(MORTISE_SOURCE_DIR "/docs/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A call of every command that prints a table; those that do not are named with the reason.
TEST(Shell, EveryTableIsThereAsJson) {
  const Folder folder;
  const std::string out = folder / "out.h5", model = example("five-bar");
  const std::string brief = "analysis.until=0.1";
  said({"run", model, "-q", "-o", out, "--set", brief});
  const std::map<std::string, std::vector<std::string>> calls{
      {"new", {}},
      {"run", {model, "-o", folder / "again.h5", "--set", brief}},
      {"compare", {model, "--formulations", "sparse", "--set", brief}},
      {"check", {model}},
      {"probe", {out, "left.x"}},
      {"linearize", {example("inverted-pendulum"), "rod.angle"}},
      {"export", {out}},
      {"reproduce", {out}},
      {"list", {"joints"}},
      {"explain", {"revolute"}}};
  // Those that print no table: they write pictures and files, print a script, or JSON by itself.
  const std::set<std::string> without{"plot", "view", "video", "convert", "schema", "completion"};
  for (const std::string& command : commands()) {
    if (without.count(command)) continue;
    const auto call = calls.find(command);
    ASSERT_NE(call, calls.end()) << command << " is new: has it a table, and that --json?";
    std::vector<std::string> words{command};
    words.insert(words.end(), call->second.begin(), call->second.end());
    words.emplace_back("--json");
    EXPECT_TRUE(json::accept(said(words))) << command;
  }
  for (const std::string& topic : completed({"list", ""}))
    EXPECT_TRUE(json::accept(said({"list", topic, "--json"}))) << topic;
  EXPECT_TRUE(json::accept(said({"export", out, "--events", "--json"})));
  EXPECT_TRUE(json::accept(said({"explain", "--json"})));
  EXPECT_TRUE(json::accept(said({"list", "integrators", "adams", "--json"})));
}

TEST(Shell, ExportAsJsonHasTheNumbersOfTheCsv) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  said({"run", example("five-bar"), "-q", "-o", out, "--set", "analysis.until=0.1"});
  const json table = json::parse(said({"export", out, "--columns", "left", "--json"}));
  std::istringstream csv(said({"export", out, "--columns", "left"}));
  std::string line;
  std::getline(csv, line);
  for (std::size_t row = 0; std::getline(csv, line); ++row) {
    std::istringstream cells(line);
    for (std::size_t k = 0; k < table["columns"].size(); ++k) {
      std::string cell;
      std::getline(cells, cell, ',');
      EXPECT_EQ(table["rows"].at(row).at(k).get<double>(), std::stod(cell));
    }
  }
}

TEST(Shell, EveryStarterRuns) {
  const Folder folder;
  ProcessOptions here;
  here.folder = folder.path();
  const json starters = json::parse(said({"new", "--json"}));
  EXPECT_GE(starters.size(), 5u);
  for (const json& starter : starters) {
    const std::string name = starter["name"];
    EXPECT_EQ(execute(program(), {"new", name}, here).code, 0);
    const Ended end = execute(program(), {"run", name + ".yaml", "--json"}, here);
    ASSERT_EQ(end.code, 0) << shown(end);
    const json summary = json::parse(end.out);
    EXPECT_EQ(summary["status"], "done") << name;
    EXPECT_GT(summary["frames"], 10) << name;
    EXPECT_LT(summary["worst_position"].get<double>(), 1e-12) << name;
    EXPECT_EQ(execute(program(), {"new", name}, here).code, 6) << "a file that is there was replaced";
    // The line at its end that says what to do next holds.
    const std::string text = said({"new", name, "-o", "-"});
    for (const std::string& call : matches(text, "mortise plot ([^\n&]*)")) {
      std::istringstream stream(call);
      std::vector<std::string> words{"plot"};
      for (std::string word; stream >> word;) words.push_back(word);
      const Ended plot = execute(program(), words, here);
      EXPECT_EQ(plot.code, 0) << shown(plot);
    }
  }
  const Ended none = execute(program(), {"new", "fourbar"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("did you mean 'four-bar'?"), std::string::npos) << none.err;
}

TEST(Shell, ExplainsEveryPartMethodAndCode) {
  const json topics = json::parse(said({"explain", "--json"}));
  std::set<std::string> known;
  for (const auto& [kind, names] : topics.items())
    for (const json& name : names) known.insert(name.get<std::string>());
  for (const mechanism::Part& part : mechanism::parts()) EXPECT_TRUE(known.count(part.info.type)) << part.info.type;
  for (const view::MethodKind kind : view::method_kinds())
    for (const view::MethodEntry& entry : view::methods_of(kind)) EXPECT_TRUE(known.count(entry.name)) << entry.name;
  const std::string errors = docs("errors.md");
  int codes = 0;
  for (const std::string& code : matches(errors, "\n\\| ([A-Z][0-9]{3}) ")) {
    EXPECT_TRUE(known.count(code)) << code;
    ++codes;
  }
  EXPECT_GT(codes, 120);
  // And every code that the sources can say.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MORTISE_SOURCE_DIR "/src/mortise")) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    for (const std::string& code : matches(text.str(), "\"([MS][0-9]{3})\""))
      EXPECT_TRUE(known.count(code)) << code << " of " << entry.path();
  }
}

TEST(Shell, ExplainsFromTheDocumentation) {
  const std::string s402 = said({"explain", "s402"});
  EXPECT_NE(s402.find("the step size fell to nothing"), std::string::npos) << s402;
  EXPECT_NE(s402.find("Exit code 4"), std::string::npos) << s402;
  EXPECT_NE(said({"explain", "M203"}).find("Exit code 3"), std::string::npos);
  EXPECT_NE(said({"explain", "hinge"}).find("# revolute"), std::string::npos);
  EXPECT_NE(said({"explain", "singular", "pose"}).find("rank falls"), std::string::npos);
  EXPECT_NE(said({"explain", "units"}).find("SI"), std::string::npos);
  EXPECT_NE(said({"explain", "exit", "codes"}).find("| 5 |"), std::string::npos);
  EXPECT_EQ(said({"explain", "sparse"}), said({"list", "formulations", "sparse"}));
  for (const char* word : {"reactions", "redundant", "sweep"}) EXPECT_GT(said({"explain", word}).size(), 100u);
  const Ended none = execute(program(), {"explain", "revolut"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("did you mean 'revolute'?"), std::string::npos) << none.err;
}

TEST(Shell, CompletesCommandsOptionsAndNames) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  said({"run", example("five-bar"), "-q", "-o", out, "--set", "analysis.until=0.1"});
  using Set = std::set<std::string>;
  EXPECT_EQ(completed({"repr"}), Set{"reproduce"});
  EXPECT_TRUE(completed({"run", "--"}).count("--resume"));
  EXPECT_EQ(completed({"run", "m.yaml", "--branch", ""}), (Set{"smooth", "other"}));
  EXPECT_EQ(completed({"list", "int"}), Set{"integrators"});
  EXPECT_EQ(completed({"list", "joints", "rev"}), Set{"revolute"});
  EXPECT_EQ(completed({"list", "formulations", "udwadia-k"}), Set{"udwadia-kalaba"});
  EXPECT_EQ(completed({"explain", "S40"}), (Set{"S402", "S403"}));
  EXPECT_EQ(completed({"new", "four"}), Set{"four-bar"});
  EXPECT_EQ(completed({"compare", "m.yaml", "--integrators", "adams,rk7"}), Set{"adams,rk78"});
  EXPECT_EQ(completed({"check", ""}), Set{":files *.yaml"});
  EXPECT_EQ(completed({"plot", ""}), Set{":files *.h5"});
  EXPECT_EQ(completed({"probe", out, "le"}), Set{"left."});
  EXPECT_EQ(completed({"probe", out, "left.t"}), Set{"left.top."});
  EXPECT_EQ(completed({"plot", out, "left.angle:left.w"}), (Set{":files *.h5", "left.angle:left.wz"}));
  EXPECT_EQ(completed({"plot", out, "--against", "left.an"}), Set{"left.angle"});
  EXPECT_EQ(completed({"plot", folder / "none.h5", "--against", "left.an"}), Set{});
  EXPECT_EQ(completed({"nonsense", ""}), Set{});
  EXPECT_TRUE(completed({"run", "m.yaml", ""}).empty());
}

TEST(Shell, CompletionWorksInBash) {
  if (!std::filesystem::exists("/bin/bash")) GTEST_SKIP() << "no bash";
  const Folder folder;
  ProcessOptions here;
  here.folder = folder.path();
  folder.write("model.yaml", "");
  folder.write("other.txt", "");
  const auto replies = [&](const std::string& words, int current) {
    const std::string script = "source <('" + program() + "' completion bash); COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(current) + "; _mortise '" + program() +
                               "'; printf '%s\\n' \"${COMPREPLY[@]}\"";
    const Ended end = execute("/bin/bash", {"-c", script}, here);
    EXPECT_EQ(end.code, 0) << shown(end);
    return lines(end.out);
  };
  EXPECT_EQ(replies("mortise repr", 1), std::set<std::string>{"reproduce"});
  EXPECT_EQ(replies("mortise list joints rev", 3), std::set<std::string>{"revolute"});
  EXPECT_EQ(replies("mortise run ''", 2), std::set<std::string>{"model.yaml"});
}

TEST(Shell, ManualPageHasEveryCommandAndOption) {
  const std::string page = said({"--man"});
  EXPECT_TRUE(page.starts_with(".TH MORTISE 1"));
  for (const std::string& command : commands()) {
    EXPECT_NE(page.find("\n.SS " + command + "\n"), std::string::npos) << command;
    for (const std::string& option : completed({command, "--"})) {
      if (option == "--help") continue;
      EXPECT_NE(page.find(std::regex_replace(option, std::regex("-"), "\\-")), std::string::npos) << command << option;
    }
  }
  for (const char* code : {"\n0\n", "\n5\n", "\n6\n"}) EXPECT_NE(page.find(code), std::string::npos);
  if (!std::filesystem::exists("/usr/bin/groff")) return;
  const Folder folder;
  const Ended groff = execute("/usr/bin/groff", {"-man", "-Kutf8", "-Tutf8", "-ww", "-z", folder.write("m.1", page)});
  EXPECT_EQ(groff.code, 0) << shown(groff);
  EXPECT_EQ(groff.err, "");
}

TEST(Shell, ColoursOnlyOnTerminals) {
  const Ended plain = execute(program(), {"explain", "revolut"});
  EXPECT_EQ(plain.text().find('\033'), std::string::npos);
  EXPECT_EQ(said({"explain", "revolute"}).find('\033'), std::string::npos);
  if (!std::filesystem::exists("/usr/bin/script")) GTEST_SKIP() << "no script(1) to make a terminal";
  const auto on_terminal = [&](const std::string& words, const char* no_color) {
    ProcessOptions options;
    options.setting = {{"TERM", "xterm"}, {"NO_COLOR", no_color}};
    return execute("/usr/bin/script", {"-qec", program() + " " + words, "/dev/null"}, options).out;
  };
  EXPECT_NE(on_terminal("explain revolut", "").find("\033[1;31merror"), std::string::npos);
  EXPECT_NE(on_terminal("explain revolute", "").find("\033[1m# revolute"), std::string::npos);
  EXPECT_EQ(on_terminal("explain revolut", "1").find('\033'), std::string::npos);
}

}  // namespace
}  // namespace mortise::test
