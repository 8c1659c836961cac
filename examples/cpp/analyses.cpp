// Every analysis on one model: a crank with a spring is assembled, driven, asked for the torque that this takes, let go
// to rest, and tapped; then all that again for three springs.
#include <mortise/mortise.h>

#include <cmath>
#include <iostream>
#include <numbers>

namespace {

using namespace mortise;

// A crank of 1 kg and 1 m, held by a torsional spring; with a motor where asked for.
Model crank(const char* type, bool motor, double stiffness = 20) {
  ModelBuilder b = ModelBuilder::planar("Crank");
  b.gravity({0, -9.81})
      .parameter("k", stiffness)
      .body("crank", {{"mass", 1}, {"inertia", "1/12"}, {"at", {0, 0}}, {"center", {0.5, 0}}})
      .joint("A", "revolute", {{"between", {"ground", "crank"}}, {"at", {0, 0}}})
      .force("spring", "torsional-spring-damper-actuator", {{"joint", "A"}, {"stiffness", "k"}, {"damping", 0.1}})
      .analysis({{"type", type}, {"until", 1}});
  if (motor) b.driver("motor", "rotation", {{"joint", "A"}, {"function", "0.5*sin(2*t)"}});
  return build(b);
}

std::unique_ptr<Mechanism> compiled(Model model) {
  return Mechanism::compile(std::make_shared<const Model>(std::move(model)));
}

// Keeps the last frame of a motion.
struct Last final : analysis::Sink {
  analysis::Frame frame_at_end;
  analysis::DynamicsOptions options() {
    analysis::DynamicsOptions options;
    options.sink = this;
    return options;
  }
  void begin(const analysis::RunHeader&) override {}
  void frame(const analysis::Frame& f) override { frame_at_end = f; }
  void flush() override {}
  void end(const analysis::RunSummary&) override {}
};

double value(const Mechanism& m, const analysis::Frame& frame, const char* quantity) {
  mechanism::Motions motions;
  m.motions(as_span(frame.q), as_span(frame.v), motions);
  return analysis::find_quantity(m, quantity).value(frame, motions);
}

}  // namespace

int main() {
  bool right = true;
  const auto check = [&](const char* what, double found, double expected) {
    std::cout << what << ": " << found << "\n";
    right = right && std::abs(found - expected) < 1e-8 * std::max(1.0, std::abs(expected));
  };
  const double angle = 0.5 * std::sin(2.0), rate = std::cos(2.0), second = -2 * std::sin(2.0);

  {
    const auto m = compiled(crank("kinematics", true));
    Last last;
    analysis::run_kinematics(*m, last.options());
    check("kinematics: angle at 1 s", value(*m, last.frame_at_end, "crank.angle"), angle);
    check("kinematics: acceleration", value(*m, last.frame_at_end, "crank.alphaz"), second);
  }
  {
    const auto m = compiled(crank("inverse-dynamics", true));
    Last last;
    analysis::run_inverse_dynamics(*m, last.options());
    // T = I θ̈ + c θ̇ + k θ + m g/2 cos θ about the pin.
    check("inverse dynamics: torque", value(*m, last.frame_at_end, "motor.effort"),
          second / 3 + 0.1 * rate + 20 * angle + 0.5 * 9.81 * std::cos(angle));
  }
  const auto m = compiled(crank("modes", false));
  const analysis::ModesResult modes = analysis::run_modes(*m);
  const double rest = modes.equilibrium.frame.pose[2];
  // k θ + m g/2 cos θ = 0, and small swings with (k − m g/2 sin θ) / I.
  check("statics: out of balance", 20 * rest + 0.5 * 9.81 * std::cos(rest), 0);
  check("modes: omega", modes.modes.at(0).omega, std::sqrt(3 * (20 - 0.5 * 9.81 * std::sin(rest))));
  check("modes: damping", modes.modes.at(0).damping, 3 * 0.1 / (2 * modes.modes.at(0).omega));

  model::SweepSettings sweep;
  sweep.of = "statics";
  sweep.axes.push_back({"k", {10, 20, 40}, 0, 0, {}});
  sweep.quantities.push_back({"crank.angle", {}});
  const std::string text = m->model().text;
  const analysis::SweepTable table = analysis::run_sweep(sweep, [&](const std::vector<std::string>& settings) {
    return compiled(io::load_model_text(text, "crank", standard_parts().catalogue(), settings));
  });
  std::cout << analysis::sweep_text(table);
  check("sweep: the case in the middle", table.cases.at(1).results.at(0), rest);
  return right ? 0 : 1;
}
