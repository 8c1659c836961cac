// Items of one kernel type, kept together: one virtual call a group, a plain loop inside.
//
// A constraint kernel K says, as a template on the scalar, what its rows are:
//
//     struct K {
//       static constexpr int dimension = 2 or 3, rows = …;
//       static constexpr bool driven = false;              // true: also gets the jet f(t), f'(t), f''(t)
//       static constexpr int functions = …;                // of a driven kernel that gets an array of jets
//       static constexpr std::array<RowInfo, rows> info;   // name, kind and unit of each row
//       template <class T> void operator()(const Frame<T>& a, const Frame<T>& b, Rows<T, rows>& out) const;
//     };
//
// A force kernel fills a Load: what acts on frame b; the opposite acts on frame a.
//
//     struct F {
//       static constexpr int dimension = 2 or 3;
//       void operator()(const Frame<double>& a, const Frame<double>& b, const Formulas& f, Load<dimension>& out) const;
//     };
//
// Batches evaluate four copies at once, with linalg::Pack as the scalar (kernel_lanes.h says what a kernel needs for
// that; one that lacks it is evaluated copy by copy).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <type_traits>
#include <vector>

#include "mortise/error.h"
#include "mortise/formula/expression.h"
#include "mortise/linalg/parallel.h"
#include "mortise/mechanism/formulas.h"
#include "mortise/mechanism/lanes.h"
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

struct PlanarColumns {
  PlanarColumns() = default;
  explicit PlanarColumns(const Columns& of) : offset(of.offset), size(of.size) {}
  static constexpr const Eigen::Matrix3d* plane = nullptr;
  int offset = 0;
  int size = 0;
};

using Wrench = Eigen::Matrix<double, 6, 1>;

class ConstraintGroup;
class ForceGroup;
using ConstraintCopies = std::array<const ConstraintGroup*, pack_width>;  // the same group of four mechanisms
using ForceCopies = std::array<const ForceGroup*, pack_width>;

class ConstraintGroup {
 public:
  virtual ~ConstraintGroup() = default;
  // The lane form of this group and its copies; none: its kernels have no such form, or differ in more than numbers.
  virtual std::unique_ptr<PackConstraints> in_lanes(const ConstraintCopies&) const { return nullptr; }
  virtual void evaluate(const Motions& motions, double t, Evaluation& out) const = 0;
  // Force and torque of an item on a body about its centre of mass, world axes (planar: numbers 0, 1 and 5):
  // −Σ λ_k (r_k, w_k).
  virtual Wrench wrench(int slot, int body, const Motions& motions, double t, ConstSpan lambda) const = 0;
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
  // An anchor as items keep it: of kernels that say `points_only` its place alone.
  template <class K>
  using Hold = std::conditional_t < requires {
    K::points_only;
  }
  , PlanarPoint, PlanarAnchor > ;
  using To = PlanarColumns;
  template <int N>
  using Rows = Rows2<double, N>;
  template <class A>
  MORTISE_INLINE static Frame frame(const A& anchor, const Motions& m) {
    return carry(anchor, m.at2(anchor.body));
  }

  // What the motion of a body makes of its side of a row.
  template <class Side>
  static double rate(const Side& side, int k, int body, const Motions& motions) {
    const Motion2<double>& m = motions.at2(body);
    const auto i = static_cast<std::size_t>(k);
    return side.r[i].dot(m.v) + side.w[i] * m.w;
  }

  // Columns (x, y, angle) of a rigid body, (x, y) of a particle.
  template <class Side>
  static void write(const Side& side, int k, const PlanarColumns& to, int, const Motions&, Vector& A) {
    double* out = A.data() + to.offset + k * to.size;
    const auto i = static_cast<std::size_t>(k);
    out[0] = side.r[i].x();
    out[1] = side.r[i].y();
    if (to.size == 3) out[2] = side.w[i];
  }

  template <class Side>
  static void add(const Side& side, int k, double scale, Wrench& out) {
    const auto i = static_cast<std::size_t>(k);
    out.head<2>() += scale * side.r[i];
    out[5] += scale * side.w[i];
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
  template <class>
  using Hold = Anchor;
  using To = Columns;
  template <int N>
  using Rows = Rows3<double, N>;
  MORTISE_INLINE static Frame frame(const Anchor& anchor, const Motions& m) {
    return carry(anchor, m.at3(anchor.body));
  }

  template <class Side>
  static double rate(const Side& side, int k, int body, const Motions& motions) {
    const Motion3<double>& m = motions.at3(body);
    const auto i = static_cast<std::size_t>(k);
    return side.r[i].dot(m.v) + side.w[i].dot(m.w);
  }

  // Columns (velocity in world axes, angular velocity in body axes): ω_W = R ω_B turns the row w into Rᵀw. A body held
  // in a plane has v = ẋ e₁ + ẏ e₂ and ω = θ̇ n.
  template <class Side>
  static void write(const Side& side, int k, const Columns& to, int body, const Motions& m, Vector& A) {
    double* out = A.data() + to.offset + k * to.size;
    const auto i = static_cast<std::size_t>(k);
    if (to.plane) {
      out[0] = to.plane->col(0).dot(side.r[i]);
      out[1] = to.plane->col(1).dot(side.r[i]);
      if (to.size == 3) out[2] = to.plane->col(2).dot(side.w[i]);
      return;
    }
    Eigen::Map<Eigen::Vector3d>{out} = side.r[i];
    if (to.size == 6) Eigen::Map<Eigen::Vector3d>{out + 3}.noalias() = m.at3(body).R.transpose() * side.w[i];
  }

  template <class Side>
  static void add(const Side& side, int k, double scale, Wrench& out) {
    const auto i = static_cast<std::size_t>(k);
    out.head<3>() += scale * side.r[i];
    out.tail<3>() += scale * side.w[i];
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

// How many functions of time a constraint kernel follows.
template <class K>
constexpr int function_count() {
  if constexpr (!K::driven)
    return 0;
  else if constexpr (requires { K::functions; })
    return K::functions;
  else
    return 1;
}

template <class K>
class KernelGroup final : public ConstraintGroup {
 public:
  using S = Space<K::dimension>;
  using Rows = typename S::template Rows<K::rows>;

  struct Item {
    [[no_unique_address]] K kernel;
    typename S::template Hold<K> a, b;
    typename S::To to_a, to_b;
    int row = 0;
    int item = 0;
  };
  // What only drivers and messages need, beside each item.
  struct Rest {
    std::array<formula::Expression, function_count<K>()> functions;  // of t
    Place place;                                                     // of the functions
  };

  std::vector<Item> items;
  std::vector<Rest> rests;

  void evaluate(const Motions& motions, double t, Evaluation& out) const override {
    linalg::for_each_index(items.size(), [&](std::size_t i) {
      const Item& item = items[i];
      Rows rows;
      compute(i, motions, t, rows);
      for (int k = 0; k < K::rows; ++k) {
        const auto j = static_cast<std::size_t>(k);
        out.phi[item.row + k] = K::info[j].kind == gauss::RowKind::holonomic ? rows.phi[j] : 0.0;
        out.phidot[item.row + k] =
            S::rate(rows.a, k, item.a.body, motions) + S::rate(rows.b, k, item.b.body, motions) + time_of(rows, j);
        if constexpr (K::driven) out.c_t[item.row + k] = rows.time[j];  // else it stays zero
        out.problem.b[item.row + k] = -rows.bias[j];
        if (item.to_a.size) S::write(rows.a, k, item.to_a, item.a.body, motions, out.problem.A);
        if (item.to_b.size) S::write(rows.b, k, item.to_b, item.b.body, motions, out.problem.A);
      }
    });
  }

  std::unique_ptr<PackConstraints> in_lanes(const ConstraintCopies& copies) const override;  // kernel_lanes.h

  Wrench wrench(int slot, int body, const Motions& motions, double t, ConstSpan lambda) const override {
    const Item& item = items[static_cast<std::size_t>(slot)];
    Rows rows;
    compute(static_cast<std::size_t>(slot), motions, t, rows);
    Wrench out = Wrench::Zero();
    for (int k = 0; k < K::rows; ++k) {
      const double l = lambda[static_cast<std::size_t>(item.row + k)];
      if (item.a.body == body) S::add(rows.a, k, -l, out);
      if (item.b.body == body) S::add(rows.b, k, -l, out);
    }
    return out;
  }

  int first_non_finite(const Motions& motions, double t, Place& place) const override {
    for (std::size_t i = 0; i < items.size(); ++i) {
      Rows rows;
      compute(i, motions, t, rows);
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
        place = rests[i].place;
        return items[i].item;
      }
    }
    return -1;
  }

 private:
  static double time_of(const Rows& rows, std::size_t j) { return K::driven ? rows.time[j] : 0.0; }

  MORTISE_INLINE void compute(std::size_t i, const Motions& motions, double t, Rows& rows) const {
    const Item& item = items[i];
    const auto a = S::frame(item.a, motions), b = S::frame(item.b, motions);
    const double one = 1;
    const auto jet = [&](const formula::Expression& f) { return f.along({&t, 1}, {&one, 1}, {}); };
    if constexpr (!K::driven) {
      item.kernel(a, b, rows);
    } else if constexpr (function_count<K>() == 1) {
      item.kernel(a, b, jet(rests[i].functions[0]), rows);
    } else {
      std::array<formula::Jet<double>, function_count<K>()> jets;
      std::transform(rests[i].functions.begin(), rests[i].functions.end(), jets.begin(), jet);
      item.kernel(a, b, jets, rows);
    }
  }
};

// ---- forces
// -------------------------------------------------------------------------------------------------------------

// What a force does: on frame b the force at its point and the torque given (world components), on the body of frame a
// the opposite of both, at the same place.
template <int Dimension, class T = double>
struct Load;

template <class T>
struct Load<2, T> {
  Vec2<T> force = Vec2<T>::Zero();
  T torque{0};
  T potential{0}, dissipated{0}, applied{0};  // stored energy [J]; powers [W]
  // What the force calls its own, for quantities: a signed force or torque, a length or angle, and its rate.
  T value{0}, coordinate{0}, rate{0};
};

template <class T>
struct Load<3, T> {
  Vec3<T> force = Vec3<T>::Zero(), torque = Vec3<T>::Zero();
  T potential{0}, dissipated{0}, applied{0};
  T value{0}, coordinate{0}, rate{0};
};

// What is kept of each force for named quantities: force and torque on the second body (world axes), the power of both
// ends together, then the three of Load.
struct ForceRecord {
  double force[3] = {}, torque[3] = {};
  double power = 0, value = 0, coordinate = 0, rate = 0;
};

// What forces see beside the motions. Forces that use others come in later stages.
struct ForceContext {
  double t = 0;
  ConstSpan quantities;  // values of those in use
  std::span<ForceRecord> records;
  std::span<const int> stages;  // of each force
  int stage = 0;                // that is to be applied; −1: all
  // For friction that acts through constraint rows: velocities, ∂φ/∂t of all rows (on or off), State::inputs.
  ConstSpan v{}, row_time{}, inputs{};
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
  virtual std::unique_ptr<PackForces> in_lanes(const ForceCopies&) const { return nullptr; }
  virtual int first() const = 0;  // number of the first force in the group
  virtual void apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const = 0;
  virtual int first_non_finite(const Motions& motions, const ForceContext& context, Place& place) const = 0;
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
    std::vector<BoundFormula> formulas;
    std::vector<int> reads;  // quantities that the kernel uses itself
    Place place;
  };

  std::vector<Item> items;

  std::unique_ptr<PackForces> in_lanes(const ForceCopies& copies) const override;  // kernel_lanes.h
  int first() const override { return items.front().item; }

  // In item order, one after the other: the sums have the same bits for any number of threads.
  void apply(const Motions& motions, const ForceContext& context, unsigned needs, Evaluation& out) const override {
    for (const Item& item : items) {
      const auto index = static_cast<std::size_t>(item.item);
      if (context.stage >= 0 && context.stages[index] != context.stage) continue;
      Load<K::dimension> load;
      const auto a = S::frame(item.a, motions), b = S::frame(item.b, motions);
      item.kernel(a, b, formulas(item, context, needs & need_energy), load);
      record(a, b, load, context.records[index]);
      if (needs & need_dynamics) {
        add(item.to_b, b.d, item.b, motions, load.force, load.torque, 1.0, out.problem.Q);
        // The opposite, at the same place: momentum and spin of both together stay.
        add(item.to_a, (a.d + (b.p - a.p)).eval(), item.a, motions, load.force, load.torque, -1.0, out.problem.Q);
      }
      out.potential += load.potential;
      out.power_dissipated += load.dissipated;
      out.power_applied += load.applied;
    }
  }

  int first_non_finite(const Motions& motions, const ForceContext& context, Place& place) const override {
    for (const Item& item : items) {
      Load<K::dimension> load;
      item.kernel(S::frame(item.a, motions), S::frame(item.b, motions), formulas(item, context, false), load);
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
  static Formulas formulas(const Item& item, const ForceContext& context, bool energy) {
    return {item.formulas, item.reads, context.t, context.quantities, energy};
  }

  static void record(const Frame2<double>& a, const Frame2<double>& b, const Load<2>& load, ForceRecord& out) {
    out.force[0] = load.force.x();
    out.force[1] = load.force.y();
    out.torque[2] = load.torque;
    out.power = load.force.dot(b.v - a.v - a.w * perp((b.p - a.p).eval())) + load.torque * (b.w - a.w);
    out.value = load.value, out.coordinate = load.coordinate, out.rate = load.rate;
  }

  static void record(const Frame3<double>& a, const Frame3<double>& b, const Load<3>& load, ForceRecord& out) {
    for (int k = 0; k < 3; ++k) out.force[k] = load.force[k], out.torque[k] = load.torque[k];
    out.power = load.force.dot(b.v - a.v - a.w.cross(b.p - a.p)) + load.torque.dot(b.w - a.w);
    out.value = load.value, out.coordinate = load.coordinate, out.rate = load.rate;
  }

  static void add(const Target& to, const Eigen::Vector2d& arm, const Anchor&, const Motions&,
                  const Eigen::Vector2d& force, double torque, double sign, Vector& Q) {
    if (to.size == 0) return;
    Q[to.begin] += sign * force.x();
    Q[to.begin + 1] += sign * force.y();
    if (to.size == 3) Q[to.begin + 2] += sign * (torque + arm.x() * force.y() - arm.y() * force.x());
  }

  static void add(const Target& to, const Eigen::Vector3d& arm, const Anchor& anchor, const Motions& m,
                  const Eigen::Vector3d& force, const Eigen::Vector3d& torque, double sign, Vector& Q) {
    if (to.size == 0) return;
    if (to.plane) {
      Q[to.begin] += sign * to.plane->col(0).dot(force);
      Q[to.begin + 1] += sign * to.plane->col(1).dot(force);
      if (to.size == 3) Q[to.begin + 2] += sign * to.plane->col(2).dot(torque + arm.cross(force));
      return;
    }
    Q.segment<3>(to.begin) += sign * force;
    if (to.size == 6)
      Q.segment<3>(to.begin + 3) += sign * (m.at3(anchor.body).R.transpose() * (torque + arm.cross(force)));
  }
};

}  // namespace mortise::mechanism
