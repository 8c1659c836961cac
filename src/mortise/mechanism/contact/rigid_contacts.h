// Rigid contacts of a mechanism, for the integrator `contact-stepping`: all items of type contact-rigid.
//
// State::inputs has, for each item from its slot on, what the last step found: how many points pushed, the sum of their
// normal forces, the deepest penetration, the force of the ground on the bodies (3 numbers), and the generalized force
// of all of them. The last one is what the mechanism feels where frames are observed, so that accelerations and
// reactions in results are those with contact: means over the step that ended there.
#pragma once

#include <memory>
#include <vector>

#include "mortise/mechanism/contact/contact_set.h"
#include "mortise/mechanism/contact/sweep_and_prune.h"
#include "mortise/system/contacts.h"

namespace mortise::mechanism {

class RigidContacts final : public Contacts {
 public:
  static constexpr int own_slots = 6;  // before the generalized force

  // None where the mechanism has no such item.
  static std::unique_ptr<RigidContacts> of(const Mechanism& mechanism);
  // These sets, which must stay.
  RigidContacts(const Mechanism& mechanism, const std::vector<const ContactSet*>& sets);

  int tangents() const override { return planar_ ? 1 : 2; }
  void find(ConstSpan q, ConstSpan v, double h, std::vector<ContactPoint>& out) override;
  void report(std::span<const ContactPoint> points, ConstSpan impulses, double h, Span inputs) const override;
  void mute(Span inputs) const override;

 private:
  struct Set {
    const ContactSet* set = nullptr;
    std::uint64_t key = 0;     // of its first piece, among the pieces of all sets
    std::vector<int> bounded;  // pieces with an extent, and half-spaces
    std::vector<int> planes;
  };
  void place(const Set& of, double h);
  void find(const Set& of, int number, double h, std::vector<ContactPoint>& out);
  void touch(const Set& of, int number, int i, int j, std::vector<ContactPoint>& out);
  void row(int side, int body, const Eigen::Vector3d& x, const Eigen::Vector3d& direction, double* J) const;
  double speed(int body, double size, const Eigen::Vector3d& centre) const;

  const Mechanism& mechanism_;
  bool planar_;
  std::uint64_t pieces_ = 0;
  std::vector<Set> sets_;
  Motions motions_;
  std::vector<PlacedShape> placed_;  // of the set at hand
  std::vector<double> travel_;       // how far a piece may come within the step
  std::vector<Bounds> bounds_;       // of `bounded`
  SweepAndPrune broad_;
  Manifold manifold_;
  int pair_ = 0;
};

// The force that stands for such an item in the list of forces: its record, and what the mechanism feels of it.
class RigidContactForce final : public ForceGroup {
 public:
  struct Item {
    int item = 0, slot = 0;
    Place place;
  };
  std::vector<Item> items;

  int first() const override { return items.front().item; }
  void apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const override;
  int first_non_finite(const Motions&, const ForceContext&, Place&) const override { return -1; }
};

}  // namespace mortise::mechanism
