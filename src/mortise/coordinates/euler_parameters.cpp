// Euler parameters and their rates: seven unknowns for a spatial body, no singular pose, but a mass matrix that is.
//
//     ω (body axes) = 2/(pᵀp) E(p) ṗ,   E ṗ = vector part of p* ⊗ ṗ,       γ = −4 pᵀṗ/(pᵀp)² E ṗ,
//     own row of each body:   pᵀp − 1 = 0,   2 pᵀṗ = 0,   2 pᵀp̈ = −2 ṗᵀṗ.
//
// The rotation is that of p/|p|, so nothing but the own row feels the length of p: M* = NᵀMN is singular along p, and
// only together with the own rows are the accelerations unique. Formulations that need a regular M refuse it and name
// the body (S420); those with Capabilities::singular_mass solve it.
// Source: specs/formulations.md §1 and §2 (singular M); design, "another unknown". E with Ė ṗ = 0 is
// geometry/rotation.h written in components. Cost: a 3×4 matrix a body.
#include "mortise/coordinates/body_by_body.h"
#include "mortise/coordinates/kinds.h"

namespace mortise::coordinates {
namespace {

using geometry::Quaternion;

class EulerParameters final : public BodyByBody {
 public:
  explicit EulerParameters(const Mechanism& mechanism) : BodyByBody(mechanism, 4) {
    Vector q_sizes(mechanism.q_size()), v_sizes(mechanism.v_size());
    mechanism.typical_sizes(as_span(q_sizes), as_span(v_sizes));
    const std::vector<mechanism::Body>& bodies = mechanism.bodies();
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      const mechanism::Body& body = bodies[k];
      if (!body.has_quaternion()) continue;
      normed_.push_back(static_cast<int>(k));
      // As heavy as a row that holds the body's rotation: 2ṗ is as large as ω.
      const double inertia = body.inertia.trace() / 3;
      append_own_row(static_cast<int>(k), inertia > 0 ? std::sqrt(inertia) : 1, v_sizes[body.v + 3],
                     mechanism.name(body.ref) + ".norm");
    }
    finish();
  }

 private:
  Turned turn(int, double, const double* x, const double* rates, Rates B) const override {
    const Eigen::Map<const Eigen::Vector4d> p(x), dp(rates);
    const double n = p.squaredNorm();
    B << -p[1], p[0], p[3], -p[2], -p[2], -p[3], p[0], p[1], -p[3], p[2], -p[1], p[0];
    B *= 2 / n;
    Turned out;
    out.orientation = Quaternion{p[0], p[1], p[2], p[3]}.normalized();
    out.gamma = -2 * p.dot(dp) / n * (B * dp);
    return out;
  }

  void lower_turn(int, const Quaternion& p, const Eigen::Vector3d& w, double* x, double* rates) const override {
    x[0] = p.w, x[1] = p.x, x[2] = p.y, x[3] = p.z;
    const Quaternion rate = p * Quaternion{0, w.x(), w.y(), w.z()};
    rates[0] = rate.w / 2, rates[1] = rate.x / 2, rates[2] = rate.y / 2, rates[3] = rate.z / 2;
  }

  void own_rows(const State& state, Evaluation& out) const override {
    for (std::size_t k = 0; k < normed_.size(); ++k) {
      const int row = own_row(static_cast<int>(k)), at = begin(normed_[k]) + 3;
      const auto p = state.q.segment<4>(at), dp = state.v.segment<4>(at);
      out.phi[row] = p.squaredNorm() - 1;
      out.phidot[row] = 2 * p.dot(dp);
      out.c_t[row] = 0;
      out.problem.b[row] = -2 * dp.squaredNorm();
      out.problem.A.segment<4>(own_offset(static_cast<int>(k)) + 3) = 2 * p;
    }
  }

  std::vector<int> normed_;  // bodies with a quaternion
};

}  // namespace

std::unique_ptr<CoordinateSystem> make_euler_parameters(const Mechanism& mechanism, const State&) {
  return std::make_unique<EulerParameters>(mechanism);
}

}  // namespace mortise::coordinates
