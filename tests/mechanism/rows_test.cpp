// Every row of every joint and driver against differences: of positions for A and c_t, of velocities for b.
#include <gtest/gtest.h>

#include <set>

#include "mechanism/part_samples.h"
#include "mechanism/workbench.h"
#include "support/allocation_counter.h"

namespace mortise::test {
namespace {

using gauss::RowKind;
using gauss::RowUnit;
using mechanism::Constraint;

constexpr int states = 100;
constexpr double step = 2e-3;

// Angles in space jump by a turn somewhere: differences are taken on the nearest one.
Vector on_nearest_turn(const Mechanism& m, Vector difference) {
  for (int i = 0; i < difference.size(); ++i)
    if (m.pattern().rows[static_cast<std::size_t>(i)].unit == RowUnit::angle)
      difference[i] = std::remainder(difference[i], 2 * M_PI);
  return difference;
}

class Rows : public testing::TestWithParam<PartSample> {
 protected:
  Rows() : bench_(GetParam().text()), m_(*bench_.mechanism) {}
  bool holonomic(int row) const { return m_.pattern().rows[static_cast<std::size_t>(row)].kind == RowKind::holonomic; }

  Workbench bench_;
  const Mechanism& m_;
  Random random_{20240517};
};

TEST_P(Rows, JacobianIsTheDerivativeOfThePositionForm) {
  double worst = 0;
  for (int trial = 0; trial < states; ++trial) {
    const State state = random_state(m_, random_);
    const Vector phi = bench_.phi(state);
    const Matrix A = bench_.evaluate(state).problem.dense_A();
    const auto column = [&](int k) {
      return derivative([&](double h) { return on_nearest_turn(m_, bench_.phi(moved(m_, state, k, h)) - phi); }, step);
    };
    for (int k = 0; k < m_.v_size(); ++k) {
      const Vector numeric = column(k);
      for (int i = 0; i < m_.pattern().m(); ++i)
        if (holonomic(i)) worst = std::max(worst, std::abs(numeric[i] - A(i, k)) / std::max(1.0, A.row(i).norm()));
    }
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

TEST_P(Rows, ExplicitTimePartIsTheTimeDerivativeOfThePositionForm) {
  double worst = 0;
  for (int trial = 0; trial < states; ++trial) {
    const State state = random_state(m_, random_);
    const Vector phi = bench_.phi(state), c_t = bench_.evaluate(state).c_t;
    const Vector numeric = derivative(
        [&](double h) {
          State later = state;
          later.t += h;
          return on_nearest_turn(m_, bench_.phi(later) - phi);
        },
        step);
    for (int i = 0; i < m_.pattern().m(); ++i)
      if (holonomic(i)) worst = std::max(worst, std::abs(numeric[i] - c_t[i]) / std::max(1.0, std::abs(c_t[i])));
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

TEST_P(Rows, VelocityFormIsTheRateOfThePositionFormAlongAMotion) {
  double worst = 0;
  for (int trial = 0; trial < states; ++trial) {
    const State state = random_state(m_, random_);
    const Vector a = random_vector(random_, m_.v_size(), 2), phi = bench_.phi(state), phidot = bench_.phidot(state);
    const Vector numeric =
        derivative([&](double h) { return on_nearest_turn(m_, bench_.phi(along(m_, state, a, h)) - phi); }, step);
    for (int i = 0; i < m_.pattern().m(); ++i)
      if (holonomic(i)) worst = std::max(worst, std::abs(numeric[i] - phidot[i]) / std::max(1.0, std::abs(phidot[i])));
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-9);
}

TEST_P(Rows, RightHandSideIsWhatIsLeftOfTheSecondDerivativeWithoutAccelerations) {
  double worst = 0;
  for (int trial = 0; trial < states; ++trial) {
    const State state = random_state(m_, random_);
    const Vector a = random_vector(random_, m_.v_size(), 2);
    const Vector second = derivative([&](double h) { return bench_.phidot(along(m_, state, a, h)); }, step);
    const Evaluation& e = bench_.evaluate(state);
    Vector expected(m_.pattern().m());
    e.problem.multiply_A(as_span(a), as_span(expected));
    expected -= e.problem.b;
    worst = std::max(worst, difference(second, expected));
  }
  RecordProperty("worst", testing::PrintToString(worst));
  EXPECT_LT(worst, 1e-8);
}

TEST_P(Rows, AreAsManyAsTheRegistrySaysWithNamesOfTheirOwn) {
  const Constraint& c = m_.constraints()[static_cast<std::size_t>(m_.find_constraint("J"))];
  const auto section = GetParam().section == std::string("joints") ? model::Section::joint : model::Section::driver;
  const model::PartInfo* info = mechanism::catalogue().find(section, GetParam().type);
  ASSERT_NE(info, nullptr);
  EXPECT_EQ(c.rows, GetParam().dimension == 2 ? info->rows_planar : info->rows_spatial);
  EXPECT_EQ(c.row_names.size(), static_cast<std::size_t>(c.rows));
  std::set<std::string> names;
  for (int row = 0; row < m_.pattern().m(); ++row) {
    names.insert(m_.row_name(row));
    EXPECT_EQ(m_.row_name(row).starts_with("J."), row >= c.row && row < c.row + c.rows);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(m_.pattern().m()));
}

TEST_P(Rows, ArePointingAtNothingWhenSwitchedOff) {
  std::string text = GetParam().text();
  text.insert(text.rfind('}'), ", active: false");
  Workbench off(text);
  const Constraint& c = m_.constraints()[static_cast<std::size_t>(m_.find_constraint("J"))];
  EXPECT_EQ(off.mechanism->count().rows, m_.count().rows - c.rows);
  for (int trial = 0; trial < 10; ++trial) {
    State state = random_state(m_, random_);
    const Evaluation on = bench_.evaluate(state);
    state.active = off.mechanism->initial_state().active;
    const Evaluation& e = off.evaluate(state);
    for (int row = 0; row < m_.pattern().m(); ++row) {
      const bool mine = row >= c.row && row < c.row + c.rows;
      EXPECT_EQ(state.active[static_cast<std::size_t>(row)], mine ? 0 : 1);
      EXPECT_EQ(e.phi[row], mine ? 0 : on.phi[row]);
      EXPECT_EQ(e.phidot[row], mine ? 0 : on.phidot[row]);
      EXPECT_EQ(e.problem.b[row], mine ? 0 : on.problem.b[row]);
      EXPECT_EQ(e.problem.dense_A().row(row).norm(), mine ? 0 : on.problem.dense_A().row(row).norm());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, Rows, testing::ValuesIn(part_samples()),
                         [](const testing::TestParamInfo<PartSample>& info) { return info.param.name(); });

TEST(Registry, EveryJointAndDriverIsEvaluatedWithoutAllocation) {
  if (!allocations_are_counted()) GTEST_SKIP();
  for (const PartSample& sample : part_samples()) {
    Workbench bench(sample.text());
    Random random(3);
    const State one = random_state(*bench.mechanism, random), other = random_state(*bench.mechanism, random);
    bench.evaluate(one);
    const AllocationCounter heap;
    bench.evaluate(other);
    EXPECT_EQ(heap.count(), 0) << sample.name();
  }
}

TEST(Registry, HasASampleOfEveryJointAndDriverInEveryDimensionAndOnTheGround) {
  for (const mechanism::Part& part : mechanism::parts()) {
    const auto section = part.info.section;
    if (section != model::Section::joint && section != model::Section::driver) continue;
    for (int dimension : {2, 3}) {
      if (!(dimension == 2 ? part.info.planar : part.info.spatial)) continue;
      int samples = 0;
      for (const PartSample& sample : part_samples())
        samples += sample.type == part.info.type && sample.dimension == dimension &&
                   (sample.section == std::string("joints")) == (section == model::Section::joint);
      EXPECT_GE(samples, 2) << "add a PartSample for '" << part.info.type << "' in dimension " << dimension;
    }
  }
}

}  // namespace
}  // namespace mortise::test
