// Contacts that have to do with one another: those of bodies that touch, directly or by others between them, or that
// joints connect. The ground connects nothing.
//
// Cost: O(contacts α). Allocates only while more contacts are met than ever before.
#pragma once

#include "mortise/integrate/contact/contact_solver.h"

namespace mortise::integrate {

class ContactIslands {
 public:
  void find(const ContactSolver& solver, std::span<const ContactPoint> points);
  std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
  // Numbers of contacts, rising.
  std::span<const int> operator[](std::size_t island) const {
    return std::span<const int>(contacts_).subspan(index(first_[island]), index(first_[island + 1] - first_[island]));
  }

 private:
  std::vector<int> parent_, island_, first_, contacts_;
};

}  // namespace mortise::integrate
