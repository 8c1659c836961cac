// What the program prints for other programs: JSON, CSV, help; names agree between export, probe and list.
#include <gtest/gtest.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

using nlohmann::json;

json parsed(const std::vector<std::string>& arguments) {
  const Ended end = execute(program(), arguments);
  EXPECT_EQ(end.code, 0) << shown(end);
  return json::parse(end.out);
}

void expect_keys(const json& j, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) EXPECT_TRUE(j.contains(key)) << key << "\n" << j.dump(2);
}

TEST(Output, RunAsJson) {
  const Folder folder;
  const json j = parsed({"run", example("five-bar"), "-o", folder / "out.h5", "--json", "--set", "analysis.until=1"});
  expect_keys(j, {"status", "model", "output", "frames", "coordinates", "rows", "rank", "degrees_of_freedom", "steps",
                  "failed_steps", "evaluations", "energy_drift", "worst_position", "worst_velocity", "cpu_seconds",
                  "peak_bytes", "bytes_per_body"});
  EXPECT_EQ(j["status"], "done");
  EXPECT_EQ(j["frames"], 101);
  EXPECT_EQ(j["rows"], 12);
  EXPECT_EQ(j["rank"], 11);
  EXPECT_EQ(j["degrees_of_freedom"], 1);
  EXPECT_LT(j["worst_position"].get<double>(), 1e-13);
}

// A file that keeps one body and one joint: what it tells, and what it says of the rest.
TEST(Output, OfAResultThatKeepsLess) {
  const Folder folder;
  const std::string path = folder / "out.h5";
  const Ended run = execute(program(), {"run", example("five-bar"), "-o", path, "--set", "analysis.until=1", "--set",
                                        "output.bodies=[left]", "--set", "output.joints=[A]"});
  ASSERT_EQ(run.code, 0) << shown(run);
  EXPECT_NE(run.out.find("kept        1 of 4 bodies, 1 of 6 joints"), std::string::npos) << run.out;
  EXPECT_EQ(parsed({"probe", path, "left.x", "A.reaction.fx", "energy.total", "--json"}).size(), 1u);
  EXPECT_EQ(execute(program(), {"plot", path}).code, 0);
  EXPECT_EQ(execute(program(), {"plot", path, "left.x", "A.reaction.fx"}).code, 0);
  EXPECT_EQ(execute(program(), {"export", path, "--columns", "left"}).code, 0);
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"probe", path, "right.x"},
                                                    {"plot", path, "B.reaction.fx"},
                                                    {"export", path, "--columns", "right"},
                                                    {"probe", path, "left.x", "--at", "0.123"}}) {
    const Ended end = execute(program(), arguments);
    EXPECT_EQ(end.code, 3) << shown(end);
    EXPECT_NE(end.err.find("1 of 4 bodies (left) and 1 of 6 joints (A)"), std::string::npos) << shown(end);
  }
}

TEST(Output, CheckAsJson) {
  const json j = parsed({"check", example("five-bar"), "--json"});
  expect_keys(j, {"model", "dimension", "bodies", "joints", "drivers", "forces", "coordinates", "rows", "gruebler",
                  "rank", "degrees_of_freedom", "redundant_rows", "conflicting_rows", "smallest_kept",
                  "largest_dropped", "position_error", "velocity_error"});
  EXPECT_EQ(j["gruebler"], 0);
  EXPECT_EQ(j["degrees_of_freedom"], 1);
  EXPECT_EQ(j["redundant_rows"].size(), 1u);
  EXPECT_TRUE(j["conflicting_rows"].empty());
  EXPECT_EQ(j["motions"].size(), 1u);
  EXPECT_EQ(j["motions"][0]["velocities"].size(), 4u);
  EXPECT_EQ(j["redundancies"][0]["by_dimensions"], 1);
  EXPECT_EQ(j["redundancies"][0]["joints"].size(), 6u);
  EXPECT_EQ(j["reactions"]["joints"]["A"]["not_unique"], json::array({"fx"}));
}

// A model that cannot be assembled is explained all the same, with the exit code of conflicts.
TEST(Output, CheckOfAConflict) {
  const Ended end = execute(program(), {"check", example("gallery/doubled-guides-broken")});
  EXPECT_EQ(end.code, 5) << shown(end);
  EXPECT_NE(end.out.find("these cannot hold together: guide, other"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("by 1 mm"), std::string::npos) << end.out;
}

TEST(Output, ListAsJson) {
  for (const char* topic : {"bodies", "joints", "drivers", "forces", "formulations", "integrators", "stabilizations",
                            "functions", "quantities"}) {
    const json j = parsed({"list", topic, "--json"});
    EXPECT_FALSE(j.empty()) << topic;
    for (const json& entry : j) {
      EXPECT_FALSE(entry["name"].get<std::string>().empty()) << topic;
      EXPECT_FALSE(entry["help"].get<std::string>().empty()) << topic << " " << entry["name"];
    }
  }
}

TEST(Output, QuietSaysNothing) {
  const Folder folder;
  const Ended end =
      execute(program(), {"run", example("pendulum"), "-q", "-o", folder / "out.h5", "--set", "analysis.until=0.1"});
  EXPECT_EQ(end.code, 0);
  EXPECT_EQ(end.text(), "");
}

TEST(Output, HelpNamesEverything) {
  const Ended all = execute(program(), {"--help"});
  EXPECT_EQ(all.code, 0);
  for (const char* word : {"run", "check", "probe", "export", "list", "--version"})
    EXPECT_NE(all.out.find(word), std::string::npos) << word;
  const std::pair<const char*, std::vector<const char*>> commands[] = {
      {"run", {"model", "-o,--output", "--set", "--resume", "-q,--quiet", "--json"}},
      {"check", {"model", "--set", "--json"}},
      {"probe", {"results", "quantities", "--at", "--json"}},
      {"export", {"results", "--csv", "-o,--output", "--columns", "--every"}},
      {"list", {"topic", "model", "--json", "quantities"}}};
  for (const auto& [command, words] : commands) {
    const Ended help = execute(program(), {command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    for (const char* word : words) EXPECT_NE(help.out.find(word), std::string::npos) << command << " " << word;
  }
  EXPECT_EQ(execute(program(), {"--version"}).out.substr(0, 8), "mortise ");
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) all.push_back(cell);
  return all;
}

// Every column of the table is a quantity that probe knows under the same name, with the same number to the last bit.
void expect_table_matches_probe(const std::string& model) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  const Ended run =
      execute(program(), {"run", model, "-o", out, "--set", "analysis.until=0.5", "--set", "output.every=0.1"});
  ASSERT_EQ(run.code, 0) << shown(run);
  const Ended table = execute(program(), {"export", out, "--csv"});
  ASSERT_EQ(table.code, 0) << shown(table);
  std::stringstream lines(table.out);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells(line);
  EXPECT_EQ(names.front(), "t");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size()) << "names are unique";
  std::vector<std::vector<std::string>> rows;
  while (std::getline(lines, line)) rows.push_back(cells(line));
  ASSERT_EQ(rows.size(), 6u);

  std::vector<std::string> arguments{"probe", out};
  arguments.insert(arguments.end(), names.begin(), names.end());
  std::string times;
  for (const auto& row : rows) times += (times.empty() ? "" : ",") + row[0];
  arguments.insert(arguments.end(), {"--at", times, "--json"});
  const json probed = parsed(arguments);
  ASSERT_EQ(probed.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(rows[k].size(), names.size());
    for (std::size_t j = 0; j < names.size(); ++j) {
      double value = 0;
      const auto [end, error] = std::from_chars(rows[k][j].data(), rows[k][j].data() + rows[k][j].size(), value);
      EXPECT_EQ(error, std::errc()) << names[j] << " " << rows[k][j];
      EXPECT_TRUE(same_bits(probed[k][names[j]].get<double>(), value))
          << names[j] << " at " << rows[k][0] << ": " << rows[k][j] << " and " << probed[k][names[j]];
    }
  }
  std::printf("%s: %zu columns equal what probe says\n", fs::path(model).filename().c_str(), names.size());
}

TEST(Output, TableMatchesProbe) {
  const Folder folder;
  for (const char* name : {"five-bar", "pendulum", "n-four-bar"}) expect_table_matches_probe(example(name));
  expect_table_matches_probe(folder.write("spatial.yaml", spatial_model()));
}

// Names that list prints for a model are names that probe accepts.
TEST(Output, ListedQuantitiesCanBeProbed) {
  const Folder folder;
  const std::string out = folder / "out.h5";
  ASSERT_EQ(execute(program(), {"run", example("five-bar"), "-o", out, "--set", "analysis.until=0.1"}).code, 0);
  std::vector<std::string> arguments{"probe", out};
  for (const json& entry : parsed({"list", "quantities", example("five-bar"), "--json"}))
    arguments.push_back(entry["name"]);
  ASSERT_GT(arguments.size(), 100u);
  arguments.push_back("--json");
  const json j = parsed(arguments);
  EXPECT_EQ(j[0].size(), arguments.size() - 3 + (j[0].contains("t") ? 0 : 1));
  for (const auto& [name, value] : j[0].items()) EXPECT_TRUE(value.is_number()) << name;
}

TEST(Output, TwoRunsWriteTheSameNumbers) {
  const Folder folder;
  for (const char* path : {"a.h5", "b.h5"})
    ASSERT_EQ(execute(program(), {"run", example("five-bar-crossing"), "-o", folder / path, "-q"}).code, 0);
  EXPECT_EQ(difference(folder / "a.h5", folder / "b.h5"), "");
}

}  // namespace
}  // namespace mortise::test
