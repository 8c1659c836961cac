// Bullet: bodies with six freedoms, every hinge five rows, solved by sweeps of sequential impulses. First order in the
// step.
//
//     step=1e-3      sweeps=100
#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "peer.h"

namespace peers {
namespace {

btVector3 to(const Vec3& v) {
  return {static_cast<btScalar>(v.x()), static_cast<btScalar>(v.y()), static_cast<btScalar>(v.z())};
}
Vec3 from(const btVector3& v) {
  return {static_cast<double>(v.x()), static_cast<double>(v.y()), static_cast<double>(v.z())};
}

class Bullet final : public Peer {
 public:
  Bullet(const Mechanism& m, const Task& task)
      : step_(task.option("step", 1e-3)), sweeps_(static_cast<int>(task.option("sweeps", 100))) {
    world_.setGravity(btVector3(0, static_cast<btScalar>(-peers::gravity), 0));
    world_.getSolverInfo().m_numIterations = sweeps_;
    for (const Body& b : m.bodies) {
      btRigidBody::btRigidBodyConstructionInfo info(static_cast<btScalar>(b.mass), nullptr, &shape_, to(b.inertia));
      info.m_startWorldTransform.setIdentity();
      info.m_startWorldTransform.setOrigin(to(b.at));
      bodies_.push_back(std::make_unique<btRigidBody>(info));
      btRigidBody& body = *bodies_.back();
      body.setLinearVelocity(to(b.v));
      body.setAngularVelocity(to(b.w));
      body.setActivationState(DISABLE_DEACTIVATION);
      world_.addRigidBody(&body, 1, 0);  // collides with nothing
    }
    for (const Hinge& h : m.hinges) {
      const bool swap = h.a < 0;  // Bullet's first body may not be the ground
      const int a = swap ? h.b : h.a, b = swap ? h.a : h.b;
      btRigidBody& first = *bodies_[static_cast<std::size_t>(a)];
      if (b < 0)
        hinges_.push_back(std::make_unique<btHingeConstraint>(first, to(h.at - m.at(a)), to(h.axis)));
      else
        hinges_.push_back(std::make_unique<btHingeConstraint>(first, *bodies_[static_cast<std::size_t>(b)],
                                                              to(h.at - m.at(a)), to(h.at - m.at(b)), to(h.axis),
                                                              to(h.axis)));
      world_.addConstraint(hinges_.back().get());
    }
  }
  ~Bullet() override {
    for (const auto& hinge : hinges_) world_.removeConstraint(hinge.get());
    for (const auto& body : bodies_) world_.removeRigidBody(body.get());
  }
  Bullet(const Bullet&) = delete;
  Bullet& operator=(const Bullet&) = delete;

  void advance(double t) override {
    const long last = std::lround(t / step_);
    for (; steps_ < last; ++steps_) world_.stepSimulation(static_cast<btScalar>(step_), 0);
  }
  BodyState body(int k) const override {
    const btRigidBody& b = *bodies_[static_cast<std::size_t>(k)];
    BodyState s{from(b.getCenterOfMassPosition()), from(b.getLinearVelocity()), from(b.getAngularVelocity()), {}};
    const btMatrix3x3& R = b.getCenterOfMassTransform().getBasis();
    for (int i = 0; i < 3; ++i) s.R.row(i) = from(R[i]).transpose();
    return s;
  }
  long steps() const override { return steps_; }
  std::string setting() const override {
    char text[80];
    std::snprintf(text, sizeof text, "%d sweeps, step %g ms, %s precision", sweeps_, step_ * 1e3,
                  sizeof(btScalar) == 8 ? "double" : "single");
    return text;
  }
  std::string constraint() const override {
    char text[80];
    std::snprintf(text, sizeof text, "ERP %.2g a step, what the sweeps leave stays",
                  static_cast<double>(const_cast<btDiscreteDynamicsWorld&>(world_).getSolverInfo().m_erp));
    return text;
  }

 private:
  double step_;
  int sweeps_;
  long steps_ = 0;
  btDefaultCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btSequentialImpulseConstraintSolver solver_;
  btDiscreteDynamicsWorld world_{&dispatcher_, &broadphase_, &solver_, &configuration_};
  btSphereShape shape_{btScalar(0.01)};
  std::vector<std::unique_ptr<btRigidBody>> bodies_;
  std::vector<std::unique_ptr<btHingeConstraint>> hinges_;
};

}  // namespace

const char* const peer_name = "Bullet " PEER_VERSION;
std::unique_ptr<Peer> make_peer(const Mechanism& mechanism, const Task& task) {
  return std::make_unique<Bullet>(mechanism, task);
}

}  // namespace peers
