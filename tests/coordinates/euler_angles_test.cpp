// Euler angles: frames that are chosen at the start, and the pose where they fail.
#include <gtest/gtest.h>

#include <algorithm>

#include "coordinates/random_machines.h"

namespace mortise::test {
namespace {

std::string spinning(const std::string& spin) {
  return "mortise: 1\ndimension: spatial\nbodies:\n  rotor: {mass: 1, inertia: [0.1, 0.1, 0.1], orientation: {rpy: "
         "[0.3, -0.8, 1.1]}, angular_velocity: " +
         spin + "}\n";
}

// The nutation of the only body at a state.
double nutation(const coordinates::CoordinateSystem& system, const State& absolute) {
  State mapped;
  system.lower(absolute, mapped);
  return mapped.q[4];
}

TEST(EulerAngles, BeginAtANutationOfARightAngle) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const auto m = compile(spinning(numbers(random, 3, 2)));
    const State start = m->initial_state();
    EXPECT_NEAR(nutation(*coordinates::make_coordinates("euler-angles", *m, start), start), M_PI / 2, 1e-15 * 4);
  }
}

TEST(EulerAngles, StayRegularWhileABodyTurnsAboutTheAxisThatItBeganWith) {
  Random random(4);
  double least = 1;
  for (int k = 0; k < 200; ++k) {
    const auto m = compile(spinning(numbers(random, 3, 2)));
    const State start = m->initial_state();
    const auto system = coordinates::make_coordinates("euler-angles", *m, start);
    for (int step = 0; step < 72; ++step) {
      State turned = start;
      Vector by = start.v;
      by.tail<3>() *= 2 * M_PI * step / 72 / by.tail<3>().norm();
      m->retract(as_span(start.q), as_span(by), as_span(turned.q));
      least = std::min(least, std::sin(nutation(*system, turned)));
    }
  }
  std::printf("least sine of the nutation %.4f\n", least);
  EXPECT_GT(least, 0.5 - 1e-9);
}

TEST(EulerAngles, NameTheBodyWhoseNutationVanishes) {
  const auto m = compile(spinning("[0, 0, 1]"));
  const State start = m->initial_state();
  const auto system = coordinates::make_coordinates("euler-angles", *m, start);
  State mapped;
  system->lower(start, mapped);
  mapped.t = 1.5;
  Probe probe(*system);
  mapped.q[4] = 0.0501;
  EXPECT_NO_THROW(probe(mapped));
  mapped.q[4] = 0.0499;
  try {
    probe(mapped);
    FAIL() << "evaluated";
  } catch (const SolveError& error) {
    EXPECT_EQ(error.report().code, "S424");
    EXPECT_EQ(error.report().time, 1.5);
    EXPECT_NE(error.report().message.find("'rotor'"), std::string::npos) << error.what();
    EXPECT_NE(error.report().advice.find("absolute"), std::string::npos);
  }
}

TEST(EulerAngles, FindTheirFramesAgainInTheMemoryOfACheckpoint) {
  const auto m = compile(spinning("[1, 2, 0.5]"));
  State start = m->initial_state();
  const auto first = coordinates::make_coordinates("euler-angles", *m, start);
  State later = start;
  later.q.tail<4>() << 0.5, -0.5, 0.5, 0.5;
  later.v.tail<3>() << -3, 0.1, 0.2;
  State mapped, again;
  first->lower(later, mapped);
  first->remember(later.memory);
  coordinates::make_coordinates("euler-angles", *m, later)->lower(later, again);
  EXPECT_EQ(mapped.q, again.q);
  EXPECT_EQ(mapped.v, again.v);
}

}  // namespace
}  // namespace mortise::test
