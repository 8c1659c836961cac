// ODE: bodies with six freedoms, every hinge five rows; the direct stepper (a dense factorisation of all rows) or, with
// quick=1, 100 sweeps of its successive over-relaxation. First order in the step.
//
//     step=1e-3      quick=1
#include <ode/ode.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "peer.h"

namespace peers {
namespace {

constexpr int sweeps = 100;

class Ode final : public Peer {
 public:
  Ode(const Mechanism& m, const Task& task) : step_(task.option("step", 1e-3)), quick_(task.option("quick", 0) != 0) {
    dInitODE2(0);
    world_ = dWorldCreate();
    dWorldSetGravity(world_, 0, -peers::gravity, 0);
    dWorldSetQuickStepNumIterations(world_, sweeps);
    for (const Body& b : m.bodies) {
      const dBodyID body = dBodyCreate(world_);
      dMass mass;
      dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.x(), b.inertia.y(), b.inertia.z(), 0, 0, 0);
      dBodySetMass(body, &mass);
      dBodySetPosition(body, b.at.x(), b.at.y(), b.at.z());
      dBodySetLinearVel(body, b.v.x(), b.v.y(), b.v.z());
      dBodySetAngularVel(body, b.w.x(), b.w.y(), b.w.z());
      bodies_.push_back(body);
    }
    for (const Hinge& h : m.hinges) {
      const dJointID joint = dJointCreateHinge(world_, nullptr);
      dJointAttach(joint, id(h.a), id(h.b));
      dJointSetHingeAnchor(joint, h.at.x(), h.at.y(), h.at.z());
      dJointSetHingeAxis(joint, h.axis.x(), h.axis.y(), h.axis.z());
    }
  }
  ~Ode() override {
    dWorldDestroy(world_);
    dCloseODE();
  }
  Ode(const Ode&) = delete;
  Ode& operator=(const Ode&) = delete;

  void advance(double t) override {
    const long last = std::lround(t / step_);
    for (; steps_ < last; ++steps_) {
      if (quick_)
        dWorldQuickStep(world_, step_);
      else
        dWorldStep(world_, step_);
    }
  }
  BodyState body(int k) const override {
    const dBodyID b = bodies_[static_cast<std::size_t>(k)];
    const auto vector = [](const dReal* p) { return Vec3(p[0], p[1], p[2]); };
    BodyState s{vector(dBodyGetPosition(b)), vector(dBodyGetLinearVel(b)), vector(dBodyGetAngularVel(b)), {}};
    const dReal* R = dBodyGetRotation(b);  // three rows of four
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) s.R(i, j) = R[4 * i + j];
    return s;
  }
  long steps() const override { return steps_; }
  std::string setting() const override {
    char text[80];
    std::snprintf(text, sizeof text, "%s, step %g ms", quick_ ? "quick stepper, 100 sweeps" : "direct stepper",
                  step_ * 1e3);
    return text;
  }
  std::string constraint() const override {
    char text[80];
    std::snprintf(text, sizeof text, "ERP %.2g a step, CFM %.0e", static_cast<double>(dWorldGetERP(world_)),
                  static_cast<double>(dWorldGetCFM(world_)));
    return text;
  }

 private:
  dBodyID id(int k) const { return k < 0 ? nullptr : bodies_[static_cast<std::size_t>(k)]; }

  double step_;
  bool quick_;
  long steps_ = 0;
  dWorldID world_;
  std::vector<dBodyID> bodies_;
};

}  // namespace

const char* const peer_name = "ODE " PEER_VERSION;
std::unique_ptr<Peer> make_peer(const Mechanism& mechanism, const Task& task) {
  return std::make_unique<Ode>(mechanism, task);
}

}  // namespace peers
