// URDF: links and joints of a tree, radians and metres, rpy = Rz(y) Ry(p) Rx(r), the tensor's sign of products.
//
// The frame of a link is that of the joint that carries it; the axis of a joint is given in that frame. Joints begin at
// zero, or at the end of their range that is nearest to zero, or where the sidecar says.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "mortise/io/import/formats.h"
#include "mortise/io/import/values.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

using model::Map;

const std::vector<SkipReason> urdf_reasons{
    {"link/visual", "shapes are not imported: links are drawn from their joints"},
    {"link/collision", "contacts are modelled as events (mortise list events)"},
    {"robot/material", "of shapes, which are not imported"},
    {"robot/transmission", "motors are modelled as drivers or forces"},
    {"robot/gazebo", "settings of another simulator"},
    {"robot/ros2_control", "settings of a controller"},
    {"robot/sensor", "every named quantity can be read: mortise list quantities"},
    {"robot@xmlns:xacro", "a name for macros, of which there are none"},
    {"robot@version", "of the format"},
    {"limit@effort", "motors are modelled as drivers or forces"},
    {"limit@velocity", "motors are modelled as drivers or forces"},
    {"joint/safety_controller", "settings of a controller"},
    {"joint/calibration", "settings of a controller"},
};
const std::vector<std::string> urdf_words{
    "link",    "joint", "inertial", "origin",     "mass",   "inertia", "visual", "parent", "child",  "axis",
    "limit",   "mimic", "dynamics", "collision",  "xyz",    "rpy",     "lower",  "upper",  "effort", "velocity",
    "damping", "type",  "friction", "multiplier", "offset", "name",    "value",  "link"};

struct UrdfJoint {
  const XmlElement* element;
  std::string name, type;
  int parent = -1, child = -1;
  Pose origin;
  Eigen::Vector3d axis = Eigen::Vector3d::UnitX();
  double damping = 0, friction = 0;
  std::optional<double> lower, upper;
  // mimic: value = multiplier · leader + offset
  int leader = -1;
  double multiplier = 1, offset = 0;
  const XmlElement* mimic = nullptr;
  double value = 0;
  bool has_coordinate() const { return type == "revolute" || type == "continuous" || type == "prismatic"; }
};

Pose read_origin(const XmlElement& element) {
  Pose pose;
  const XmlElement* origin = element.child("origin");
  if (!origin) return pose;
  pose.p = vector_or(*origin, "xyz", Eigen::Vector3d::Zero());
  const Eigen::Vector3d rpy = vector_or(*origin, "rpy", Eigen::Vector3d::Zero());
  pose.q = geometry::from_rpy(rpy.x(), rpy.y(), rpy.z());
  return pose;
}

std::optional<Inertia> read_inertial(const XmlElement& link, Draft& draft) {
  const XmlElement* inertial = link.child("inertial");
  if (!inertial) return {};
  const Pose pose = read_origin(*inertial);
  Inertia out;
  out.mass = read_number(required_attribute(required_child(*inertial, "mass"), "value"));
  const XmlElement& tensor = required_child(*inertial, "inertia");
  // Read before the tensor is filled: a mistake must not leave it half way.
  const auto diagonal = [&](const char* name) { return read_number(required_attribute(tensor, name)); };
  const double xx = diagonal("ixx"), yy = diagonal("iyy"), zz = diagonal("izz");
  const double xy = number_or(tensor, "ixy", 0), xz = number_or(tensor, "ixz", 0), yz = number_or(tensor, "iyz", 0);
  out.tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  out.center = pose.p;
  out.frame = pose.q;
  out.place = tensor.place;
  if (out.mass == 0 && out.tensor.isZero(0)) {
    draft.note("M721", "an <inertial> of zeros counts as none", tensor.place);
    return {};
  }
  return out;
}

class UrdfReader {
 public:
  UrdfReader(const XmlElement& root, const Sidecar& sidecar, Draft& draft)
      : root_(root), sidecar_(sidecar), draft_(draft) {}

  void read();

 private:
  std::vector<int> order() const;
  void read_links();
  void read_joint(const XmlElement& element);
  void read_mimic(std::size_t k);
  void set_positions();
  double position(std::size_t k, int depth);
  void fill_robot(const std::vector<int>& order);
  void write_rest();
  std::vector<std::string> joint_names() const;

  const XmlElement& root_;
  const Sidecar& sidecar_;
  Draft& draft_;
  std::vector<const XmlElement*> links_;
  std::vector<std::string> link_names_;
  std::unordered_map<std::string, int> link_number_, joint_number_;
  std::vector<UrdfJoint> joints_;
  std::vector<int> carried_by_;  // of each link: its joint, or -1
  std::vector<int> place_of_;    // of each link in robot_.links, or -1: the ground
  Robot robot_;
  std::vector<RobotJoint> made_;  // by joints_
};

void UrdfReader::read_links() {
  for (const XmlElement& child : root_.children)
    if (child.name.starts_with("xacro:"))
      fail_model("M703", "this file has macros of xacro, which are not expanded here", child.place,
                 "xacro robot.urdf.xacro > robot.urdf");
  links_ = root_.all("link");
  for (const XmlElement* link : links_) {
    const XmlAttribute& name = required_attribute(*link, "name");
    if (!link_number_.emplace(name.value, static_cast<int>(link_names_.size())).second)
      fail_model("M708", fmt::format("the link {} stands here twice", model::quote(name.value)), name.place);
    link_names_.push_back(name.value);
  }
  if (links_.empty()) fail_model("M705", "<robot> needs a <link> in it", root_.place);
  carried_by_.assign(links_.size(), -1);
}

void UrdfReader::read_joint(const XmlElement& element) {
  UrdfJoint joint;
  joint.element = &element;
  const XmlAttribute& name = required_attribute(element, "name");
  joint.name = name.value;
  const int number = static_cast<int>(joints_.size());
  if (!joint_number_.emplace(joint.name, number).second)
    fail_model("M708", fmt::format("the joint {} stands here twice", model::quote(joint.name)), name.place);
  static const std::vector<std::string> types{"revolute", "continuous", "prismatic", "fixed", "floating", "planar"};
  joint.type = types[read_choice(required_attribute(element, "type"), types)];
  const auto link = [&](const char* role) {
    const XmlAttribute& reference = required_attribute(required_child(element, role), "link");
    const auto found = link_number_.find(reference.value);
    if (found == link_number_.end()) fail_reference(reference, "link", link_names_);
    return std::pair(found->second, reference.place);
  };
  joint.parent = link("parent").first;
  const auto [child, place] = link("child");
  joint.child = child;
  int& carrier = carried_by_[static_cast<std::size_t>(child)];
  if (carrier >= 0)
    fail_model("M708",
               fmt::format("{} is the child of '{}' already: in URDF a link has one parent",
                           model::quote(link_names_[static_cast<std::size_t>(child)]),
                           joints_[static_cast<std::size_t>(carrier)].name),
               place, "close loops with joints in a sidecar: --loops loops.yaml");
  carrier = number;
  joint.origin = read_origin(element);
  if (const XmlElement* axis = element.child("axis")) joint.axis = read_direction(required_attribute(*axis, "xyz"));
  if (const XmlElement* dynamics = element.child("dynamics")) {
    joint.damping = number_or(*dynamics, "damping", 0);
    joint.friction = number_or(*dynamics, "friction", 0);
    for (const double x : {joint.damping, joint.friction})
      if (x < 0) fail_model("M704", "damping and friction are not negative", dynamics->place);
  }
  const XmlElement* limit = joint.type == "revolute" || joint.type == "prismatic" ? element.child("limit") : nullptr;
  if (limit) {
    if (const XmlAttribute* end = limit->attribute("lower")) joint.lower = read_number(*end);
    if (const XmlAttribute* end = limit->attribute("upper")) joint.upper = read_number(*end);
    if (joint.lower && !joint.upper) joint.upper = 0;  // as URDF has it
    if (joint.upper && !joint.lower) joint.lower = 0;
    if (joint.lower && *joint.lower > *joint.upper)
      fail_model("M704", "the lower limit is above the upper one", limit->place);
    if (joint.lower && *joint.lower == *joint.upper) {
      draft_.note("M721", fmt::format("'{}' has a range of zero width, which counts as none", joint.name),
                  limit->place);
      joint.lower.reset();
      joint.upper.reset();
    }
  }
  joints_.push_back(std::move(joint));
}

std::vector<std::string> UrdfReader::joint_names() const {
  std::vector<std::string> names;
  for (const UrdfJoint& j : joints_) names.push_back(j.name);
  return names;
}

void UrdfReader::read_mimic(std::size_t k) {
  UrdfJoint& joint = joints_[k];
  joint.mimic = joint.has_coordinate() ? joint.element->child("mimic") : nullptr;
  if (!joint.mimic) return;
  const XmlAttribute& leader = required_attribute(*joint.mimic, "joint");
  const auto found = joint_number_.find(leader.value);
  if (found == joint_number_.end()) fail_reference(leader, "joint", joint_names());
  joint.leader = found->second;
  const UrdfJoint& other = joints_[static_cast<std::size_t>(joint.leader)];
  if (!other.has_coordinate() || joint.leader == static_cast<int>(k))
    fail_model("M708", fmt::format("'{}' cannot follow '{}'", joint.name, other.name), leader.place,
               "a joint follows another one that is revolute, continuous or prismatic");
  joint.multiplier = number_or(*joint.mimic, "multiplier", 1);
  joint.offset = number_or(*joint.mimic, "offset", 0);
}

double UrdfReader::position(std::size_t k, int depth) {
  const UrdfJoint& joint = joints_[k];
  if (depth > 64)
    fail_model("M708", fmt::format("'{}' follows itself, or one of more than 64 joints in a row", joint.name),
               joint.mimic->place);
  const auto given = sidecar_.positions.find(joint.name);
  if (given != sidecar_.positions.end() && joint.has_coordinate()) {
    given->second.used = true;
    return given->second.value;
  }
  if (joint.leader >= 0)
    return joint.multiplier * position(static_cast<std::size_t>(joint.leader), depth + 1) + joint.offset;
  if (!joint.lower || !sidecar_.limits) return 0;
  return std::clamp(0.0, *joint.lower, *joint.upper);
}

void UrdfReader::set_positions() {
  for (std::size_t k = 0; k < joints_.size(); ++k) read_mimic(k);
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    UrdfJoint& joint = joints_[k];
    joint.value = position(k, 0);
    if (joint.value != 0 && joint.leader < 0 && !sidecar_.positions.contains(joint.name))
      draft_.note(
          "M721",
          fmt::format("'{}' begins at {:.6g}, the end of its range that is nearest to zero", joint.name, joint.value),
          joint.element->place, "sidecar: positions: {joint: value}");
  }
}

// Links with parents first; M708 where they are no tree.
std::vector<int> UrdfReader::order() const {
  std::vector<int> out;
  for (std::size_t k = 0; k < links_.size(); ++k) {
    if (carried_by_[k] >= 0) continue;
    if (!out.empty())
      fail_model("M708",
                 fmt::format("'{}' and '{}' are both carried by no joint: a robot has one first link",
                             link_names_[static_cast<std::size_t>(out.front())], link_names_[k]),
                 links_[k]->place, "join them, for instance with a fixed joint");
    out.push_back(static_cast<int>(k));
  }
  if (out.empty()) fail_model("M708", "the joints go in a circle: every link is carried by another one", root_.place);
  std::vector<std::vector<int>> children(links_.size());
  for (const UrdfJoint& j : joints_) children[static_cast<std::size_t>(j.parent)].push_back(j.child);
  for (std::size_t k = 0; k < out.size(); ++k)
    for (const int child : children[static_cast<std::size_t>(out[k])]) out.push_back(child);
  if (out.size() < links_.size())
    for (std::size_t k = 0; k < links_.size(); ++k)
      if (std::find(out.begin(), out.end(), static_cast<int>(k)) == out.end())
        fail_model("M708", fmt::format("'{}' is in a circle of joints", link_names_[k]), links_[k]->place,
                   "close loops with joints in a sidecar: --loops loops.yaml");
  return out;
}

void UrdfReader::fill_robot(const std::vector<int>& order) {
  place_of_.assign(links_.size(), -1);
  made_.resize(joints_.size());
  for (const int number : order) {
    const auto k = static_cast<std::size_t>(number);
    RobotLink link;
    link.name = link_names_[k];
    link.place = links_[k]->place;
    link.inertia = read_inertial(*links_[k], draft_);
    const int carrier = carried_by_[k];
    if (carrier < 0) {
      link.free = sidecar_.floating_base;
      if (!link.free && !link.inertia) {  // "world", or a base without mass: the ground itself
        draft_.note("M721", fmt::format("'{}', the first link, has no mass: it is the ground", link.name), link.place);
        continue;
      }
      if (!link.free)
        draft_.note("M721", fmt::format("'{}', the first link, is fixed to the ground", link.name), link.place,
                    "sidecar: base: floating");
    } else {
      UrdfJoint& j = joints_[static_cast<std::size_t>(carrier)];
      link.parent = place_of_[static_cast<std::size_t>(j.parent)];
      link.pose = j.origin;
      RobotJoint& joint = made_[static_cast<std::size_t>(carrier)];
      if (j.type == "floating") {
        link.free = true;
      } else if (j.type != "fixed") {
        joint.kind = j.type == "prismatic" ? JointKind::prismatic
                     : j.type == "planar"  ? JointKind::planar
                                           : JointKind::revolute;
        joint.name = draft_.name(j.name, j.element->place);
        joint.axis = j.axis;
        joint.value = j.value;
        joint.place = j.element->place;
        link.joints.push_back(joint);
      }
    }
    place_of_[k] = static_cast<int>(robot_.links.size());
    robot_.links.push_back(std::move(link));
  }
}

void UrdfReader::write_rest() {
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const UrdfJoint& j = joints_[k];
    const RobotJoint& joint = made_[k];
    if (!j.has_coordinate()) continue;
    add_joint_friction(draft_, joint, j.damping, j.friction, j.element->place);
    if (sidecar_.limits && !robot_.massless()) add_joint_limits(draft_, joint, j.lower, j.upper, j.element->place);
    if (j.leader >= 0)
      add_coupling(draft_, joint.name + "-mimic",
                   {{&joint, 1}, {&made_[static_cast<std::size_t>(j.leader)], -j.multiplier}}, j.offset, true,
                   j.mimic->place);
  }
}

void UrdfReader::read() {
  read_links();
  for (const XmlElement* joint : root_.all("joint")) read_joint(*joint);
  set_positions();
  const XmlAttribute* name = root_.attribute("name");
  write_head(draft_, name ? name->value : "", {0, 0, -9.81}, root_.place);
  draft_.note("M721", "URDF says nothing of gravity: [0, 0, -9.81] is assumed", root_.place,
              "sidecar: gravity: [0, 0, 0]");
  fill_robot(order());
  robot_.write(draft_);
  write_rest();
  write_analysis(draft_, robot_, root_.place);
  list_unused(root_, urdf_reasons, urdf_words, draft_.notes());
}

}  // namespace

void read_urdf(const XmlElement& root, const Sidecar& sidecar, Draft& draft) {
  UrdfReader(root, sidecar, draft).read();
}

}  // namespace mortise::io
