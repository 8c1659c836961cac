// DART: trees of revolute joints in relative coordinates, O(n) each, a skeleton a tree; loops closed by ball joints in
// a linear complementarity problem over all of them (Dantzig), first order in the step. It has no hinge that closes a
// loop, so Bricard's mechanism is not expressed.
//
//     step=1e-3
#include <cmath>
#include <cstdio>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <memory>
#include <stdexcept>

#include "peer.h"

namespace peers {
namespace {

class Dart final : public Peer {
 public:
  Dart(const Mechanism& m, const Task& task) : step_(task.option("step", 1e-3)) {
    if (!m.planar) throw std::invalid_argument("no hinge that closes a loop");
    world_->setGravity(Vec3(0, -peers::gravity, 0));
    world_->setTimeStep(step_);
    const Tree tree(m);
    nodes_.resize(m.bodies.size());
    for (const Tree::Branch& branch : tree.branches) {
      const Body& b = m.bodies[static_cast<std::size_t>(branch.child)];
      dart::dynamics::BodyNode* parent = node(branch.parent);
      const dart::dynamics::SkeletonPtr skeleton = parent ? parent->getSkeleton() : dart::dynamics::Skeleton::create();
      dart::dynamics::RevoluteJoint::Properties joint;
      joint.mAxis = branch.hinge.axis;
      joint.mT_ParentBodyToJoint.translation() = branch.hinge.at - m.at(branch.parent);
      joint.mT_ChildBodyToJoint.translation() = branch.hinge.at - b.at;
      dart::dynamics::BodyNode::Properties properties;
      properties.mInertia = dart::dynamics::Inertia(b.mass, Vec3::Zero(), b.inertia.asDiagonal());
      const auto pair = skeleton->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(parent, joint, properties);
      nodes_[static_cast<std::size_t>(branch.child)] = pair.second;
      const Vec3 w = b.w - (branch.parent < 0 ? Vec3::Zero() : m.bodies[static_cast<std::size_t>(branch.parent)].w);
      pair.first->setVelocity(0, w.dot(branch.hinge.axis));
      if (!parent) skeletons_.push_back(skeleton);
    }
    for (const auto& skeleton : skeletons_) world_->addSkeleton(skeleton);
    for (const Hinge& h : tree.loops)
      world_->getConstraintSolver()->addConstraint(
          std::make_shared<dart::constraint::BallJointConstraint>(node(h.a), node(h.b), h.at));
  }

  void advance(double t) override {
    const long last = std::lround(t / step_);
    for (; steps_ < last; ++steps_) world_->step();
  }
  BodyState body(int k) const override {
    const dart::dynamics::BodyNode& b = *nodes_[static_cast<std::size_t>(k)];
    return {b.getCOM(), b.getCOMLinearVelocity(), b.getAngularVelocity(), b.getWorldTransform().linear()};
  }
  long steps() const override { return steps_; }
  std::string setting() const override {
    char text[80];
    std::snprintf(text, sizeof text, "semi-implicit Euler, step %g ms", step_ * 1e3);
    return text;
  }
  std::string constraint() const override { return "velocity rows with an error reduction a step, CFM"; }

 private:
  dart::dynamics::BodyNode* node(int k) const { return k < 0 ? nullptr : nodes_[static_cast<std::size_t>(k)]; }

  double step_;
  long steps_ = 0;
  dart::simulation::WorldPtr world_ = dart::simulation::World::create();
  std::vector<dart::dynamics::SkeletonPtr> skeletons_;
  std::vector<dart::dynamics::BodyNode*> nodes_;
};

}  // namespace

const char* const peer_name = "DART " PEER_VERSION;
std::unique_ptr<Peer> make_peer(const Mechanism& mechanism, const Task& task) {
  return std::make_unique<Dart>(mechanism, task);
}

}  // namespace peers
