// <equality>: what closes loops. Points and poses that coincide in the drawing (qpos0) are held together.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mortise/io/import/mjcf_parts.h"

namespace mortise::io {

namespace {

using model::Map;

class EqualityWriter {
 public:
  EqualityWriter(const MjcfDefaults& defaults, const MjcfRobot& robot, Draft& draft)
      : defaults_(defaults), robot_(robot), draft_(draft) {}

  void write(const XmlElement& element) {
    const MjcfElement e(element, defaults_, defaults_.class_of(element, ""));
    const XmlAttribute* name = element.attribute("name");
    const XmlAttribute* active = e.attribute("active");
    active_ = !active || read_flag(*active);
    name_ = name ? name->value : fmt::format("{}{}", element.name, ++unnamed_);
    element.name == "connect" ? connect(element) : element.name == "weld" ? weld(element) : couple(element);
  }

 private:
  struct Side {
    int link = -1;
    Pose pose;  // of the place in the link
  };

  void add(Map fields, const Place& place) {
    if (!active_) fields.add("active", false);
    draft_.add("joints", draft_.name(name_, place), fields, place);
  }

  const MjcfSite& site(const XmlAttribute& reference) const {
    const auto found = robot_.sites.find(reference.value);
    if (found == robot_.sites.end()) {
      std::vector<std::string> names;
      for (const auto& [name, unused] : robot_.sites) names.push_back(name);
      fail_reference(reference, "site", names);
    }
    return found->second;
  }

  // By sites where they are given, else by bodies: body2 is the world if it is not named.
  std::array<Side, 2> sides(const XmlElement& e) const {
    if (const XmlAttribute* first = e.attribute("site1")) {
      const MjcfSite &a = site(*first), &b = site(required_attribute(e, "site2"));
      return {Side{a.link, a.pose}, Side{b.link, b.pose}};
    }
    const int first = robot_.body(required_attribute(e, "body1"));
    const XmlAttribute* second = e.attribute("body2");
    return {Side{first, {}}, Side{second ? robot_.body(*second) : -1, {}}};
  }

  std::array<LinkBody, 2> bodies(const std::array<Side, 2>& s, const XmlElement& e) const {
    const std::array<LinkBody, 2> b{robot_.robot.body(s[0].link), robot_.robot.body(s[1].link)};
    if (b[0].body == b[1].body)
      fail_model("M708", fmt::format("<{}> holds '{}' to itself", e.name, b[0].body), e.place);
    return b;
  }

  void connect(const XmlElement& e) {
    std::array<Side, 2> s = sides(e);
    if (!e.peek("site1")) {
      s[0].pose.p = read_vector(required_attribute(e, "anchor"));
      s[1].pose.p = robot_.robot.reference(s[1].link).inverse() * (robot_.robot.reference(s[0].link) * s[0].pose.p);
    }
    const auto b = bodies(s, e);
    add(Map{{"type", "spherical"},
            {"between", {b[0].body, b[1].body}},
            {"points", {vector_value(b[0].pose * s[0].pose.p), vector_value(b[1].pose * s[1].pose.p)}}},
        e.place);
  }

  void weld(const XmlElement& e) {
    std::array<Side, 2> s = sides(e);
    const auto b = bodies(s, e);
    const auto in_world = [&](std::size_t k, bool at_start) {
      const Pose link = at_start ? robot_.robot.start(s[k].link) : robot_.robot.reference(s[k].link);
      return link * s[k].pose;
    };
    if (!e.peek("site1")) {
      // Where the second body stands in the first: as given, else as drawn.
      Pose wanted = in_world(0, false).inverse() * in_world(1, false);
      if (const XmlAttribute* relative = e.attribute("relpose")) {
        const std::vector<double> x = read_numbers(*relative, 7, 7);
        const geometry::Quaternion q{x[3], x[4], x[5], x[6]};
        if (q.norm() > 1e-12) wanted = {{x[0], x[1], x[2]}, q.normalized()};
      }
      s[0].pose = wanted;
    }
    // A weld that the state at t = 0 fulfils holds it; others need frames that are to coincide.
    const Pose gap = in_world(0, true).inverse() * in_world(1, true);
    const bool fulfilled = gap.p.norm() < 1e-12 && Eigen::Vector3d(gap.q.x, gap.q.y, gap.q.z).norm() < 1e-12;
    Map fields{{"type", "fixed"}};
    if (fulfilled) {
      fields.add("between", {b[0].body, b[1].body});
      fields.add("points", {vector_value((b[0].pose * s[0].pose).p), vector_value((b[1].pose * s[1].pose).p)});
    } else {
      std::vector<model::Value> ends;
      for (std::size_t k = 0; k < 2; ++k) {
        if (b[k].body == "ground")
          fail_model("M710", "a weld to the world that the state at t = 0 does not fulfil cannot be imported", e.place,
                     "change the keyframe, or weld to another body");
        const Pose pose = b[k].pose * s[k].pose;
        const std::string frame = draft_.point_name(b[k].body, name_, e.place);
        draft_.add_inside("bodies", b[k].body, "frames", frame,
                          Map{{"at", vector_value(pose.p)}, {"orientation", orientation_value(pose.q)}}, e.place);
        ends.emplace_back(b[k].body + "." + frame);
      }
      fields.add("between", model::Value(ends));
    }
    add(fields, e.place);
  }

  // joint1 − reference = Σ a_k (joint2 − reference)^k
  void couple(const XmlElement& e) {
    const RobotJoint& first = robot_.joint(required_attribute(e, "joint1")).made;
    const XmlAttribute* second_name = e.attribute("joint2");
    std::vector<double> a{0, 1};
    if (const XmlAttribute* coefficients = e.attribute("polycoef")) a = read_numbers(*coefficients, 1, 5);
    a.resize(5, 0);
    const RobotJoint* second = second_name ? &robot_.joint(*second_name).made : nullptr;
    const bool bent = second && (a[2] != 0 || a[3] != 0 || a[4] != 0);
    if (bent || first.coordinate().empty() || (second && second->coordinate().empty())) {
      draft_.note("M720", "not used: <joint> of <equality> that is no straight line between two hinges or slides",
                  e.place, "joints: {type: row, …} can say it");
      return;
    }
    std::vector<CouplingTerm> terms{{&first, 1}};
    double constant = a[0] + first.reference;
    if (second) {
      terms.push_back({second, -a[1]});
      constant -= a[1] * second->reference;
    }
    add_coupling(draft_, name_, terms, constant, active_, e.place);
  }

  const MjcfDefaults& defaults_;
  const MjcfRobot& robot_;
  Draft& draft_;
  std::string name_;
  bool active_ = true;
  int unnamed_ = 0;
};

}  // namespace

void write_equalities(const XmlElement& root, const MjcfDefaults& defaults, const MjcfRobot& robot, Draft& draft) {
  EqualityWriter writer(defaults, robot, draft);
  for (const XmlElement* section : root.all("equality"))
    for (const XmlElement& element : section->children)
      if (element.name == "connect" || element.name == "weld" || element.name == "joint") {
        element.used = true;
        writer.write(element);
      }
}

}  // namespace mortise::io
