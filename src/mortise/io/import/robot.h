// A robot as foreign formats describe it, a tree of links, and its way into a model.
//
// A link hangs on its parent by joints in a row (MJCF allows several; URDF has one), by none (welded), or is free. What
// becomes of it:
//
//   mass                      a body. Welded to its parent: with a `fixed` joint
//   no mass, welded           a frame of the body that carries it
//   no mass, with joints      it takes the mass of links that are welded to it, which become its frames; where there is
//                             none it stays without, and the formulation is one that can do that (least-squares-2)
//   several joints in a row   carriers without mass between them, so that every joint keeps its name and coordinate
//
// Coordinates are those of the file: a joint has the value `reference` where the file draws it and `value` at t = 0;
// poses and velocities at t = 0 follow by forward kinematics. O(links).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mortise/io/import/draft.h"

namespace mortise::io {

struct Inertia {
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  // in link axes
  Eigen::Matrix3d tensor = Eigen::Matrix3d::Zero();  // about the centre, in the axes of `frame`, tensor sign
  geometry::Quaternion frame;                        // axes of the tensor in link axes
  Place place;
};

// The sum of two bodies that are held together, in the axes of the link.
Inertia operator+(const Inertia& a, const Inertia& b);
Inertia moved(const Inertia& inertia, const Pose& pose);  // of a body that stands at `pose` in the new axes

enum class JointKind { revolute, prismatic, spherical, planar };

struct RobotJoint {
  std::string name;  // in the model
  JointKind kind = JointKind::revolute;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();     // in link axes
  Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();  // in link axes, of length 1
  double reference = 0, value = 0, rate = 0;
  geometry::Quaternion turn;                       // of a spherical joint at t = 0, beyond the drawing
  Eigen::Vector3d spin = Eigen::Vector3d::Zero();  // of a spherical joint, in link axes
  Place place;

  std::string coordinate() const;  // "elbow.angle", "lift.displacement"; "" of spherical ones
  std::string rate_name() const;
};

struct RobotLink {
  std::string name;   // as in the file
  int parent = -1;    // -1: the world
  Pose pose;          // in the parent's axes, joints at their reference
  bool free = false;  // no joint at all
  std::vector<RobotJoint> joints;
  std::optional<Inertia> inertia;
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), spin = Eigen::Vector3d::Zero();  // of a free one, world axes
  std::optional<Pose> start;  // of a free one, at t = 0; default: as drawn on its parent
  Place place;
};

// What a link has become: a body and the pose of the link in it; "ground" is a body.
struct LinkBody {
  std::string body = "ground";
  Pose pose;
};

class Robot {
 public:
  std::vector<RobotLink> links;  // parents before children

  // Writes bodies and joints. Afterwards:
  void write(Draft& draft);
  LinkBody body(int link) const { return link < 0 ? LinkBody{} : bodies_[static_cast<std::size_t>(link)]; }
  Pose reference(int link) const;  // in the world, joints at their references: as drawn
  Pose start(int link) const;      // in the world at t = 0
  // Where a joint is, for forces along it: bodies, points and axes on both sides.
  struct Ends {
    std::string first, second;
    Eigen::Vector3d point_first, point_second, axis_first, axis_second;
  };
  const Ends& ends(const std::string& joint) const { return ends_.at(joint); }
  bool massless() const { return massless_; }

 private:
  struct Motion {
    Pose pose;
    Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
  };
  void merge_masses(Draft& draft);
  void write_body(Draft& draft, const std::string& name, const Motion& motion, const Inertia& inertia,
                  const Place& place) const;
  void write_link(std::size_t k, Draft& draft);
  void write_joint(Draft& draft, const RobotJoint& joint, const LinkBody& first, const Pose& drawn,
                   const std::string& second);

  std::vector<LinkBody> bodies_;
  std::vector<Motion> motions_;
  std::vector<char> merged_;
  std::map<std::string, Ends> ends_;
  bool massless_ = false;
};

// A generalised force on the coordinate of a joint, given as a formula: a torque about the axis of a revolute joint,
// two opposite forces along that of a prismatic one.
void add_joint_force(Draft& draft, const Robot& robot, const RobotJoint& joint, const std::string& name,
                     const std::string& formula, const Place& place);

// Viscous and dry friction in a joint (regularised below 1 mm/s or mrad/s); nothing where both are zero.
void add_joint_friction(Draft& draft, const RobotJoint& joint, double damping, double dry, const Place& place);

// Stops at the ends of a joint's range. Ends beyond half a turn, which an angle in space cannot have, are left out with
// a note.
void add_joint_limits(Draft& draft, const RobotJoint& joint, const std::optional<double>& lower,
                      const std::optional<double>& upper, const Place& place);

}  // namespace mortise::io
