#include "mortise/io/import/robot.h"

#include <fmt/format.h>

#include <cmath>

namespace mortise::io {

using model::Map;
using model::Value;

Inertia moved(const Inertia& inertia, const Pose& pose) {
  Inertia out = inertia;
  out.center = pose * inertia.center;
  out.frame = (pose.q * inertia.frame).normalized();
  return out;
}

Inertia operator+(const Inertia& a, const Inertia& b) {
  Inertia sum;
  sum.place = a.mass > 0 ? a.place : b.place;
  sum.mass = a.mass + b.mass;
  if (sum.mass > 0) sum.center = (a.mass * a.center + b.mass * b.center) / sum.mass;
  for (const Inertia* part : {&a, &b}) {
    const Eigen::Matrix3d R = geometry::matrix(part->frame);
    const Eigen::Vector3d d = part->center - sum.center;
    sum.tensor += R * part->tensor * R.transpose() +
                  part->mass * (d.squaredNorm() * Eigen::Matrix3d::Identity() - d * d.transpose());
  }
  return sum;
}

std::string RobotJoint::coordinate() const {
  if (kind == JointKind::spherical) return "";
  return name + (kind == JointKind::prismatic ? ".displacement" : ".angle");
}

std::string RobotJoint::rate_name() const {
  if (kind == JointKind::spherical) return "";
  return name + (kind == JointKind::prismatic ? ".speed" : ".rate");
}

Pose Robot::start(int link) const { return link < 0 ? Pose{} : motions_[static_cast<std::size_t>(link)].pose; }

Pose Robot::reference(int link) const {
  Pose pose;
  for (; link >= 0; link = links[static_cast<std::size_t>(link)].parent)
    pose = links[static_cast<std::size_t>(link)].pose * pose;
  return pose;
}

// A link that moves but has no mass takes that of the links welded to it.
void Robot::merge_masses(Draft& draft) {
  merged_.assign(links.size(), 0);
  const auto moves = [&](const RobotLink& l) { return l.free || !l.joints.empty(); };
  std::vector<int> head(links.size());  // of the group of welded links that a link is in
  std::vector<Pose> in_head(links.size());
  for (std::size_t k = 0; k < links.size(); ++k) {
    const RobotLink& link = links[k];
    const bool welded = !moves(link) && link.parent >= 0;
    head[k] = welded ? head[static_cast<std::size_t>(link.parent)] : static_cast<int>(k);
    in_head[k] = welded ? in_head[static_cast<std::size_t>(link.parent)] * link.pose : Pose{};
  }
  for (std::size_t k = 0; k < links.size(); ++k) {
    RobotLink& owner = links[static_cast<std::size_t>(head[k])];
    const bool owner_had_mass = owner.inertia && !merged_[static_cast<std::size_t>(head[k])];
    if (head[k] == static_cast<int>(k) || !links[k].inertia || !moves(owner) || owner_had_mass) continue;
    const Inertia part = moved(*links[k].inertia, in_head[k]);
    owner.inertia = owner.inertia ? *owner.inertia + part : part;
    links[k].inertia.reset();
    merged_[static_cast<std::size_t>(head[k])] = 1;  // it may take more
    draft.note("M721",
               fmt::format("'{}' has no mass of its own: it takes that of '{}', which is fixed to it", owner.name,
                           links[k].name),
               links[k].place);
  }
}

void Robot::write_body(Draft& draft, const std::string& name, const Motion& motion, const Inertia& inertia,
                       const Place& place) const {
  const Eigen::Matrix3d& J = inertia.tensor;
  Map body{{"mass", inertia.mass}};
  const bool diagonal = J(0, 1) == 0 && J(0, 2) == 0 && J(1, 2) == 0;
  if (diagonal)
    body.add("inertia", {J(0, 0), J(1, 1), J(2, 2)});
  else
    body.add("inertia",
             Map{{"xx", J(0, 0)}, {"yy", J(1, 1)}, {"zz", J(2, 2)}, {"xy", J(0, 1)}, {"xz", J(0, 2)}, {"yz", J(1, 2)}});
  if (!is_identity(inertia.frame)) body.add("inertia_frame", orientation_value(inertia.frame));
  if (!inertia.center.isZero(0)) body.add("center", vector_value(inertia.center));
  body.add("at", vector_value(motion.pose.p));
  if (!is_identity(motion.pose.q)) body.add("orientation", orientation_value(motion.pose.q));
  if (!motion.v.isZero(0)) body.add("velocity", vector_value(motion.v));
  if (!motion.w.isZero(0)) body.add("angular_velocity", vector_value(motion.w));
  const Place blame = inertia.place.known() ? inertia.place : place;
  draft.add("bodies", name, body, place, {{"mass", blame}, {"inertia", blame}, {"inertia_frame", blame}});
}

void Robot::write_joint(Draft& draft, const RobotJoint& joint, const LinkBody& first, const Pose& drawn,
                        const std::string& second) {
  static const std::map<JointKind, const char*> types{{JointKind::revolute, "revolute"},
                                                      {JointKind::prismatic, "prismatic"},
                                                      {JointKind::spherical, "spherical"},
                                                      {JointKind::planar, "planar"}};
  const Pose side = first.pose * drawn;  // the link as drawn, in the axes of the first body
  Ends ends{first.body, second, side * joint.at, joint.at, side.turn(joint.axis), joint.axis};
  // A displacement is measured between the points: it is `reference` where the link stands as drawn.
  if (joint.kind == JointKind::prismatic) ends.point_first -= joint.reference * ends.axis_first;
  Map fields{{"type", types.at(joint.kind)},
             {"between", {first.body, second}},
             {"points", {vector_value(ends.point_first), vector_value(ends.point_second)}}};
  if (joint.kind != JointKind::spherical) fields.add("axis", vector_value(joint.axis)).add("in", "second");
  const bool turns = joint.kind == JointKind::revolute || joint.kind == JointKind::planar;
  if (turns && joint.value != 0) fields.add("angle", joint.value);
  draft.add("joints", joint.name, fields, joint.place);
  ends_[joint.name] = std::move(ends);
}

void Robot::write_link(std::size_t k, Draft& draft) {
  const RobotLink& link = links[k];
  const LinkBody parent = body(link.parent);
  Motion motion = link.parent < 0 ? Motion{} : motions_[static_cast<std::size_t>(link.parent)];
  const Eigen::Vector3d origin = motion.pose.p;
  motion.pose = motion.pose * link.pose;
  motion.v += motion.w.cross(motion.pose.p - origin);
  const bool welded = !link.free && link.joints.empty();

  if (link.free) motion = {link.start.value_or(motion.pose), link.velocity, link.spin};
  if (welded && !link.inertia) {  // a frame of what carries it
    bodies_[k] = {parent.body, parent.pose * link.pose};
    motions_[k] = motion;
    if (parent.body != "ground") {
      const std::string name = draft.point_name(parent.body, link.name, link.place);
      Map frame{{"at", vector_value(bodies_[k].pose.p)}};
      if (!is_identity(bodies_[k].pose.q)) frame.add("orientation", orientation_value(bodies_[k].pose.q));
      draft.add_inside("bodies", parent.body, "frames", name, frame, link.place);
    }
    return;
  }
  const std::string name = draft.name(link.name, link.place);
  bodies_[k] = {name, {}};
  LinkBody first = parent;
  Pose drawn = link.pose;
  for (std::size_t j = 0; j < link.joints.size(); ++j) {
    const RobotJoint& joint = link.joints[j];
    const Eigen::Vector3d anchor = motion.pose * joint.at, axis = motion.pose.turn(joint.axis);
    const Eigen::Vector3d before = motion.pose.p;
    const double way = joint.value - joint.reference;
    if (joint.kind == JointKind::prismatic) {
      motion.pose.p += way * axis;
      motion.v += motion.w.cross(motion.pose.p - before) + joint.rate * axis;
    } else if (joint.kind != JointKind::planar) {
      const bool ball = joint.kind == JointKind::spherical;
      const geometry::Quaternion turn = ball ? joint.turn : geometry::from_axis_angle(joint.axis, way);
      motion.pose.q = (motion.pose.q * turn).normalized();
      motion.pose.p = anchor - motion.pose.turn(joint.at);
      const Eigen::Vector3d spin = ball ? motion.pose.turn(joint.spin) : Eigen::Vector3d(joint.rate * axis);
      motion.v += motion.w.cross(motion.pose.p - before) + spin.cross(motion.pose.p - anchor);
      motion.w += spin;
    }
    const bool last = j + 1 == link.joints.size();
    const std::string second = last ? name : draft.name(fmt::format("{}-carrier-{}", name, j + 1), joint.place);
    if (!last) {
      write_body(draft, second, motion, {}, joint.place);
      massless_ = true;
    }
    write_joint(draft, joint, first, drawn, second);
    first = {second, {}};
    drawn = {};
  }
  motions_[k] = motion;
  if (!link.inertia) massless_ = true;
  write_body(draft, name, motion, link.inertia.value_or(Inertia{}), link.place);
  if (welded)
    draft.add("joints", draft.name(name + "-fixed", link.place),
              Map{{"type", "fixed"},
                  {"between", {parent.body, name}},
                  {"points", {vector_value((parent.pose * link.pose).p), {0, 0, 0}}}},
              link.place);
}

void Robot::write(Draft& draft) {
  merge_masses(draft);
  bodies_.assign(links.size(), {});
  motions_.assign(links.size(), {});
  for (std::size_t k = 0; k < links.size(); ++k) write_link(k, draft);
}

void add_joint_force(Draft& draft, const Robot& robot, const RobotJoint& joint, const std::string& name,
                     const std::string& formula, const Place& place) {
  if (joint.kind == JointKind::revolute) {
    draft.add(
        "forces", draft.name(name, place),
        Map{{"type", "torsional-spring-damper-actuator"}, {"joint", joint.name}, {"torque", "-(" + formula + ")"}},
        place);
    return;
  }
  const Robot::Ends& ends = robot.ends(joint.name);
  const auto push = [&](const std::string& body, const Eigen::Vector3d& point, const Eigen::Vector3d& axis,
                        const std::string& suffix) {
    if (body == "ground") return;
    const std::string where = draft.point_name(body, joint.name + "-point", place);
    draft.add_inside("bodies", body, "points", where, vector_value(point), place);
    std::vector<Value> components;
    for (int k = 0; k < 3; ++k)
      components.push_back(axis[k] == 0 ? Value(0) : Value(fmt::format("{}*({})", axis[k], formula)));
    draft.add("forces", draft.name(name + suffix, place),
              Map{{"type", "force"}, {"body", body + "." + where}, {"value", Value(components)}, {"in", "body"}},
              place);
  };
  push(ends.second, ends.point_second, ends.axis_second, "");
  push(ends.first, ends.point_first, -ends.axis_first, "-back");
}

void add_joint_friction(Draft& draft, const RobotJoint& joint, double damping, double dry, const Place& place) {
  const bool turns = joint.kind == JointKind::revolute;
  if (damping == 0 && dry == 0) return;
  const std::string name = draft.name(joint.name + "-friction", place);
  if (turns && dry == 0) {
    draft.add("forces", name,
              Map{{"type", "torsional-spring-damper-actuator"}, {"joint", joint.name}, {"damping", damping}}, place);
    return;
  }
  // A bearing of radius 1 under a preload of the dry friction, with the coefficient 1.
  Map fields{{"type", "friction"}, {"joint", joint.name}, {"coefficient", dry > 0 ? 1 : 0}, {"load", "preload"}};
  if (dry > 0) fields.add("preload", dry);
  if (damping > 0) fields.add("viscous", damping);
  if (turns) fields.add("radius", 1);
  draft.add("forces", name, fields, place);
}

void add_joint_limits(Draft& draft, const RobotJoint& joint, const std::optional<double>& lower,
                      const std::optional<double>& upper, const Place& place) {
  Map fields{{"type", "limit"}, {"joint", joint.name}};
  bool any = false;
  const auto add_end = [&](const std::optional<double>& end, const char* field, const char* word) {
    if (!end) return;
    if (joint.kind != JointKind::prismatic && std::abs(*end) >= M_PI) {
      draft.note("M720", fmt::format("not used: the {} limit of '{}', {:.6g} rad", word, joint.name, *end), place,
                 "an angle in space is known within half a turn");
      return;
    }
    fields.add(field, *end);
    any = true;
  };
  add_end(lower, "minimum", "lower");
  add_end(upper, "maximum", "upper");
  if (any) draft.add("events", draft.name(joint.name + "-limit", place), fields, place);
}

}  // namespace mortise::io
