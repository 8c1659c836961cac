// Simbody: a tree of pins in relative coordinates, O(n), loops closed by constraints that a dense QTZ factorisation
// solves, O(m³). A planar loop is closed by its two rows (a point on the line of the hinge), a spatial one by five.
//
//     accuracy=1e-6   of the integrator (constraint tolerance: a tenth)      project=0  leaves projection to its
//     default
//
// CPODES is not offered: in a trial it stalled at the first flat pose of the double four-bar.
#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

#include "peer.h"

namespace peers {
namespace {

using SimTK::Transform;

SimTK::Vec3 to(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 from(const SimTK::Vec3& v) { return {v[0], v[1], v[2]}; }

class Simbody final : public Peer {
 public:
  Simbody(const Mechanism& m, const Task& task)
      : accuracy_(task.option("accuracy", 1e-6)),
        project_(task.option("project", 1) != 0),
        matter_(system_),
        forces_(system_),
        gravity_(forces_, matter_, SimTK::Vec3(0, -peers::gravity, 0)) {
    const Tree tree(m);
    bodies_.resize(m.bodies.size());
    const auto body = [&](int k) -> SimTK::MobilizedBody& {
      return k < 0 ? matter_.updGround() : matter_.updMobilizedBody(bodies_[static_cast<std::size_t>(k)]);
    };
    for (const Tree::Branch& branch : tree.branches) {
      const Body& b = m.bodies[static_cast<std::size_t>(branch.child)];
      const Hinge& h = branch.hinge;
      const SimTK::Rotation along(SimTK::UnitVec3(to(h.axis)), SimTK::ZAxis);
      const SimTK::Body::Rigid rigid(SimTK::MassProperties(b.mass, SimTK::Vec3(0), SimTK::Inertia(to(b.inertia))));
      const SimTK::MobilizedBody::Pin pin(body(branch.parent), Transform(along, to(h.at - m.at(branch.parent))), rigid,
                                          Transform(along, to(h.at - b.at)));
      bodies_[static_cast<std::size_t>(branch.child)] = pin.getMobilizedBodyIndex();
    }
    for (const Hinge& h : tree.loops) {
      const SimTK::Vec3 a = to(h.at - m.at(h.a)), b = to(h.at - m.at(h.b));
      const SimTK::UnitVec3 axis(to(h.axis));
      if (m.planar) {
        SimTK::Constraint::PointOnLine(body(h.a), axis, a, body(h.b), b);
        continue;
      }
      SimTK::Constraint::Ball(body(h.a), a, body(h.b), b);
      const SimTK::UnitVec3 u = axis.perp();
      for (const SimTK::UnitVec3& across : {u, SimTK::UnitVec3(cross(axis, u))})
        SimTK::Constraint::ConstantAngle(body(h.a), axis, body(h.b), across, SimTK::Pi / 2);
    }
    SimTK::State state = system_.realizeTopology();
    for (const Tree::Branch& branch : tree.branches) {
      const Vec3 w = m.bodies[static_cast<std::size_t>(branch.child)].w -
                     (branch.parent < 0 ? Vec3::Zero() : m.bodies[static_cast<std::size_t>(branch.parent)].w);
      body(branch.child).setOneU(state, 0, w.dot(branch.hinge.axis));
    }
    integrator_ = std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system_);
    integrator_->setAccuracy(accuracy_);
    if (project_) integrator_->setProjectEveryStep(true);
    integrator_->initialize(state);
  }

  void advance(double t) override {
    // A report, not a stop: states between steps are interpolated, so that samples do not shorten the steps.
    if (integrator_->stepTo(t) == SimTK::Integrator::EndOfSimulation) throw std::runtime_error("the integrator ended");
  }
  BodyState body(int k) const override {
    const SimTK::State& state = integrator_->getState();
    system_.realize(state, SimTK::Stage::Velocity);
    const SimTK::MobilizedBody& b = matter_.getMobilizedBody(bodies_[static_cast<std::size_t>(k)]);
    BodyState s;
    s.at = from(b.getBodyOriginLocation(state));
    s.v = from(b.getBodyOriginVelocity(state));
    s.w = from(b.getBodyAngularVelocity(state));
    const SimTK::Mat33& R = b.getBodyRotation(state).asMat33();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) s.R(i, j) = R(i, j);
    return s;
  }
  long steps() const override { return integrator_->getNumStepsTaken(); }
  std::string setting() const override {
    char text[80];
    std::snprintf(text, sizeof text, "Runge-Kutta-Merson, accuracy %.0e", accuracy_);
    return text;
  }
  std::string constraint() const override {
    return project_ ? "projects every step" : "projects when its tolerance is exceeded (the default)";
  }

 private:
  double accuracy_;
  bool project_;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_;
  SimTK::GeneralForceSubsystem forces_;
  SimTK::Force::UniformGravity gravity_;
  std::vector<SimTK::MobilizedBodyIndex> bodies_;
  std::unique_ptr<SimTK::Integrator> integrator_;
};

}  // namespace

const char* const peer_name = "Simbody " PEER_VERSION;
std::unique_ptr<Peer> make_peer(const Mechanism& mechanism, const Task& task) {
  return std::make_unique<Simbody>(mechanism, task);
}

}  // namespace peers
