// Events: found to rounding of the motion, velocities jump by impulses, and the ledger tells the work of each.
#include <gtest/gtest.h>

#include <cmath>

#include "mortise/mechanism/event.h"
#include "support/examples.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

const double g = 9.81;

std::vector<analysis::EventEntry> entries(const Recording& r, const std::string& what) {
  std::vector<analysis::EventEntry> found;
  for (const analysis::EventEntry& e : r.result.events)
    if (e.what == what) found.push_back(e);
  return found;
}

// The frames just before and just after an event.
const analysis::Frame& before(const Recording& r, const analysis::EventEntry& e) { return r.frames.at(e.frame - 1); }
const analysis::Frame& after(const Recording& r, const analysis::EventEntry& e) { return r.frames.at(e.frame); }

// Works of the entries of one instant add up to the jump of the kinetic energy in the frames, which are made without
// them.
void expect_ledger(const Recording& r, double within) {
  for (std::size_t k = 0; k < r.result.events.size();) {
    const analysis::EventEntry& first = r.result.events[k];
    double work = 0;
    for (; k < r.result.events.size() && r.result.events[k].frame == first.frame; ++k) work += r.result.events[k].work;
    if (first.frame == 0) continue;
    const double jump = after(r, first).kinetic - before(r, first).kinetic;
    EXPECT_NEAR(work, jump, within * std::max(1.0, before(r, first).kinetic)) << first.what << " at " << first.t;
    EXPECT_EQ(after(r, first).t, first.t);
    EXPECT_EQ(before(r, first).t, first.t);
  }
}

// A disc of radius R spins at ω on a floor: friction µmg drives it, v = µ g t, R ω falls by µ g (mR²/I) t; with
// I = mR²/2 both meet at t = ωR/(3µg) with v = ωR/3. Here ω = 30, R = 0.1, µ = 0.3.
const char* const disc = R"(mortise: 1
name: Spinning disc
dimension: planar
gravity: [0, -9.81]
bodies:
  disc: {mass: 2, inertia: 0.01, at: [0, 0.1], angular_velocity: -30}
joints:
  floor: {type: coordinate, body: disc, coordinate: y, value: 0.1}
  rolling: {type: row, coefficients: {disc.vx: 1, disc.wz: 0.1}}
events:
  grip: {type: slip-stick, joint: rolling, coefficient: 0.3, normal: floor.reaction.fy}
analysis: {until: 1, tolerance: 1e-12}
)";

TEST(Events, APlainDiscRollsAtTheAnalyticTimeWithTheAnalyticSpeed) {
  const Recording r = run_text(disc);
  ASSERT_EQ(r.result.events.size(), 1u);
  const analysis::EventEntry& e = r.result.events[0];
  EXPECT_EQ(e.what, "sticks");
  EXPECT_EQ(e.joints, "rolling");
  EXPECT_NEAR(e.t, 3 / (3 * 0.3 * g), 1e-10);
  EXPECT_NEAR(r.last("disc.vx"), 1, 1e-10);
  EXPECT_NEAR(r.last("disc.wz"), -10, 1e-9);
  EXPECT_NEAR(r.last("disc.x"), 0.5 * e.t + (1 - e.t), 1e-9);  // ½ v t, then v
  EXPECT_EQ(r.last("grip.state"), 1);
  EXPECT_LT(r.result.summary.energy_drift, 1e-10);
}

TEST(Events, TheLoadOfFrictionMayBeANumberAReactionOrTheForceItself) {
  const double t = run_text(disc).result.events.at(0).t;
  EXPECT_NEAR(run_text(disc, {"events.grip.normal=2*9.81"}).result.events.at(0).t, t, 1e-11);
  std::string text = disc;
  const std::string given = "coefficient: 0.3, normal: floor.reaction.fy";
  text.replace(text.find(given), given.size(), "force: 0.6*9.81");
  EXPECT_NEAR(run_text(text).result.events.at(0).t, t, 1e-11);
}

// Arrays keep their sizes: the row is there, on or off, and the rank follows.
TEST(Events, RowsSwitchWithoutChangingSizes) {
  const Recording r = run_text(disc);
  const analysis::EventEntry& e = r.result.events.at(0);
  EXPECT_EQ(before(r, e).lambda.size(), after(r, e).lambda.size());
  EXPECT_EQ(before(r, e).active, (Vector(2) << 1, 0).finished());
  EXPECT_EQ(after(r, e).active, (Vector(2) << 1, 1).finished());
  EXPECT_EQ(before(r, e).lambda[1], 0);
}

// A block on a belt of speed 0.2, held by a spring: it sticks to the belt until the spring pulls with µ_s N = 4.905 at
// x = 4.905/50, then slides.
TEST(Events, ABlockOnABeltSticksUntilTheSpringTearsItOff) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
bodies:
  block: {type: particle, mass: 1, at: [0, 0], velocity: [0.2, 0]}
joints:
  rail: {type: coordinate, body: block, coordinate: y, value: 0}
  belt: {type: row, coefficients: {block.vx: 1}, constant: -0.2}
forces:
  spring: {type: force, body: block, value: [-50*block.x, 0]}
events:
  grip: {type: slip-stick, joint: belt, coefficient: 0.3, static_coefficient: 0.5, normal: 9.81}
analysis: {until: 4, tolerance: 1e-11}
)");
  ASSERT_GE(r.result.events.size(), 4u);
  EXPECT_EQ(r.result.events[0].what, "slips");
  EXPECT_NEAR(r.result.events[0].t, 0.5 * g / 50 / 0.2, 1e-9);
  EXPECT_EQ(r.result.events[1].what, "sticks");
  // While it slides x'' = µ_k g − 50 x with x₀ = µ_s g/50, v₀ = 0.2: it sticks again when x' = 0.2, after the angle
  // 2π − 2 atan((x₀ − µ_k g/50) ω/0.2) of the oscillation, ω = √50.
  const double w = std::sqrt(50.0), x = (0.5 - 0.3) * g / 50;
  EXPECT_NEAR(r.result.events[1].t - r.result.events[0].t, (2 * M_PI - 2 * std::atan(x * w / 0.2)) / w, 1e-9);
  EXPECT_LT(r.result.summary.energy_drift, 1e-8);
}

// Two flywheels, 2 and 3 kg m², 10 and 0 rad/s: the clutch makes 4 rad/s of it; ½·2·3/(2+3)·10² = 60 J are lost.
TEST(Events, AClutchTakesTheEnergyOfAPlasticImpact) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
bodies:
  one: {mass: 1, inertia: 2, angular_velocity: 10}
  two: {mass: 1, inertia: 3, at: [1, 0]}
joints:
  A: {type: revolute, between: [ground, one], at: [0, 0]}
  B: {type: revolute, between: [ground, two], at: [1, 0]}
  clutch: {type: coupling, terms: {A.angle: 1, B.angle: -1}, active: false}
events:
  engage: {type: lock, joints: clutch, at: 0.3}
  let-go: {type: unlock, joints: clutch, at: 0.7}
analysis: {until: 1}
)");
  ASSERT_EQ(r.result.events.size(), 2u);
  const analysis::EventEntry& e = r.result.events[0];
  EXPECT_EQ(e.what, "locked");
  EXPECT_EQ(e.t, 0.3);
  EXPECT_NEAR(e.work, -60, 1e-11);
  EXPECT_NEAR(e.impulse, 12, 1e-12);  // of the row A.angle − B.angle: 3 kg m² · 4 rad/s
  EXPECT_NEAR(e.kinetic_before, 100, 1e-11);
  EXPECT_NEAR(e.kinetic_after, 40, 1e-11);
  EXPECT_NEAR(r.last("one.wz"), 4, 1e-12);
  EXPECT_NEAR(r.last("A.angle") - r.last("B.angle"), 3, 1e-12);  // held where they were
  EXPECT_EQ(r.result.events[1].what, "unlocked");
  EXPECT_EQ(r.result.events[1].work, 0);
  EXPECT_LT(r.result.summary.energy_drift, 1e-12);
  expect_ledger(r, 1e-12);
}

// A lock against a driver that runs on: the driver does work at the impulse, too, and the balance still closes.
TEST(Events, ALockThatADriverPullsAtClosesTheBalance) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
bodies:
  one: {mass: 1, inertia: 2}
  two: {mass: 1, inertia: 3, at: [1, 0]}
joints:
  A: {type: revolute, between: [ground, one], at: [0, 0]}
  B: {type: revolute, between: [ground, two], at: [1, 0]}
  clutch: {type: coupling, terms: {A.angle: 1, B.angle: -1}, active: false}
drivers:
  motor: {type: rotation, joint: A, function: 5*t}
events:
  engage: {type: lock, joints: clutch, at: 0.5}
analysis: {until: 1}
)");
  // The motor gives 3·5 N m s at 5 rad/s: 75 J, half of it to the wheel (37.5 J), half lost.
  EXPECT_NEAR(r.last("energy.kinetic"), 0.5 * 5 * 25, 1e-11);
  EXPECT_NEAR(r.last("energy.constraint_work"), 75, 1e-9);
  EXPECT_NEAR(r.last("energy.dissipated"), 37.5, 1e-9);
  expect_ledger(r, 1e-12);
}

// Free fall through a mark: t = √(2h/g).
TEST(Events, AFormulaIsLocatedToTheRoundingOfTheMotion) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  stone: {type: particle, mass: 1, at: [0, 3]}
events:
  half: {type: mark, when: stone.y - 1.7, crossing: falling}
  never: {type: mark, when: stone.y - 1.7, crossing: rising}
  twice: {type: mark, at: 0.25, every: 0.25}
analysis: {until: 0.7, tolerance: 1e-12}
)");
  ASSERT_EQ(r.result.events.size(), 3u);
  EXPECT_EQ(r.result.events[0].t, 0.25);
  EXPECT_EQ(r.result.events[1].t, 0.5);
  EXPECT_NEAR(r.result.events[2].t, std::sqrt(2 * 1.3 / g), 1e-13);
}

// A bob let go horizontally: tension 3 m g sin θ; the rope breaks at 2 m g, where sin θ = 2/3 and v² = 2 g l sin θ.
TEST(Events, ARopeBreaksWhereItsTensionReachesTheLimit) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  bob: {type: particle, mass: 1, at: [1, 0]}
joints:
  rope: {type: distance, between: [ground, bob]}
events:
  snap: {type: break, joints: rope, force: 2*9.81}
analysis: {until: 1, tolerance: 1e-11}
)");
  ASSERT_EQ(r.result.events.size(), 1u);
  const analysis::EventEntry& e = r.result.events[0];
  EXPECT_EQ(e.what, "breaks");
  EXPECT_NEAR(-before(r, e).q[1], 2.0 / 3, 1e-9);
  EXPECT_NEAR(after(r, e).v.norm(), std::sqrt(4 * g / 3), 1e-9);
  EXPECT_EQ(after(r, e).lambda[0], 0);
  EXPECT_NEAR(after(r, e).a[1], -g, 1e-12);
  EXPECT_EQ(r.last("snap.state"), 1);
}

// A ball dropped from h bounces with e: impacts at t₀ (1 + 2e + 2e² + …), t₀ = √(2h/g), speeds eᵏ g t₀; the sum is
// t₀ (1 + e)/(1 − e). Below rest_speed it lies still.
TEST(Events, ABouncingBallComesToRestInFiniteTime) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {type: particle, mass: 2, at: [0, 1]}
events:
  floor: {type: limit, of: {ball.y: 1}, minimum: 0, restitution: 0.5, rest_speed: 1e-5}
analysis: {until: 2, tolerance: 1e-12}
)");
  const double t0 = std::sqrt(2 / g), e = 0.5;
  double expected = t0, speed = g * t0;
  for (std::size_t k = 0; k + 1 < r.result.events.size(); ++k) {
    const analysis::EventEntry& entry = r.result.events[k];
    EXPECT_EQ(entry.what, "impact");
    EXPECT_NEAR(entry.t, expected, 1e-10) << k;
    EXPECT_NEAR(entry.impulse, 2 * (1 + e) * speed, 1e-9);
    EXPECT_NEAR(entry.work, -(1 - e * e) * speed * speed, 1e-9);
    speed *= e;
    expected += 2 * speed / g;
  }
  EXPECT_EQ(r.result.events.back().what, "rests");
  EXPECT_LT(speed * e, 1e-5);
  EXPECT_NEAR(r.result.events.back().t, t0 * (1 + e) / (1 - e), 1e-5);
  EXPECT_NEAR(r.last("floor.reaction.fy"), 2 * g, 1e-9);
  EXPECT_NEAR(r.last("ball.y"), 0, 1e-14);
  EXPECT_LT(r.result.summary.energy_drift, 1e-10);
  expect_ledger(r, 1e-12);
}

// At rest on a floor that lets go: a force 20 sin(2t) lifts 1 kg when it exceeds the weight.
TEST(Events, AStopReleasesWhereItWouldPull) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  box: {type: particle, mass: 1, at: [0, 0]}
forces:
  hoist: {type: force, body: box, value: [0, 20*sin(2*t)]}
events:
  floor: {type: limit, of: {box.y: 1}, minimum: 0}
analysis: {until: 0.6, tolerance: 1e-11}
)");
  ASSERT_EQ(r.result.events.size(), 1u);
  EXPECT_EQ(r.result.events[0].what, "released");
  EXPECT_NEAR(r.result.events[0].t, 0.5 * std::asin(g / 20), 1e-10);
  EXPECT_GT(r.last("box.y"), 0);
}

// Newton's cradle of two: equal masses exchange their velocities (e = 1); the second one hits its own stop.
TEST(Events, EqualMassesExchangeTheirVelocities) {
  const Recording r = run_text(R"(mortise: 1
dimension: planar
bodies:
  one: {mass: 1, inertia: 1, at: [0, 0], velocity: [2, 0]}
  two: {mass: 1, inertia: 1, at: [1, 0]}
events:
  hit: {type: contact, between: [one, two], radii: [0.2, 0.3], restitution: 1}
analysis: {until: 1}
)");
  ASSERT_EQ(r.result.events.size(), 1u);
  EXPECT_NEAR(r.result.events[0].t, 0.25, 1e-12);
  EXPECT_NEAR(r.result.events[0].work, 0, 1e-14);
  EXPECT_NEAR(r.last("one.vx"), 0, 1e-13);
  EXPECT_NEAR(r.last("two.vx"), 2, 1e-13);
}

// A wheel (I = mR²/2) falls on a rough floor with v sideways and no spin. With e = 0 and sticking impulses it rolls at
// once: v⁺ = v/(1 + mR²/I)·mR²/I … = 2v/3, if µ is at least Λ_t/Λ_n = (v/3)/v_n; else it slides on with v − µ v_n.
TEST(Events, FrictionInAnImpactSticksWithinItsConeAndSlidesBeyond) {
  const auto wheel = [](const std::string& mu) {
    return run_text(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  wheel: {mass: 2, inertia: 0.01, at: [0, 0.6], velocity: [3, 0]}
events:
  floor: {type: contact, between: [ground, wheel], normal: [0, 1], radius: 0.1, coefficient: )" +
                    mu + R"(}
analysis: {until: 0.7, tolerance: 1e-11}
)");
  };
  const double vn = std::sqrt(2 * g * 0.5);
  const Recording sticks = wheel("0.5"), slides = wheel("0.2");
  const auto& hit = sticks.result.events.at(0);
  EXPECT_EQ(hit.what, "rests");
  EXPECT_NEAR(after(sticks, hit).v[0], 2, 1e-10);
  EXPECT_NEAR(after(sticks, hit).v[2], -20, 1e-9);
  const auto& skid = slides.result.events.at(0);
  EXPECT_NEAR(after(slides, skid).v[0], 3 - 0.2 * vn, 1e-10);
  EXPECT_NEAR(after(slides, skid).v[2], -0.2 * vn * 0.2 / 0.01, 1e-9);
  // It goes on sliding with µ g until it rolls: v − µg t = Rω + 2 µ g t.
  const double v = 3 - 0.2 * vn, w = 0.1 * 0.2 * vn * 0.2 / 0.01, dt = (v - w) / (3 * 0.2 * g);
  const auto grip = entries(slides, "sticks");
  ASSERT_EQ(grip.size(), 1u);
  EXPECT_NEAR(grip[0].t - skid.t, dt, 1e-10);
  EXPECT_NEAR(slides.last("wheel.vx"), v - 0.2 * g * dt, 1e-9);
  expect_ledger(sticks, 1e-12);
  expect_ledger(slides, 1e-12);
}

// A box on a slope of angle α with tan α above µ slides with g (sin α − µ cos α); below it stays.
TEST(Events, APointOnASlopeStaysOrSlides) {
  const auto block = [](const std::string& mu) {
    return run_text(R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  block: {mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0]}
joints:
  upright: {type: parallel-axes, between: [ground, block], axis: [0.6, 0, 0.8]}
  square: {type: perpendicular-axes, between: [ground, block], axis: [0.8, 0, -0.6], axis_second: [0, 1, 0]}
events:
  slope: {type: contact, between: [ground, block], normal: [0.6, 0, 0.8], coefficient: )" +
                    mu + R"(}
analysis: {until: 1}
)");
  };
  const Recording stays = block("0.8"), slides = block("0.5");
  EXPECT_NEAR(stays.last("block.x"), 0, 1e-12);
  const double a = g * (0.6 - 0.5 * 0.8);
  EXPECT_NEAR(slides.last("block.x"), 0.5 * a * 0.8, 1e-7);
  EXPECT_NEAR(slides.last("block.z"), -0.5 * a * 0.6, 1e-7);
  EXPECT_LT(slides.result.summary.energy_drift, 1e-8);
}

}  // namespace
}  // namespace mortise::test
