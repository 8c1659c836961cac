// Mechanisms with a known answer: what the diagnosis says of each is derived by hand here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "mortise/analysis/checkup.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

using analysis::Checkup;
using analysis::Diagnosis;
using Names = std::set<std::string>;

struct Known {
  const char* name;
  int coordinates, rows, rank;
  int structural, dimensions, pose;
};

// coordinates − rank is the mobility, rows − rank the redundancy.
const Known known[] = {
    // Three pins a loop too many would lock it; the parallelogram's third link repeats what two say: 1, lost as soon as
    // a pin is elsewhere.
    {"five-bar", 12, 12, 11, 0, 1, 0},
    {"n-four-bar", 15, 14, 14, 0, 0, 0},
    // All pins of a window on one line: its four rows along the line sum to nothing. 6·3 + 3 coordinates, 6·3 + 2 rows.
    {"gallery/n-four-bar-flat", 21, 20, 17, 0, 0, 3},
    // Each loop of parallel hinges repeats one translation and two rotations out of the plane, for any lengths.
    {"n-four-bar-spatial", 30, 35, 29, 6, 0, 0},
    // The cube's edges are what lets it move: 1 by dimensions.
    {"bricard", 30, 30, 29, 0, 1, 0},
    // Four hinges in a loop: 20 rows, 18 coordinates, so two are redundant anyway; Bennett's condition adds one.
    {"gallery/bennett", 18, 20, 17, 2, 1, 0},
    // Either chain keeps the platform in a plane parallel to two directions (3 rows each: two rotations, one
    // translation); the rotation about the common normal z is forbidden by both: 1, for any lengths.
    {"gallery/sarrus", 30, 30, 29, 1, 0, 0},
    // One hinge leaves the swing: rank 5 of 15. Hinges elsewhere, still parallel, lock the door: rank 6, so 9 of the 10
    // stay.
    {"gallery/door", 6, 15, 5, 9, 1, 0},
    {"mcpherson", 30, 26, 26, 0, 0, 0},
    // The arm's second hinge: 5 rows; two parallel hinges off one line would lock the arm, so 4 of them stay.
    {"mcpherson-overconstrained", 30, 31, 26, 4, 1, 0},
    // Heights of four feet: z and two tilts, wherever they stand.
    {"gallery/table", 6, 4, 3, 1, 0, 0},
    // The guides follow from a crank half as long as the rod.
    {"gallery/scott-russell", 12, 12, 11, 0, 1, 0},
    {"gallery/gear-pair", 12, 12, 11, 1, 0, 0},
    {"stewart-platform", 78, 78, 78, 0, 0, 0},
    {"gallery/four-bar-in-space", 18, 20, 17, 3, 0, 0},
    {"gallery/four-bar-isostatic", 18, 17, 17, 0, 0, 0},
    // Across and angle of the second guide, wherever it lies.
    {"gallery/doubled-guides", 9, 10, 8, 2, 0, 0},
};

int total(const Diagnosis& d, int analysis::RedundantGroup::*count) {
  int sum = 0;
  for (const auto& g : d.groups) sum += g.*count;
  return sum;
}

Names joints(const mechanism::Mechanism& m, const std::vector<int>& list) {
  Names out;
  for (const int joint : list) out.insert(m.name(m.constraints()[index(joint)].ref));
  return out;
}

TEST(Gallery, OfMechanismsIsDiagnosedAsDerivedByHand) {
  for (const Known& k : known) {
    SCOPED_TRACE(k.name);
    const auto m = example_mechanism(k.name);
    const Checkup checkup = analysis::check_up(*m);
    const Diagnosis& d = checkup.diagnosis;
    EXPECT_EQ(d.count.coordinates, k.coordinates);
    EXPECT_EQ(d.rank.rows, k.rows);
    EXPECT_EQ(d.rank.rank, k.rank);
    EXPECT_EQ(d.degrees_of_freedom, k.coordinates - k.rank);
    EXPECT_EQ(static_cast<int>(d.redundancies.size()), k.rows - k.rank);
    EXPECT_EQ(total(d, &analysis::RedundantGroup::structural), k.structural);
    EXPECT_EQ(total(d, &analysis::RedundantGroup::dimensions), k.dimensions);
    EXPECT_EQ(total(d, &analysis::RedundantGroup::pose), k.pose);
    EXPECT_FALSE(checkup.conflict());
    EXPECT_GT(d.rank.gap(), 1e6);
    EXPECT_TRUE(!d.redundancies.empty() || d.reactions.empty());
    // The free motions are motions, and as many as there should be.
    EXPECT_EQ(static_cast<int>(d.motions.size()), std::min(24, d.degrees_of_freedom));
    Evaluation e;
    e.resize(m->pattern());
    const auto scratch = m->make_scratch();
    m->evaluate(checkup.state, need_constraints, *scratch, e);
    for (const analysis::FreeMotion& motion : d.motions) {
      Vector rates(m->pattern().m());
      e.problem.multiply_A(as_span(motion.v), as_span(rates));
      EXPECT_LT(rates.cwiseAbs().maxCoeff(), 1e-9 * motion.v.cwiseAbs().maxCoeff()) << motion.words;
      EXPECT_FALSE(motion.words.empty());
    }
  }
}

struct Broken {
  const char* name;
  Names joints;     // the smallest set
  const char* row;  // a row of it
  double repair;    // that this row would need, [m]
  double within;    // of it
};

// What is too long, high or low is what the smallest repair gives back.
const Broken broken[] = {
    // Self-stress 1 : −2 : 1 of the links: the middle one would have to be 13 mm shorter, to first order.
    {"gallery/five-bar-broken", {"A", "B", "C", "D", "E", "F"}, "E.y", 0.013, 1e-4},
    {"gallery/door-broken", {}, "middle.z", 0.002, 1e-9},
    {"gallery/table-broken", {"leg1", "leg2", "leg3", "leg4"}, "leg1.normal", 0.005, 1e-5},
    // The crank at the middle of the rod: 1.26 m for 1.25 m.
    {"gallery/scott-russell-broken", {"pivot", "mid", "east", "north", "x-guide", "y-guide"}, nullptr, 0, 0},
    {"gallery/four-bar-broken", {"A", "B", "C", "D"}, "C.z", 0.003, 1e-9},
    {"gallery/doubled-guides-broken", {"guide", "other"}, "other.across", 0.001, 1e-9},
};

TEST(Gallery, OfBrokenMechanismsNamesWhatCannotHoldTogetherAndByHowMuch) {
  for (const Broken& b : broken) {
    SCOPED_TRACE(b.name);
    const auto m = example_mechanism(b.name);
    const Checkup checkup = analysis::check_up(*m);
    EXPECT_TRUE(checkup.conflict());
    EXPECT_FALSE(checkup.assembled);
    ASSERT_FALSE(checkup.diagnosis.conflicts.empty());
    const analysis::Conflict& c = checkup.diagnosis.conflicts.front();
    EXPECT_EQ(c.level, analysis::Level::position);
    if (!b.joints.empty()) {
      EXPECT_EQ(joints(*m, c.joints), b.joints);
    } else {
      EXPECT_EQ(c.joints.size(), 2u);  // the middle hinge with either of the others
    }
    if (!b.row) continue;
    bool found = false;
    for (std::size_t i = 0; i < c.rows.size(); ++i)
      if (m->row_name(c.rows[i]) == b.row) {
        found = true;
        EXPECT_NEAR(std::abs(c.repairs[static_cast<Eigen::Index>(i)]), b.repair, b.within);
      }
    EXPECT_TRUE(found);
  }
}

const analysis::JointReaction& reaction(const mechanism::Mechanism& m, const Diagnosis& d, const std::string& joint) {
  const auto found = std::find_if(d.reactions.begin(), d.reactions.end(), [&](const analysis::JointReaction& r) {
    return m.name(m.constraints()[index(r.joint)].ref) == joint;
  });
  if (found == d.reactions.end()) throw std::out_of_range(joint);
  return *found;
}

Names unique(const std::vector<analysis::JointReaction::Component>& components, bool wanted = true) {
  Names out;
  for (const auto& c : components)
    if (c.unique == wanted) out.insert(c.name);
  return out;
}

// The frames of A, B and C lie along the links: the self-stress 1 : −2 : 1 is along them.
TEST(Gallery, FiveBarReactionsAreUniqueAcrossTheLinks) {
  const auto m = example_mechanism("five-bar");
  const Checkup checkup = analysis::check_up(*m);
  for (const char* joint : {"A", "B", "C"}) {
    EXPECT_EQ(unique(reaction(*m, checkup.diagnosis, joint).components), Names{"fy"});
    EXPECT_EQ(unique(reaction(*m, checkup.diagnosis, joint).components, false), Names{"fx"});
  }
}

TEST(Gallery, DoorBearsItsWeightInSumAndItsSharesAreNotUnique) {
  const auto m = example_mechanism("gallery/door");
  const Diagnosis d = analysis::check_up(*m).diagnosis;
  for (const char* joint : {"low", "middle", "high"})
    EXPECT_EQ(unique(reaction(*m, d, joint).components, false), (Names{"fx", "fy", "fz", "tx", "ty"}));
  ASSERT_EQ(d.sums.size(), 1u);
  EXPECT_EQ(joints(*m, d.sums[0].joints), (Names{"low", "middle", "high"}));
  EXPECT_TRUE(unique(d.sums[0].components).count("fz"));
}

// What loops of joints can bear without any load, and so which components are not unique, joint by joint. In a single
// loop a self-stress is one wrench that all its joints transmit and none of their freedoms gives way to; a component is
// unique when the motion it belongs to (a translation, a rotation about the joint's point) is in the span of the
// joints' freedoms. Components in the axes of each joint, z its axis. Joints that are not named: all unique.
using Loose = std::map<std::string, Names>;

Loose all(const std::vector<std::string>& joints, const Names& components) {
  Loose out;
  for (const std::string& joint : joints) out[joint] = components;
  return out;
}

const std::map<std::string, Loose>& loose_reactions() {
  const Names parallel{"fz", "tx", "ty"}, all_but_the_turn{"fx", "fy", "fz", "tx", "ty"};
  static const std::map<std::string, Loose> table{
      {"n-four-bar", {}},
      {"mcpherson", {}},
      {"stewart-platform", {}},
      {"gallery/four-bar-isostatic", {}},
      // Rotations about points of one line span the rotation and the translation across it: along it nothing gives way.
      {"gallery/n-four-bar-flat",
       all({"foot0", "foot1", "foot2", "foot3", "left0", "left1", "left2", "right0", "right1", "right2"}, {"fx"})},
      // Parallel hinges span the motions of a plane: fx and fy are unique, the rest is not.
      {"n-four-bar-spatial", all({"foot0", "foot1", "foot2", "left0", "left1", "right0", "right1"}, parallel)},
      {"gallery/four-bar-in-space", all({"A", "B", "C", "D"}, parallel)},
      // Hinges along edges of a cube: the force (1, 1, 1) with the moment (-1, 0, 1) about A has no moment about any of
      // the six; no component of it vanishes in axes along the edges.
      {"bricard", all({"A", "B", "C", "D", "E", "F"}, all_but_the_turn)},
      // Four hinges of rank 3 in general directions: none of the five motions they resist is in their span.
      {"gallery/bennett", all({"A", "B", "C", "D"}, all_but_the_turn)},
      // A couple about the common normal z of the two hinge directions, which is y in the axes of these joints.
      {"gallery/sarrus", all({"x1", "x2", "x3", "y1", "y2", "y3"}, {"ty"})},
      // Two hinges on one axis share everything.
      {"mcpherson-overconstrained", all({"P1A", "P1B"}, all_but_the_turn)},
      // The crank is pushed along itself with (c, s); the guides push back through the pins: (0, s) in the east and
      // (c, 0) in the north, both through the pins' points, so without torque. y-guide: its y is the world's -x.
      {"gallery/scott-russell",
       {{"pivot", {"fx", "fy"}},
        {"mid", {"fx", "fy"}},
        {"east", {"fy"}},
        {"north", {"fx"}},
        {"x-guide", {"fy"}},
        {"y-guide", {"fy"}}}},
      // Two meshes share the torque between the wheels; the bearings feel the sum.
      {"gallery/gear-pair", all({"mesh", "mesh-two"}, {"tz"})},
      // Parallel guides push against each other across and turn against each other; along them nobody pushes.
      {"gallery/doubled-guides", all({"guide", "other"}, {"fy", "tz"})},
  };
  return table;
}

TEST(Gallery, NamesWhichReactionsAreNotUnique) {
  for (const auto& [name, expected] : loose_reactions()) {
    SCOPED_TRACE(name);
    const auto m = example_mechanism(name);
    Loose found;
    for (const analysis::JointReaction& r : analysis::check_up(*m).diagnosis.reactions)
      found[m->name(m->constraints()[index(r.joint)].ref)] = unique(r.components, false);
    EXPECT_EQ(found, expected);
  }
}

TEST(Gallery, TableStandsOnNoLegInParticular) {
  const auto m = example_mechanism("gallery/table");
  const Diagnosis d = analysis::check_up(*m).diagnosis;
  EXPECT_EQ(d.reactions.size(), 4u);
  ASSERT_EQ(d.sums.size(), 1u);
  EXPECT_TRUE(unique(d.sums[0].components).count("fz"));
}

// A four-bar of hinges becomes isostatic with one ball and one cylindrical joint; no single joint can give three rows
// but by becoming a point on its axis.
TEST(Gallery, FourBarInSpaceCanBeRelaxed) {
  const auto m = example_mechanism("gallery/four-bar-in-space");
  const Diagnosis d = analysis::check_up(*m).diagnosis;
  ASSERT_EQ(d.groups.size(), 1u);
  ASSERT_FALSE(d.groups[0].relaxations.empty());
  for (const analysis::Relaxation& r : d.groups[0].relaxations) {
    EXPECT_EQ(r.rows, 3);
    EXPECT_EQ(r.to, "point-on-line along its axis");
  }
  EXPECT_EQ(d.groups[0].relaxations.size(), 4u);
}

// One row too many: a hinge of the Sarrus linkage may slide along its axis or give up one tilt.
TEST(Gallery, RelaxedJointsLeaveNothingRedundant) {
  for (const char* name :
       {"gallery/sarrus", "bricard", "five-bar", "gallery/scott-russell", "gallery/doubled-guides"}) {
    SCOPED_TRACE(name);
    const auto m = example_mechanism(name);
    const Diagnosis d = analysis::check_up(*m).diagnosis;
    for (const analysis::RedundantGroup& g : d.groups) {
      int saved = 0;
      for (const analysis::Relaxation& r : g.together) saved += r.rows;
      EXPECT_TRUE(!g.relaxations.empty() || saved == static_cast<int>(g.redundancies.size()));
      for (const analysis::Relaxation& r : g.relaxations) EXPECT_EQ(r.rows, static_cast<int>(g.redundancies.size()));
    }
  }
}

}  // namespace
}  // namespace mortise::test
