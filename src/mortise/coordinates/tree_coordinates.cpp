#include "mortise/coordinates/tree_coordinates.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace mortise::coordinates {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using geometry::Quaternion;
using mechanism::ground;

const char* const seat_slot = "coordinates";

Quaternion quaternion_from(const double* x) { return {x[0], x[1], x[2], x[3]}; }
void put(const Quaternion& p, double* to) { to[0] = p.w, to[1] = p.x, to[2] = p.y, to[3] = p.z; }

}  // namespace

TreeCoordinates::TreeCoordinates(const Mechanism& mechanism, std::vector<Branch> tree)
    : Mapped(mechanism), planar_(mechanism.dimension() == 2), tree_(std::move(tree)) {
  int q_size = 0;
  for (const Branch& b : tree_) {
    joints_.emplace_back(b, mechanism);
    q_size = std::max(q_size, b.q + b.q_size);
  }
  set_q_size(q_size);
}

void TreeCoordinates::keep_cut_rows() {
  std::vector<unsigned char> fulfilled(mechanism_.constraints().size(), 0);
  for (const Branch& b : tree_)
    if (b.joint >= 0) fulfilled[index(b.joint)] = 1;
  for (std::size_t c = 0; c < fulfilled.size(); ++c)
    if (!fulfilled[c]) keep_rows(mechanism_.constraints()[c].row, mechanism_.constraints()[c].rows);
}

void TreeCoordinates::seat(const State& start) {
  if (const ConstSpan saved = start.memory.read(seat_slot); saved.size() == 4 * tree_.size()) {
    for (std::size_t k = 0; k < tree_.size(); ++k) joints_[k].seat(quaternion_from(saved.data() + 4 * k));
    return;
  }
  const std::vector<Pose> poses = poses_of(start);
  for (std::size_t k = 0; k < tree_.size(); ++k)
    joints_[k].seat(poses[index(tree_[k].parent + 1)], poses[index(tree_[k].body + 1)]);
}

void TreeCoordinates::remember(Memory& memory) const {
  const Span saved = memory.slot(seat_slot, 4 * tree_.size());
  for (std::size_t k = 0; k < tree_.size(); ++k) put(joints_[k].seat(), saved.data() + 4 * k);
}

std::string TreeCoordinates::block_name(int) const {
  for (const mechanism::Body& body : mechanism_.bodies())
    if (!(body.mass > 0) || (!body.particle && !(body.inertia.trace() > 0))) return mechanism_.name(body.ref);
  return mechanism_.block_name(tree_.front().body);
}

// Calls plain(q, v, count) for coordinates with q̇ = v and turned(q, v) for quaternions.
template <class Plain, class Turned>
void TreeCoordinates::for_each_part(const Plain& plain, const Turned& turned) const {
  for (const Branch& b : tree_) {
    const int count = b.has_quaternion() ? b.slides : b.v_size;
    plain(b.q, b.v, count);
    if (b.has_quaternion()) turned(b.q + count, b.v + count);
  }
}

void TreeCoordinates::qdot(ConstSpan q, ConstSpan v, Span out) const {
  for_each_part([&](int to, int from, int count) { std::copy_n(v.data() + from, count, out.data() + to); },
                [&](int to, int from) {
                  const double* w = v.data() + from;
                  const Quaternion rate = quaternion_from(q.data() + to) * Quaternion{0, w[0] / 2, w[1] / 2, w[2] / 2};
                  put(rate, out.data() + to);
                });
}

void TreeCoordinates::tangent(ConstSpan q, ConstSpan rate, Span v) const {
  for_each_part([&](int from, int to, int count) { std::copy_n(rate.data() + from, count, v.data() + to); },
                [&](int from, int to) {
                  const Quaternion p = quaternion_from(q.data() + from);
                  const Quaternion w = p.conjugate() * quaternion_from(rate.data() + from);
                  const double s = 2 / (p.norm() * p.norm());
                  double* o = v.data() + to;
                  o[0] = s * w.x, o[1] = s * w.y, o[2] = s * w.z;
                });
}

void TreeCoordinates::retract(ConstSpan q, ConstSpan dv, Span out) const {
  for_each_part(
      [&](int at, int from, int count) {
        for (int j = 0; j < count; ++j) out[index(at + j)] = q[index(at + j)] + dv[index(from + j)];
      },
      [&](int at, int from) {
        const double* w = dv.data() + from;
        put((quaternion_from(q.data() + at) * geometry::exponential({w[0], w[1], w[2]})).normalized(), out.data() + at);
      });
}

void TreeCoordinates::cayley(ConstSpan q, ConstSpan dv, Span out) const {
  for_each_part(
      [&](int at, int from, int count) {
        for (int j = 0; j < count; ++j) out[index(at + j)] = q[index(at + j)] + dv[index(from + j)];
      },
      [&](int at, int from) {
        const double* w = dv.data() + from;
        put((quaternion_from(q.data() + at) * geometry::cayley({w[0], w[1], w[2]})).normalized(), out.data() + at);
      });
}

double TreeCoordinates::largest_spin(ConstSpan v) const {
  double largest = 0;
  for_each_part([](int, int, int) {},
                [&](int, int from) {
                  const double* w = v.data() + from;
                  largest = std::max(largest, std::hypot(w[0], w[1], w[2]));
                });
  return largest;
}

bool TreeCoordinates::normalize(Span q) const {
  bool moved = false;
  for_each_part([](int, int, int) {},
                [&](int at, int) {
                  const Quaternion p = quaternion_from(q.data() + at);
                  if (std::abs(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z - 1) <= 4e-16) return;
                  put(p.normalized(), q.data() + at);
                  moved = true;
                });
  return moved;
}

void TreeCoordinates::typical_sizes(Span q, Span v) const {
  Vector q_sizes(mechanism_.q_size()), v_sizes(mechanism_.v_size());
  mechanism_.typical_sizes(as_span(q_sizes), as_span(v_sizes));
  const double length = mechanism_.characteristic_length(), speed = v_sizes[0];
  for (const Branch& b : tree_) {
    for (int j = 0; j < b.q_size; ++j) q[index(b.q + j)] = j < b.slides ? length : 1;
    for (int j = 0; j < b.v_size; ++j) v[index(b.v + j)] = j < b.slides ? speed : speed / length;
  }
}

std::vector<Pose> TreeCoordinates::poses_of(const State& absolute) const {
  mechanism::Motions motions;
  mechanism_.motions(as_span(absolute.q), as_span(absolute.v), motions);
  std::vector<Pose> poses(tree_.size() + 1);
  for (std::size_t k = 0; k < tree_.size(); ++k) {
    const mechanism::Body& body = mechanism_.bodies()[k];
    Pose& pose = poses[k + 1];
    if (body.flat && !body.particle) pose.angle = absolute.q[body.q + 2];
    if (planar_) {
      const mechanism::Motion2<double>& m = motions.planar[k + 1];
      pose.r.head<2>() = m.r;
      pose.v.head<2>() = m.v;
      pose.w.z() = m.w;
      pose.R.topLeftCorner<2, 2>() << m.cos, -m.sin, m.sin, m.cos;
    } else {
      const mechanism::Motion3<double>& m = motions.spatial[k + 1];
      pose.r = m.r, pose.v = m.v, pose.w = m.w, pose.R = m.R;
      pose.p = mechanism::orientation_of(body, as_span(absolute.q));
    }
  }
  return poses;
}

void TreeCoordinates::lower_motion(const State& absolute, Span q, Span v) const {
  const std::vector<Pose> poses = poses_of(absolute);
  for (std::size_t k = 0; k < tree_.size(); ++k) {
    const Branch& b = tree_[k];
    joints_[k].lower(poses[index(b.parent + 1)], poses[index(b.body + 1)], q.data() + b.q, v.data() + b.v);
  }
}

void TreeCoordinates::write_pose(const Branch& b, const Pose& C, Image& image) const {
  const mechanism::Body& body = mechanism_.bodies()[index(b.body)];
  double* gamma = image.gamma.data() + body.v;
  double* q = image.q.data() + body.q;
  if (!body.plane && !body.flat) {
    Eigen::Map<Vector3d>{q} = C.r;
    Eigen::Map<Vector3d>{gamma} = C.a;
    if (body.particle) return;
    put(C.p, q + 3);
    Eigen::Map<Vector3d>(gamma + 3).noalias() = C.R.transpose() * C.alpha;
    return;
  }
  const Matrix3d axes = body.plane ? *body.plane : Matrix3d(Matrix3d::Identity());
  for (int i = 0; i < body.translations(); ++i) {
    q[i] = axes.col(i).dot(C.r);
    gamma[i] = axes.col(i).dot(C.a);
  }
  if (body.particle) return;
  q[2] = C.angle;
  gamma[2] = axes.col(2).dot(C.alpha);
}

void TreeCoordinates::fulfilled_multipliers(MappedScratch& s) const {
  using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
  const gauss::Pattern& pattern = mechanism_.pattern();
  const gauss::GaussProblem& problem = s.evaluation.problem;
  Vector& rest = s.Q_rest;  // Q − M a − Aᵀλ of the rows known so far
  problem.multiply_At(as_span(s.lambda), as_span(rest));
  problem.multiply_M(as_span(s.a), as_span(s.M_a));
  rest = s.Q - rest - s.M_a;
  for (std::size_t k = tree_.size(); k-- > 0;) {
    const Branch& b = tree_[k];
    if (b.joint < 0) continue;
    const mechanism::Constraint& c = mechanism_.constraints()[index(b.joint)];
    const bool forward = c.b.body == b.body;
    const mechanism::Columns &own = forward ? c.to_b : c.to_a, &other = forward ? c.to_a : c.to_b;
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::Map<const RowMajor> A(problem.A.data() + own.offset, c.rows, own.size);
    const SmallVector at = rest.segment(pattern.columns.begin(b.body), own.size);
    const Small At = A.transpose();
    const SmallVector lambda = Eigen::ColPivHouseholderQR<Small>(At).solve(at);
    s.lambda.segment(c.row, c.rows) = lambda;
    if (b.parent == ground) continue;
    for (int i = 0; i < c.rows; ++i)
      for (int j = 0; j < other.size; ++j)
        rest[pattern.columns.begin(b.parent) + j] -= problem.A[other.offset + i * other.size + j] * lambda[i];
  }
}

}  // namespace mortise::coordinates
