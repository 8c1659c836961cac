// A mechanism: bodies, joints, drivers and forces compiled from a Model into flat arrays; a System.
//
// State of a body (index order):  particle: position; planar rigid: x, y, angle; spatial rigid: position of the centre
// of mass, unit quaternion (w, x, y, z). Velocities: of the centre of mass in world axes, then the angular velocity
// (spatial: body axes). A spatial body held in a plane has the coordinates of a planar one, in that plane: joints see
// no difference. The mass matrix is block diagonal and constant.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mortise/mechanism/moving_bodies.h"
#include "mortise/model/model.h"
#include "mortise/system/system.h"

namespace mortise::mechanism {

// Which item of the model, and which of its copies: names are made on demand. `part` ends the name where one item makes
// several things ("stop-lower" of the event "stop").
struct ItemRef {
  int item = 0;
  int copy = 0;
  const char* part = "";
};

struct Body {
  ItemRef ref;
  bool particle = false;
  bool flat = false;  // coordinates x, y (and angle): of a planar model, or of a spatial body held in a plane
  const Eigen::Matrix3d* plane = nullptr;  // that plane in space: two directions and the normal, as columns
  double height = 0;                       // of the centre of mass along the normal
  double mass = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  // about the centre of mass, body axes; planar: (2,2)
  Eigen::Vector3d center = Eigen::Vector3d::Zero();   // of mass, from the user's origin, body axes
  int q = 0, v = 0;                                   // offsets in the state
  Eigen::Vector3d at = Eigen::Vector3d::Zero();       // as modelled: the user's origin
  geometry::Quaternion orientation;                   // as modelled
  double angle = 0;                                   // as modelled, planar
  std::vector<model::PointOnBody> points;
  std::vector<model::FrameOnBody> frames;

  int translations() const { return flat ? 2 : 3; }
  bool has_quaternion() const { return !flat && !particle; }
  int v_size() const { return particle ? translations() : flat ? 3 : 6; }
  int q_size() const { return v_size() + has_quaternion(); }
};

// A body and its columns in the rows of a constraint.
struct Involved {
  int body = ground;
  Columns to;
};

// A joint or driver: its rows and the two frames, for reactions, joint coordinates and messages. Where the rows are
// over any number of bodies (a gear, a coupling, a row of the user's), `bodies` lists those that move, each once, and
// `b` is where the reaction is reported: on the body of the last term.
struct Constraint {
  ItemRef ref;
  int row = 0, rows = 0;
  Anchor a, b;
  Columns to_a, to_b;
  const ConstraintGroup* group = nullptr;  // where its kernel is, and at which place there
  int slot = 0;
  bool driver = false;
  // What a driver, spring or quantity can ask of it: an angle, a length or coordinate, a displacement along the axis.
  bool measures_angle = false, measures_length = false, slides = false;
  std::vector<const char*> row_names;
  std::vector<Involved> bodies;  // empty: those of a and b

  bool over_several() const { return !bodies.empty(); }
};

// What `FORCE.force` or `FORCE.torque` means: a signed number along a line or axis, else the length of the vector.
enum class ForceScalar { none, force, torque };

struct Force {
  ItemRef ref;
  ForceScalar scalar = ForceScalar::none;
  const char* coordinate = nullptr;  // "length", "angle", …: what it measures, and its rate
};

geometry::Quaternion orientation_of(const Body& body, ConstSpan q);    // spatial, at a state
geometry::Quaternion turned_in_plane(const Body& body, double angle);  // of one held in a plane

// Of a body's centre of mass, and angular; world axes.
struct Acceleration3 {
  Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = Eigen::Vector3d::Zero();
};

struct Quantity;
struct Event;

// The Grübler count and what enters it.
struct Count {
  int bodies = 0, joints = 0, drivers = 0, forces = 0;
  int coordinates = 0, rows = 0;
  int gruebler() const { return coordinates - rows; }
};

class PartList;

// All that one instant tells: what named quantities are computed from. What is not known is left empty.
struct Instant {
  double t = 0;
  const Motions* motions = nullptr;
  ConstSpan q, v, work, inputs;
  ConstSpan a, reaction;  // of the solution (`reaction` as `Mechanism::reactions` writes it)
  std::span<const ForceRecord> forces;
  double kinetic = 0, potential = 0;
  double position_error = 0, velocity_error = 0, acceleration_error = 0;
};

class Mechanism final : public System {
 public:
  // Throws ModelError for what only the whole model shows (a joint between a body and itself, axes that are not
  // perpendicular, a particle asked for an angle, …).
  static std::unique_ptr<Mechanism> compile(std::shared_ptr<const model::Model> model);
  // The same with parts of one's own: the list whose catalogue the model was read with.
  static std::unique_ptr<Mechanism> compile(std::shared_ptr<const model::Model> model, const PartList& parts);

  const model::Model& model() const { return *model_; }
  int dimension() const { return model_->dimension; }
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  const std::vector<Force>& forces() const { return forces_; }
  const std::vector<Event>& events() const { return *events_; }  // mechanism/event.h
  Count count() const;
  std::string name(const ItemRef& ref) const;
  Place place(const ItemRef& ref) const;
  int find_body(const std::string& name) const;        // −1: none
  int find_constraint(const std::string& name) const;  // −1: none
  int find_force(const std::string& name) const;       // −1: none
  int find_event(const std::string& name) const;       // −1: none

  // The state as the model gives it: not assembled.
  State initial_state() const;
  // Which velocity components the model states: assembly keeps them where the constraints allow.
  const std::vector<unsigned char>& stated_velocities() const { return stated_velocity_; }
  double characteristic_length() const { return length_; }

  // Motions of all bodies at a state.
  void motions(ConstSpan q, ConstSpan v, Motions& out) const;
  // Force and torque of each joint and driver on its second body at its point, world axes: 6 numbers a constraint
  // (spatial), 3 (planar: fx, fy, torque).
  void reactions(const Motions& motions, double t, ConstSpan lambda, Span out) const;
  void reaction(int constraint, const Motions& motions, double t, ConstSpan lambda, Span out) const;
  // The same for any body of any constraint: what its rows do to the body as a whole, at a point of the body.
  Wrench reaction_on(const Constraint& constraint, const Anchor& at, const Motions& motions, double t,
                     ConstSpan lambda) const;
  // What each force does at an instant of which everything but `forces` is known; kept in the scratch.
  std::span<const ForceRecord> force_records(const Instant& instant, Scratch& scratch) const;
  // Those of `output: quantities:`.
  const std::vector<Quantity>& output_quantities() const { return output_; }
  // Those of `output: bodies:` and `joints:`, in the order of the model; they count where `output.restricted`.
  const std::vector<int>& output_bodies() const { return output_bodies_; }
  const std::vector<int>& output_joints() const { return output_joints_; }
  // Pose, velocity and acceleration of the users' body frames (see analysis::Frame).
  void poses(const Motions& motions, ConstSpan q, Span out) const;
  void velocities(const Motions& motions, Span out) const;
  void accelerations(const Motions& motions, ConstSpan a, Span out) const;
  Acceleration3 acceleration(int body, const Motion3<double>& motion, ConstSpan a) const;  // spatial models

  // System
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return q_size_; }
  ~Mechanism() override;
  std::unique_ptr<Scratch> make_scratch() const override;
  void evaluate(const State&, unsigned needs, Scratch&, Evaluation&) const override;
  Vector initial_inputs() const override;
  int feedback_size() const override { return static_cast<int>(feedback_.size()); }
  void feedback(const State&, ConstSpan a, ConstSpan lambda, Scratch&, const Evaluation&, Span z) const override;
  void add_feedback(const State&, ConstSpan z, unsigned needs, Scratch&, Evaluation&) const override;
  void feedback_sizes(Span z) const override;
  std::string feedback_name(int k) const override;
  void qdot(ConstSpan q, ConstSpan v, Span out) const override;
  void tangent(ConstSpan q, ConstSpan qdot, Span v) const override;
  void retract(ConstSpan q, ConstSpan dv, Span out) const override;
  void cayley(ConstSpan q, ConstSpan dv, Span out) const override;
  double largest_spin(ConstSpan v) const override;
  bool normalize(Span q) const override;
  void typical_sizes(Span q, Span v) const override;
  double typical_energy() const override;
  std::string row_name(int row) const override;
  std::string block_name(int block) const override;
  SolveReport blame_non_finite(const State&) const override;

 private:
  friend class Builder;
  friend class PackMechanism;
  Mechanism();
  void apply_stages(int begin, int end, Instant& instant, struct MechanismScratch&, unsigned needs,
                    Evaluation& out) const;

  std::shared_ptr<const model::Model> model_;
  std::vector<Body> bodies_;
  std::vector<PlanarBody> planar_;      // all bodies of a planar model
  std::vector<SpatialBody> spatial_;    // of a spatial one
  std::deque<Eigen::Matrix3d> planes_;  // of bodies held in one; their addresses stay
  std::vector<Constraint> constraints_;
  std::vector<std::unique_ptr<ConstraintGroup>> constraint_groups_;
  std::vector<std::unique_ptr<ForceGroup>> force_groups_;
  std::vector<Force> forces_;
  std::unique_ptr<std::vector<Event>> events_;
  Vector event_inputs_;         // what events remember, at the start: State::inputs behind those of the model
  std::vector<int> hold_slot_;  // of each row: where State::inputs has the φ that is held; −1: 0 is
  bool holds_ = false;          // any of them is not −1
  bool row_friction_ = false;   // some force acts through rows that are off
  // Quantities that forces use. One of a later stage is that of a force of the stage before, or of the solution: forces
  // from `feedback_stage_` on are left to `add_feedback`, which gets the values of the quantities `feedback_` (z).
  std::vector<Quantity> used_, output_;
  std::vector<int> output_bodies_, output_joints_;
  std::vector<int> used_stage_, force_stage_;
  std::vector<int> feedback_, feedback_constraints_;
  int feedback_stage_ = 1, stages_ = 1;
  bool uses_potential_ = false;
  std::vector<int> row_constraint_;  // row → index of its constraint
  std::vector<unsigned char> initially_active_;
  std::vector<unsigned char> stated_velocity_;
  gauss::Pattern pattern_;
  Vector mass_;                   // values of M
  std::uint64_t mass_stamp_ = 0;  // another one for each mechanism
  Vector initial_v_;
  int q_size_ = 0;
  double length_ = 1, speed_ = 1;  // typical
};

}  // namespace mortise::mechanism
