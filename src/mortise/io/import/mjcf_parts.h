// What the files of the MJCF reader share: settings of the compiler, defaults by class, the tree with its names.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mortise/io/import/formats.h"
#include "mortise/io/import/values.h"

namespace mortise::io {

// `<default class="…">` in a tree: an attribute that an element does not have is looked for in its class, then in the
// classes around that. What is found is marked as used.
class MjcfDefaults {
 public:
  void read(const XmlElement& root);
  // The class of an element: its own attribute, else `inherited` (childclass), else the outermost. M706 if unknown.
  std::string class_of(const XmlElement& element, const std::string& inherited) const;
  void check_class(const XmlAttribute& attribute) const;
  const XmlAttribute* find(const XmlElement& element, const std::string& of_class, std::string_view name) const;

 private:
  struct Class {
    std::string parent;
    const XmlElement* element = nullptr;
  };
  void read_class(const XmlElement& element, const std::string& parent);

  std::unordered_map<std::string, Class> classes_;
  std::string outermost_ = "main";
};

// An element with its defaults: the way all attributes of MJCF are read.
class MjcfElement {
 public:
  MjcfElement(const XmlElement& element, const MjcfDefaults& defaults, std::string of_class)
      : element_(&element), defaults_(&defaults), class_(std::move(of_class)) {}
  const XmlElement& xml() const { return *element_; }
  const XmlAttribute* attribute(std::string_view name) const { return defaults_->find(*element_, class_, name); }
  double number(std::string_view name, double fallback) const;
  Eigen::Vector3d vector(std::string_view name, const Eigen::Vector3d& fallback) const;
  std::string text(std::string_view name, const std::string& fallback = {}) const;

 private:
  const XmlElement* element_;
  const MjcfDefaults* defaults_;
  std::string class_;
};

struct MjcfCompiler {
  double angle = M_PI / 180;  // radians of a unit of the file
  std::string euler = "xyz";
  bool autolimits = true;
  enum class FromGeoms { no, where_missing, always } from_geoms = FromGeoms::where_missing;
};
MjcfCompiler read_compiler(const XmlElement& root);

// quat, axisangle, euler, xyaxes, zaxis: one of them, or none.
geometry::Quaternion read_orientation(const MjcfElement& element, const MjcfCompiler& compiler);
Pose read_pose(const MjcfElement& element, const MjcfCompiler& compiler);

// A range that holds: `limited`, or by itself where it is given (autolimits).
std::optional<std::pair<double, double>> read_range(const MjcfElement& element, const MjcfCompiler& compiler,
                                                    std::string_view range, std::string_view limited);

// The inertia of a geom, in the axes of its body; nothing of planes and height fields. M710 where it cannot be known
// (a mesh without mass).
std::optional<Inertia> read_geom_inertia(const MjcfElement& geom, const Pose& frame, const MjcfCompiler& compiler);
Inertia read_mjcf_inertial(const XmlElement& element, const MjcfDefaults& defaults, const MjcfCompiler& compiler);

// The robot with the names of the file.
struct MjcfJoint {
  int link = -1, number = -1;  // number -1: a free joint
  std::string name;            // in the file; "" has none
  RobotJoint made;             // after `write`: with its name in the model
  double damping = 0, dry = 0, stiffness = 0, spring_reference = 0;
  std::optional<std::pair<double, double>> range;
  Place place;
};
struct MjcfSite {
  int link = -1;
  Pose pose;  // in the link
};
struct MjcfRobot {
  Robot robot;
  std::unordered_map<std::string, int> bodies;  // by name; "world" is -1
  std::vector<MjcfJoint> joints;                // in the order of qpos
  std::unordered_map<std::string, int> joint_number;
  std::map<std::string, MjcfSite> sites;
  struct NamedPoint {
    int link;
    std::string name;
    Pose pose;
    Place place;
  };
  std::vector<NamedPoint> points;  // sites that become points and frames

  const MjcfJoint& joint(const XmlAttribute& reference) const;  // M706
  int body(const XmlAttribute& reference) const;                // M706
};

class MjcfTree {
 public:
  MjcfTree(const XmlElement& root, const MjcfDefaults& defaults, const MjcfCompiler& compiler, Draft& draft)
      : root_(root), defaults_(defaults), compiler_(compiler), draft_(draft) {}
  MjcfRobot read();

 private:
  void read_content(const XmlElement& element, int link, const Pose& frame, const std::string& of_class);
  void read_body(const XmlElement& element, int parent, const Pose& frame, const std::string& of_class);
  void read_joint(const XmlElement& element, int link, const Pose& frame, const std::string& of_class);
  void add_free_joint(const XmlElement& element, int link);

  const XmlElement& root_;
  const MjcfDefaults& defaults_;
  const MjcfCompiler& compiler_;
  Draft& draft_;
  MjcfRobot out_;
  std::vector<std::optional<Inertia>> from_geoms_;
  std::vector<char> has_inertial_;
};

// Sets positions, rates and inputs of the first <key>. Before `Robot::write`.
struct MjcfKey {
  std::vector<double> ctrl;
};
MjcfKey read_keyframe(const XmlElement& root, MjcfRobot& robot);

// After `Robot::write`.
void write_equalities(const XmlElement& root, const MjcfDefaults& defaults, const MjcfRobot& robot, Draft& draft);
void write_tendons_and_actuators(const XmlElement& root, const MjcfDefaults& defaults, const MjcfCompiler& compiler,
                                 const MjcfRobot& robot, const MjcfKey& key, bool limits, Draft& draft);

}  // namespace mortise::io
