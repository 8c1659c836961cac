// What a part's file sees while a Model is compiled: bodies by name, frames on them, and where to put its kernels.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>

#include "mortise/mechanism/coupling.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

using model::ItemCopy;

// What a constraint offers to drivers and quantities.
struct Offers {
  bool angle = false, length = false, slides = false;
};

class Builder {
 public:
  explicit Builder(Mechanism& mechanism) : mechanism_(mechanism) {}

  bool planar() const { return mechanism_.dimension() == 2; }

  void add_body(const ItemCopy& item, bool particle);

  int body(const std::string& name, const Place& place) const;  // index, or `ground`
  // A frame on a body at a world point with world axes, both taken at the pose as modelled.
  Anchor anchor_at(int body, const Eigen::Vector3d& point_W, const Eigen::Matrix3d& axes_W) const;
  // The point or frame an attachment names (the body's origin when it names none); axes as the frame's, else the
  // body's.
  Anchor anchor(const model::Attachment& attachment) const;

  // The two anchors of a joint, from `between` with `at`, `points` or named points and frames, and the axes from
  // `axis` (+ `in`) or the named frames; z of the joint frame is the axis (planar: x is).
  enum class Axis { none, z, x };
  std::array<Anchor, 2> joint_anchors(const ItemCopy& item, Axis axis, bool place_required = true) const;
  // The two points of `between`, moved by `points` where given: for distances and springs.
  std::array<Anchor, 2> two_points(const ItemCopy& item) const;
  Eigen::Vector3d modelled_point(const Anchor& anchor) const;  // world, at the pose as modelled
  double modelled_angle(const Anchor& anchor) const;           // planar
  void require_orientation(const ItemCopy& item, const Anchor& anchor, std::string_view field) const;
  // World direction of a field at the pose as modelled, honouring `in: world | first | second`.
  Eigen::Vector3d direction(const ItemCopy& item, std::string_view field, const Eigen::Vector3d& fallback) const;

  // A joint that a driver, spring or quantity refers to.
  const Constraint& joint(const ItemCopy& item, std::string_view field) const;

  const Constraint& joint(const std::string& name, const Place& place) const;

  // What a name stands for among terms of couplings and in formulas of rows. Coordinates: joint.angle,
  // joint.displacement, joint.distance, body.x, body.point.x, body.angle (planar). Velocities, where asked for:
  // body.vx, body.point.vx, body.wz (and wx, wy in space), and the rates of coordinates under the name of these.
  enum class Names { coordinates, rates };
  Measured measured(const std::string& name, Names which, const Place& place) const;
  double modelled_value(const Measured& measured) const;  // at the pose as modelled; 0 for what is a velocity only

  // A row over the bodies of all its terms. `sizes`: the coefficients (or typical values of them), for the scale of
  // the row; the first term gives the row its unit.
  void add_coupling(const ItemCopy& item, const std::vector<Measured>& terms, const std::vector<double>& coefficients,
                    bool holonomic, double constant, double period, const formula::Expression& function = {},
                    const Place& place = {});
  void add_user_row(const ItemCopy& item, const std::vector<Measured>& terms,
                    const std::vector<formula::Expression>& coefficients, const formula::Expression& constant,
                    const std::vector<Measured>& coordinates, const std::vector<Measured>& constant_coordinates,
                    const Place& place);

  template <class K>
  void add_constraint(const ItemCopy& item, const K& kernel, const Anchor& a, const Anchor& b, Offers offers = {},
                      const formula::Expression* function = nullptr, const Place& place = {}) {
    using Group = KernelGroup<K>;
    check_pair(item, a, b);
    Constraint record;
    record.a = a, record.b = b;
    record.rows = K::rows;
    record.driver = K::driven;
    record.measures_angle = offers.angle, record.measures_length = offers.length, record.slides = offers.slides;
    for (const RowInfo& info : K::info) record.row_names.push_back(info.name);
    lay_out(item, std::span<const RowInfo>(K::info), record);
    typename Group::Item entry{kernel, a, b, record.to_a, record.to_b, record.row, constraint_count() - 1, {}, place};
    if (function) entry.function = *function;
    group<Group>(constraint_groups_, mechanism_.constraint_groups_).items.push_back(std::move(entry));
  }

  template <class K>
  void add_force(const ItemCopy& item, const K& kernel, const Anchor& a, const Anchor& b,
                 std::span<const formula::Expression> functions = {}, const Place& place = {}) {
    using Group = KernelForces<K>;
    mechanism_.forces_.push_back({current_});
    typename Group::Item entry{
        kernel, a, b, target(a.body), target(b.body), static_cast<int>(mechanism_.forces_.size()) - 1, {}, 0, place};
    for (const formula::Expression& f : functions)
      entry.functions[static_cast<std::size_t>(entry.function_count++)] = f;
    if (!place.line) entry.place = item.place();
    group<Group>(force_groups_, mechanism_.force_groups_).items.push_back(std::move(entry));
  }

  [[noreturn]] static void fail(const std::string& code, const std::string& message, const Place& place,
                                const std::string& hint = {});

  void set_current(ItemRef ref) { current_ = ref; }
  void finish();

 private:
  template <class Group, class Base>
  Group& group(std::map<std::type_index, Base*>& index, std::vector<std::unique_ptr<Base>>& all) {
    Base*& found = index[typeid(Group)];
    if (!found) {
      all.push_back(std::make_unique<Group>());
      found = all.back().get();
    }
    return static_cast<Group&>(*found);
  }

  static void check_in_plane(const ItemCopy& item, const Body& body, const char* field, const Eigen::Vector3d& allowed,
                             const Eigen::Vector3d& given);
  int constraint_count() const { return static_cast<int>(mechanism_.constraints_.size()); }
  void check_pair(const ItemCopy& item, const Anchor& a, const Anchor& b) const;
  void lay_out(const ItemCopy& item, std::span<const RowInfo> info, Constraint& record);
  // One row over the bodies of `terms`: fills the record and the shared part of the group's item.
  void lay_out_terms(const ItemCopy& item, const std::vector<Measured>& terms, const std::vector<double>& sizes,
                     gauss::RowKind kind, const char* name, const Place& place, SharedRow& shared);
  Target target(int body) const;

  Mechanism& mechanism_;
  ItemRef current_;
  std::unordered_map<std::string, int> body_index_, constraint_index_;
  std::map<std::type_index, ConstraintGroup*> constraint_groups_;
  std::map<std::type_index, ForceGroup*> force_groups_;
};

}  // namespace mortise::mechanism
