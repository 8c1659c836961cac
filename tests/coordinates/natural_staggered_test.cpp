// Natural partitioning in the time stepping of its paper: the two-stage staggered integrator on the independent
// velocities alone, accelerations by sweeps along the tree. Figures of specs/nasa-3-natural-partitioning.md §2.9, §4.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "mortise/analysis/method_pairs.h"
#include "mortise/coordinates/natural.h"
#include "mortise/integrate/staggered/staggered.h"
#include "mortise/stabilize/stabilizer.h"
#include "support/allocation_counter.h"
#include "support/examples.h"
#include "support/memory_run.h"

namespace mortise::test {
namespace {

const std::string two_stages = "analysis.integrator=staggered-explicit-implicit";

std::string step_of(double h) { return fmt::format("analysis.step={}", h); }
std::string merged(int steps) {
  return fmt::format("analysis.integrator={{type: staggered-explicit-implicit, merge: {}}}", steps);
}

// Largest distance of a centre from that of another run, over all times shown but the start.
double centres_apart(const Recording& a, const Recording& b, std::initializer_list<const char*> bodies) {
  double worst = 0;
  for (const char* body : bodies) {
    const auto of = [&](const Recording& r, const char* end) { return r.history(std::string(body) + end); };
    const auto ax = of(a, ".x"), ay = of(a, ".y"), az = of(a, ".z"), bx = of(b, ".x"), by = of(b, ".y"),
               bz = of(b, ".z");
    for (std::size_t k = 0; k < ax.size(); ++k)
      worst = std::max(worst, std::hypot(ax[k] - bx[k], ay[k] - by[k], az[k] - bz[k]));
  }
  return worst;
}

// ---- triple pendulum, §4.3: check 7
TEST(NaturalStaggered, TriplePendulumHasTheErrorsOfTheSheetAndNoDrift) {
  const Settings base{"analysis.until=2", "output.every=0.02"};
  const Recording exact = run_example("triple-pendulum", {"analysis.tolerance=1e-12", "output.every=2"});
  const double steps[] = {0.02, 0.01, 0.005, 0.0025}, sheet[] = {2.20e-3, 5.56e-4, 1.39e-4, 3.48e-5};
  const double energies[] = {2.9e-2, 7.2e-3, 1.8e-3, 4.5e-4};
  for (const int merge : {0, 10}) {
    std::vector<double> errors;
    for (int k = 0; k < 4; ++k) {
      Settings settings = base;
      settings.insert(settings.end(), {step_of(steps[k]), merged(merge)});
      const Recording r = run_example("triple-pendulum", settings);
      double off = 0, held = 0;
      for (const char* body : {"bar1", "bar2", "bar3"})
        for (const char* end : {".x", ".y", ".z"})
          off = std::max(off, std::abs(r.last(std::string(body) + end) - exact.last(std::string(body) + end)));
      for (const analysis::Frame& f : r.frames) held = std::max({held, f.position_error, f.velocity_error});
      const double energy = r.spread("energy.total");
      std::printf("h = %-6g merge %2d: off by %.2e (sheet %.2e), rows %.1e, energy %.1e (sheet %.1e)\n", steps[k],
                  merge, off, sheet[k], held, energy, energies[k]);
      EXPECT_LT(held, 1e-13);
      if (merge == 0) {
        EXPECT_NEAR(off, sheet[k], 0.1 * sheet[k]);
        EXPECT_NEAR(energy, energies[k], 0.15 * energies[k]);
      }
      errors.push_back(off);
    }
    for (int k = 1; k < 4; ++k)
      EXPECT_NEAR(std::log2(errors[index(k - 1)] / errors[index(k)]), 2, merge ? 0.15 : 0.05) << merge;
  }
}

// Trap T1: velocity products of reduced coordinates feed the second root; merging every ten steps starves it.
TEST(NaturalStaggered, TheSecondChainIsLostWithoutMergingAndLastsWithIt) {
  const Settings base{"analysis.until=20", "output.every=0.1"};
  const auto with = [&](double h, int merge) {
    Settings settings = base;
    settings.insert(settings.end(), {step_of(h), merged(merge)});
    return run_example("triple-pendulum", settings);
  };
  for (const double h : {0.01, 0.005}) {
    bool lost = false;
    double until = 20;
    try {
      lost = !(with(h, 0).spread("energy.total") < 10);
    } catch (const SolveError& error) {
      lost = true;
      until = error.report().time;
    }
    EXPECT_TRUE(lost) << h;
    const double energy = with(h, 10).spread("energy.total");
    std::printf("h = %g: not merged, lost at %.1f s; merged, energy within %.3f J of 9.81\n", h, until, energy);
    EXPECT_LT(energy, h == 0.01 ? 0.2 : 0.05);
  }
}

TEST(NaturalStaggered, IsTheSameMotionByEveryWayToTheAccelerations) {
  const struct {
    const char* model;
    std::initializer_list<const char*> bodies;
    double until;
  } cases[] = {{"triple-pendulum", {"bar1", "bar3"}, 1}, {"vehicle-drop", {"chassis", "fl_wheel", "rr_upper"}, 0.6}};
  for (const auto& c : cases) {
    const auto with = [&](const std::string& coordinates, const char* formulation = "auto") {
      return run_example(c.model,
                         {fmt::format("analysis.until={}", c.until), "output.every=0.1", two_stages, step_of(0.001),
                          std::string("analysis.formulation=") + formulation, "analysis.coordinates=" + coordinates});
    };
    const Recording wanted = with("natural", "lagrange");  // M* and A as matrices
    for (const char* way :
         {"natural", "{type: natural, accelerations: factor}", "{type: natural, accelerations: conjugate-gradients}",
          "{type: natural, accelerations: conjugate-gradients, preconditioner: none}"}) {
      const Recording r = with(way);
      const double off = centres_apart(r, wanted, c.bodies);
      std::printf("%-16s %-75s %.1e\n", c.model, way, off);
      EXPECT_LT(off, 1e-9) << way;
      std::string remarks;
      for (const std::string& line : r.result.remarks) remarks += line + "\n";
      if (std::string(way).find("gradients") != std::string::npos) {
        EXPECT_NE(remarks.find("steps a solution"), std::string::npos) << remarks;
      }
    }
  }
}

TEST(NaturalStaggered, GoesOnWithTheSameBitsAfterACheckpoint) {
  for (const char* accelerations : {"recursion", "conjugate-gradients"}) {
    const auto m = compile_example(
        "vehicle-drop",
        {"analysis.until=0.45", "output={every: 0.05, checkpoint: {steps: 100}}", two_stages, step_of(0.001),
         fmt::format("analysis.coordinates={{type: natural, accelerations: {}}}", accelerations)});
    Recorder straight, first;
    run(*m, straight);
    run(*m, first, 300);
    ASSERT_GE(first.checkpoints.size(), 2u);
    const std::vector<std::byte> saved = first.checkpoints[1].bytes;
    Recorder resumed = first;
    run(*m, resumed, 0, &saved);
    EXPECT_EQ(straight.frames.back().q, resumed.frames.back().q) << accelerations;
    EXPECT_EQ(straight.frames.back().v, resumed.frames.back().v) << accelerations;
  }
}

TEST(NaturalStaggered, SaysWhichSettingsItCannotTake) {
  const auto refused = [](const char* integrator, const char* coordinates) -> std::string {
    const auto m = compile_example("vehicle-drop", {std::string("analysis.integrator=") + integrator, step_of(0.001),
                                                    std::string("analysis.coordinates=") + coordinates});
    const auto wrong = analysis::misfit(m->model().analysis);
    return wrong ? wrong->code : "";
  };
  const char* const gradients = "{type: natural, accelerations: conjugate-gradients}";
  EXPECT_EQ(refused("staggered-explicit-implicit", gradients), "");
  EXPECT_EQ(refused("adams", gradients), "");
  for (const char* integrator : {"trapezoidal", "backward-euler", "generalized-alpha"}) {
    EXPECT_EQ(refused(integrator, gradients), "M489") << integrator;
    EXPECT_EQ(refused(integrator, "natural"), "") << integrator;
  }
  EXPECT_EQ(refused("staggered-explicit-implicit",
                    "{type: natural, accelerations: conjugate-gradients, preconditioner: lagged}"),
            "M489");
}

// ---- crank and slider, §4.2 and §2.8 (c): multipliers integrated on the reduced system; check 8
// Its one degree of freedom: crank angle a, rod angle b with r sin a + l sin b = 0; on the branch b = −a where r = l.
struct OneCrank {
  double r, l, crank = 1, rod = 2, block = 1.5, g = 9.81;
  double inertia(double a) const {
    const double b = r == l ? -a : -std::asin(r * std::sin(a) / l);
    const double turn = r == l ? -1 : -r * std::cos(a) / (l * std::cos(b));  // db/da
    const double x = -r * std::sin(a) - 0.5 * l * std::sin(b) * turn,
                 y = r * std::cos(a) + 0.5 * l * std::cos(b) * turn;
    const double s = -r * std::sin(a) - l * std::sin(b) * turn;
    return crank * r * r / 3 + rod * (x * x + y * y + l * l / 12 * turn * turn) + block * s * s;
  }
  double height(double a) const { return g * 0.5 * r * std::sin(a) * (crank + rod); }  // energy; b: half-way down
  double after(double t, double a, double w) const {
    const int n = 20000;
    const double h = t / n, e = 1e-4;
    const auto slope = [&](const auto& of, double x) {
      return (8 * (of(x + e) - of(x - e)) - (of(x + 2 * e) - of(x - 2 * e))) / (12 * e);
    };
    const auto rate = [&](double x, double v) {
      return -(0.5 * slope([&](double y) { return inertia(y); }, x) * v * v +
               slope([&](double y) { return height(y); }, x)) /
             inertia(x);
    };
    for (int k = 0; k < n; ++k) {
      const double a1 = w, w1 = rate(a, w), a2 = w + h / 2 * w1, w2 = rate(a + h / 2 * a1, a2), a3 = w + h / 2 * w2,
                   w3 = rate(a + h / 2 * a2, a3), a4 = w + h * w3, w4 = rate(a + h * a3, a4);
      a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    return a;
  }
};

std::string crank_and_slider(double r, double start, double speed, double until) {
  return fmt::format(R"(mortise: 1
dimension: planar
gravity: [0, -9.81]
parameters: {{a: {}, r: {}, l: 1, w: {}, b: -asin(r*sin(a)/l), wb: -w*r*cos(a)/(l*cos(b))}}
bodies:
  crank: {{mass: 1, inertia: 1*r^2/12, at: [r*cos(a)/2, r*sin(a)/2], angle: a, angular_velocity: w}}
  rod: {{mass: 2, inertia: 2*l^2/12, at: [r*cos(a) + l*cos(b)/2, r*sin(a)/2], angle: b, angular_velocity: wb}}
  block: {{mass: 1.5, inertia: 0.05, at: [r*cos(a) + l*cos(b), 0]}}
joints:
  main: {{type: revolute, between: [ground, crank], at: [0, 0]}}
  pin: {{type: revolute, between: [crank, rod], at: [r*cos(a), r*sin(a)]}}
  wrist: {{type: revolute, between: [rod, block], at: [r*cos(a) + l*cos(b), 0]}}
  guide: {{type: prismatic, between: [ground, block], at: [r*cos(a) + l*cos(b), 0], axis: [1, 0]}}
analysis: {{until: {}, coordinates: natural, tolerance: 1e-11}}
output: {{every: 0.05}}
)",
                     start, r, speed, until);
}

TEST(NaturalStaggered, SoftMultipliersCloseTheLoopOfACrankWithSecondOrder) {
  const double wanted = OneCrank{0.3, 1}.after(3, 0.3, 8);
  EXPECT_NEAR(wanted, 15.892621, 1e-6);
  // The joint to be cut is the guide, as in the sheet: rows without coordinates of their own.
  std::string text = crank_and_slider(0.3, 0.3, 8, 3);
  const std::size_t guide = text.find("  guide:"), end = text.find("analysis:");
  text.replace(guide, end - guide,
               "  line: {type: coordinate, body: block, coordinate: y, value: 0}\n"
               "  level: {type: coordinate, body: block, coordinate: angle, value: 0}\n");
  std::vector<double> errors;
  for (const double h : {0.005, 0.0025, 0.00125}) {
    const Recording r = run_text(text, {step_of(h), merged(1)});
    double phi = 0;
    for (const analysis::Frame& f : r.frames) phi = std::max(phi, f.position_error);
    errors.push_back(std::abs(r.last("crank.angle") - wanted));
    std::printf("crank, h = %-7g: angle off by %.1e, rows by %.1e\n", h, errors.back(), phi);
    EXPECT_LT(phi, 4 * h * h);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2, 0.25);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.25);
  EXPECT_LT(errors[1], 1e-3);  // sheet: 4.2e-4 at 0.0025
  // Another cut, by the tree that is grown when the guide is a joint: the same motion.
  const Recording other = run_text(crank_and_slider(0.3, 0.3, 8, 3), {step_of(0.000625), merged(10)});
  EXPECT_NEAR(other.last("crank.angle"), wanted, 3e-4);
}

// Crank as long as the rod: upright, the rows of the cut lose their rank, and the motion could leave along the other
// branch. Soft multipliers decide nothing there.
TEST(NaturalStaggered, SoftMultipliersPassTheDeadPointOfEqualArms) {
  const double start = 0.9, speed = 6, until = 0.5;
  const double wanted = OneCrank{1, 1}.after(until, start, speed);
  ASSERT_GT(wanted, 2.2);  // well behind 90 degrees
  std::vector<double> errors;
  for (const int merge : {10, 1})
    for (const double h : {0.002, 0.001, 0.0005}) {
      const Recording r = run_text(crank_and_slider(1, start, speed, until), {step_of(h), merged(merge)});
      errors.push_back(std::abs(r.last("crank.angle") - wanted));
      std::printf("equal arms, h = %-6g merge %d: angle off by %.1e of %.4f, slider at %.6f (2 cos a = %.6f)\n", h,
                  merge, errors.back(), wanted, r.last("block.x"), 2 * std::cos(wanted));
      EXPECT_LT(errors.back(), 1e3 * h * h);
      EXPECT_NEAR(r.last("block.x"), 2 * std::cos(wanted), 3e3 * h * h);
    }
  EXPECT_LT(errors[2], 0.4 * errors[1]);
  EXPECT_LT(errors[5], 0.4 * errors[4]);
}

// ---- damping, trap T2: check 12. A quarter of a car in the coordinates of its joints, where the damper couples both.
const char* const quarter_car = R"(mortise: 1
dimension: spatial
gravity: [0, 0, -9.81]
bodies:
  wheel: {mass: 40, inertia: [1, 1, 1], at: [0, 0, 0.9]}
  car: {mass: 300, inertia: [50, 50, 50], at: [0, 0, 1.4]}
joints:
  lift: {type: prismatic, between: [ground, wheel], at: [0, 0, 0.9], axis: [0, 0, 1]}
  stroke: {type: prismatic, between: [wheel, car], at: [0, 0, 1.4], axis: [0, 0, 1]}
forces:
  strut: {type: spring-damper-actuator, between: [wheel, car], stiffness: 3e4, damping: 2500, length: 0.5}
  tyre: {type: tyre, body: wheel, radius: 0.3, stiffness: 2e5}
analysis: {until: 1, coordinates: natural, tolerance: 1e-11}
output: {every: 1}
)";

enum class Damping { same_station, lagged };

// The two chains by hand, with the damper where it should not be. Height of the car after a second, or infinity.
double quarter_car_by_hand(double h, Damping damping) {
  const auto m = compile(quarter_car);
  const coordinates::Natural system(*m, m->initial_state(), {});
  State s;
  system.lower(m->initial_state(), s);
  const auto scratch = system.make_scratch();
  Evaluation e;
  e.resize(system.pattern());
  integrate::CoordinateStepper c(system);
  const double delta = h / 2;
  const Vector zero = Vector::Zero(system.v_size());
  // In free fall all velocities are those of the wheel: the first half step is exact.
  const Vector q0 = s.q, v0 = s.v;
  s.v[0] = -9.81 * delta / 2;
  system.retract(as_span(q0), as_span(Vector(s.v * delta)), as_span(s.q));
  s.v[0] = -9.81 * delta;
  const Vector q1 = s.q, v1 = s.v;
  c.begin(as_span(q0), as_span(v0), as_span(q1), as_span(v1), delta);
  const long stations = std::lround(1 / delta);
  for (long k = 1; k < stations; ++k) {
    s.t = static_cast<double>(k) * delta;
    s.q = c.q();
    s.v = damping == Damping::lagged ? c.v_before() : c.v();
    system.evaluate(s, need_dynamics, *scratch, e);
    if (!e.problem.Q.allFinite()) return std::numeric_limits<double>::infinity();
    c.accelerate(e.problem, {}, as_span(e.problem.Q), as_span(zero));
    c.advance();
  }
  State absolute;
  s.q = c.q(), s.v = c.v();
  if (!s.q.allFinite()) return std::numeric_limits<double>::infinity();
  system.lift(s, absolute);
  return absolute.q[m->bodies()[1].q + 2];
}

TEST(NaturalStaggered, DampersOfAQuarterCarAreAveragedOrTheSecondRootGrows) {
  const double wanted = run_text(quarter_car).last("car.z");
  std::vector<double> averaged, lagged;
  for (const double h : {2e-3, 1e-3, 5e-4}) {
    averaged.push_back(std::abs(run_text(quarter_car, {two_stages, step_of(h)}).last("car.z") - wanted));
    lagged.push_back(std::abs(quarter_car_by_hand(h, Damping::lagged) - wanted));
    const double same = std::abs(quarter_car_by_hand(h, Damping::same_station) - wanted);
    std::printf("quarter car, h = %-6g: averaged %.1e m, one step behind %.1e m, same station %.1e m\n", h,
                averaged.back(), lagged.back(), same);
    EXPECT_GT(same, 10);  // of a motion of one metre
  }
  EXPECT_LT(averaged[0], 5e-4);
  EXPECT_LT(averaged[2], 5e-5);
  EXPECT_LT(averaged[2], 0.25 * averaged[0]);
  EXPECT_NEAR(std::log2(lagged[0] / lagged[1]), 1, 0.3);
  EXPECT_NEAR(std::log2(lagged[1] / lagged[2]), 1, 0.3);
  EXPECT_GT(lagged[2], 5 * averaged[2]);
}

// ---- vehicle: N.P.S. and P.C.S.T. (stabilised multipliers on all rows in absolute coordinates), check 11
TEST(NaturalStaggered, VehicleIsThatOfStabilisedAbsoluteCoordinatesToSecondOrder) {
  std::vector<double> apart;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    const auto with = [&](const char* coordinates) {
      return run_example("vehicle-drop", {"output.every=0.01", two_stages, step_of(h),
                                          std::string("analysis.coordinates=") + coordinates});
    };
    apart.push_back(centres_apart(with("natural"), with("absolute"), {"chassis", "fl_wheel", "rl_wheel", "fr_lower"}));
    std::printf("h = %-7g: natural partitioning and stabilised multipliers differ by %.1e m\n", h, apart.back());
  }
  EXPECT_LT(apart[0], 200 * 1e-6);
  EXPECT_NEAR(std::log2(apart[0] / apart[1]), 2, 0.5);
  EXPECT_LT(apart[2], 0.3 * apart[1]);
}

// Rows of speeds on a tree with as many rates as rows, §4.4: the tip at the end measures the run.
TEST(NaturalStaggered, LeadsTheManipulatorByItsTip) {
  const Recording exact = run_example("manipulator-tip-speed", {"analysis.tolerance=1e-12", "output.every=10"});
  std::vector<double> tips;
  for (const double h : {0.1, 0.05, 0.025}) {
    const Recording r = run_example("manipulator-tip-speed", {two_stages, step_of(h), "output.every=10"});
    tips.push_back(std::hypot(r.last("fore.tip.x") - 3, r.last("fore.tip.y") - 5, r.last("fore.tip.z") - 6));
    double rate = 0;
    for (const char* joint : {"yaw.rate", "shoulder.rate", "elbow.rate"}) {
      const auto a = r.history(joint), b = exact.history(joint);
      for (std::size_t k = 0; k < a.size(); ++k) rate = std::max(rate, std::abs(a[k] - b[k]));
    }
    std::printf("manipulator, h = %-5g: tip off by %.1e m, rates by %.1e rad/s\n", h, tips.back(), rate);
    EXPECT_LT(tips.back(), 1e-6);
    EXPECT_LT(rate, 3e-6 * h);
  }
  EXPECT_NEAR(std::log2(tips[0] / tips[1]), 2, 0.1);
  EXPECT_NEAR(std::log2(tips[1] / tips[2]), 2, 0.1);
}

// Closed spatial four-bar on five balls: table of specs/nasa-5-explicit-implicit.md §4.3.
TEST(NaturalStaggered, ClosedLoopOfBallsKeepsItsSymmetryAndItsPlane) {
  const double known[][3] = {{1, .231844, .196746},    {2, .528368, .236000},  {3, .933431, -.256502},
                             {4, -.158909, -2.256627}, {6, -.627612, .218949}, {8, .139204, -.134798}};
  std::vector<double> errors;
  for (const double h : {0.05, 0.025, 0.0125}) {
    const Recording r = run_example("loop-of-balls", {"analysis.coordinates=natural", step_of(h), "output.every=0.5"});
    double worst = 0, symmetry = 0, plane = 0;
    for (const auto& [t, outer, inner] : known) {
      worst = std::max({worst, std::abs(r.at("first.wz", t) - outer), std::abs(r.at("second.wz", t) - inner)});
      symmetry = std::max({symmetry, std::abs(r.at("first.wz", t) + r.at("fourth.wz", t)),
                           std::abs(r.at("second.wz", t) + r.at("third.wz", t))});
      for (const char* body : {"first", "second", "third", "fourth"})
        plane = std::max(plane, std::abs(r.at(std::string(body) + ".z", t)));
    }
    std::printf("loop of balls, h = %-6g: off by %.1e rad/s, symmetry %.1e, plane %.1e\n", h, worst, symmetry, plane);
    errors.push_back(worst);
    EXPECT_LT(symmetry, 1e-10);
    EXPECT_LT(plane, 1e-10);
  }
  EXPECT_LT(errors[2], 5e-3);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.3);
}

TEST(NaturalStaggered, AllocatesNothingInAStep) {
  if (!allocations_are_counted()) GTEST_SKIP() << "not counted here";
  for (const char* model : {"vehicle-drop", "triple-pendulum"})
    for (const char* accelerations : {"recursion", "conjugate-gradients"}) {
      const auto m = compile_example(model);
      coordinates::CoordinateSettings own;
      own.accelerations = accelerations;
      own.tolerance = 1e-13;
      const coordinates::Natural system(*m, m->initial_state(), own);
      const auto stabilizer = stabilize::make_stabilizer("none", {});
      Motion motion(system, *system.formulation(), *stabilizer, {});
      integrate::Settings settings;
      settings.step = 1e-3;
      integrate::Staggered integrator(settings);
      State state;
      system.lower(m->initial_state(), state);
      state.work.setZero(work_count);
      motion.set_active(state.active);
      motion.set_inputs(state.inputs);
      Vector y(motion.size());
      motion.pack(state, as_span(y));
      integrator.start(motion, 0, as_span(y));
      for (int k = 0; k < 20; ++k) integrator.step(10);
      const AllocationCounter heap;
      for (int k = 0; k < 40; ++k) integrator.step(10);  // past merges
      EXPECT_EQ(heap.count(), 0) << model << " " << accelerations;
    }
}

TEST(NaturalStaggered, PenaltyHoldsTheCutJointsToo) {
  const Settings base{"analysis.until=0.45", "output.every=0.05"};
  const auto with = [&](Settings more) {
    more.insert(more.begin(), base.begin(), base.end());
    return run_example("vehicle-drop", more);
  };
  const Recording wanted = with({"analysis.coordinates=absolute"});
  std::vector<double> off;
  for (const char* epsilon : {"1e-8", "1e-9"}) {
    const Recording r = with({fmt::format("analysis.stabilize={{type: penalty, epsilon: {}}}", epsilon)});
    off.push_back(centres_apart(r, wanted, {"chassis", "fl_wheel", "rl_lower"}));
    std::printf("penalty, epsilon %s: off by %.1e m\n", epsilon, off.back());
  }
  EXPECT_LT(off[0], 1e-3);
  EXPECT_LT(off[1], 0.3 * off[0]);
}

}  // namespace
}  // namespace mortise::test
