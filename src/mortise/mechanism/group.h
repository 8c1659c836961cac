// Items of one kernel type, kept together: one virtual call a group, a plain loop inside.
//
// A constraint kernel K says, as a template on the scalar, what its rows are:
//
//     struct K {
//       static constexpr int dimension = 2 or 3, rows = …;
//       static constexpr bool driven = false;              // true: also gets the jet f(t), f'(t), f''(t)
//       static constexpr std::array<RowInfo, rows> info;   // name, kind and unit of each row
//       template <class T> void operator()(const Frame<T>& a, const Frame<T>& b, Rows<T, rows>& out) const;
//     };
//
// A force kernel fills a Load: what acts on frame b; the opposite acts on frame a.
#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "mortise/error.h"
#include "mortise/formula/expression.h"
#include "mortise/mechanism/parallel.h"
#include "mortise/mechanism/rows.h"
#include "mortise/system/system.h"

namespace mortise::mechanism {

struct RowInfo {
  const char* name;
  gauss::RowKind kind = gauss::RowKind::holonomic;
  gauss::RowUnit unit = gauss::RowUnit::length;
};

// Motions of all bodies; slot 0 is the ground, body k has slot k + 1. Only the model's dimension is filled.
struct Motions {
  std::vector<Motion2<double>> planar;
  std::vector<Motion3<double>> spatial;

  const Motion2<double>& at2(int body) const { return planar[static_cast<std::size_t>(body + 1)]; }
  const Motion3<double>& at3(int body) const { return spatial[static_cast<std::size_t>(body + 1)]; }
};

// Where a side's columns go: the values of A start at `offset`; `size` columns a row (0: ground). In space, `plane` is
// that of a body held in one.
struct Columns {
  int offset = 0;
  int size = 0;
  const Eigen::Matrix3d* plane = nullptr;
};

// Force and torque, world axes; planar: z of the force and x, y of the torque are zero.
using Wrench = Eigen::Matrix<double, 6, 1>;

// A wrench about the centre of mass moved to the point at d from it.
inline Wrench at_point(Wrench w, const Eigen::Vector3d& d) {
  w.tail<3>() -= d.cross(w.head<3>());
  return w;
}

class ConstraintGroup {
 public:
  virtual ~ConstraintGroup() = default;
  virtual void evaluate(const Motions& motions, double t, Evaluation& out) const = 0;
  // Force and torque of each item on its second body at its point, world axes: 3 numbers (planar) or 6 at out[item].
  virtual void reactions(const Motions& motions, double t, ConstSpan lambda, Span out) const = 0;
  // Adds what item `item` does to a body, about its centre of mass, if the item is in this group. Cost: a search.
  virtual void add_wrench(int item, int body, const Motions& motions, double t, ConstSpan lambda,
                          Wrench& sum) const = 0;
  // Index of the first item (in this group) with a non-finite row at these motions, as its item id; −1: none.
  virtual int first_non_finite(const Motions& motions, double t, Place& place) const = 0;
};

// ---- planar and spatial, told apart by the kernel's dimension
// -----------------------------------------------------------

template <int Dimension>
struct Space;

template <>
struct Space<2> {
  using Frame = Frame2<double>;
  template <int N>
  using Rows = Rows2<double, N>;
  static Frame frame(const Anchor& anchor, const Motions& m) { return carry(anchor, m.at2(anchor.body)); }

  // Columns (x, y, angle) of a rigid body, (x, y) of a particle.
  template <class Side>
  static void write(const Side& side, int k, const Columns& to, const Anchor&, const Motions&, Vector& A) {
    double* out = A.data() + to.offset + k * to.size;
    const auto i = static_cast<std::size_t>(k);
    out[0] = side.r[i].x();
    out[1] = side.r[i].y();
    if (to.size == 3) out[2] = side.w[i];
  }

  // `scale` times row k of a side as force and torque on its body.
  template <class Side>
  static Wrench wrench(const Side& side, std::size_t k, double scale) {
    Wrench w = Wrench::Zero();
    w[0] = scale * side.r[k].x(), w[1] = scale * side.r[k].y(), w[5] = scale * side.w[k];
    return w;
  }
  // A wrench about the centre of mass, reported at the frame's point: 3 numbers an item.
  static void report(const Wrench& w, const Frame& at, int item, Span out) {
    double* o = out.data() + 3 * static_cast<std::ptrdiff_t>(item);
    o[0] = w[0], o[1] = w[1];
    o[2] = w[5] - (at.d.x() * w[1] - at.d.y() * w[0]);
  }

  // Adds `scale` times the columns of a side of one row: for rows in which a body may occur more than once.
  template <class Side>
  static void add(const Side& side, double scale, const Columns& to, const Anchor&, const Motions&, Vector& A) {
    double* out = A.data() + to.offset;
    out[0] += scale * side.r[0].x();
    out[1] += scale * side.r[0].y();
    if (to.size == 3) out[2] += scale * side.w[0];
  }
};

template <>
struct Space<3> {
  using Frame = Frame3<double>;
  template <int N>
  using Rows = Rows3<double, N>;
  static Frame frame(const Anchor& anchor, const Motions& m) { return carry(anchor, m.at3(anchor.body)); }

  // Columns (velocity in world axes, angular velocity in body axes): ω_W = R ω_B turns the row w into Rᵀw. A body held
  // in a plane has v = ẋ e₁ + ẏ e₂ and ω = θ̇ n.
  template <class Side>
  static void write(const Side& side, int k, const Columns& to, const Anchor& anchor, const Motions& m, Vector& A) {
    double* out = A.data() + to.offset + k * to.size;
    const auto i = static_cast<std::size_t>(k);
    if (to.plane) {
      out[0] = to.plane->col(0).dot(side.r[i]);
      out[1] = to.plane->col(1).dot(side.r[i]);
      if (to.size == 3) out[2] = to.plane->col(2).dot(side.w[i]);
      return;
    }
    Eigen::Map<Eigen::Vector3d>{out} = side.r[i];
    if (to.size == 6) Eigen::Map<Eigen::Vector3d>{out + 3}.noalias() = m.at3(anchor.body).R.transpose() * side.w[i];
  }

  template <class Side>
  static Wrench wrench(const Side& side, std::size_t k, double scale) {
    Wrench w;
    w << scale * side.r[k], scale * side.w[k];
    return w;
  }
  static void report(const Wrench& w, const Frame& at, int item, Span out) {
    Eigen::Map<Wrench>{out.data() + 6 * static_cast<std::ptrdiff_t>(item)} = at_point(w, at.d);
  }

  template <class Side>
  static void add(const Side& side, double scale, const Columns& to, const Anchor& anchor, const Motions& m,
                  Vector& A) {
    double* out = A.data() + to.offset;
    if (to.plane) {
      out[0] += scale * to.plane->col(0).dot(side.r[0]);
      out[1] += scale * to.plane->col(1).dot(side.r[0]);
      if (to.size == 3) out[2] += scale * to.plane->col(2).dot(side.w[0]);
      return;
    }
    Eigen::Map<Eigen::Vector3d>{out} += scale * side.r[0];
    if (to.size == 6)
      Eigen::Map<Eigen::Vector3d>{out + 3}.noalias() += scale * (m.at3(anchor.body).R.transpose() * side.w[0]);
  }
};

template <class K>
class KernelGroup final : public ConstraintGroup {
 public:
  using S = Space<K::dimension>;
  using Rows = typename S::template Rows<K::rows>;

  struct Item {
    K kernel;
    Anchor a, b;
    Columns to_a, to_b;
    int row = 0;
    int item = 0;
    formula::Expression function;  // of t, for drivers
    Place place;                   // of the function
  };

  std::vector<Item> items;

  void evaluate(const Motions& motions, double t, Evaluation& out) const override {
    for_each_index(items.size(), [&](std::size_t i) {
      const Item& item = items[i];
      Rows rows;
      compute(item, motions, t, rows);
      for (int k = 0; k < K::rows; ++k) {
        const auto j = static_cast<std::size_t>(k);
        out.phi[item.row + k] = K::info[j].kind == gauss::RowKind::holonomic ? rows.phi[j] : 0.0;
        out.c_t[item.row + k] = rows.time[j];
        out.problem.b[item.row + k] = -rows.bias[j];
        if (item.to_a.size) S::write(rows.a, k, item.to_a, item.a, motions, out.problem.A);
        if (item.to_b.size) S::write(rows.b, k, item.to_b, item.b, motions, out.problem.A);
      }
    });
  }

  // What the rows do to the second body, −Σ λ_k (r_k, w_k), moved from its centre of mass to the joint's point.
  void reactions(const Motions& motions, double t, ConstSpan lambda, Span out) const override {
    for (const Item& item : items) {
      Rows rows;
      compute(item, motions, t, rows);
      Wrench w = Wrench::Zero();
      for (std::size_t k = 0; k < K::rows; ++k)
        w += S::wrench(rows.b, k, -lambda[static_cast<std::size_t>(item.row) + k]);
      S::report(w, S::frame(item.b, motions), item.item, out);
    }
  }

  void add_wrench(int item, int body, const Motions& motions, double t, ConstSpan lambda, Wrench& sum) const override {
    for (const Item& i : items) {
      if (i.item != item) continue;
      Rows rows;
      compute(i, motions, t, rows);
      for (std::size_t k = 0; k < K::rows; ++k) {
        const double l = -lambda[static_cast<std::size_t>(i.row) + k];
        if (i.a.body == body) sum += S::wrench(rows.a, k, l);
        if (i.b.body == body) sum += S::wrench(rows.b, k, l);
      }
    }
  }

  int first_non_finite(const Motions& motions, double t, Place& place) const override {
    for (const Item& item : items) {
      Rows rows;
      compute(item, motions, t, rows);
      bool finite = true;
      for (std::size_t k = 0; k < K::rows; ++k) {
        double sum = rows.phi[k] + rows.time[k] + rows.bias[k] + rows.a.r[k].sum() + rows.b.r[k].sum();
        if constexpr (K::dimension == 2)
          sum += rows.a.w[k] + rows.b.w[k];
        else
          sum += rows.a.w[k].sum() + rows.b.w[k].sum();
        finite = finite && std::isfinite(sum);
      }
      if (!finite) {
        place = item.place;
        return item.item;
      }
    }
    return -1;
  }

 private:
  static void compute(const Item& item, const Motions& motions, double t, Rows& rows) {
    const auto a = S::frame(item.a, motions), b = S::frame(item.b, motions);
    if constexpr (K::driven) {
      const double x = t, one = 1, zero = 0;
      item.kernel(a, b, item.function.along({&x, 1}, {&one, 1}, {&zero, 1}), rows);
    } else {
      item.kernel(a, b, rows);
    }
  }
};

// ---- forces
// -------------------------------------------------------------------------------------------------------------

// What a force does: on frame b the force and torque given (world components), on frame a the opposite.
template <int Dimension>
struct Load;

template <>
struct Load<2> {
  Eigen::Vector2d force = Eigen::Vector2d::Zero();
  double torque = 0;
  double potential = 0, dissipated = 0, applied = 0;  // stored energy [J]; powers [W]
};

template <>
struct Load<3> {
  Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = Eigen::Vector3d::Zero();
  double potential = 0, dissipated = 0, applied = 0;
};

// Columns of the generalised force: `begin` in Q; size 0: ground; `plane` of a spatial body held in one.
struct Target {
  int begin = 0;
  int size = 0;
  const Eigen::Matrix3d* plane = nullptr;
};

class ForceGroup {
 public:
  virtual ~ForceGroup() = default;
  virtual void apply(const Motions& motions, double t, unsigned needs, Evaluation& out) const = 0;
  virtual int first_non_finite(const Motions& motions, double t, Place& place) const = 0;
};

template <class K>
class KernelForces final : public ForceGroup {
 public:
  using S = Space<K::dimension>;

  struct Item {
    K kernel;
    Anchor a, b;
    Target to_a, to_b;
    int item = 0;
    std::array<formula::Expression, 3> functions;  // of t
    int function_count = 0;
    Place place;
  };

  std::vector<Item> items;

  // In item order, one after the other: the sums have the same bits for any number of threads.
  void apply(const Motions& motions, double t, unsigned needs, Evaluation& out) const override {
    for (const Item& item : items) {
      Load<K::dimension> load;
      const auto a = S::frame(item.a, motions), b = S::frame(item.b, motions);
      compute(item, a, b, t, load);
      if (needs & need_dynamics) {
        add(item.to_b, b, item.b, motions, load.force, load.torque, 1.0, out.problem.Q);
        add(item.to_a, a, item.a, motions, load.force, load.torque, -1.0, out.problem.Q);
      }
      out.potential += load.potential;
      out.power_dissipated += load.dissipated;
      out.power_applied += load.applied;
    }
  }

  int first_non_finite(const Motions& motions, double t, Place& place) const override {
    for (const Item& item : items) {
      Load<K::dimension> load;
      compute(item, S::frame(item.a, motions), S::frame(item.b, motions), t, load);
      double sum = load.force.sum() + load.potential + load.dissipated + load.applied;
      if constexpr (K::dimension == 2)
        sum += load.torque;
      else
        sum += load.torque.sum();
      if (!std::isfinite(sum)) {
        place = item.place;
        return item.item;
      }
    }
    return -1;
  }

 private:
  static void compute(const Item& item, const typename S::Frame& a, const typename S::Frame& b, double t,
                      Load<K::dimension>& load) {
    std::array<double, 3> values{};
    for (int k = 0; k < item.function_count; ++k)
      values[static_cast<std::size_t>(k)] = item.functions[static_cast<std::size_t>(k)].value({&t, 1});
    item.kernel(a, b, values, load);
  }

  static void add(const Target& to, const Frame2<double>& f, const Anchor&, const Motions&,
                  const Eigen::Vector2d& force, double torque, double sign, Vector& Q) {
    if (to.size == 0) return;
    Q[to.begin] += sign * force.x();
    Q[to.begin + 1] += sign * force.y();
    if (to.size == 3) Q[to.begin + 2] += sign * (torque + f.d.x() * force.y() - f.d.y() * force.x());
  }

  static void add(const Target& to, const Frame3<double>& f, const Anchor& anchor, const Motions& m,
                  const Eigen::Vector3d& force, const Eigen::Vector3d& torque, double sign, Vector& Q) {
    if (to.size == 0) return;
    if (to.plane) {
      Q[to.begin] += sign * to.plane->col(0).dot(force);
      Q[to.begin + 1] += sign * to.plane->col(1).dot(force);
      if (to.size == 3) Q[to.begin + 2] += sign * to.plane->col(2).dot(torque + f.d.cross(force));
      return;
    }
    Q.segment<3>(to.begin) += sign * force;
    if (to.size == 6)
      Q.segment<3>(to.begin + 3) += sign * (m.at3(anchor.body).R.transpose() * (torque + f.d.cross(force)));
  }
};

}  // namespace mortise::mechanism
