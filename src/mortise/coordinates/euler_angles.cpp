// Euler angles zxz: six unknowns for a spatial body, and a mass matrix that is regular while the nutation is.
//
//     R = Rz(α) Rx(β) Rz(γ) C,       ω (body axes) = Cᵀ G′ (α̇, β̇, γ̇),       γ_ω = Cᵀ Ġ′ (α̇, β̇, γ̇)
//     G′: rows (sβ sγ, cγ, 0), (sβ cγ, −sγ, 0), (cβ, 0, 1)
//
// det G′ = −sin β: the angles fail where the third axis of the turned frame is vertical. The constant turn C of each
// body is therefore chosen at the start: β begins at π/2, and the axis that carries γ is laid so that a rotation about
// the angular velocity of the start (of a body at rest: about its angular acceleration) keeps β at least 30° away from
// 0 and π. Where a step ends at |sin β| < 0.25 all the same, frames should be chosen anew (`strained`); an evaluation
// at |sin β| < 0.05 is refused (S424).
//
// Source: specs/formulations.md §2 (G′, singular nutation, body frames with β = π/2 at the start), §4 (such frames for
// the McPherson strut; frames are seated anew where the nutation fails. The choice among these frames by the angular
// velocity is ours. Cost: six sines and a 3×3 product a body.
#include <fmt/format.h>

#include <cmath>

#include "mortise/coordinates/body_by_body.h"
#include "mortise/coordinates/kinds.h"
#include "mortise/gauss/udwadia_kalaba.h"

namespace mortise::coordinates {
namespace {

using geometry::Quaternion;

constexpr double least_sine = 0.05, strained_sine = 0.25;
const char* const slot = "coordinates";

Quaternion about_z(double angle) { return {std::cos(angle / 2), 0, 0, std::sin(angle / 2)}; }
Quaternion about_x(double angle) { return {std::cos(angle / 2), std::sin(angle / 2), 0, 0}; }

// Angular velocities of all bodies in world axes; of one at rest, its angular acceleration.
std::vector<Eigen::Vector3d> spins(const Mechanism& mechanism, const State& start) {
  const auto& bodies = mechanism.bodies();
  Vector q_sizes(mechanism.q_size()), v_sizes(mechanism.v_size());
  mechanism.typical_sizes(as_span(q_sizes), as_span(v_sizes));
  Evaluation evaluation;
  evaluation.resize(mechanism.pattern());
  mechanism.evaluate(start, need_dynamics, *mechanism.make_scratch(), evaluation);
  gauss::GaussSolution solution;
  solution.resize(mechanism.pattern());
  const auto factor = gauss::UdwadiaKalaba().prepare(mechanism.pattern());
  // Without regular masses nothing is known of the acceleration, and any frame is as good as another.
  if (factor->factor(evaluation.problem, {}))
    factor->solve(as_span(evaluation.problem.Q), as_span(evaluation.problem.b), solution);
  std::vector<Eigen::Vector3d> out;
  for (const mechanism::Body& body : bodies) {
    out.emplace_back(Eigen::Vector3d::Zero());
    if (!body.has_quaternion()) continue;
    const Eigen::Matrix3d R = geometry::matrix(mechanism::orientation_of(body, as_span(start.q)));
    const Eigen::Vector3d w = start.v.segment<3>(body.v + 3);
    out.back() = R * (w.norm() > 1e-6 * v_sizes[body.v + 3] ? w : Eigen::Vector3d(solution.a.segment<3>(body.v + 3)));
  }
  return out;
}

// The first angle at the start: Rz(α) Rx(π/2) has its z axis along (sin α, −cos α, 0). A rotation about an axis that
// is tilted by θ against the vertical brings a horizontal direction across it as near to the vertical as 90° − θ, and
// the one below the axis as near as |2θ − 90°|: the better of the two is 30° away at least.
double first_precession(const Eigen::Vector3d& spin) {
  const double horizontal = std::hypot(spin.x(), spin.y());
  if (!(horizontal > 1e-9 * spin.norm())) return 0;
  Eigen::Vector2d h = spin.head<2>() / horizontal;
  const double tilt = std::atan2(horizontal, std::abs(spin.z()));
  if (tilt < M_PI / 3) h = Eigen::Vector2d(-h.y(), h.x());
  return std::atan2(h.x(), -h.y());
}

class EulerAngles final : public BodyByBody {
 public:
  EulerAngles(const Mechanism& mechanism, const State& start)
      : BodyByBody(mechanism, 3), seat_(mechanism.bodies().size()), turn_(seat_.size()) {
    const ConstSpan saved = start.memory.read(slot);
    if (saved.size() == 4 * seat_.size()) {
      for (std::size_t k = 0; k < seat_.size(); ++k)
        seat_[k] = {saved[4 * k], saved[4 * k + 1], saved[4 * k + 2], saved[4 * k + 3]};
    } else {
      const std::vector<Eigen::Vector3d> spin = spins(mechanism, start);
      for (std::size_t k = 0; k < seat_.size(); ++k) {
        const mechanism::Body& body = mechanism.bodies()[k];
        if (!body.has_quaternion()) continue;
        const Quaternion first = about_z(first_precession(spin[k])) * about_x(M_PI / 2);
        seat_[k] = (first.conjugate() * mechanism::orientation_of(body, as_span(start.q))).normalized();
      }
    }
    for (std::size_t k = 0; k < seat_.size(); ++k) turn_[k] = geometry::matrix(seat_[k]).transpose();
    finish();
  }

  bool strained(const State& mapped) const override {
    const auto& bodies = mechanism_.bodies();
    for (std::size_t k = 0; k < bodies.size(); ++k)
      if (bodies[k].has_quaternion() && std::abs(std::sin(mapped.q[begin(static_cast<int>(k)) + 4])) < strained_sine)
        return true;
    return false;
  }

  void remember(Memory& memory) const override {
    const Span saved = memory.slot(slot, 4 * seat_.size());
    for (std::size_t k = 0; k < seat_.size(); ++k) {
      const Quaternion& p = seat_[k];
      saved[4 * k] = p.w, saved[4 * k + 1] = p.x, saved[4 * k + 2] = p.y, saved[4 * k + 3] = p.z;
    }
  }

 private:
  Turned turn(int body, double t, const double* x, const double* rates, Rates B) const override {
    const double sb = std::sin(x[1]), cb = std::cos(x[1]), sg = std::sin(x[2]), cg = std::cos(x[2]);
    if (std::abs(sb) < least_sine) fail(body, t, sb);
    Eigen::Matrix3d G, rate;
    G << sb * sg, cg, 0, sb * cg, -sg, 0, cb, 0, 1;
    const double db = rates[1], dg = rates[2];
    rate << cb * sg * db + sb * cg * dg, -sg * dg, 0, cb * cg * db - sb * sg * dg, -cg * dg, 0, -sb * db, 0, 0;
    const auto k = static_cast<std::size_t>(body);
    B = turn_[k] * G;
    Turned out;
    out.orientation = about_z(x[0]) * about_x(x[1]) * about_z(x[2]) * seat_[k];
    out.gamma = turn_[k] * (rate * Eigen::Map<const Eigen::Vector3d>(rates));
    return out;
  }

  // By the half sums and differences of α and γ: exact for every quaternion, its sign included.
  void lower_turn(int body, const Quaternion& orientation, const Eigen::Vector3d& omega, double* x,
                  double* rates) const override {
    const auto k = static_cast<std::size_t>(body);
    const Quaternion p = orientation * seat_[k].conjugate();
    const double sum = std::atan2(p.z, p.w), difference = std::atan2(p.y, p.x);
    x[0] = sum + difference;
    x[1] = 2 * std::atan2(std::hypot(p.x, p.y), std::hypot(p.w, p.z));
    x[2] = sum - difference;
    const Eigen::Vector3d w = turn_[k].transpose() * omega;
    const double sg = std::sin(x[2]), cg = std::cos(x[2]);
    rates[0] = (w.x() * sg + w.y() * cg) / std::sin(x[1]);
    rates[1] = w.x() * cg - w.y() * sg;
    rates[2] = w.z() - std::cos(x[1]) * rates[0];
  }

  [[noreturn]] void fail(int body, double t, double sine) const {
    SolveReport report;
    report.code = "S424";
    report.time = t;
    report.message = fmt::format("the Euler angles of body '{}' are singular here", block_name(body));
    report.details.push_back(fmt::format("sine of its nutation {:.3f}, below {}", sine, least_sine));
    report.advice = "coordinates: absolute, tree or euler-parameters, which have no such pose; or a smaller max_step";
    throw SolveError(report);
  }

  std::vector<Quaternion> seat_;       // C
  std::vector<Eigen::Matrix3d> turn_;  // Cᵀ
};

}  // namespace

std::unique_ptr<CoordinateSystem> make_euler_angles(const Mechanism& mechanism, const State& start) {
  return std::make_unique<EulerAngles>(mechanism, start);
}

}  // namespace mortise::coordinates
