// Events on the command line: lines of the report, the ledger as JSON and CSV, probes about an event, a run that is
// stopped by a signal and resumed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/result_files.h"

namespace mortise::test {
namespace {

using nlohmann::json;

TEST(EventsOnTheCommandLine, AreReportedALineEach) {
  const Folder folder;
  const Ended end = execute(program(), {"run", example("slip-to-roll"), "-o", folder / "a.h5"});
  EXPECT_EQ(end.code, 0) << shown(end);
  EXPECT_NE(end.out.find("events      t = 0.100037171  s  grip sticks (rolling)"), std::string::npos) << end.out;
  // What holds since then: the rolling row takes a degree of freedom.
  EXPECT_NE(end.out.find("mobility    2 degrees of freedom · rank 7 of 7 rows"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("            then: 1 degree of freedom · rank 8 of 8 rows"), std::string::npos) << end.out;
}

// Two joints that do the same: when the second closes, its rows become redundant, and the report names them.
TEST(EventsOnTheCommandLine, ARedundancyThatBeginsAtAnEventIsNamed) {
  const Folder folder;
  const std::string model = folder.write("twin.yaml", R"(mortise: 1
name: Twin hinges
dimension: planar
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.1, at: [1, 0]}
joints:
  hinge: {type: revolute, between: [ground, arm], at: [0, 0]}
  twin: {type: revolute, between: [ground, arm], at: [0, 0], active: false}
events:
  close: {type: lock, joints: twin, at: 0.5, hold: modelled}
analysis: {until: 1}
)");
  const Ended end = execute(program(), {"run", model, "-o", folder / "a.h5"});
  EXPECT_EQ(end.code, 0) << shown(end);
  EXPECT_NE(end.out.find("mobility    1 degree of freedom · rank 2 of 2 rows\n"), std::string::npos) << end.out;
  EXPECT_NE(end.out.find("then: 1 degree of freedom · rank 2 of 4 rows, 2 redundant: hinge, twin"), std::string::npos)
      << end.out;
  const Ended as_json = execute(program(), {"run", model, "-o", folder / "a.h5", "--json"});
  const json then = json::parse(as_json.out)["events"][0]["then"];
  EXPECT_EQ(then["degrees_of_freedom"], 1);
  EXPECT_EQ(then["redundancies"][0]["joints"], json({"hinge", "twin"}));
}

// Poses that were passed are in the ledger of the result, whether or not the model has events.
TEST(EventsOnTheCommandLine, SingularPosesAreInTheLedgerOfTheResult) {
  const Folder folder;
  const Ended run = execute(program(), {"run", example("five-bar-crossing"), "-o", folder / "a.h5", "--json"});
  ASSERT_EQ(run.code, 0) << shown(run);
  const json poses = json::parse(run.out)["singular_poses"];
  ASSERT_GE(poses.size(), 2u);
  const Ended csv = execute(program(), {"export", folder / "a.h5", "--events"});
  ASSERT_EQ(csv.code, 0) << shown(csv);
  std::istringstream lines(csv.out);
  std::string row;
  std::getline(lines, row);
  for (const json& pose : poses) {
    ASSERT_TRUE(std::getline(lines, row));
    EXPECT_EQ(std::stod(row), pose["t"].get<double>());
    EXPECT_NE(row.find(",singular pose,smooth,"), std::string::npos) << row;
    EXPECT_NE(row.find(pose["rows"][0].get<std::string>()), std::string::npos) << row;
  }
  EXPECT_FALSE(std::getline(lines, row));
}

TEST(EventsOnTheCommandLine, AreInTheJsonOfARunAndInTheCsv) {
  const Folder folder;
  const Ended run = execute(program(), {"run", example("slip-to-roll"), "-o", folder / "a.h5", "--json"});
  ASSERT_EQ(run.code, 0) << shown(run);
  const json j = json::parse(run.out);
  ASSERT_EQ(j["events"].size(), 1u);
  EXPECT_EQ(j["events"][0]["event"], "grip");
  EXPECT_EQ(j["events"][0]["what"], "sticks");
  const Ended csv = execute(program(), {"export", folder / "a.h5", "--events"});
  ASSERT_EQ(csv.code, 0) << shown(csv);
  std::istringstream lines(csv.out);
  std::string head, row, more;
  std::getline(lines, head);
  std::getline(lines, row);
  EXPECT_EQ(head, "t,event,what,joints,impulse,work,kinetic_before,kinetic_after,velocity_jump,frame");
  EXPECT_EQ(std::stod(row), j["events"][0]["t"].get<double>());
  EXPECT_NE(row.find(",grip,sticks,rolling,"), std::string::npos) << row;
  EXPECT_FALSE(std::getline(lines, more));
}

// The reaction jumps at the event; a probe just before it and one at it see both sides, interpolated on one side only.
TEST(EventsOnTheCommandLine, AProbeSeesBothSidesOfAnEvent) {
  const Folder folder;
  const Ended run = execute(program(), {"run", example("slip-to-roll"), "-o", folder / "a.h5", "--json"});
  ASSERT_EQ(run.code, 0) << shown(run);
  const double t = json::parse(run.out)["events"][0]["t"].get<double>();
  const Ended probe = execute(program(), {"probe", folder / "a.h5", "disc.ax", "grip.state", "--json", "--at",
                                          std::to_string(t - 1e-5), "--at", std::to_string(t + 1e-5)});
  ASSERT_EQ(probe.code, 0) << shown(probe);
  const json j = json::parse(probe.out);
  EXPECT_NEAR(j[0]["disc.ax"].get<double>(), 0.71291720, 2e-3);
  EXPECT_NEAR(j[1]["disc.ax"].get<double>(), -0.73395349, 2e-3);
  EXPECT_EQ(j[0]["grip.state"], 2);
  EXPECT_EQ(j[1]["grip.state"], 1);
}

}  // namespace
}  // namespace mortise::test
