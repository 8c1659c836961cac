// Contacts by springs that store and return energy: closed forms of specs/nasa-6-massively-parallel-transient-fe.md
// §3.6 and its check 17.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/examples.h"

namespace mortise::test {
namespace {

const char* const spheres = R"(mortise: 1
dimension: spatial
bodies:
  a: {mass: 1, inertia: [0.004, 0.004, 0.004], at: [0, 0, 0], velocity: [3, 0, 0], geometry: {skin: {sphere: 0.1}}}
  b: {mass: 3, inertia: [0.012, 0.012, 0.012], at: [0.5, 0, 0], velocity: [-1, 0, 0], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-spring, bodies: "a, b", stiffness: 1e5}
analysis: {until: 0.2, tolerance: 1e-9}
output: {every: 1e-3}
)";

double time_of(const Recording& r, const std::string& what) {
  for (const analysis::EventEntry& e : r.result.events)
    if (e.what == what) return e.t;
  return -1;
}

TEST(ContactSpring, TwoSpheresKeepTheFormulasOfTheReportWithEveryIntegrator) {
  const double mu = 0.75, k = 1e5, relative = 4;
  for (const char* integrator : {"adams", "rk45", "rk78", "rk4", "bdf"})
    for (const double e : {1.0, 0.5, 0.0}) {
      const Recording r = run_text(spheres, {"forces.touch.restitution=" + std::to_string(e),
                                             std::string("analysis.integrator=") + integrator, "analysis.step=2e-4"});
      const std::string what = std::string(integrator) + " e " + std::to_string(e);
      EXPECT_NEAR(r.last("a.vx"), -3 * e, 0.005) << what;  // 0.5 % is asked for
      EXPECT_NEAR(r.last("b.vx"), e, 0.005) << what;
      EXPECT_NEAR(r.last("a.vx") + 3 * r.last("b.vx"), 0, 1e-12) << what;
      const double loss = (1 - e * e) * 0.5 * mu * relative * relative;
      EXPECT_NEAR(r.last("energy.dissipated"), loss, 1e-4 * 6) << what;
      EXPECT_NEAR(r.last("energy.kinetic") + r.last("energy.dissipated"), 6, 3e-3) << what;
      const double touches = time_of(r, "touches"), parts = time_of(r, e > 0 ? "parts" : "rests");
      ASSERT_GT(touches, 0) << what;
      const double lasts = M_PI / 2 * std::sqrt(mu / k) * (1 + e);
      EXPECT_NEAR(parts - touches, lasts, 0.002 * lasts) << what;  // 2 % is asked for
      EXPECT_NEAR(touches, 0.3 / 4, 1e-9) << what;
    }
}

TEST(ContactSpring, StoredReturnedAndLostEnergyAddUpAllTheWay) {
  const Recording r = run_text(spheres, {"forces.touch.restitution=0.5", "output.every=2e-5", "analysis.until=0.09"});
  double stored = 0;
  for (const analysis::Frame& f : r.frames) {
    EXPECT_NEAR(f.kinetic + f.potential + f.dissipated, 6, 1e-6);
    stored = std::max(stored, f.potential);
  }
  EXPECT_NEAR(stored, 6, 1e-5);  // in the frame of the centre of mass all of it
  EXPECT_EQ(r.frames.back().potential, 0);
  EXPECT_NEAR(r.frames.back().kinetic, 1.5, 1e-6);
}

TEST(ContactSpring, BallBouncesToTheHeightsOfItsRestitution) {
  for (const int dimension : {2, 3})
    for (const double e : {1.0, 0.5, 0.0}) {
      const Recording r = run_text(dimension == 2 ? R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {mass: 2, inertia: 0.008, at: [0, 1.1], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-spring, ground: {floor: {plane: [0, 1]}}, stiffness: 1e8}
analysis: {until: 2.2}
output: {every: 1e-3}
)"
                                                  : R"(mortise: 1
dimension: spatial
gravity: [0, -9.81, 0]
bodies:
  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], at: [0, 1.1, 0], geometry: {skin: {sphere: 0.1}}}
forces:
  touch: {type: contact-spring, ground: {floor: {box: [5, 1, 5], at: [0, -0.5, 0]}}, stiffness: 1e8}
analysis: {until: 2.2}
output: {every: 1e-3}
)",
                                   {"forces.touch.restitution=" + std::to_string(e)});
      const auto height = r.history("ball.y");
      std::vector<double> peaks;
      for (std::size_t k = 1; k + 1 < height.size(); ++k)
        if (height[k] > height[k - 1] && height[k] >= height[k + 1] && height[k] > 0.1005)
          peaks.push_back(height[k] - 0.1);
      if (e > 0) {
        ASSERT_GE(peaks.size(), 2u);
      }
      for (std::size_t k = 0; k < std::min<std::size_t>(peaks.size(), 3); ++k)
        EXPECT_NEAR(peaks[k], std::pow(e, 2.0 * (static_cast<double>(k) + 1)), 1e-3) << e << " " << k;
      if (e > 0) continue;
      // Inelastic: it stays, on a damped spring.
      EXPECT_TRUE(peaks.empty());
      EXPECT_NEAR(height.back(), 0.1, 1e-3);
      EXPECT_NEAR(r.last("touch.force"), 2 * 9.81, 1e-3);
      EXPECT_NEAR(r.last("ball.vy"), 0, 1e-6);
    }
}

TEST(ContactSpring, LittleBouncesEndInRest) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  box: {mass: 2, inertia: 0.02, at: [0, 0.3], geometry: {skin: {box: [0.4, 0.2]}}}
forces:
  touch: {type: contact-spring, ground: {floor: {plane: [0, 1]}}, stiffness: 1e5, restitution: 0.3}
analysis: {until: 1.5}
)");
  EXPECT_NEAR(r.last("touch.force"), 2 * 9.81, 1e-4);
  EXPECT_NEAR(r.last("box.vy"), 0, 1e-6);
  EXPECT_NEAR(r.last("box.y"), 0.1, 3e-3);
  EXPECT_NEAR(r.last("energy.balance"), r.at("energy.balance", 0), 1e-5);
  EXPECT_LT(r.result.events.size(), 200u);
}

TEST(ContactSpring, StiffnessFollowsFromDurationOrStep) {
  for (const bool by_step : {false, true}) {
    std::string text = spheres;
    const std::string given = ", stiffness: 1e5";
    text.replace(text.find(given), given.size(), by_step ? ", restitution: 1" : ", restitution: 1, duration: 2e-3");
    const Recording r =
        run_text(text, by_step ? Settings{"analysis.integrator=rk4", "analysis.step=1e-4"} : Settings{});
    EXPECT_NEAR(time_of(r, "parts") - time_of(r, "touches"), 2e-3, 1e-6);
    EXPECT_NEAR(r.last("a.vx"), -3, 1e-4);
  }
}

}  // namespace
}  // namespace mortise::test
