// Runs in natural coordinates against figures of the sheet, closed forms and the same motion in absolute coordinates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "mortise/integrate/integrator.h"
#include "support/examples.h"

namespace mortise::test {
namespace {

// ---- triple pendulum: specs/nasa-3 §4.3
TEST(NaturalRun, OfTheTriplePendulumEndsWhereTheSheetSays) {
  const Recording r = run_example("triple-pendulum", {"analysis.tolerance=1e-11", "output.every=0.1"});
  struct Row {
    double t;
    const char* body;
    double x, y, z;
  };
  const Row rows[] = {{0.5, "bar1", 0.265194, 0.190354, -0.378732}, {0.5, "bar2", 0.891541, 0.603997, -1.021489},
                      {0.5, "bar3", 1.690798, 1.065806, -1.251239}, {1, "bar1", -0.220561, 0.047434, -0.446209},
                      {1, "bar2", -0.792773, 0.062781, -1.246413},  {1, "bar3", -1.513964, -0.020927, -1.933237},
                      {2, "bar1", -0.120011, -0.339845, -0.346558}, {2, "bar2", -0.348301, -1.133289, -0.873462},
                      {2, "bar3", -0.292675, -1.750418, -0.610645}};
  double worst = 0;
  for (const Row& row : rows) {
    const std::string body = row.body;
    worst = std::max({worst, std::abs(r.at(body + ".x", row.t) - row.x), std::abs(r.at(body + ".y", row.t) - row.y),
                      std::abs(r.at(body + ".z", row.t) - row.z)});
  }
  double position = 0, velocity = 0;
  for (const analysis::Frame& frame : r.frames) {
    position = std::max(position, frame.position_error);
    velocity = std::max(velocity, frame.velocity_error);
  }
  std::printf("triple pendulum: off by %.1e, |Φ| %.1e, |B u̇| %.1e, energy drift %.1e\n", worst, position, velocity,
              r.result.summary.energy_drift);
  EXPECT_LT(worst, 1.2e-6);
  EXPECT_LT(position, 1e-13);
  EXPECT_LT(velocity, 1e-13);
  EXPECT_LT(r.result.summary.energy_drift, 1e-9);
  // Joint forces on the lower body at the start.
  const double forces[3][3] = {{-4.5, 0, 2.829808}, {-4, 0, -0.754615}, {-2.5, 0, 0.188654}};
  const char* joints[] = {"top", "knee", "ankle"};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(r.at(std::string(joints[k]) + ".reaction.f" + "xyz"[i], 0), forces[k][i], 1e-6) << joints[k];
}

TEST(NaturalRun, LastsTwentySecondsOnTheSameEnergy) {
  const Recording r =
      run_example("triple-pendulum", {"analysis.tolerance=1e-10", "analysis.until=20", "output.every=1"});
  std::printf("20 s: energy drift %.1e\n", r.result.summary.energy_drift);
  EXPECT_LT(r.result.summary.energy_drift, 1e-7);
}

TEST(NaturalRun, IsOfFourthOrderWithRk4AndHoldsItsJointsAtEveryStep) {
  std::vector<double> errors;
  for (const char* step : {"0.01", "0.005", "0.0025"}) {
    const Recording r = run_example("triple-pendulum", {"analysis.integrator=rk4", std::string("analysis.step=") + step,
                                                        "analysis.until=1", "output.every=0.5"});
    const Recording wanted = run_example("triple-pendulum", {"analysis.tolerance=1e-13", "analysis.until=1",
                                                             "analysis.coordinates=absolute", "output.every=0.5"});
    errors.push_back(std::abs(r.last("bar3.z") - wanted.last("bar3.z")) +
                     std::abs(r.last("bar3.x") - wanted.last("bar3.x")));
    for (const analysis::Frame& frame : r.frames) EXPECT_LT(frame.position_error, 1e-13);
  }
  const double order = std::log2(errors[1] / errors[2]);
  std::printf("rk4: errors %.1e %.1e %.1e, order %.2f\n", errors[0], errors[1], errors[2], order);
  EXPECT_NEAR(order, 4, 0.35);
}

// ---- vehicle: §4.5
TEST(NaturalRun, OfTheVehicleDropFollowsTheAbsoluteOneAndTheSheet) {
  const Settings settings{"analysis.tolerance=1e-9", "output.every=0.01"};
  const auto with = [&](const char* more) {
    Settings all = settings;
    all.emplace_back(more);
    return run_example("vehicle-drop", all);
  };
  const Recording natural = with("analysis.formulation=auto"), absolute = with("analysis.coordinates=absolute");
  for (const char* quantity : {"chassis.z", "fl_wheel.z", "rl_wheel.z", "fl_wheel.y", "fl_lower.z", "rr_upper.y"}) {
    const auto a = natural.history(quantity), b = absolute.history(quantity);
    const auto [low, high] = std::minmax_element(b.begin(), b.end());
    double off = 0;
    for (std::size_t k = 0; k < a.size(); ++k) off = std::max(off, std::abs(a[k] - b[k]));
    std::printf("%-12s natural and absolute differ by %.1e of %.3f m\n", quantity, off, *high - *low);
    EXPECT_LT(off, 1e-6 * (*high - *low)) << quantity;
  }
  const double z[][3] = {{0.4, 0.22707, 0.26649}, {0.5, 0.01621, 0.20797}, {0.6, 0.14682, 0.29345},
                         {0.7, 0.33688, 0.31183}, {0.8, 0.43520, 0.33645}, {1.0, 0.32958, 0.28913}};
  for (const auto& row : z) {
    EXPECT_NEAR(natural.at("chassis.z", row[0]), row[1], 1e-5);
    EXPECT_NEAR(natural.at("fl_wheel.z", row[0]), row[2], 1e-5);
  }
  double fall = 0, mirror = 0, front = 0;
  for (const analysis::Frame& frame : natural.frames) {
    const double t = frame.t;
    if (t < 0.3497) fall = std::max(fall, std::abs(natural.at("chassis.z", t) - (1 - 9.81 * t * t / 2)));
    mirror = std::max(mirror, std::abs(natural.at("fl_wheel.z", t) - natural.at("fr_wheel.z", t)));
    front = std::max(front, natural.at("fl_tyre.force", t));
  }
  std::printf("free fall off by %.1e, left and right by %.1e, tyre peak %.0f N\n", fall, mirror, front);
  EXPECT_LT(fall, 1e-9);
  EXPECT_LT(mirror, 1e-10);
  EXPECT_NEAR(front, 19348, 200);
}

TEST(NaturalRun, OfTheVehicleDropIsThatOfTheStaggeredIntegratorToo) {
  const Recording natural = run_example("vehicle-drop", {"output.every=0.05"});
  for (const char* coordinates : {"absolute", "natural"}) {
    const Recording staggered =
        run_example("vehicle-drop", {"output.every=0.05", std::string("analysis.coordinates=") + coordinates,
                                     "analysis.integrator=staggered-explicit-implicit", "analysis.step=0.0005"});
    double off = 0;
    for (const char* quantity : {"chassis.z", "fl_wheel.z", "rl_wheel.z"}) {
      const auto a = natural.history(quantity), b = staggered.history(quantity);
      for (std::size_t k = 0; k < a.size(); ++k) off = std::max(off, std::abs(a[k] - b[k]));
    }
    std::printf("staggered in %s coordinates: off by %.1e m\n", coordinates, off);
    EXPECT_LT(off, 7e-5) << coordinates;  // 1e-4 of the range
  }
}

// Every way to the accelerations, and every integrator that has no needs of its own.
TEST(NaturalRun, IsTheSameMotionByEveryWayAndEveryIntegrator) {
  const Settings base{"analysis.until=0.45", "output.every=0.05", "analysis.tolerance=1e-9"};
  const auto with = [&](Settings more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_example("vehicle-drop", more);
  };
  const Recording wanted = with({"analysis.coordinates=absolute"});
  const std::string adams = "analysis.integrator=adams";
  std::vector<Settings> ways{
      {"analysis.coordinates={type: natural, accelerations: conjugate-gradients}", adams},
      {"analysis.coordinates={type: natural, accelerations: conjugate-gradients, preconditioner: none}", adams},
      {"analysis.coordinates={type: natural, accelerations: conjugate-gradients, preconditioner: lagged}", adams},
      {"analysis.coordinates={type: natural, accelerations: factor}", adams},
      {"analysis.coordinates=natural", "analysis.formulation=kim-vanderploeg"},
      {"analysis.coordinates=natural", "analysis.formulation=udwadia-kalaba"},
      {"analysis.coordinates=natural", "analysis.stabilize=baumgarte"},
      {"analysis.coordinates=natural", "analysis.stabilize=partition"}};
  for (const integrate::IntegratorEntry& entry : integrate::integrators())
    if (entry.make && entry.name != "staggered-explicit-implicit") {
      ways.push_back({"analysis.coordinates=natural", "analysis.integrator=" + entry.name});
      if (!entry.adaptive) ways.back().emplace_back("analysis.step=0.0005");
    }
  for (const Settings& way : ways) {
    const Recording found = with(way);
    double off = 0;
    for (const char* quantity : {"chassis.z", "fl_wheel.z", "rl_lower.z"})
      off = std::max(off, std::abs(found.last(quantity) - wanted.last(quantity)));
    std::printf("%.1e  %s %s\n", off, way[0].c_str(), way[1].c_str());
    // Integrators of order two, and one, with steps of 0.5 ms.
    const auto by = [&](const char* name) { return way[1] == std::string("analysis.integrator=") + name; };
    const bool second = by("trapezoidal") || by("contact-stepping") || by("generalized-alpha");
    EXPECT_LT(off, by("backward-euler") ? 1e-3 : second ? 1e-5 : 2e-6) << way.back();
  }
}

// ---- manipulator: §4.4
TEST(NaturalRun, OfTheManipulatorFollowsInverseKinematics) {
  const Recording r = run_example("manipulator-tip-speed", {"analysis.tolerance=1e-11", "output.every=2"});
  const auto pose = [](double t) {
    const double s = t / 180, along = s * s * s * (10 - 15 * s + 6 * s * s);
    const double x = 6 - 3 * along, y = 2 + 3 * along, z = 2 + 4 * along - 1;
    const double reach = std::hypot(x, y), square = reach * reach + z * z, bend = -std::acos((square - 50) / 50);
    const double pitch = std::atan2(z, reach) - std::atan2(5 * std::sin(bend), 5 + 5 * std::cos(bend));
    return Eigen::Vector3d(std::atan2(y, x), pitch, bend);
  };
  double rate = 0, angle = 0, power = 0;
  for (const analysis::Frame& frame : r.frames) {
    const double t = frame.t;
    if (t < 2 || t > 178) continue;
    const double h = 1e-2;
    const Eigen::Vector3d speed = (8 * (pose(t + h) - pose(t - h)) - (pose(t + 2 * h) - pose(t - 2 * h))) / (12 * h);
    const Eigen::Vector3d at = pose(t) - pose(0);
    const char* joints[] = {"yaw", "shoulder", "elbow"};
    for (int k = 0; k < 3; ++k) {
      rate = std::max(rate, std::abs(r.at(std::string(joints[k]) + ".rate", t) - speed[k]));
      angle = std::max(angle, std::abs(r.at(std::string(joints[k]) + ".angle", t) - at[k]));
    }
    power = std::max(power, std::abs(frame.kinetic - frame.constraint_work - r.frames.front().kinetic));
  }
  const double tip =
      Eigen::Vector3d(r.last("fore.tip.x") - 3, r.last("fore.tip.y") - 5, r.last("fore.tip.z") - 6).norm();
  std::printf("manipulator: rates off by %.1e, angles by %.1e, tip by %.1e m; energy less work of the drivers %.1e J\n",
              rate, angle, tip, power);
  EXPECT_LT(rate, 1e-8);
  EXPECT_LT(tip, 1e-6);
  EXPECT_LT(power, 1e-9);
}

// ---- crank and slider: §4.2; one guide row may be listed twice
const char* const slider = R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {a: 0.3, r: 0.3, l: 1, w: 8, b: -asin(r*sin(a)/l), wb: -w*r*cos(a)/(l*cos(b))}
bodies:
  crank: {mass: 1, inertia: 1*r^2/12, at: [r*cos(a)/2, r*sin(a)/2], angle: a, angular_velocity: w}
  rod: {mass: 2, inertia: 2*l^2/12, at: [r*cos(a) + l*cos(b)/2, r*sin(a)/2], angle: b, angular_velocity: wb}
  block: {mass: 1.5, inertia: 0.05, at: [r*cos(a) + l*cos(b), 0]}
joints:
  main: {type: revolute, between: [ground, crank], at: [0, 0]}
  pin: {type: revolute, between: [crank, rod], at: [r*cos(a), r*sin(a)]}
  wrist: {type: revolute, between: [rod, block], at: [r*cos(a) + l*cos(b), 0]}
  guide: {type: prismatic, between: [ground, block], at: [r*cos(a) + l*cos(b), 0], axis: [1, 0]}
analysis: {until: 3, coordinates: natural, tolerance: 1e-11}
output: {every: 0.1}
)";

TEST(NaturalRun, OfACrankAndSliderClosesItsLoopByEitherNullSpace) {
  for (const char* formulation : {"auto", "kim-vanderploeg", "singh-likins", "orthogonal-complement"}) {
    const Recording r = run_text(slider, {std::string("analysis.formulation=") + formulation});
    const double turned = r.last("crank.angle");
    std::printf("crank after 3 s by %s: %.9f\n", formulation, turned);
    EXPECT_NEAR(turned, 15.892621, 1e-6) << formulation;
  }
}

TEST(NaturalRun, TakesALoopWhoseRowsAreRedundant) {
  // Three parallel links: the five-bar; its second cut joint adds a row that follows from the others.
  const Settings settings{"analysis.until=5", "output.every=0.5", "analysis.tolerance=1e-10"};
  Settings natural = settings, absolute = settings;
  natural.emplace_back("analysis.coordinates=natural");
  const Recording a = run_example("five-bar", natural), b = run_example("five-bar", absolute);
  EXPECT_NEAR(a.last("coupler.x"), b.last("coupler.x"), 1e-8);
  EXPECT_NEAR(a.last("A.reaction.fx"), b.last("A.reaction.fx"), 1e-6);
}

TEST(NaturalRun, SaysWhatItChoseAndHowConjugateGradientsWent) {
  const Recording r =
      run_example("vehicle-drop",
                  {"analysis.until=0.05", "analysis.coordinates={type: natural, accelerations: conjugate-gradients}"});
  std::string all;
  for (const std::string& line : r.result.remarks) all += line + "\n";
  EXPECT_NE(all.find("26 independent velocities"), std::string::npos) << all;
  EXPECT_NE(all.find("cut, 12 rows, closes a loop: fl_upper_ball"), std::string::npos) << all;
  EXPECT_NE(all.find("cut, 4 rows, no joint coordinates for distance: fl_tie_rod"), std::string::npos) << all;
  EXPECT_NE(all.find("steps a solution"), std::string::npos) << all;
}

}  // namespace
}  // namespace mortise::test
