// The articulated and the identity factor; see tree_factor.h.
#include <cmath>

#include "mortise/linalg/tree_factor.h"

namespace mortise::linalg {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A symmetric 6×6 matrix [P B; Bᵀ C]: P and C by xx, xy, xz, yy, yz, zz, B by rows. By components: see dot6.
struct Inertia {
  double P[6], B[9], C[6];

  void of(const TreeLink& link) {
    for (double& x : B) x = 0;
    P[0] = P[3] = P[5] = link.mass;
    P[1] = P[2] = P[4] = 0;
    const Matrix3d& J = link.J;
    C[0] = J(0, 0), C[1] = J(0, 1), C[2] = J(0, 2), C[3] = J(1, 1), C[4] = J(1, 2), C[5] = J(2, 2);
  }
  void add(const Inertia& other) {
    for (int k = 0; k < 6; ++k) P[k] += other.P[k], C[k] += other.C[k];
    for (int k = 0; k < 9; ++k) B[k] += other.B[k];
  }
  // I ← XᵀI X:  B' = B − P r̃,  C' = C + r̃ B' + (r̃ B)ᵀ
  void carry(Carry how, const Vector3d& of) {
    const double x = of[0], y = of[1], z = of[2];
    if (how == Carry::pivot) {
      for (double& entry : B) entry = 0;
      for (double& entry : C) entry = 0;
    }
    double old[9];
    for (int k = 0; k < 9; ++k) old[k] = B[k];
    const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 3; ++i) {
      const double px = P[at[3 * i]], py = P[at[3 * i + 1]], pz = P[at[3 * i + 2]];
      B[3 * i] -= py * z - pz * y;
      B[3 * i + 1] -= pz * x - px * z;
      B[3 * i + 2] -= px * y - py * x;
    }
    // (r × column k of B')_i + (r × column i of B)_k
    const double r[3] = {x, y, z};
    const auto turned = [&](const double* b, int k, int i) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      return r[j] * b[3 * l + k] - r[l] * b[3 * j + k];
    };
    int entry = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = i; k < 3; ++k, ++entry) C[entry] += turned(B, k, i) + turned(old, i, k);
  }
  void times(const double* h, double* u) const {
    const double a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5];
    u[0] = (P[0] * a + P[1] * b + P[2] * c) + (B[0] * d + B[1] * e + B[2] * f);
    u[1] = (P[1] * a + P[3] * b + P[4] * c) + (B[3] * d + B[4] * e + B[5] * f);
    u[2] = (P[2] * a + P[4] * b + P[5] * c) + (B[6] * d + B[7] * e + B[8] * f);
    u[3] = (B[0] * a + B[3] * b + B[6] * c) + (C[0] * d + C[1] * e + C[2] * f);
    u[4] = (B[1] * a + B[4] * b + B[7] * c) + (C[1] * d + C[3] * e + C[4] * f);
    u[5] = (B[2] * a + B[5] * b + B[8] * c) + (C[2] * d + C[4] * e + C[5] * f);
  }
  // I ← I − v vᵀ
  void subtract(const double* v) {
    int entry = 0;
    for (int i = 0; i < 3; ++i)
      for (int k = i; k < 3; ++k, ++entry) {
        P[entry] -= v[i] * v[k];
        C[entry] -= v[3 + i] * v[3 + k];
      }
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) B[3 * i + k] -= v[i] * v[3 + k];
  }
};

class Articulated final : public TreeFactor {
 public:
  Articulated(const TreeShape& shape, bool apart)
      : shape_(shape),
        apart_(apart),
        r_(index(shape.bodies())),
        inertia_(index(shape.bodies())),
        force_(index(shape.bodies())),
        H_(6 * index(shape.rates())),
        V_(6 * index(shape.rates())) {
    int size = 0;
    for (int j = 0; j < shape.bodies(); ++j) {
      L_offset_.push_back(size);
      size += shape.size(j) * shape.size(j);
    }
    L_.assign(index(size), 0);
    if (apart) composite_.resize(index(shape.bodies()));
    flaw_.assign(index(shape.bodies()), 0);
  }

  int factor(const TreeMass& mass, double smallest_pivot) override {
    const auto call = [&](int j) { eliminate(j, mass, smallest_pivot); };
    shape_.from_leaves(call);
    for (int j = shape_.bodies(); j-- > 0;)
      if (flaw_[index(j)]) return j;
    return -1;
  }

  void whiten(const double* tau, double* y) override {
    const auto call = [&](int j) {
      Vector6 p = Vector6::Zero();
      for (int c = shape_.first_child(j); c >= 0; c = shape_.next_sibling(c))
        if (coupled(c, j)) add6(1, force_[index(c)].data(), p.data());
      with_rates(shape_.size(j), [&](auto f) { whiten_body<f>(j, tau, y, p); });
      force_[index(j)] = carry_up(shape_.carry(j), r_[index(j)], p);
    };
    shape_.from_leaves(call);
  }

  void whiten_path(std::span<const int> bodies, const double* tau, double* y,
                   std::vector<Vector6>& work) const override {
    for (const int j : bodies) work[index(j)].setZero();
    for (const int j : bodies) {
      Vector6& p = work[index(j)];
      with_rates(shape_.size(j), [&](auto f) { whiten_body<f>(j, tau, y, p); });
      if (const int parent = shape_.parent(j); parent >= 0 && coupled(j, parent))
        add6(1, carry_up(shape_.carry(j), r_[index(j)], p).data(), work[index(parent)].data());
    }
  }

  void unwhiten(const double* y, double* eta) override {
    const auto call = [&](int j) {
      const int p = shape_.parent(j);
      Vector6 w = Vector6::Zero();
      if (p >= 0 && coupled(j, p)) w = carry_down(shape_.carry(j), r_[index(j)], force_[index(p)]);
      with_rates(shape_.size(j), [&](auto f) { unwhiten_body<f>(j, y, eta, w); });
      force_[index(j)] = w;
    };
    shape_.from_roots(call);
  }

 private:
  bool coupled(int child, int parent) const { return !apart_ || shape_.part(child) == shape_.part(parent); }

  // What is left of the inertia when the joint gives way; then on the parent.
  void eliminate(int j, const TreeMass& mass, double smallest_pivot) {
    const TreeLink& link = mass.link(j);
    r_[index(j)] = link.r;
    Inertia& I = inertia_[index(j)];
    I.of(link);
    for (int c = shape_.first_child(j); c >= 0; c = shape_.next_sibling(c))
      I.add(coupled(c, j) ? inertia_[index(c)] : composite_[index(c)]);
    if (apart_) {
      Inertia& all = composite_[index(j)];
      all.of(link);
      for (int c = shape_.first_child(j); c >= 0; c = shape_.next_sibling(c)) all.add(composite_[index(c)]);
      if (shape_.parent(j) >= 0) all.carry(shape_.carry(j), link.r);
    }
    flaw_[index(j)] = 0;
    with_rates(shape_.size(j), [&](auto f) { project<f>(j, mass.H(j), smallest_pivot, I); });
    if (shape_.parent(j) >= 0) I.carry(shape_.carry(j), link.r);
  }

  template <int F>
  void project(int j, const double* from, double smallest_pivot, Inertia& I) {
    if constexpr (F > 0) {
      const std::size_t at = 6 * index(shape_.begin(j));
      double* H = H_.data() + at;
      double* V = V_.data() + at;
      double* L = L_.data() + L_offset_[index(j)];  // by rows; its diagonal inverted
      for (int k = 0; k < 6 * F; ++k) H[k] = from[k];
      for (int k = 0; k < F; ++k) I.times(H + 6 * k, V + 6 * k);
      for (int i = 0; i < F; ++i)
        for (int k = 0; k <= i; ++k) {
          double sum = 0, size = 0;
          for (int l = 0; l < 6; ++l) {
            const double term = H[6 * i + l] * V[6 * k + l];
            sum += term;
            if (i == k) size += std::abs(term);
          }
          for (int l = 0; l < k; ++l) sum -= L[i * F + l] * L[k * F + l];
          if (i != k) {
            L[i * F + k] = sum * L[k * F + k];
          } else if (sum > smallest_pivot * size) {
            L[i * F + i] = 1 / std::sqrt(sum);
          } else {
            flaw_[index(j)] = 1;
            L[i * F + i] = 0;
          }
        }
      // V = I H L⁻ᵀ: column by column.
      for (int k = 0; k < F; ++k)
        for (int l = 0; l < 6; ++l) {
          double sum = V[6 * k + l];
          for (int i = 0; i < k; ++i) sum -= L[k * F + i] * V[6 * i + l];
          V[6 * k + l] = sum * L[k * F + k];
        }
      for (int k = 0; k < F; ++k) I.subtract(V + 6 * k);
    }
  }

  // p ← p + V y
  template <int F>
  void whiten_body(int j, const double* tau, double* y, Vector6& p) const {
    if constexpr (F > 0) {
      const int begin = shape_.begin(j);
      const double *H = H_.data() + 6 * index(begin), *V = V_.data() + 6 * index(begin);
      const double* L = L_.data() + L_offset_[index(j)];
      double own[F];
      for (int i = 0; i < F; ++i) {
        double sum = tau[begin + i] - dot6(p.data(), H + 6 * i);
        for (int k = 0; k < i; ++k) sum -= L[i * F + k] * own[k];
        own[i] = sum * L[i * F + i];
      }
      for (int i = 0; i < F; ++i) {
        y[begin + i] = own[i];
        add6(own[i], V + 6 * i, p.data());
      }
    }
  }

  // w: what the parent gives; then of the body.
  template <int F>
  void unwhiten_body(int j, const double* y, double* eta, Vector6& w) const {
    if constexpr (F > 0) {
      const int begin = shape_.begin(j);
      const double *H = H_.data() + 6 * index(begin), *V = V_.data() + 6 * index(begin);
      const double* L = L_.data() + L_offset_[index(j)];
      double own[F];
      for (int i = 0; i < F; ++i) own[i] = y[begin + i] - dot6(w.data(), V + 6 * i);
      for (int i = F; i-- > 0;) {
        double sum = own[i];
        for (int k = i + 1; k < F; ++k) sum -= L[k * F + i] * own[k];
        own[i] = sum * L[i * F + i];
      }
      for (int i = 0; i < F; ++i) {
        eta[begin + i] = own[i];
        add6(own[i], H + 6 * i, w.data());
      }
    }
  }

  const TreeShape& shape_;
  bool apart_;
  std::vector<Vector3d> r_;
  std::vector<Inertia> inertia_, composite_;  // on the parent
  std::vector<Vector6> force_;                // whiten: on the parent; unwhiten: velocities
  std::vector<double> H_, V_, L_;
  std::vector<int> L_offset_;
  std::vector<unsigned char> flaw_;
};

class Identity final : public TreeFactor {
 public:
  explicit Identity(const TreeShape& shape) : shape_(shape) {}
  int factor(const TreeMass&, double) override { return -1; }
  void whiten(const double* tau, double* y) override {
    for (int k = 0; k < shape_.rates(); ++k) y[k] = tau[k];
  }
  void unwhiten(const double* y, double* eta) override {
    for (int k = 0; k < shape_.rates(); ++k) eta[k] = y[k];
  }
  void whiten_path(std::span<const int> bodies, const double* tau, double* y, std::vector<Vector6>&) const override {
    for (const int j : bodies)
      for (int k = shape_.begin(j); k < shape_.begin(j) + shape_.size(j); ++k) y[k] = tau[k];
  }

 private:
  const TreeShape& shape_;
};

}  // namespace

std::unique_ptr<TreeFactor> make_articulated_factor(const TreeShape& shape, bool branches_apart) {
  return std::make_unique<Articulated>(shape, branches_apart);
}

std::unique_ptr<TreeFactor> make_identity_factor(const TreeShape& shape) { return std::make_unique<Identity>(shape); }

}  // namespace mortise::linalg
