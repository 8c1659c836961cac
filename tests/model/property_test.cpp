// Claims that hold for all inputs of a kind, tried on many random ones.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "mortise/geometry/rotation.h"
#include "mortise/io/yaml.h"
#include "mortise/model/inertia.h"
#include "mortise/model/names.h"
#include "mortise/model/read_field.h"
#include "support/test_catalogue.h"

namespace mortise::model {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

struct Random {
  std::mt19937_64 engine{20240607};
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine); }
  int below(int n) { return static_cast<int>(engine() % static_cast<unsigned long>(n)); }
  Matrix3d rotation() {
    return geometry::matrix(geometry::from_rpy(uniform(-3, 3), uniform(-1.5, 1.5), uniform(-3, 3)));
  }
};

// The tensor of some points with masses.
Matrix3d inertia_of_points(Random& random) {
  Matrix3d J = Matrix3d::Zero();
  const double scale = std::pow(10, random.uniform(-6, 6));
  const int count = 1 + random.below(5);
  for (int k = 0; k < count; ++k) {
    const Vector3d p = scale * Vector3d(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
    J += random.uniform(0, 1) * (p.squaredNorm() * Matrix3d::Identity() - p * p.transpose());
  }
  return J;
}

TEST(Inertia, OfAnyBodyIsAccepted) {
  Random random;
  for (int k = 0; k < 10000; ++k) ASSERT_EQ(judge_inertia(inertia_of_points(random)), InertiaVerdict::physical) << k;
}

TEST(Inertia, OfNoBodyIsRefused) {
  Random random;
  for (int k = 0; k < 200; ++k) {
    const double a = random.uniform(0.1, 1), b = random.uniform(0.1, 1), excess = random.uniform(1e-4, 2);
    const bool negative = k % 2;
    const Vector3d moments = negative ? Vector3d(-excess * a, a, b) : Vector3d(a, b, (a + b) * (1 + excess));
    const Matrix3d R = random.rotation();
    const Matrix3d J = std::pow(10, random.uniform(-6, 6)) * R * moments.asDiagonal() * R.transpose();
    ASSERT_EQ(judge_inertia(J), negative ? InertiaVerdict::negative : InertiaVerdict::triangle) << k;
  }
}

TEST(Inertia, WithReversedProductsIsCuredBySignsWheneverThatHelps) {
  Random random;
  int refused = 0;
  for (int k = 0; k < 2000; ++k) {
    Matrix3d J = inertia_of_points(random);
    J(0, 1) *= -1, J(1, 0) *= -1, J(0, 2) *= -1, J(2, 0) *= -1, J(1, 2) *= -1, J(2, 1) *= -1;
    if (judge_inertia(J) == InertiaVerdict::physical) continue;
    ++refused;
    EXPECT_NE(inertia_cure(J).find("signs of the products"), std::string::npos);
  }
  EXPECT_GT(refused, 100);
}

TEST(Inertia, CuresAreTrue) {
  Matrix3d J;
  J << 1, 0, 0, 0, -2, 0, 0, 0, 2;
  EXPECT_EQ(inertia_cure(J), "yy: 2 would be physical");
  J << 0.1, 2, 0, 2, 2, 0, 0, 0, 2;
  EXPECT_EQ(inertia_cure(J), "with xx and xy exchanged it would be physical");
  EXPECT_EQ(inertia_cure(Vector3d(1, 1, 9).asDiagonal()), "");
}

TEST(NearestName, IsRightForSingleSlips) {
  std::vector<std::string> words;
  std::vector<std::vector<std::string>> sets;
  const Catalogue& c = test::test_catalogue();
  for (const Section s : {Section::body, Section::joint, Section::driver, Section::force}) sets.push_back(c.types(s));
  for (const PartInfo& part : c.parts()) {
    std::vector<std::string> fields;
    for (const FieldSpec& f : part.fields) fields.push_back(f.name);
    sets.push_back(fields);
  }
  Random random;
  int tried = 0, right = 0;
  for (const auto& names : sets)
    for (const std::string& name : names) {
      if (name.size() < 3) continue;
      for (int k = 0; k < 200; ++k) {
        std::string word = name;
        const auto at = static_cast<std::size_t>(random.below(static_cast<int>(name.size())));
        const char letter = static_cast<char>('a' + random.below(26));
        switch (random.below(4)) {
          case 0:
            word.erase(at, 1);
            break;
          case 1:
            word.insert(at, 1, letter);
            break;
          case 2:
            word[at] = letter;
            break;
          default:
            if (at + 1 < word.size()) std::swap(word[at], word[at + 1]);
        }
        if (std::find(names.begin(), names.end(), word) != names.end()) continue;
        ++tried;
        right += did_you_mean(word, names) == "did you mean '" + name + "'?";
      }
    }
  EXPECT_GT(tried, 5000);
  EXPECT_GE(right, 0.98 * tried) << right << " of " << tried;
}

// The table finds exactly the names that a plain list has.
TEST(NameTable, AgreesWithAList) {
  Random random;
  Report report;
  Parameters none;
  for (int round = 0; round < 300; ++round) {
    NameTable table;
    std::map<std::string, std::pair<int, int>> list;
    const std::vector<std::string> patterns{"a$i",        "a-$i",    "b$(2*i+1)",  "b$(2*i)",  "a$(i-3)", "a$(5-i)",
                                            "c$i-$(i+1)", "c$(i)-x", "c1-$i",      "a3",       "b7",      "c1-2",
                                            "a$(i+20)",   "a-1",     "d$(3*i)_$i", "d$(3*i)_2"};
    for (int item = 0; item < 6; ++item) {
      Node key;
      key.kind = Node::Kind::scalar;
      key.text = patterns[static_cast<std::size_t>(random.below(static_cast<int>(patterns.size())))];
      const bool repeated = key.text.find('$') != std::string::npos;
      const int count = repeated ? random.below(6) : 1;
      const auto pattern = parse_pattern(key, {&none, repeated ? "i" : ""}, report);
      ASSERT_TRUE(pattern) << key.text;
      const auto number = [&](int copy) {
        return repeated ? std::llround(value_at(pattern->numbers[0], true, copy)) : 0;
      };
      bool taken = false;
      for (int k = 0; k < count; ++k) taken = taken || list.count(*pattern->at(k));
      const auto clash = table.add(item, *pattern, count, number(0), repeated ? number(1) - number(0) : 1);
      EXPECT_EQ(clash.has_value(), taken) << key.text;
      if (clash) {
        EXPECT_EQ(list.at(clash->name).first, clash->owner.item);
      } else {
        for (int k = 0; k < count; ++k) list[*pattern->at(k)] = {item, k};
      }
    }
    for (const auto& [name, owner] : list) {
      const auto found = table.find(name);
      ASSERT_TRUE(found) << name;
      EXPECT_EQ(found->item, owner.first);
      EXPECT_EQ(found->copy, owner.second);
    }
    for (const char* name : {"a", "a100", "a03", "b", "c1", "c1-3", "d3_2", "a--1", "", "1", "-"})
      EXPECT_EQ(table.find(name).has_value(), list.count(name) == 1) << name;
  }
}

// Models as users would write them, with random contents: what is stored gives the same numbers.
TEST(Model, SurvivesItsOwnText) {
  Random random;
  const auto number = [&] { return std::to_string(random.uniform(0, 2)); };
  for (int round = 0; round < 1000; ++round) {
    std::string text = "mortise: 1\ndimension: spatial\nparameters: {L: " + number() + ", N: 3}\nbodies:\n";
    for (int k = 0; k < 4; ++k)
      text += "  b" + std::to_string(k) + "_$i: {repeat: {i: N}, mass: " + number() + "*(i + L), at: [i, L, \"max(i, " +
              number() + ")\"], orientation: {rpy: [" + number() + ", i*30 deg, 0]}, points: {P: [1, 2, " + number() +
              "]}}\n";
    text += "joints:\n  J$i: {repeat: {i: N}, type: ball, between: [b0_$i.P, b1_$(i)]}\n";
    const Model a = io::load_model_text(text, "a", test::test_catalogue());
    const Model b = io::load_model_text(a.text, "b", test::test_catalogue());
    ASSERT_EQ(a.text, b.text);
    ASSERT_EQ(a.items.size(), b.items.size());
    for (std::size_t k = 0; k < 4; ++k)
      for (int i = 0; i < 3; ++i) {
        const ItemCopy p(a, a.items[k], i), q(b, b.items[k], i);
        ASSERT_EQ(p.name(), q.name());
        ASSERT_EQ(p.number("mass"), q.number("mass"));
        ASSERT_EQ(p.vector("at"), q.vector("at"));
        ASSERT_EQ(p.orientation("orientation").y, q.orientation("orientation").y);
        ASSERT_EQ(p.point_map("points")[0].at, q.point_map("points")[0].at);
      }
  }
}

}  // namespace
}  // namespace mortise::model
