// Contacts by their roles: some are open, those that press hold their distance, and of these some stick and the others
// slide with all the friction that there is. Once roles are known the impulses follow from linear equations,
//
//     J_n v⁺ = τ  (pressing),   J_t v⁺ = 0  (sticking),   p_t = −µ p_n s/|s|,  s = J_t v⁺  (sliding),
//
// and roles are known after a few sweeps (ContactSolver), though the numbers may need thousands: where a heavy body
// rests on light ones, or joints pass on what presses. Roles are taken from the sweeps and changed where the answer
// does not fit them, until it does. A fixed point is one of the sweeps, too: Signorini's and Coulomb's laws.
//
// Where impulses are not unique (four corners on a plane, a box between two fingers) the smallest are taken, which are
// spread most evenly: K + δ with a small δ, from zero, repeated on what is left. Contacts that touch without pressing
// are tried as pressing ones, too.
//
// Source: the active set of Alart and Curnier, Comput. Methods Appl. Mech. Eng. 92 (1991) 353-375, without its Newton
// steps on the direction of sliding. Cost: a third of the rows cubed a change of roles. Allocates only while more
// contacts are met than ever before.
#pragma once

#include "mortise/integrate/contact/contact_solver.h"

namespace mortise::integrate {

class ContactRoles {
 public:
  static constexpr std::size_t most_rows = 120;

  // These contacts, which share no body with others but the ground: their impulses (three each) and v, which holds what
  // they did, are improved until no rate is off by more than `wanted`. False: no roles were found, nothing has changed.
  bool solve(const ContactSolver& solver, std::span<const ContactPoint> points, std::span<const int> contacts,
             ConstSpan targets, double wanted, Span impulses, Span v);

 private:
  enum class Role : unsigned char { open, stick, slide };
  struct Contact {
    Role role = Role::open;
    double mu = 0, target = 0, p[3] = {}, s[2] = {};  // s: direction of the friction where it slides
  };
  struct Unknown {
    int contact = 0, row = 0;
  };
  void take_roles(const ContactSolver& solver, std::span<const ContactPoint> points, std::span<const int> contacts,
                  ConstSpan targets, double near, ConstSpan impulses, ConstSpan v);
  void build_influence(const ContactSolver& solver, std::span<const int> contacts, Span v);
  void find_rates();
  bool fits(double wanted, bool change);
  bool solve_with_roles();
  double influence(const Unknown& row, const Unknown& of) const;
  double& rate(std::size_t contact, int row) { return rates_[contact * rows_ + index(row)]; }

  std::size_t rows_ = 1;  // a contact
  std::vector<Contact> contacts_;
  std::vector<Unknown> unknowns_;
  std::vector<double> first_rates_, rates_, first_, influence_, matrix_, right_, total_;
  std::vector<int> pivots_;
};

}  // namespace mortise::integrate
