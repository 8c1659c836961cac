// Bushing: an elastic mount between two frames, with a full stiffness and damping matrix.
//
// Its deflection is x = (d, θ) in the axes of the first frame: d = E_aᵀ(p_b − p_a) − d₀ and θ the rotation vector of
// E_aᵀE_b (θ = log R, |θ| < π; in the plane the angle). With the relative angular velocity ω = E_aᵀ(ω_b − ω_a)
//
//   ḋ = E_aᵀ(v_b − v_a − ω_a × (p_b − p_a)),   θ̇ = J⁻¹ ω,
//   J⁻¹ = 1 − ½[θ]ₓ + (1/θ² − (1 + cos θ)/(2 θ sin θ)) [θ]ₓ²      (inverse left Jacobian of the rotation group),
//
// and the load on the second body is −K x − C ẋ, the force in first-frame axes, the torque J⁻ᵀ times its part: so it is
// the gradient of the energy ½ xᵀK x that is stored; ẋᵀC ẋ is dissipated.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {
namespace {

struct Bushing2 {
  static constexpr int dimension = 2;
  Eigen::Matrix3d K, C;
  Eigen::Vector3d rest;
  void operator()(const Frame2<double>& a, const Frame2<double>& b, const Formulas&, Load<2>& out) const {
    const Eigen::Vector2d s = b.p - a.p, y = perp(a.x), rate = b.v - a.v - a.w * perp(s);
    const Eigen::Vector3d x = Eigen::Vector3d(a.x.dot(s), y.dot(s), b.angle - a.angle) - rest;
    const Eigen::Vector3d xdot(a.x.dot(rate), y.dot(rate), b.w - a.w);
    const Eigen::Vector3d elastic = K * x, resisting = C * xdot, load = -(elastic + resisting);
    out.force = load.x() * a.x + load.y() * y;
    out.torque = load.z();
    out.potential = 0.5 * x.dot(elastic);
    out.dissipated = xdot.dot(resisting);
  }
};

Eigen::Matrix3d cross(const Eigen::Vector3d& a) {
  Eigen::Matrix3d out;
  out << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return out;
}

struct Bushing3 {
  static constexpr int dimension = 3;
  Eigen::Matrix<double, 6, 6> K, C;
  Eigen::Vector3d rest;
  void operator()(const Frame3<double>& a, const Frame3<double>& b, const Formulas&, Load<3>& out) const {
    using Vector6 = Eigen::Matrix<double, 6, 1>;
    const Eigen::Vector3d s = b.p - a.p;
    const Eigen::Matrix3d R = a.E.transpose() * b.E;
    // sin θ n = ½ (R − Rᵀ)^∨, cos θ = ½ (tr R − 1).
    const Eigen::Vector3d sine = 0.5 * Eigen::Vector3d(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
    const double angle = std::atan2(sine.norm(), 0.5 * (R.trace() - 1)), a2 = angle * angle;
    const bool small = angle < 1e-3;
    const double scale = small ? 1 + a2 / 6 + 7 * a2 * a2 / 360 : angle / sine.norm();
    const double second = small ? 1.0 / 12 + a2 / 720 : 1 / a2 - (1 + std::cos(angle)) / (2 * angle * std::sin(angle));
    const Eigen::Vector3d theta = scale * sine;
    const Eigen::Matrix3d skew = cross(theta);
    const Eigen::Matrix3d J = Eigen::Matrix3d::Identity() - 0.5 * skew + second * skew * skew;  // inverse
    Vector6 x, xdot;
    x << a.E.transpose() * s - rest, theta;
    xdot << a.E.transpose() * (b.v - a.v - a.w.cross(s)), J * (a.E.transpose() * (b.w - a.w));
    const Vector6 elastic = K * x, resisting = C * xdot, load = -(elastic + resisting);
    out.force = a.E * load.head<3>();
    out.torque = a.E * (J.transpose() * load.tail<3>());
    out.potential = 0.5 * x.dot(elastic);
    out.dissipated = xdot.dot(resisting);
  }
};

// The matrix of a field: symmetric; `damps`: it must not give energy.
Eigen::MatrixXd read(const ItemCopy& item, std::string_view field, bool damps) {
  const Eigen::MatrixXd matrix = item.matrix(field);
  const double size = matrix.cwiseAbs().maxCoeff();
  if ((matrix - matrix.transpose()).cwiseAbs().maxCoeff() > 1e-9 * size)
    Builder::fail("M165", fmt::format("the {} of a bushing must be a symmetric matrix", field), item.place(field),
                  "entry (i, j) and entry (j, i) are the same number");
  const Eigen::MatrixXd symmetric = 0.5 * (matrix + matrix.transpose());
  if (damps && Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric).eigenvalues().minCoeff() < -1e-9 * size)
    Builder::fail("M165", "this damping would give energy in some direction", item.place(field),
                  "its eigenvalues must not be negative");
  return symmetric;
}

void build_bushing(const ItemCopy& item, Builder& builder) {
  auto [a, b] = builder.joint_anchors(item, Builder::Axis::none);
  if (a.body == b.body) Builder::fail("M142", "both ends are on the same body", item.place("between"));
  builder.require_orientation(item, a, "between");
  builder.require_orientation(item, b, "between");
  const Eigen::MatrixXd K = read(item, "stiffness", false), C = read(item, "damping", true);
  // Unloaded as modelled; two named frames are unloaded where they coincide.
  Eigen::Vector3d rest = Eigen::Vector3d::Zero();
  if (!builder.names_frames(item)) {
    const Eigen::Matrix3d axes = builder.modelled_axes(a);
    const Anchor turned = builder.anchor_at(b.body, Eigen::Vector3d::Zero(), axes);
    b.E = turned.E;
    b.angle = turned.angle;
    rest = axes.transpose() * (builder.modelled_point(b) - builder.modelled_point(a));
    // The plane counts turns: the angle as modelled is the rest.
    if (builder.planar()) rest.z() = builder.modelled_angle(b) - builder.modelled_angle(a);
  }
  const Place place = item.place("stiffness");
  if (builder.planar())
    builder.add_force(item, Bushing2{K, C, rest}, a, b, {}, place);
  else
    builder.add_force(item, Bushing3{K, C, rest}, a, b, {}, place);
}

}  // namespace

Part bushing() {
  using model::FieldKind;
  return {
      {model::Section::force,
       "bushing",
       {"elastic-mount"},
       "an elastic mount: stiffness and damping matrices in the axes of the first frame",
       true,
       true,
       {{"between",
         FieldKind::attachments,
         true,
         "",
         "",
         "the two bodies, or named points or frames on them; the axes are the first one's",
         {}},
        {"at", FieldKind::vector, false, "", "m", "world point of the bushing at t = 0", {}},
        {"points", FieldKind::points, false, "", "m", "one point per body, in body axes", {}},
        {"stiffness",
         FieldKind::matrix,
         true,
         "",
         "N/m, N, N m/rad",
         "diagonal or symmetric matrix: x, y, angle (planar); x, y, z, about x, about y, about z",
         {}},
        {"damping", FieldKind::matrix, false, "0", "N s/m, N s, N m s/rad", "the same for the rates", {}}},
       0,
       0},
      build_bushing,
      {R"(
load on the second body: −K x − C ẋ in the axes of the first frame, and the opposite on the first
x = (d, θ),   d = E_aᵀ(p_b − p_a) − d₀,   θ: the angle (planar), the rotation vector of E_aᵀE_b (spatial)
)",
       R"(K and C are symmetric, 3×3 in the plane and 6×6 in space, or their diagonals; C must not give energy. The axes are
those of the first end: a named frame's, else the body's. Unloaded as modelled; between two named frames unloaded
where they coincide. θ stays below half a turn in space; in the plane it counts turns. In space the torque is J⁻ᵀ
times the lower half, θ̇ = J⁻¹ ω, so that ½ xᵀK x is stored energy; ẋᵀC ẋ is dissipated.)",
       R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  engine: {mass: 10, inertia: 0.4, at: [0.3, 0], velocity: [0, -1], angular_velocity: -2,
           points: {a: [-0.3, -0.1], b: [0.3, -0.1], c: [0.3, 0.2], d: [-0.3, 0.2]}}
forces:
  mount: {type: bushing, between: [ground, engine], at: [0.3, -0.1], stiffness: [2000, 1000, 60], damping: [20, 20, 1]}
analysis: {until: 1}
)"}};
}

}  // namespace mortise::mechanism
