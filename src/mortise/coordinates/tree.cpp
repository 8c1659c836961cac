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
// Source: specs/orthogonal-complement.md §4 (the four-bar as an open chain with a cut); the recursion is the usual one
// of rigid-body kinematics. One dense velocity block. Cost: Σ over bodies of (path length)².
#include "mortise/coordinates/kinds.h"
#include "mortise/coordinates/tree_coordinates.h"

namespace mortise::coordinates {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using mechanism::ground;
using Columns6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;

struct TreeImage final : Image {
  std::vector<Pose> poses;  // ground first
  Vector J;                 // of each body: 6 × columns, velocity and angular velocity in world axes
};

class Tree final : public TreeCoordinates {
 public:
  Tree(const Mechanism& mechanism, const State& start) : TreeCoordinates(mechanism, spanning_tree(mechanism)) {
    const int block = append_block(tree().back().v + tree().back().v_size);
    std::vector<std::vector<int>> columns(tree().size());
    for (const Branch& b : tree()) {
      std::vector<int>& own = columns[index(b.body)];
      if (b.parent != ground) own = columns[index(b.parent)];
      for (int j = 0; j < b.v_size; ++j) own.push_back(b.v + j);
    }
    for (std::vector<int>& own : columns) {
      J_offset_.push_back(J_size_);
      J_size_ += 6 * static_cast<int>(own.size());
      append_body(block, std::move(own));
    }
    keep_cut_rows();
    finish();
    seat(start);
  }

 private:
  std::unique_ptr<Image> make_image() const override {
    auto image = std::make_unique<TreeImage>();
    image->poses.resize(tree().size() + 1);
    image->J.setZero(J_size_);
    return image;
  }

  void map(const State& mapped, Image& given) const override {
    TreeImage& image = static_cast<TreeImage&>(given);
    for (std::size_t k = 0; k < tree().size(); ++k) {
      const Branch& b = tree()[k];
      const Pose& P = image.poses[index(b.parent + 1)];
      Pose& C = image.poses[index(b.body + 1)];
      const double* x = mapped.q.data() + b.q;
      const double* u = mapped.v.data() + b.v;
      joint(k).turn(x, P, C);
      const Directions d = joint(k).directions(P, C);
      Vector3d slide = Vector3d::Zero(), spin = Vector3d::Zero();
      for (int j = 0; j < d.count; ++j) (j < b.slides ? slide : spin) += u[j] * d.of[index(j)];
      const Vector3d point = joint(k).point(x, d, P), arm = joint(k).arm(C), arm_P = point - P.r;
      C.r = point + arm;
      C.w = P.w + spin;
      C.v = P.v + P.w.cross(arm_P) + slide + C.w.cross(arm);
      C.alpha = P.alpha + P.w.cross(spin);
      if (b.freedom == Freedom::universal) C.alpha += u[0] * u[1] * d.of[0].cross(d.of[1]);
      C.a = P.a + P.alpha.cross(arm_P) + P.w.cross(P.w.cross(arm_P)) + 2 * P.w.cross(slide) + C.alpha.cross(arm) +
            C.w.cross(C.w.cross(arm));
      write_pose(b, C, image);
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

  // N in the body's own coordinates.
  void write_body(const Branch& b, const Pose& C, TreeImage& image) const {
    const mechanism::Body& body = mechanism_.bodies()[index(b.body)];
    const Eigen::Map<Columns6> J = world_columns(b.body, image);
    const Eigen::Index width = J.cols();
    double* N = image.N.data() + columns(b.body).offset;
    const Matrix3d axes = body.plane ? *body.plane : Matrix3d(Matrix3d::Identity());
    for (int i = 0; i < body.translations(); ++i)
      for (Eigen::Index j = 0; j < width; ++j) *N++ = axes.col(i).dot(J.col(j).head<3>());
    if (body.particle) return;
    // ω about the normal of a plane, or in body axes.
    const Matrix3d turn = body.flat ? axes : C.R;
    for (int i = body.flat ? 2 : 0; i < 3; ++i)
      for (Eigen::Index j = 0; j < width; ++j) *N++ = turn.col(i).dot(J.col(j).tail<3>());
  }

  std::vector<int> J_offset_;  // of each body
  int J_size_ = 0;
};

}  // namespace

std::unique_ptr<CoordinateSystem> make_tree(const Mechanism& mechanism, const State& start) {
  return std::make_unique<Tree>(mechanism, start);
}

}  // namespace mortise::coordinates
