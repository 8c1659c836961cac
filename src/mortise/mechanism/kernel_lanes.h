// The lane form of kernels (see lanes.h): groups of group.h for four copies at once.
//
// A constraint kernel has one when its body compiles for every scalar (`T` for all that depends on the frames) and it
//   has no numbers of its own, or can be compared by == and is the same in all copies, or says
//       bool like(const K&) const;               // alike but for numbers
//       template <class Get> auto in_lanes(const Get& get) const;    // itself with get(&K::number) for each number
// A force kernel has one when it says `like` and `in_lanes`; its operator() is then a template on frames, formulas (of
// t alone here) and load.
#pragma once

#include <utility>

#include "mortise/mechanism/group.h"

namespace mortise::mechanism {

template <class K>
constexpr bool gathers = requires(const K& k) {
  k.like(k);
};

// The kernel of four copies with packs for its numbers: `kernel(lane)`.
template <class Get>
auto kernel_in_lanes(const Get& kernel) {
  using K = std::decay_t<decltype(kernel(0))>;
  if constexpr (gathers<K>)
    return kernel(0).in_lanes(
        [&](double K::*number) { return gather([&](int lane) { return kernel(lane).*number; }); });
  else
    return kernel(0);
}

template <class K>
bool alike(const K& a, const K& b) {
  if constexpr (gathers<K>)
    return a.like(b);
  else if constexpr (std::is_empty_v<K>)
    return true;
  else
    return a == b;
}

// Whether items of four groups, of one type, are between the same bodies and alike but for numbers.
template <class Group, class Base>
bool all_alike(const std::array<const Base*, pack_width>& copies) {
  const auto& first = static_cast<const Group*>(copies[0])->items;
  for (const Base* copy : copies) {
    const auto& items = static_cast<const Group*>(copy)->items;
    if (items.size() != first.size()) return false;
    for (std::size_t i = 0; i < items.size(); ++i)
      if (items[i].a.body != first[i].a.body || items[i].b.body != first[i].b.body ||
          !alike(first[i].kernel, items[i].kernel))
        return false;
  }
  return true;
}

// The same item of four groups: of(lane) is that of the copy `lane`.
template <class Group, class Base>
auto item_of(const std::array<const Base*, pack_width>& copies, std::size_t i) {
  return [&copies, i](int lane) -> const typename Group::Item& {
    return static_cast<const Group*>(copies[static_cast<std::size_t>(lane)])->items[i];
  };
}

template <int Dimension>
auto carry(const PackSide& side, const PackMotions& motions) {
  if constexpr (Dimension == 2)
    return carry(side, motions.at2(side.body));
  else
    return carry(side, motions.at3(side.body));
}

// ---- constraints
// --------------------------------------------------------------------------------------------------------

template <class K>
constexpr bool constraint_has_lanes() {
  using Frame = std::conditional_t<K::dimension == 2, Frame2<Pack>, Frame3<Pack>>;
  using Rows = std::conditional_t<K::dimension == 2, Rows2<Pack, K::rows>, Rows3<Pack, K::rows>>;
  if constexpr (!gathers<K> && !std::is_empty_v<K> && !requires(const K& k) { k == k; })
    return false;
  else if constexpr (!K::driven)
    return requires(const K& k, const Frame& f, Rows& out) { k(f, f, out); };
  else if constexpr (function_count<K>() == 1)
    return requires(const K& k, const Frame& f, const formula::Jet<Pack>& jet, Rows& out) { k(f, f, jet, out); };
  else
    return requires(const K& k, const Frame& f, const std::array<formula::Jet<Pack>, function_count<K>()>& jets,
                    Rows& out) {
      k(f, f, jets, out);
    };
}

template <class K>
class KernelLanes final : public PackConstraints {
 public:
  using Group = KernelGroup<K>;
  using Hold = typename Group::S::template Hold<K>;
  using Rows = std::conditional_t<K::dimension == 2, Rows2<Pack, K::rows>, Rows3<Pack, K::rows>>;
  using Kernel = decltype(kernel_in_lanes(std::declval<const K& (&)(int)>()));
  static constexpr std::size_t count = function_count<K>();

  explicit KernelLanes(const ConstraintCopies& copies) {
    for (std::size_t i = 0; i < static_cast<const Group*>(copies[0])->items.size(); ++i) {
      const auto of = item_of<Group>(copies, i);
      Item item{kernel_in_lanes([&](int lane) -> const K& { return of(lane).kernel; }),
                gather_side([&](int lane) -> const Hold& { return of(lane).a; },
                            [&](int lane) { return of(lane).to_a.plane; }, of(0).to_a.offset, of(0).to_a.size),
                gather_side([&](int lane) -> const Hold& { return of(lane).b; },
                            [&](int lane) { return of(lane).to_b.plane; }, of(0).to_b.offset, of(0).to_b.size),
                of(0).row,
                {}};
      for (std::size_t k = 0; k < count; ++k)
        for (int lane = 0; lane < pack_width; ++lane)
          item.functions[k][index(lane)] = static_cast<const Group*>(copies[index(lane)])->rests[i].functions[k];
      items_.push_back(item);
    }
  }

  void evaluate(const PackMotions& motions, double t, PackEvaluation& out) const override {
    for (const Item& item : items_) {
      Rows rows;
      const auto a = carry<K::dimension>(item.a, motions), b = carry<K::dimension>(item.b, motions);
      if constexpr (count == 0) {
        item.kernel(a, b, rows);
      } else if constexpr (count == 1) {
        item.kernel(a, b, jet(item.functions[0], t), rows);
      } else {
        std::array<formula::Jet<Pack>, count> jets;
        for (std::size_t k = 0; k < count; ++k) jets[k] = jet(item.functions[k], t);
        item.kernel(a, b, jets, rows);
      }
      for (int k = 0; k < K::rows; ++k) {
        const auto j = static_cast<std::size_t>(k), row = static_cast<std::size_t>(item.row + k);
        out.phi[row] = K::info[j].kind == gauss::RowKind::holonomic ? rows.phi[j] : Pack(0);
        out.c_t[row] = rows.time[j];
        out.b[row] = -rows.bias[j];
        write(rows.a, j, item.a, motions, out.A.data() + item.a.offset + k * item.a.size);
        write(rows.b, j, item.b, motions, out.A.data() + item.b.offset + k * item.b.size);
      }
    }
  }

 private:
  using Functions = std::array<formula::Expression, pack_width>;
  struct Item {
    Kernel kernel;
    PackSide a, b;
    int row;
    std::array<Functions, count> functions;
  };

  static formula::Jet<Pack> jet(const Functions& f, double t) {
    const double one = 1;
    formula::Jet<Pack> out;
    for (int lane = 0; lane < pack_width; ++lane) {
      const formula::Jet<double> at = f[static_cast<std::size_t>(lane)].along({&t, 1}, {&one, 1}, {});
      out.value.set(lane, at.value);
      out.first.set(lane, at.first);
      out.second.set(lane, at.second);
    }
    return out;
  }

  // The columns of a side as its body has them: see Space::write.
  template <class Side>
  static void write(const Side& rows, std::size_t k, const PackSide& to, const PackMotions& m, Pack* out) {
    if (to.size == 0) return;
    if constexpr (K::dimension == 2) {
      out[0] = rows.r[k].x();
      out[1] = rows.r[k].y();
      if (to.size == 3) out[2] = rows.w[k];
    } else if (to.in_plane) {
      out[0] = to.plane.col(0).dot(rows.r[k]);
      out[1] = to.plane.col(1).dot(rows.r[k]);
      if (to.size == 3) out[2] = to.plane.col(2).dot(rows.w[k]);
    } else {
      for (int i = 0; i < 3; ++i) out[i] = rows.r[k][i];
      if (to.size == 6)
        for (int i = 0; i < 3; ++i) out[3 + i] = m.at3(to.body).R.col(i).dot(rows.w[k]);
    }
  }

  std::vector<Item> items_;
};

template <class K>
std::unique_ptr<PackConstraints> KernelGroup<K>::in_lanes([[maybe_unused]] const ConstraintCopies& copies) const {
  if constexpr (!constraint_has_lanes<K>()) {
    return nullptr;
  } else {
    if (!all_alike<KernelGroup>(copies)) return nullptr;
    return std::make_unique<KernelLanes<K>>(copies);
  }
}

// ---- forces
// -------------------------------------------------------------------------------------------------------------

// Formulas of t of one item, in four copies.
class PackFormulas {
 public:
  using Copies = std::array<formula::Expression, pack_width>;
  PackFormulas(const std::vector<Copies>& formulas, double t) : formulas_(formulas), t_(t) {}
  Pack operator()(std::size_t k) const {
    return gather([&](int lane) { return formulas_[k][static_cast<std::size_t>(lane)].value({&t_, 1}); });
  }

 private:
  const std::vector<Copies>& formulas_;
  double t_;
};

template <class K>
class KernelForceLanes final : public PackForces {
 public:
  using Group = KernelForces<K>;
  using Kernel = decltype(kernel_in_lanes(std::declval<const K& (&)(int)>()));

  explicit KernelForceLanes(const ForceCopies& copies) {
    for (std::size_t i = 0; i < static_cast<const Group*>(copies[0])->items.size(); ++i) {
      const auto of = item_of<Group>(copies, i);
      Item item{kernel_in_lanes([&](int lane) -> const K& { return of(lane).kernel; }),
                gather_side([&](int lane) -> const Anchor& { return of(lane).a; },
                            [&](int lane) { return of(lane).to_a.plane; }, of(0).to_a.begin, of(0).to_a.size),
                gather_side([&](int lane) -> const Anchor& { return of(lane).b; },
                            [&](int lane) { return of(lane).to_b.plane; }, of(0).to_b.begin, of(0).to_b.size),
                std::vector<PackFormulas::Copies>(of(0).formulas.size())};
      for (std::size_t k = 0; k < item.formulas.size(); ++k)
        for (int lane = 0; lane < pack_width; ++lane)
          item.formulas[k][static_cast<std::size_t>(lane)] = of(lane).formulas[k].expression;
      items_.push_back(item);
    }
  }

  void apply(const PackMotions& motions, double t, PackEvaluation& out) const override {
    for (const Item& item : items_) {
      Load<K::dimension, Pack> load;
      const auto a = carry<K::dimension>(item.a, motions), b = carry<K::dimension>(item.b, motions);
      item.kernel(a, b, PackFormulas(item.formulas, t), load);
      add(item.b, b.d, motions, load, Pack(1), out.Q.data());
      add(item.a, (a.d + (b.p - a.p)).eval(), motions, load, Pack(-1), out.Q.data());
      out.potential += load.potential;
      out.dissipated += load.dissipated;
      out.applied += load.applied;
    }
  }

 private:
  struct Item {
    Kernel kernel;
    PackSide a, b;
    std::vector<PackFormulas::Copies> formulas;
  };

  // As KernelForces::add.
  template <class Arm>
  static void add(const PackSide& to, const Arm& arm, const PackMotions& m, const Load<K::dimension, Pack>& load,
                  const Pack& sign, Pack* Q) {
    if (to.size == 0) return;
    Q += to.offset;
    if constexpr (K::dimension == 2) {
      Q[0] += sign * load.force.x();
      Q[1] += sign * load.force.y();
      if (to.size == 3) Q[2] += sign * (load.torque + arm.x() * load.force.y() - arm.y() * load.force.x());
    } else {
      const Vec3<Pack> torque = load.torque + arm.cross(load.force);
      if (to.in_plane) {
        Q[0] += sign * to.plane.col(0).dot(load.force);
        Q[1] += sign * to.plane.col(1).dot(load.force);
        if (to.size == 3) Q[2] += sign * to.plane.col(2).dot(torque);
        return;
      }
      for (int i = 0; i < 3; ++i) Q[i] += sign * load.force[i];
      if (to.size == 6)
        for (int i = 0; i < 3; ++i) Q[3 + i] += sign * m.at3(to.body).R.col(i).dot(torque);
    }
  }

  std::vector<Item> items_;
};

template <class K>
std::unique_ptr<PackForces> KernelForces<K>::in_lanes([[maybe_unused]] const ForceCopies& copies) const {
  if constexpr (!gathers<K>) {
    return nullptr;
  } else {
    if (!all_alike<KernelForces>(copies)) return nullptr;
    return std::make_unique<KernelForceLanes<K>>(copies);
  }
}

}  // namespace mortise::mechanism
