// Tree coordinates: those of the joints of a spanning tree, whose rows vanish; the rows of cut joints and drivers stay.
//
// Recursion from the ground along each branch, from the parent P to the body C (poses and directions: tree_joint.h):
//
//     arm_P = p_G − r_P,   arm = r_C − p_G,   ω_rel = Σ θ̇_j e_j,   ṡ = Σ ṡ_j d_j
//     ω_C = ω_P + ω_rel,                        v_C = v_P + ω_P × arm_P + ṡ + ω_C × arm
//     with ü = 0:   α_C = α_P + ω_P × ω_rel  (+ θ̇₁θ̇₂ e₁ × e₂ of a universal joint),
//                   a_C = a_P + α_P × arm_P + ω_P × (ω_P × arm_P) + 2 ω_P × ṡ + α_C × arm + ω_C × (ω_C × arm)
//
// The columns of N are the same sums for one rate each; a body has those of the joints on its path only. Balls and free
// bodies have a quaternion and the relative angular velocity in body axes, everything else angles and displacements.
//
// Loads that depend on reactions need λ of tree joints, too: from the leaves to the roots, Aᵀλ = Q − M a of one body
// has the rows of its own joint as its only unknowns. Where rows are redundant this choice of λ is not the shortest
// one.
//
// Source: specs/orthogonal-complement.md §4 (the four-bar as an open chain with a cut); the recursion is the usual one
// of rigid-body kinematics. One dense velocity block. Cost: Σ over bodies of (path length)².
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "mortise/coordinates/kinds.h"
#include "mortise/coordinates/mapped.h"
#include "mortise/coordinates/tree_joint.h"

namespace mortise::coordinates {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using geometry::Quaternion;
using mechanism::ground;
using Columns6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;

const char* const tree_slot = "coordinates";

Quaternion quaternion(const double* x) { return {x[0], x[1], x[2], x[3]}; }
void write(const Quaternion& p, double* to) { to[0] = p.w, to[1] = p.x, to[2] = p.y, to[3] = p.z; }

struct TreeImage final : Image {
  std::vector<Pose> poses;  // ground first
  Vector J;                 // of each body: 6 × columns, velocity and angular velocity in world axes
};

class Tree final : public Mapped {
 public:
  Tree(const Mechanism& mechanism, const State& start)
      : Mapped(mechanism), planar_(mechanism.dimension() == 2), tree_(spanning_tree(mechanism)) {
    const int block = append_block(tree_.back().v + tree_.back().v_size);
    set_q_size(tree_.back().q + tree_.back().q_size);
    std::vector<std::vector<int>> columns(tree_.size());
    std::vector<unsigned char> fulfilled(mechanism.constraints().size(), 0);
    for (const Branch& b : tree_) {
      joints_.emplace_back(b, mechanism);
      std::vector<int>& own = columns[index(b.body)];
      if (b.parent != ground) own = columns[index(b.parent)];
      for (int j = 0; j < b.v_size; ++j) own.push_back(b.v + j);
      if (b.joint >= 0) fulfilled[index(b.joint)] = 1;
    }
    for (std::vector<int>& own : columns) {
      J_offset_.push_back(J_size_);
      J_size_ += 6 * static_cast<int>(own.size());
      append_body(block, std::move(own));
    }
    for (std::size_t c = 0; c < fulfilled.size(); ++c)
      if (!fulfilled[c]) keep_rows(mechanism.constraints()[c].row, mechanism.constraints()[c].rows);
    finish();

    if (const ConstSpan saved = start.memory.read(tree_slot); saved.size() == 4 * tree_.size()) {
      for (std::size_t k = 0; k < tree_.size(); ++k) joints_[k].seat(quaternion(saved.data() + 4 * k));
    } else {
      const std::vector<Pose> poses = poses_of(start);
      for (std::size_t k = 0; k < tree_.size(); ++k)
        joints_[k].seat(poses[index(tree_[k].parent + 1)], poses[index(tree_[k].body + 1)]);
    }
  }

  void remember(Memory& memory) const override {
    const Span saved = memory.slot(tree_slot, 4 * tree_.size());
    for (std::size_t k = 0; k < tree_.size(); ++k) write(joints_[k].seat(), saved.data() + 4 * k);
  }

  // The block holds all bodies: names the one without mass or inertia, if there is one.
  std::string block_name(int) const override {
    for (const mechanism::Body& body : mechanism_.bodies())
      if (!(body.mass > 0) || (!body.particle && !(body.inertia.trace() > 0))) return mechanism_.name(body.ref);
    return mechanism_.block_name(tree_.front().body);
  }

  void qdot(ConstSpan q, ConstSpan v, Span out) const override {
    for_each_part([&](int to, int from, int count) { std::copy_n(v.data() + from, count, out.data() + to); },
                  [&](int to, int from) {
                    const double* w = v.data() + from;
                    const Quaternion rate = quaternion(q.data() + to) * Quaternion{0, w[0] / 2, w[1] / 2, w[2] / 2};
                    write(rate, out.data() + to);
                  });
  }

  void tangent(ConstSpan q, ConstSpan rate, Span v) const override {
    for_each_part([&](int from, int to, int count) { std::copy_n(rate.data() + from, count, v.data() + to); },
                  [&](int from, int to) {
                    const Quaternion p = quaternion(q.data() + from);
                    const Quaternion w = p.conjugate() * quaternion(rate.data() + from);
                    const double s = 2 / (p.norm() * p.norm());
                    double* o = v.data() + to;
                    o[0] = s * w.x, o[1] = s * w.y, o[2] = s * w.z;
                  });
  }

  void retract(ConstSpan q, ConstSpan dv, Span out) const override {
    for_each_part(
        [&](int at, int from, int count) {
          for (int j = 0; j < count; ++j) out[index(at + j)] = q[index(at + j)] + dv[index(from + j)];
        },
        [&](int at, int from) {
          const double* w = dv.data() + from;
          write((quaternion(q.data() + at) * geometry::exponential({w[0], w[1], w[2]})).normalized(), out.data() + at);
        });
  }

  bool normalize(Span q) const override {
    bool moved = false;
    for_each_part([](int, int, int) {},
                  [&](int at, int) {
                    const Quaternion p = quaternion(q.data() + at);
                    if (std::abs(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z - 1) <= 4e-16) return;
                    write(p.normalized(), q.data() + at);
                    moved = true;
                  });
    return moved;
  }

  void typical_sizes(Span q, Span v) const override {
    Vector q_sizes(mechanism_.q_size()), v_sizes(mechanism_.v_size());
    mechanism_.typical_sizes(as_span(q_sizes), as_span(v_sizes));
    const double length = mechanism_.characteristic_length(), speed = v_sizes[0];
    for (const Branch& b : tree_) {
      for (int j = 0; j < b.q_size; ++j) q[index(b.q + j)] = j < b.slides ? length : 1;
      for (int j = 0; j < b.v_size; ++j) v[index(b.v + j)] = j < b.slides ? speed : speed / length;
    }
  }

 private:
  // Calls plain(q, v, count) for coordinates with q̇ = v and turned(q, v) for quaternions.
  template <class Plain, class Turned>
  void for_each_part(const Plain& plain, const Turned& turned) const {
    for (const Branch& b : tree_) {
      const int count = b.has_quaternion() ? b.slides : b.v_size;
      plain(b.q, b.v, count);
      if (b.has_quaternion()) turned(b.q + count, b.v + count);
    }
  }

  std::vector<Pose> poses_of(const State& absolute) const {
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

  void lower_motion(const State& absolute, Span q, Span v) const override {
    const std::vector<Pose> poses = poses_of(absolute);
    for (std::size_t k = 0; k < tree_.size(); ++k) {
      const Branch& b = tree_[k];
      joints_[k].lower(poses[index(b.parent + 1)], poses[index(b.body + 1)], q.data() + b.q, v.data() + b.v);
    }
  }

  std::unique_ptr<Image> make_image() const override {
    auto image = std::make_unique<TreeImage>();
    image->poses.resize(tree_.size() + 1);
    image->J.setZero(J_size_);
    return image;
  }

  void map(const State& mapped, Image& given) const override {
    TreeImage& image = static_cast<TreeImage&>(given);
    for (std::size_t k = 0; k < tree_.size(); ++k) {
      const Branch& b = tree_[k];
      const Pose& P = image.poses[index(b.parent + 1)];
      Pose& C = image.poses[index(b.body + 1)];
      const double* x = mapped.q.data() + b.q;
      const double* u = mapped.v.data() + b.v;
      joints_[k].turn(x, P, C);
      const Directions d = joints_[k].directions(P, C);
      Vector3d slide = Vector3d::Zero(), spin = Vector3d::Zero();
      for (int j = 0; j < d.count; ++j) (j < b.slides ? slide : spin) += u[j] * d.of[index(j)];
      const Vector3d point = joints_[k].point(x, d, P), arm = joints_[k].arm(C), arm_P = point - P.r;
      C.r = point + arm;
      C.w = P.w + spin;
      C.v = P.v + P.w.cross(arm_P) + slide + C.w.cross(arm);
      C.alpha = P.alpha + P.w.cross(spin);
      if (b.freedom == Freedom::universal) C.alpha += u[0] * u[1] * d.of[0].cross(d.of[1]);
      C.a = P.a + P.alpha.cross(arm_P) + P.w.cross(P.w.cross(arm_P)) + 2 * P.w.cross(slide) + C.alpha.cross(arm) +
            C.w.cross(C.w.cross(arm));
      write_columns(b, d, P, C, arm, image);
      write_body(b, C, image);
    }
  }

  Eigen::Map<Columns6> world_columns(int body, TreeImage& image) const {
    return {image.J.data() + J_offset_[index(body)], 6, static_cast<Eigen::Index>(columns(body).columns.size())};
  }

  void write_columns(const Branch& b, const Directions& d, const Pose& P, const Pose& C, const Vector3d& arm,
                     TreeImage& image) const {
    Eigen::Map<Columns6> J = world_columns(b.body, image);
    const Eigen::Index inherited = J.cols() - d.count;
    if (inherited > 0) {
      const Eigen::Map<Columns6> above = world_columns(b.parent, image);
      const Vector3d between = C.r - P.r;
      for (Eigen::Index j = 0; j < inherited; ++j) {
        const Vector3d w = above.col(j).tail<3>();
        J.col(j) << above.col(j).head<3>() + w.cross(between), w;
      }
    }
    for (int j = 0; j < d.count; ++j) {
      const Vector3d& e = d.of[index(j)];
      if (j < b.slides)
        J.col(inherited + j) << e, Vector3d::Zero();
      else
        J.col(inherited + j) << e.cross(arm), e;
    }
  }

  // The pose, N and γ in the body's own coordinates.
  void write_body(const Branch& b, const Pose& C, TreeImage& image) const {
    const mechanism::Body& body = mechanism_.bodies()[index(b.body)];
    const Eigen::Map<Columns6> J = world_columns(b.body, image);
    const Eigen::Index width = J.cols();
    double* N = image.N.data() + columns(b.body).offset;
    double* gamma = image.gamma.data() + body.v;
    double* q = image.q.data() + body.q;
    const Matrix3d axes = body.plane ? *body.plane : Matrix3d(Matrix3d::Identity());
    for (int i = 0; i < body.translations(); ++i) {
      q[i] = axes.col(i).dot(C.r);
      gamma[i] = axes.col(i).dot(C.a);
      for (Eigen::Index j = 0; j < width; ++j) *N++ = axes.col(i).dot(J.col(j).head<3>());
    }
    if (body.particle) return;
    if (body.flat)
      q[2] = C.angle;
    else
      write(C.p, q + 3);
    // ω about the normal of a plane, or in body axes.
    const Matrix3d turn = body.flat ? axes : C.R;
    for (int i = body.flat ? 2 : 0; i < 3; ++i) {
      gamma[body.flat ? 2 : 3 + i] = turn.col(i).dot(C.alpha);
      for (Eigen::Index j = 0; j < width; ++j) *N++ = turn.col(i).dot(J.col(j).tail<3>());
    }
  }

  void fulfilled_multipliers(MappedScratch& s) const override {
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

  bool planar_;
  std::vector<Branch> tree_;
  std::vector<TreeJoint> joints_;
  std::vector<int> J_offset_;  // of each body
  int J_size_ = 0;
};

}  // namespace

std::unique_ptr<CoordinateSystem> make_tree(const Mechanism& mechanism, const State& start) {
  return std::make_unique<Tree>(mechanism, start);
}

}  // namespace mortise::coordinates
