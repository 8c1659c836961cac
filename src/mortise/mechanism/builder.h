// What a part's file sees while a Model is compiled: bodies by name, frames on them, and where to put its kernels.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <typeindex>
#include <unordered_map>

#include "mortise/mechanism/coupling.h"
#include "mortise/mechanism/kernel_lanes.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

using model::ItemCopy;

struct NameLookup;

// What a constraint offers to drivers and quantities.
struct Offers {
  bool angle = false, length = false, slides = false;
};

// What a force offers to quantities, and the quantities that its kernel reads itself (Formulas::read).
struct ForceTraits {
  ForceScalar scalar = ForceScalar::none;
  const char* coordinate = nullptr;
  std::vector<model::QuantityName> reads{};
};

class Builder {
 public:
  explicit Builder(Mechanism& mechanism) : mechanism_(mechanism) {}

  bool planar() const { return mechanism_.dimension() == 2; }
  const Mechanism& mechanism() const { return mechanism_; }  // as far as it is built
  const ItemRef& current() const { return current_; }

  void add_body(const ItemCopy& item, bool particle);

  int body(const std::string& name, const Place& place) const;  // index, or `ground`
  // A frame on a body at a world point with world axes, both taken at the pose as modelled.
  Anchor anchor_at(int body, const Eigen::Vector3d& point_W, const Eigen::Matrix3d& axes_W) const;
  // The point or frame an attachment names (the body's origin when it names none); axes as the frame's, else the
  // body's.
  Anchor anchor(const model::Attachment& attachment) const;

  // The two anchors of a joint, from `between` with `at`, `points` or named points and frames, and the axes from
  // `axis` (+ `in`) or the named frames; z of the joint frame is the axis (planar: x is). In space `angle`, where
  // given, turns the second frame about z so that the joint angle begins with it.
  enum class Axis { none, z, x };
  std::array<Anchor, 2> joint_anchors(const ItemCopy& item, Axis axis, bool place_required = true) const;
  // The two points of `between`, moved by `points` where given: for distances and springs.
  std::array<Anchor, 2> two_points(const ItemCopy& item) const;
  Eigen::Vector3d modelled_point(const Anchor& anchor) const;  // world, at the pose as modelled
  double modelled_angle(const Anchor& anchor) const;           // planar
  Eigen::Matrix3d modelled_axes(const Anchor& anchor) const;   // world, at the pose as modelled
  bool names_frames(const ItemCopy& item) const;               // both ends of `between`
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
                      const formula::Expression* functions = nullptr, const Place& place = {}) {
    using Group = KernelGroup<K>;
    check_pair(item, a, b);
    Constraint record;
    record.a = a, record.b = b;
    record.rows = K::rows;
    record.driver = K::driven;
    record.measures_angle = offers.angle, record.measures_length = offers.length, record.slides = offers.slides;
    for (const RowInfo& info : K::info) record.row_names.push_back(info.name);
    lay_out(item, std::span<const RowInfo>(K::info), record);
    using Hold = typename Group::S::template Hold<K>;
    using To = typename Group::S::To;
    put<Group>({kernel, Hold(a), Hold(b), To(record.to_a), To(record.to_b), record.row, constraint_count() - 1});
    typename Group::Rest rest{{}, place};
    if (functions) std::copy_n(functions, function_count<K>(), rest.functions.begin());
    group<Group>(constraint_groups_, mechanism_.constraint_groups_).rests.push_back(std::move(rest));
  }

  template <class K>
  void add_force(const ItemCopy& item, const K& kernel, const Anchor& a, const Anchor& b,
                 const std::vector<model::Function>& functions = {}, const Place& place = {},
                 const ForceTraits& traits = {}) {
    using Group = KernelForces<K>;
    const int index = static_cast<int>(mechanism_.forces_.size());
    mechanism_.forces_.push_back({current_, traits.scalar, traits.coordinate});
    force_index_[item.name()] = index;
    typename Group::Item entry{kernel, a, b, target(a.body), target(b.body), index, {}, {}, place};
    for (const model::Function& f : functions) entry.formulas.push_back({f.expression, use(f, index)});
    for (const model::QuantityName& name : traits.reads) entry.reads.push_back(use(name, index));
    if (!place.known()) entry.place = item.place();
    group<Group>(force_groups_, mechanism_.force_groups_).items.push_back(std::move(entry));
  }

  // A force that is more than a kernel between two frames: an entry in the list of forces, returning its number, and
  // the group (one of each type) that applies it.
  int add_force_entry(const ItemCopy& item, const ForceTraits& traits);
  template <class Group>
  Group& force_group() {
    return group<Group>(force_groups_, mechanism_.force_groups_);
  }

  [[noreturn]] static void fail(const std::string& code, const std::string& message, const Place& place,
                                const std::string& hint = {});

  // A formula that is there, or the constant 0.
  static model::Function formula(const ItemCopy& item, std::string_view field);
  // Uses neither t nor quantities: the force of a spring that stores what it is given.
  static bool is_of_own_variable(const model::Function& function) {
    return function.quantities.empty() && !function.expression.uses(0);
  }
  // The joint of a field, which must have a coordinate of the kind.
  enum class Coordinate { angle, displacement, length };
  const Constraint& joint_with(const ItemCopy& item, Coordinate kind) const;

  // Events (builder_events.cpp). A new one, with its `slots` numbers in State::inputs, all 0 at the start.
  Event& add_event(int slots);
  int event_count() const;
  bool is_velocity_row(int row) const;
  int constraint(const std::string& name, const Place& place) const;  // of a joint or driver
  // Rows added until the next item are those of an event: off at the start, their names end with `part`.
  void begin_event_rows(const char* part);
  const Constraint& last_constraint() const { return mechanism_.constraints_.back(); }
  // A slot for each row of a constraint, where the φ to be held is kept.
  void hold_here(int constraint);
  // Sliding friction through the velocity rows of the event (kind slip) that was added last.
  void add_row_friction(const ItemCopy& item, const model::Function& normal, double coefficient, const char* part);

  void set_current(ItemRef ref) { current_ = ref, rows_off_ = false; }
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
  // Puts the kernel of the constraint that was laid out last into its group.
  template <class Group>
  void put(typename Group::Item entry) {
    Group& into = group<Group>(constraint_groups_, mechanism_.constraint_groups_);
    mechanism_.constraints_.back().group = &into;
    mechanism_.constraints_.back().slot = static_cast<int>(into.items.size());
    into.items.push_back(std::move(entry));
  }

  int constraint_count() const { return static_cast<int>(mechanism_.constraints_.size()); }
  void check_pair(const ItemCopy& item, const Anchor& a, const Anchor& b) const;
  void lay_out(const ItemCopy& item, std::span<const RowInfo> info, Constraint& record);
  // One row over the bodies of `terms`: fills the record and the shared part of the group's item.
  void lay_out_terms(const ItemCopy& item, const std::vector<Measured>& terms, const std::vector<double>& sizes,
                     gauss::RowKind kind, const char* name, const Place& place, SharedRow& shared);
  Target target(int body) const;
  // The numbers of the quantities that a force uses in the mechanism's list.
  int use(const model::QuantityName& quantity, int force);
  std::vector<int> use(const model::Function& function, int force);
  void resolve_quantities();
  void resolve_events();
  void resolve_output();
  NameLookup name_lookup() const;
  void order_forces();
  [[noreturn]] void fail_circle(const std::vector<int>& path, int again) const;

  Mechanism& mechanism_;
  ItemRef current_;
  bool rows_off_ = false;
  std::unordered_map<std::string, int> body_index_, constraint_index_, force_index_;
  std::vector<model::QuantityName> used_;  // quantities in formulas, each once, with the place of its first use
  std::unordered_map<std::string, int> used_index_;
  struct Use {
    int quantity;
    Place place;
  };
  std::vector<std::vector<Use>> uses_;  // of each force
  std::map<std::type_index, ConstraintGroup*> constraint_groups_;
  std::map<std::type_index, ForceGroup*> force_groups_;
};

}  // namespace mortise::mechanism
