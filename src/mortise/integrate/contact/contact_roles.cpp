#include "mortise/integrate/contact/contact_roles.h"

#include <algorithm>
#include <cmath>

namespace mortise::integrate {

namespace {

constexpr int most_changes = 8, most_repeats = 6;
constexpr double touching = 1e3;    // times the tolerance of rates: contacts that leave no faster may press
constexpr double nearness = 1e-9;   // δ beside the largest diagonal element
constexpr double slight = 1e-9;     // of the largest impulse: as good as none
constexpr double same_way = 1e-10;  // of directions of sliding

}  // namespace

void ContactRoles::take_roles(const ContactSolver& solver, std::span<const ContactPoint> points,
                              std::span<const int> contacts, ConstSpan targets, double near, ConstSpan impulses,
                              ConstSpan v) {
  contacts_.assign(contacts.size(), {});
  first_.resize(contacts.size() * rows_);
  first_rates_.resize(contacts.size() * rows_);
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::size_t at = index(contacts[k]);
    Contact& c = contacts_[k];
    c.mu = rows_ > 1 ? points[at].friction : 0;
    c.target = targets[at];
    for (std::size_t i = 0; i < rows_; ++i) {
      c.p[i] = first_[k * rows_ + i] = impulses[3 * at + i];
      first_rates_[k * rows_ + i] = solver.rate(at, static_cast<int>(i), v);
    }
    if (!(c.p[0] > 0)) {
      if (first_rates_[k * rows_] - c.target < near) c.role = c.mu > 0 ? Role::stick : Role::slide;
      continue;
    }
    const double size = std::hypot(c.p[1], c.p[2]);
    c.role = c.mu > 0 && size < (1 - 1e-6) * c.mu * c.p[0] ? Role::stick : Role::slide;
    if (size > 0) c.s[0] = c.p[1] / size, c.s[1] = c.p[2] / size;
  }
}

// Rates of all rows for a unit impulse at each row.
void ContactRoles::build_influence(const ContactSolver& solver, std::span<const int> contacts, Span v) {
  const std::size_t n = contacts.size() * rows_;
  influence_.assign(n * n, 0);
  for (std::size_t c = 0; c < n; ++c) {
    const std::size_t of = index(contacts[c / rows_]);
    const int row = static_cast<int>(c % rows_);
    solver.apply(of, row, 1, v);
    for (std::size_t r = 0; r < n; ++r)
      influence_[r * n + c] = solver.rate(index(contacts[r / rows_]), static_cast<int>(r % rows_), v);
    solver.apply(of, row, -1, v);  // exactly zero again
  }
}

void ContactRoles::find_rates() {
  const std::size_t n = contacts_.size() * rows_;
  rates_ = first_rates_;
  for (std::size_t c = 0; c < n; ++c) {
    const double moved = contacts_[c / rows_].p[c % rows_] - first_[c];
    if (moved == 0) continue;
    for (std::size_t r = 0; r < n; ++r) rates_[r] += influence_[r * n + c] * moved;
  }
}

// Whether impulses and rates fit the roles; with `change` roles that do not fit are changed.
bool ContactRoles::fits(double wanted, bool change) {
  double largest = 0;
  for (const Contact& c : contacts_) largest = std::max(largest, c.p[0]);
  bool all = true;
  const auto turn = [&](Contact& c, Role role) {
    all = false;
    if (change) c.role = role;
  };
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    const double normal = rate(k, 0) - c.target;
    if (c.role == Role::open) {
      if (normal < -wanted) turn(c, c.mu > 0 ? Role::stick : Role::slide);
      continue;
    }
    if (c.p[0] < -slight * largest) {
      turn(c, Role::open);
      continue;
    }
    if (std::abs(normal) > wanted) all = false;
    if (!(c.mu > 0)) continue;
    const double slip[2] = {rate(k, 1), rows_ > 2 ? rate(k, 2) : 0};
    const double speed = std::hypot(slip[0], slip[1]), friction = std::hypot(c.p[1], c.p[2]);
    if (c.role == Role::stick) {
      if (speed > wanted) all = false;
      if (friction > (1 + slight) * c.mu * c.p[0] + slight * c.mu * largest) {
        turn(c, Role::slide);
        if (change) c.s[0] = c.p[1] / friction, c.s[1] = c.p[2] / friction;
      }
      continue;
    }
    if (slip[0] * c.s[0] + slip[1] * c.s[1] > wanted) {
      turn(c, Role::stick);
    } else if (speed > wanted) {
      const double way[2] = {-slip[0] / speed, -slip[1] / speed};
      if (std::hypot(way[0] - c.s[0], way[1] - c.s[1]) * speed > std::max(wanted, same_way * speed)) all = false;
      if (change) c.s[0] = way[0], c.s[1] = way[1];
    }
  }
  return all;
}

// What the unknown `of` does to the rate of a row: an impulse along the normal of a sliding contact brings its
// friction.
double ContactRoles::influence(const Unknown& row, const Unknown& of) const {
  const std::size_t n = contacts_.size() * rows_, r = index(row.contact) * rows_ + index(row.row),
                    c = index(of.contact) * rows_;
  double sum = influence_[r * n + c + index(of.row)];
  const Contact& contact = contacts_[index(of.contact)];
  if (of.row == 0 && contact.role == Role::slide)
    for (std::size_t t = 1; t < rows_; ++t) sum += contact.mu * contact.s[t - 1] * influence_[r * n + c + t];
  return sum;
}

bool ContactRoles::solve_with_roles() {
  unknowns_.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    c.p[0] = c.p[1] = c.p[2] = 0;
    if (c.role == Role::open) continue;
    for (std::size_t row = 0; row < (c.role == Role::stick ? rows_ : 1); ++row)
      unknowns_.push_back({static_cast<int>(k), static_cast<int>(row)});
  }
  const std::size_t n = unknowns_.size();
  if (n == 0) {
    find_rates();
    return true;
  }
  matrix_.resize(n * n);
  double largest = 0;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      matrix_[r * n + c] = influence(unknowns_[r], unknowns_[c]);
      if (r == c) largest = std::max(largest, std::abs(matrix_[r * n + c]));
    }
  if (!(largest > 0)) return false;
  for (std::size_t r = 0; r < n; ++r) matrix_[r * n + r] += nearness * largest;
  // L U with rows exchanged.
  pivots_.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t r = k + 1; r < n; ++r)
      if (std::abs(matrix_[r * n + k]) > std::abs(matrix_[best * n + k])) best = r;
    pivots_[k] = static_cast<int>(best);
    if (best != k)
      for (std::size_t c = 0; c < n; ++c) std::swap(matrix_[k * n + c], matrix_[best * n + c]);
    const double pivot = matrix_[k * n + k];
    if (!(std::abs(pivot) > 1e-14 * largest)) return false;
    for (std::size_t r = k + 1; r < n; ++r) {
      const double factor = matrix_[r * n + k] / pivot;
      matrix_[r * n + k] = factor;
      if (factor == 0) continue;
      for (std::size_t c = k + 1; c < n; ++c) matrix_[r * n + c] -= factor * matrix_[k * n + c];
    }
  }
  right_.resize(n);
  for (int turn = 0; turn < most_repeats; ++turn) {
    find_rates();
    for (std::size_t r = 0; r < n; ++r) {
      const Unknown& u = unknowns_[r];
      right_[r] = (u.row == 0 ? contacts_[index(u.contact)].target : 0) - rate(index(u.contact), u.row);
    }
    for (std::size_t k = 0; k < n; ++k) std::swap(right_[k], right_[index(pivots_[k])]);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t r = k + 1; r < n; ++r) right_[r] -= matrix_[r * n + k] * right_[k];
    for (std::size_t k = n; k-- > 0;) {
      for (std::size_t c = k + 1; c < n; ++c) right_[k] -= matrix_[k * n + c] * right_[c];
      right_[k] /= matrix_[k * n + k];
    }
    for (std::size_t r = 0; r < n; ++r) {
      Contact& c = contacts_[index(unknowns_[r].contact)];
      c.p[unknowns_[r].row] += right_[r];
      if (c.role == Role::slide)
        for (std::size_t t = 1; t < rows_; ++t) c.p[t] = c.mu * c.p[0] * c.s[t - 1];
    }
  }
  find_rates();
  return true;
}

bool ContactRoles::solve(const ContactSolver& solver, std::span<const ContactPoint> points,
                         std::span<const int> contacts, ConstSpan targets, double wanted, Span impulses, Span v) {
  rows_ = 1 + index(solver.tangents());
  if (contacts.size() * rows_ > most_rows) return false;
  take_roles(solver, points, contacts, targets, touching * wanted, impulses, v);
  rates_ = first_rates_;
  if (fits(wanted, false)) return true;
  total_.assign(v.size(), 0);
  build_influence(solver, contacts, total_);
  for (int turn = 0; turn < most_changes; ++turn) {
    if (!solve_with_roles()) return false;
    if (!fits(wanted, true)) continue;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      Contact& c = contacts_[k];
      const double limit = c.mu * std::max(c.p[0], 0.0), friction = std::hypot(c.p[1], c.p[2]);
      if (friction > limit) c.p[1] *= limit / friction, c.p[2] *= limit / friction;
      c.p[0] = std::max(c.p[0], 0.0);
      for (std::size_t i = 0; i < rows_; ++i) {
        const double moved = c.p[i] - first_[k * rows_ + i];
        if (moved == 0) continue;
        solver.apply(index(contacts[k]), static_cast<int>(i), moved, v);
        impulses[3 * index(contacts[k]) + i] = c.p[i];
      }
    }
    return true;
  }
  return false;
}

}  // namespace mortise::integrate
