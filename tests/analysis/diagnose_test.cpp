// The diagnosis against dense decompositions, and what it must not depend on: units, the order of joints, where the
// mechanism stands.
#include "mortise/analysis/diagnose.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/SVD>
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <set>

#include "mortise/analysis/checkup.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

using analysis::Checkup;
using analysis::Diagnosis;

std::vector<std::string> all_examples() {
  std::vector<std::string> names;
  const std::string root = MORTISE_SOURCE_DIR "/examples";
  for (const char* folder : {"", "gallery/"})
    for (const auto& entry : std::filesystem::directory_iterator(root + "/" + folder))
      if (entry.path().extension() == ".yaml") names.push_back(folder + entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

// Rows and columns scaled as in a diagnosis, all in one matrix.
Matrix dense_rows(const mechanism::Mechanism& m, const State& state) {
  Evaluation e;
  e.resize(m.pattern());
  const auto scratch = m.make_scratch();
  m.evaluate(state, need_dynamics, *scratch, e);
  Matrix A = e.problem.dense_A();
  Vector q(m.q_size()), v(m.v_size());
  m.typical_sizes(as_span(q), as_span(v));
  for (int i = 0; i < A.rows(); ++i) {
    A.row(i) = (A.row(i) * v.asDiagonal()).eval();
    if (const double length = A.row(i).norm(); length > 0 && state.active[index(i)]) A.row(i) /= length;
    if (!state.active[index(i)]) A.row(i).setZero();
  }
  return A;
}

TEST(Diagnose, AgreesWithSingularValuesOnAllExamples) {
  int seen = 0;
  for (const std::string& name : all_examples()) {
    SCOPED_TRACE(name);
    const auto m = example_mechanism(name);
    analysis::DiagnoseOptions options;
    options.kinds = options.relaxations = false;
    const Checkup checkup = analysis::check_up(*m, options);
    if (!checkup.assembled || m->pattern().m() == 0) continue;
    ++seen;
    const Matrix A = dense_rows(*m, checkup.state);
    const Vector sigma = Eigen::JacobiSVD<Matrix>(A).singularValues();
    EXPECT_EQ((sigma.array() > 1e-9 * sigma[0]).count(), checkup.diagnosis.rank.rank);
    Evaluation e;
    e.resize(m->pattern());
    const auto scratch = m->make_scratch();
    m->evaluate(checkup.state, need_dynamics, *scratch, e);
    for (const analysis::Redundancy& r : checkup.diagnosis.redundancies) {
      Vector t = Vector::Zero(m->pattern().m()), sum(m->v_size());
      for (std::size_t i = 0; i < r.rows.size(); ++i) t[r.rows[i]] = r.coefficients[static_cast<Eigen::Index>(i)];
      e.problem.multiply_At(as_span(t), as_span(sum));
      Vector q(m->q_size()), v(m->v_size());
      m->typical_sizes(as_span(q), as_span(v));
      double size = 0;
      for (std::size_t i = 0; i < r.rows.size(); ++i)
        size = std::max(size, std::abs(t[r.rows[i]]) * m->pattern().velocity_size[index(r.rows[i])]);
      EXPECT_LT(sum.cwiseProduct(v).cwiseAbs().maxCoeff(), 1e-9 * size);
    }
  }
  EXPECT_GT(seen, 30);
}

// What a diagnosis says without numbers, as text: equal for equal mechanisms.
std::string said(const mechanism::Mechanism& m, const Diagnosis& d) {
  const auto names = [&](const std::vector<int>& joints) {
    std::set<std::string> sorted;
    for (const int joint : joints) sorted.insert(m.name(m.constraints()[index(joint)].ref));
    std::string text;
    for (const std::string& name : sorted) text += name + " ";
    return text;
  };
  std::set<std::string> lines;
  lines.insert(fmt::format("rank {} dof {} local {}", d.rank.rank, d.degrees_of_freedom, d.local_mobilities));
  std::vector<int> all;
  int structural = 0, dimensions = 0, pose = 0;
  for (const auto& g : d.groups) {
    all.insert(all.end(), g.joints.begin(), g.joints.end());
    structural += g.structural, dimensions += g.dimensions, pose += g.pose;
    // Of joints side by side either may be named.
    for (const auto& r : g.relaxations)
      if (const std::string name = m.name(m.constraints()[index(r.joint)].ref); name[0] != 'D')
        lines.insert(fmt::format("relax {} to {}", name, r.to));
  }
  lines.insert(fmt::format("redundant {} {} {} in {}", structural, dimensions, pose, names(all)));
  for (const auto& r : d.reactions) {
    std::string loose;
    for (const auto& c : r.components)
      if (!c.unique && c.name[1] == 'z') loose += fmt::format(" {}", c.name);
    lines.insert(fmt::format("{} open in {}:{}", m.name(m.constraints()[index(r.joint)].ref), r.freedom, loose));
  }
  std::set<std::string> sets;
  for (const auto& c : d.conflicts) sets.insert(fmt::format("conflict {}", names(c.joints)));
  if (!sets.empty()) lines.insert(*sets.begin());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

struct Joint {
  std::string name, type, first, second;
  Eigen::Vector3d at, axis;
};
struct Machine {
  std::vector<std::pair<std::string, Eigen::Vector3d>> bodies;
  std::vector<Joint> joints;
};

// Four-bar of hinges in space, its rocker on two hinges: 3 and 5 rows too many. A rod on two balls holds the coupler
// and can spin: 24 coordinates, 31 rows, rank 23.
Machine machine() {
  return {
      {{"crank", {0, 0.5, 0}}, {"coupler", {0.75, 1.25, 0}}, {"rocker", {1.75, 0.75, 0}}, {"rod", {0.5, 1.25, 0.4}}},
      {{"A", "revolute", "ground", "crank", {0, 0, 0}, {0, 0, 1}},
       {"B", "revolute", "crank", "coupler", {0, 1, 0}, {0, 0, 1}},
       {"C", "revolute", "coupler", "rocker", {1.5, 1.5, 0}, {0, 0, 1}},
       {"D", "revolute", "rocker", "ground", {2, 0, 0}, {0, 0, 1}},
       {"D2", "revolute", "rocker", "ground", {2, 0, 0.3}, {0, 0, 1}},
       {"S", "spherical", "ground", "rod", {0.3, 1.4, 0.8}, {0, 0, 1}},
       {"T", "spherical", "rod", "coupler", {0.7, 1.1, 0}, {0, 0, 1}}}};
}

std::string text(const Machine& machine, double length, double mass, const Eigen::Isometry3d& X,
                 const std::vector<int>& order) {
  const auto vector = [](const Eigen::Vector3d& v) {
    return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", v.x(), v.y(), v.z());
  };
  std::string out = "mortise: 1\ndimension: spatial\nbodies:\n";
  for (const auto& [name, at] : machine.bodies) {
    const double J = 0.1 * mass * length * length;
    out += fmt::format("  {}: {{mass: {}, inertia: [{}, {}, {}], at: {}}}\n", name, mass, J, J, J,
                       vector(length * (X * at)));
  }
  out += "joints:\n";
  for (const int k : order) {
    const Joint& j = machine.joints[index(k)];
    out += fmt::format("  {}: {{type: {}, between: [{}, {}], at: {}{}}}\n", j.name, j.type, j.first, j.second,
                       vector(length * (X * j.at)),
                       j.type == "revolute" ? ", axis: " + vector(X.linear() * j.axis) : std::string());
  }
  return out;
}

std::string said_of(const std::string& model) {
  const auto m = text_mechanism(model);
  return said(*m, analysis::check_up(*m).diagnosis);
}

std::vector<int> in_order(std::size_t count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

TEST(Diagnose, DoesNotDependOnUnits) {
  const Machine given = machine();
  const auto order = in_order(given.joints.size());
  const auto X = Eigen::Isometry3d::Identity();
  const std::string here = said_of(text(given, 1, 1, X, order));
  EXPECT_NE(here.find("rank 23 dof 1 local 1"), std::string::npos) << here;
  for (const double length : {1e-3, 1e3})
    for (const double mass : {1e-3, 1e3}) EXPECT_EQ(said_of(text(given, length, mass, X, order)), here);
}

TEST(Diagnose, DoesNotDependOnTheOrderOfJoints) {
  const Machine given = machine();
  auto order = in_order(given.joints.size());
  const auto X = Eigen::Isometry3d::Identity();
  const std::string here = said_of(text(given, 1, 1, X, order));
  std::mt19937 random(5);
  for (int trial = 0; trial < 10; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    EXPECT_EQ(said_of(text(given, 1, 1, X, order)), here);
  }
}

TEST(Diagnose, DoesNotDependOnWhereTheMechanismStands) {
  const Machine given = machine();
  const auto order = in_order(given.joints.size());
  const std::string here = said_of(text(given, 1, 1, Eigen::Isometry3d::Identity(), order));
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 10; ++trial) {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    Eigen::Quaterniond turn(uniform(random), uniform(random), uniform(random), uniform(random));
    X.linear() = turn.normalized().toRotationMatrix();
    X.translation() << uniform(random), uniform(random), uniform(random);
    EXPECT_EQ(said_of(text(given, 1, 1, X, order)), here);
  }
}

TEST(Diagnose, TellsALocalMobilityInWords) {
  const auto m = text_mechanism(text(machine(), 1, 1, Eigen::Isometry3d::Identity(), in_order(7)));
  const Diagnosis d = analysis::check_up(*m).diagnosis;
  ASSERT_EQ(d.motions.size(), 1u);
  EXPECT_TRUE(d.motions[0].local);
  EXPECT_NE(d.motions[0].words.find("rod turns about the line"), std::string::npos) << d.motions[0].words;
  EXPECT_NE(d.motions[0].words.find("'S', 'T'"), std::string::npos) << d.motions[0].words;
}

// Two drivers on one crank that ask for different speeds: redundant at this pose, inconsistent in velocity.
TEST(Diagnose, FindsDriversThatContradictOneAnother) {
  const auto m = text_mechanism(R"(mortise: 1
dimension: planar
bodies:
  crank: {mass: 1, inertia: 0.1, at: [0.5, 0]}
joints:
  pin: {type: revolute, between: [ground, crank], at: [0, 0]}
drivers:
  slow: {type: rotation, joint: pin, function: t}
  fast: {type: rotation, joint: pin, function: 2*t}
)");
  State state = m->initial_state();
  const Diagnosis d = analysis::diagnose(*m, state);
  EXPECT_EQ(d.rank.redundant(), 1);
  ASSERT_EQ(d.conflicts.size(), 1u);
  EXPECT_EQ(d.conflicts[0].level, analysis::Level::velocity);
  EXPECT_EQ(d.conflicts[0].joints.size(), 2u);
  EXPECT_NEAR(d.conflicts[0].repairs.cwiseAbs().maxCoeff(), 1, 1e-12);  // rad/s
}

TEST(Diagnose, WarnsOfFrictionByAReactionThatIsNotUnique) {
  const std::string model = R"(mortise: 1
dimension: planar
gravity: [0, -10]
bodies:
  slider: {mass: 2, inertia: 1, velocity: [3, 0]}
joints:
  one: {type: prismatic, between: [ground, slider], axis: [1, 0]}
  TWO
forces:
  rubbing: {type: friction, joint: one, coefficient: 0.2}
)";
  const auto with = [&](const std::string& two) {
    std::string text = model;
    text.replace(text.find("  TWO\n"), 6, two);
    const auto m = text_mechanism(text);
    return analysis::check_up(*m).diagnosis.warnings;
  };
  EXPECT_TRUE(with("").empty());
  const auto warnings = with("  two: {type: prismatic, between: [ground, slider], axis: [1, 0]}\n");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("'one'"), std::string::npos);
}

// Every window of the ladder names its own three rows, in its own four joints: 3N dependencies of at most 20 rows.
TEST(Diagnose, OfALadderStaysWithinItsWindows) {
  const auto m = example_mechanism("n-four-bar-spatial", {"N=60"});
  const Diagnosis d = analysis::check_up(*m).diagnosis;
  EXPECT_EQ(d.redundancies.size(), 180u);
  EXPECT_LE(d.largest_front, 24);
  for (const analysis::Redundancy& r : d.redundancies) {
    EXPECT_LE(r.joints.size(), 4u);
    EXPECT_EQ(r.kind, analysis::RedundancyKind::structural);
  }
}

}  // namespace
}  // namespace mortise::test
