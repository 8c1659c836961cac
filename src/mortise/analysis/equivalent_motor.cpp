#include "mortise/analysis/equivalent_motor.h"

#include <fmt/format.h>

#include <numeric>
#include <stdexcept>

namespace mortise::analysis {

namespace {

// Sets of bodies that joints tie together; the last number is the ground's.
class Tied {
 public:
  explicit Tied(std::size_t bodies) : to_(bodies + 1) { std::iota(to_.begin(), to_.end(), 0); }
  int root(int body) {
    if (body == mechanism::ground) body = static_cast<int>(to_.size()) - 1;
    while (to_[static_cast<std::size_t>(body)] != body) body = to_[static_cast<std::size_t>(body)];
    return body;
  }
  void tie(int a, int b) {
    const int x = root(a), y = root(b);
    to_[static_cast<std::size_t>(std::min(x, y))] = std::max(x, y);
  }

 private:
  std::vector<int> to_;
};

// Of a constraint: those that move, and the ground where it takes part.
std::vector<int> ends_of(const mechanism::Constraint& c) {
  if (!c.over_several()) return {c.a.body, c.b.body};
  std::vector<int> bodies;
  for (const mechanism::Involved& involved : c.bodies) bodies.push_back(involved.body);
  return bodies;
}

}  // namespace

MotorLoad equivalent_motor(const mechanism::Mechanism& m, const State& state, ConstSpan lambda, int constraint,
                           int joint) {
  const auto& all = m.constraints();
  const mechanism::Constraint &c = all.at(static_cast<std::size_t>(constraint)),
                              &j = all.at(static_cast<std::size_t>(joint));
  if (j.over_several()) throw std::invalid_argument("a motor needs a joint between two bodies");
  Tied tied(m.bodies().size());
  for (const mechanism::Constraint& other : all) {
    if (&other == &c || &other == &j || other.rows == 0 || !state.active[static_cast<std::size_t>(other.row)]) continue;
    const std::vector<int> ends = ends_of(other);
    for (std::size_t k = 1; k < ends.size(); ++k) tied.tie(ends[0], ends[k]);
  }
  const int beyond = tied.root(j.b.body);
  if (beyond == tied.root(j.a.body))
    throw std::invalid_argument(
        fmt::format("joint '{}' lies on a loop: a motor there cannot stand for '{}'", m.name(j.ref), m.name(c.ref)));
  mechanism::Motions motions;
  m.motions(as_span(state.q), as_span(state.v), motions);
  const auto point_of = [&](const mechanism::Anchor& at) {
    Eigen::Vector3d p = Eigen::Vector3d::Zero();
    if (m.dimension() == 2)
      p.head<2>() = carry(at, motions.at2(at.body)).p;
    else
      p = carry(at, motions.at3(at.body)).p;
    return p;
  };
  MotorLoad load;
  const Eigen::Vector3d p = point_of(j.b);
  for (const int body : ends_of(c)) {
    if (body == mechanism::ground || tied.root(body) != beyond) continue;
    mechanism::Anchor middle;
    middle.body = body;
    const mechanism::Wrench w = m.reaction_on(c, middle, motions, state.t, lambda);
    const Eigen::Vector3d force = w.head<3>();
    load.force += force;
    load.torque += w.tail<3>() + (point_of(middle) - p).cross(force);
  }
  return load;
}

}  // namespace mortise::analysis
