// The tree of <worldbody>: bodies with their joints, masses and sites, and the state of a keyframe.
#include <fmt/format.h>

#include "mortise/io/import/mjcf_parts.h"
#include "mortise/io/yaml.h"
#include "mortise/model/report.h"

namespace mortise::io {

namespace {

template <class Map>
std::vector<std::string> keys_in(const Map& map) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : map) names.push_back(name);
  return names;
}

// A name of the file once: M708 where it stands twice.
template <class Map>
void enter_name(Map& map, const std::string& name, int number, const char* kind, const Place& place) {
  if (!name.empty() && !map.emplace(name, number).second)
    fail_model("M708", fmt::format("the {} {} stands here twice", kind, model::quote(name)), place);
}

}  // namespace

const MjcfJoint& MjcfRobot::joint(const XmlAttribute& reference) const {
  const auto found = joint_number.find(reference.value);
  if (found == joint_number.end()) fail_reference(reference, "joint", keys_in(joint_number));
  return joints[static_cast<std::size_t>(found->second)];
}

int MjcfRobot::body(const XmlAttribute& reference) const {
  const auto found = bodies.find(reference.value);
  if (found == bodies.end()) fail_reference(reference, "body", keys_in(bodies));
  return found->second;
}

MjcfRobot MjcfTree::read() {
  out_.bodies["world"] = -1;
  for (const XmlElement* world : root_.all("worldbody")) read_content(*world, -1, {}, "");
  for (std::size_t k = 0; k < out_.robot.links.size(); ++k)
    if (!has_inertial_[k] || compiler_.from_geoms == MjcfCompiler::FromGeoms::always)
      out_.robot.links[k].inertia = from_geoms_[k];
  return std::move(out_);
}

void MjcfTree::read_content(const XmlElement& element, int link, const Pose& frame, const std::string& of_class) {
  const XmlAttribute* child_class = element.attribute("childclass");
  if (child_class) defaults_.check_class(*child_class);
  const std::string inherited = child_class ? child_class->value : of_class;
  const auto index = static_cast<std::size_t>(link);
  const bool weigh = link >= 0 && compiler_.from_geoms != MjcfCompiler::FromGeoms::no &&
                     (!has_inertial_[index] || compiler_.from_geoms == MjcfCompiler::FromGeoms::always);
  // Joints of a body come before those of its children in qpos, wherever they stand.
  for (const XmlElement& c : element.children) {
    const MjcfElement child(c, defaults_, defaults_.class_of(c, inherited));
    if (link >= 0 && (c.name == "joint" || c.name == "freejoint")) {
      c.used = true;
      c.name == "joint" ? read_joint(c, link, frame, inherited) : add_free_joint(c, link);
    } else if (c.name == "geom" && weigh) {
      c.used = true;
      c.attribute("name");
      if (const auto part = read_geom_inertia(child, frame, compiler_))
        from_geoms_[index] = from_geoms_[index] ? *from_geoms_[index] + *part : *part + Inertia{};
    } else if (c.name == "site" && c.peek("name")) {
      c.used = true;
      const std::string& name = c.attribute("name")->value;
      const Pose pose = frame * read_pose(child, compiler_);
      if (!out_.sites.emplace(name, MjcfSite{link, pose}).second)
        fail_model("M708", fmt::format("the site {} stands here twice", model::quote(name)), c.place);
      out_.points.push_back({link, name, pose, c.place});
    } else if (c.name == "include") {
      fail_model("M703", "included files are not read", c.place, "save the model as one file");
    }
  }
  for (const XmlElement& c : element.children) {
    if (c.name == "body") {
      c.used = true;
      read_body(c, link, frame, inherited);
    } else if (c.name == "frame") {
      c.used = true;
      c.attribute("name");
      const MjcfElement inner(c, defaults_, inherited);
      read_content(c, link, frame * read_pose(inner, compiler_), inherited);
    }
  }
}

void MjcfTree::read_body(const XmlElement& element, int parent, const Pose& frame, const std::string& of_class) {
  const int number = static_cast<int>(out_.robot.links.size());
  const XmlAttribute* name = element.attribute("name");
  RobotLink link;
  link.name = name ? name->value : fmt::format("body{}", number + 1);
  enter_name(out_.bodies, link.name, number, "body", name ? name->place : element.place);
  link.parent = parent;
  link.place = element.place;
  link.pose = frame * read_pose(MjcfElement(element, defaults_, ""), compiler_);
  const bool given = element.peek("mocap") == nullptr && compiler_.from_geoms != MjcfCompiler::FromGeoms::always &&
                     element.child("inertial");
  if (given) link.inertia = read_mjcf_inertial(*element.child("inertial"), defaults_, compiler_);
  out_.robot.links.push_back(std::move(link));
  has_inertial_.push_back(given);
  from_geoms_.emplace_back();
  read_content(element, number, {}, of_class);
}

void MjcfTree::add_free_joint(const XmlElement& element, int link) {
  RobotLink& owner = out_.robot.links[static_cast<std::size_t>(link)];
  if (owner.parent >= 0)
    fail_model("M708", "a free joint belongs to a body of the world", element.place,
               "move the body up, or remove the joint");
  if (owner.free || !owner.joints.empty())
    fail_model("M708", "a free joint goes with no other joint of the body", element.place);
  owner.free = true;
  MjcfJoint joint;
  joint.link = link;
  joint.place = element.place;
  if (const XmlAttribute* name = element.attribute("name")) {
    joint.name = name->value;
    enter_name(out_.joint_number, joint.name, static_cast<int>(out_.joints.size()), "joint", name->place);
  }
  out_.joints.push_back(std::move(joint));
}

void MjcfTree::read_joint(const XmlElement& element, int link, const Pose& frame, const std::string& of_class) {
  const MjcfElement e(element, defaults_, defaults_.class_of(element, of_class));
  const XmlAttribute* type = e.attribute("type");
  const std::size_t kind = type ? read_choice(*type, {"hinge", "slide", "ball", "free"}) : 0;
  if (kind == 3) return add_free_joint(element, link);
  RobotLink& owner = out_.robot.links[static_cast<std::size_t>(link)];
  if (owner.free) fail_model("M708", "a free joint goes with no other joint of the body", element.place);

  MjcfJoint joint;
  joint.link = link;
  joint.number = static_cast<int>(owner.joints.size());
  joint.place = element.place;
  if (const XmlAttribute* name = element.attribute("name")) {
    joint.name = name->value;
    enter_name(out_.joint_number, joint.name, static_cast<int>(out_.joints.size()), "joint", name->place);
  }
  RobotJoint& made = joint.made;
  made.kind = kind == 0 ? JointKind::revolute : kind == 1 ? JointKind::prismatic : JointKind::spherical;
  made.place = element.place;
  made.at = frame * e.vector("pos", Eigen::Vector3d::Zero());
  if (kind != 2) {
    const XmlAttribute* axis = e.attribute("axis");
    made.axis = frame.turn(axis ? read_direction(*axis) : Eigen::Vector3d::UnitZ());
    const double unit = kind == 0 ? compiler_.angle : 1;
    made.reference = made.value = e.number("ref", 0) * unit;
    joint.range = read_range(e, compiler_, "range", "limited");
    if (joint.range) joint.range = {joint.range->first * unit, joint.range->second * unit};
    joint.damping = e.number("damping", 0);
    joint.dry = e.number("frictionloss", 0);
    joint.stiffness = e.number("stiffness", 0);
    joint.spring_reference = joint.stiffness != 0 ? e.number("springref", 0) * unit : 0;
    for (const double x : {joint.damping, joint.dry, joint.stiffness})
      if (x < 0) fail_model("M704", "damping, frictionloss and stiffness are not negative", element.place);
  }
  const bool one = element.peek("name") != nullptr;
  made.name = draft_.name(one ? joint.name : fmt::format("{}-joint{}", owner.name, joint.number + 1), element.place);
  owner.joints.push_back(made);
  out_.joints.push_back(std::move(joint));
}

MjcfKey read_keyframe(const XmlElement& root, MjcfRobot& robot) {
  MjcfKey out;
  const XmlElement* frames = root.child("keyframe");
  const XmlElement* key = frames ? frames->child("key") : nullptr;
  if (!key) return out;
  key->attribute("name");
  if (const XmlAttribute* ctrl = key->attribute("ctrl")) out.ctrl = read_numbers(*ctrl);
  std::size_t nq = 0, nv = 0;
  for (const MjcfJoint& j : robot.joints) {
    const bool ball = j.made.kind == JointKind::spherical;
    nq += j.number < 0 ? 7 : ball ? 4 : 1;
    nv += j.number < 0 ? 6 : ball ? 3 : 1;
  }
  const auto quaternion = [](const double* x, const XmlAttribute& a) {
    const geometry::Quaternion q{x[0], x[1], x[2], x[3]};
    if (!(q.norm() > 1e-12)) fail_model("M704", "a quaternion of length zero", a.place);
    return q.normalized();
  };
  if (const XmlAttribute* a = key->attribute("qpos")) {
    const std::vector<double> q = read_numbers(*a, nq, nq);
    const double* x = q.data();
    for (const MjcfJoint& j : robot.joints) {
      RobotLink& link = robot.robot.links[static_cast<std::size_t>(j.link)];
      if (j.number < 0) {
        link.start = Pose{{x[0], x[1], x[2]}, quaternion(x + 3, *a)};
        x += 7;
      } else if (j.made.kind == JointKind::spherical) {
        link.joints[static_cast<std::size_t>(j.number)].turn = quaternion(x, *a);
        x += 4;
      } else {
        link.joints[static_cast<std::size_t>(j.number)].value = *x++;
      }
    }
  }
  if (const XmlAttribute* a = key->attribute("qvel")) {
    const std::vector<double> v = read_numbers(*a, nv, nv);
    const double* x = v.data();
    for (const MjcfJoint& j : robot.joints) {
      RobotLink& link = robot.robot.links[static_cast<std::size_t>(j.link)];
      if (j.number < 0) {
        link.velocity = {x[0], x[1], x[2]};
        link.spin = link.start.value_or(link.pose).turn({x[3], x[4], x[5]});  // given in body axes
        x += 6;
      } else if (j.made.kind == JointKind::spherical) {
        link.joints[static_cast<std::size_t>(j.number)].spin = {x[0], x[1], x[2]};
        x += 3;
      } else {
        link.joints[static_cast<std::size_t>(j.number)].rate = *x++;
      }
    }
  }
  return out;
}

}  // namespace mortise::io
