// Fixed tendons and actuators: generalised forces on joint coordinates, by formulas.
//
//     length L = gear Σ c_i q_i      f = gain u + b₀ + b₁ L + b₂ L̇      force on q_i: gear c_i f
//
// The control u is an input of the model, held within its range.
#include <fmt/format.h>

#include <algorithm>

#include "mortise/io/import/mjcf_parts.h"
#include "mortise/model/names.h"

namespace mortise::io {

namespace {

using model::Map;

struct Transmission {
  std::vector<std::pair<const RobotJoint*, double>> terms;  // joint, coefficient
  std::string sum(bool rates) const {
    std::string out;
    for (const auto& [joint, c] : terms)
      out += fmt::format("{}{}*'{}'", out.empty() ? "" : " + ", c, rates ? joint->rate_name() : joint->coordinate());
    return out;
  }
};

std::string clamped(const std::string& formula, const std::optional<std::pair<double, double>>& range) {
  return range ? fmt::format("max({}, min({}, {}))", range->first, range->second, formula) : formula;
}

class ForceWriter {
 public:
  ForceWriter(const MjcfDefaults& defaults, const MjcfCompiler& compiler, const MjcfRobot& robot, const MjcfKey& key,
              bool limits, Draft& draft)
      : defaults_(defaults), compiler_(compiler), robot_(robot), key_(key), limits_(limits), draft_(draft) {}

  void write_tendon(const XmlElement& element) {
    const MjcfElement e(element, defaults_, defaults_.class_of(element, ""));
    const XmlAttribute* name = element.attribute("name");
    const std::string label = name ? name->value : fmt::format("tendon{}", ++unnamed_);
    Transmission path;
    double drawn = 0;
    for (const XmlElement* part : element.all("joint")) {
      const XmlAttribute& reference = required_attribute(*part, "joint");
      const RobotJoint& joint = robot_.joint(reference).made;
      if (joint.coordinate().empty()) fail_model("M710", "a fixed tendon runs over hinges and slides", reference.place);
      const double c = read_number(required_attribute(*part, "coef"));
      drawn += c * joint.reference;
      if (c != 0) path.terms.emplace_back(&joint, c);
    }
    if (path.terms.empty()) fail_model("M705", "<fixed> needs a <joint> in it", element.place);
    tendons_[label] = path;
    const double k = e.number("stiffness", 0), c = e.number("damping", 0);
    if (k != 0 || c != 0) {
      const XmlAttribute* length = k != 0 ? e.attribute("springlength") : nullptr;
      const double rest = length ? read_numbers(*length, 1, 1)[0] : drawn;
      push(path, 1, label, fmt::format("-({}*({} - ({})) + {}*({}))", k, path.sum(false), rest, c, path.sum(true)),
           element.place);
    }
    const auto range = read_range(e, compiler_, "range", "limited");
    if (!range || !limits_) return;
    Map sum;
    for (const auto& [joint, coefficient] : path.terms) sum.add(joint->coordinate(), coefficient);
    draft_.add("events", draft_.name(label + "-limit", element.place),
               Map{{"type", "limit"}, {"of", sum}, {"minimum", range->first}, {"maximum", range->second}},
               element.place);
  }

  // False: this kind of actuator is not used.
  bool write_actuator(const XmlElement& element, std::size_t number) {
    const MjcfElement e(element, defaults_, defaults_.class_of(element, ""));
    const std::string& kind = element.name;
    double gain = 1, b0 = 0, b1 = 0, b2 = 0;
    if (kind == "position") {
      gain = e.number("kp", 1);
      b1 = -gain;
      b2 = -e.number("kv", 0);
    } else if (kind == "velocity") {
      gain = e.number("kv", 1);
      b2 = -gain;
    } else if (kind == "general") {
      if (e.text("dyntype", "none") != "none" || e.text("gaintype", "fixed") != "fixed") return false;
      const std::string bias = e.text("biastype", "none");
      if (bias != "none" && bias != "affine") return false;
      if (const XmlAttribute* a = e.attribute("gainprm")) gain = read_numbers(*a, 1, 10)[0];
      if (const XmlAttribute* a = bias == "affine" ? e.attribute("biasprm") : nullptr) {
        std::vector<double> b = read_numbers(*a, 1, 10);
        b.resize(10, 0);
        b0 = b[0], b1 = b[1], b2 = b[2];
      }
    } else if (kind != "motor") {
      return false;
    }
    Transmission path;
    if (const XmlAttribute* joint = e.attribute("joint")) {
      path.terms.emplace_back(&robot_.joint(*joint).made, 1);
      if (path.terms[0].first->coordinate().empty() || robot_.joint(*joint).number < 0) return false;
    } else if (const XmlAttribute* tendon = e.attribute("tendon")) {
      const auto found = tendons_.find(tendon->value);
      if (found == tendons_.end()) return false;  // a spatial one
      path = found->second;
    } else {
      return false;
    }
    element.used = true;
    double gear = 1;
    if (const XmlAttribute* a = e.attribute("gear")) gear = read_numbers(*a, 1, 6)[0];
    const XmlAttribute* name = element.attribute("name");
    const std::string label = draft_.name(name ? name->value : path.terms[0].first->name + "-" + kind, element.place);
    const std::string input = input_name(label);
    const double start = number < key_.ctrl.size() ? key_.ctrl[number] : 0;
    draft_.add("inputs", input, model::Value(start), element.place);
    std::string f =
        fmt::format("{}*{}", gain, clamped("input." + input, read_range(e, compiler_, "ctrlrange", "ctrllimited")));
    if (b0 != 0) f += fmt::format(" + ({})", b0);
    if (b1 != 0) f += fmt::format(" + ({})*({})", b1 * gear, path.sum(false));
    if (b2 != 0) f += fmt::format(" + ({})*({})", b2 * gear, path.sum(true));
    push(path, gear, label, clamped(f, read_range(e, compiler_, "forcerange", "forcelimited")), element.place);
    return true;
  }

  void write_spring(const MjcfJoint& joint) {
    if (joint.stiffness == 0) return;
    if (joint.made.kind == JointKind::revolute)
      draft_.add("forces", draft_.name(joint.made.name + "-spring", joint.place),
                 Map{{"type", "torsional-spring-damper-actuator"},
                     {"joint", joint.made.name},
                     {"stiffness", joint.stiffness},
                     {"angle", joint.spring_reference}},
                 joint.place);
    else
      add_joint_force(
          draft_, robot_.robot, joint.made, joint.made.name + "-spring",
          fmt::format("-{}*('{}' - ({}))", joint.stiffness, joint.made.coordinate(), joint.spring_reference),
          joint.place);
  }

 private:
  void push(const Transmission& path, double gear, const std::string& name, const std::string& formula,
            const Place& place) {
    for (const auto& [joint, c] : path.terms)
      add_joint_force(draft_, robot_.robot, *joint,
                      path.terms.size() == 1 ? name + "-force" : fmt::format("{}-{}", name, joint->name),
                      fmt::format("{}*({})", gear * c, formula), place);
  }

  std::string input_name(const std::string& label) {
    std::string name = label;
    std::replace(name.begin(), name.end(), '-', '_');
    while (std::find(inputs_.begin(), inputs_.end(), name) != inputs_.end()) name += "_";
    inputs_.push_back(name);
    return name;
  }

  const MjcfDefaults& defaults_;
  const MjcfCompiler& compiler_;
  const MjcfRobot& robot_;
  const MjcfKey& key_;
  bool limits_;
  Draft& draft_;
  std::map<std::string, Transmission> tendons_;
  std::vector<std::string> inputs_;
  int unnamed_ = 0;
};

}  // namespace

void write_tendons_and_actuators(const XmlElement& root, const MjcfDefaults& defaults, const MjcfCompiler& compiler,
                                 const MjcfRobot& robot, const MjcfKey& key, bool limits, Draft& draft) {
  ForceWriter writer(defaults, compiler, robot, key, limits, draft);
  for (const MjcfJoint& joint : robot.joints) {
    if (joint.number < 0) continue;
    writer.write_spring(joint);
    add_joint_friction(draft, joint.made, joint.damping, joint.dry, joint.place);
    if (limits && joint.range)
      add_joint_limits(draft, joint.made, joint.range->first, joint.range->second, joint.place);
  }
  for (const XmlElement* section : root.all("tendon"))
    for (const XmlElement* tendon : section->all("fixed")) writer.write_tendon(*tendon);
  std::size_t number = 0;
  for (const XmlElement* section : root.all("actuator"))
    for (const XmlElement& actuator : section->children) writer.write_actuator(actuator, number++);
}

}  // namespace mortise::io
