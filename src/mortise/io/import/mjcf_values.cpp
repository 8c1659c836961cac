// Attributes of MJCF: defaults by class, orientations in five forms, ranges.
#include <fmt/format.h>

#include <cmath>

#include "mortise/io/import/mjcf_parts.h"
#include "mortise/model/report.h"

namespace mortise::io {

void MjcfDefaults::read(const XmlElement& root) {
  for (const XmlElement* element : root.all("default")) read_class(*element, "");
}

void MjcfDefaults::read_class(const XmlElement& element, const std::string& parent) {
  const XmlAttribute* attribute = element.attribute("class");
  const std::string name = attribute ? attribute->value : "main";
  if (!attribute && !parent.empty())
    fail_model("M705", "a <default> inside another one needs a 'class'", element.place);
  if (!classes_.emplace(name, Class{parent, &element}).second)
    fail_model("M708", fmt::format("the class {} stands here twice", model::quote(name)),
               attribute ? attribute->place : element.place);
  if (element.children.size() > 200)
    fail_model("M702", "a <default> with more than 200 elements", element.place);  // all of them are looked at, often
  if (parent.empty()) outermost_ = name;
  for (const XmlElement* inner : element.all("default")) read_class(*inner, name);
}

void MjcfDefaults::check_class(const XmlAttribute& attribute) const {
  if (classes_.contains(attribute.value)) return;
  std::vector<std::string> names;
  for (const auto& [name, unused] : classes_) names.push_back(name);
  fail_reference(attribute, "default class", names);
}

std::string MjcfDefaults::class_of(const XmlElement& element, const std::string& inherited) const {
  const XmlAttribute* own = element.attribute("class");
  if (!own) return inherited.empty() ? outermost_ : inherited;
  check_class(*own);
  return own->value;
}

const XmlAttribute* MjcfDefaults::find(const XmlElement& element, const std::string& of_class,
                                       std::string_view name) const {
  if (const XmlAttribute* own = element.attribute(name)) return own;
  const XmlAttribute* inherited = nullptr;
  for (std::string c = of_class; !inherited;) {
    const auto found = classes_.find(c);
    if (found == classes_.end()) break;
    for (const XmlElement& child : found->second.element->children)
      if (child.name == element.name) {
        child.used = true;
        if (!inherited) inherited = child.attribute(name);
      }
    if (found->second.parent.empty()) break;
    c = found->second.parent;
  }
  return inherited;
}

double MjcfElement::number(std::string_view name, double fallback) const {
  const XmlAttribute* found = attribute(name);
  return found ? read_number(*found) : fallback;
}

Eigen::Vector3d MjcfElement::vector(std::string_view name, const Eigen::Vector3d& fallback) const {
  const XmlAttribute* found = attribute(name);
  return found ? read_vector(*found) : fallback;
}

std::string MjcfElement::text(std::string_view name, const std::string& fallback) const {
  const XmlAttribute* found = attribute(name);
  return found ? found->value : fallback;
}

MjcfCompiler read_compiler(const XmlElement& root) {
  MjcfCompiler out;
  for (const XmlElement* e : root.all("compiler")) {
    if (const XmlAttribute* a = e->attribute("angle"))
      out.angle = read_choice(*a, {"radian", "degree"}) == 0 ? 1 : M_PI / 180;
    if (const XmlAttribute* a = e->attribute("coordinate")) {
      if (read_choice(*a, {"local", "global"}) == 1)
        fail_model("M710", "coordinate=\"global\" is not read", a->place, "convert the file to local coordinates");
    }
    if (const XmlAttribute* a = e->attribute("eulerseq")) {
      out.euler = a->value;
      if (out.euler.size() != 3 || out.euler.find_first_not_of("xyzXYZ") != std::string::npos)
        fail_model("M704", fmt::format("expected three axes such as xyz or ZYX, not {}", model::quote(out.euler)),
                   a->place);
    }
    if (const XmlAttribute* a = e->attribute("autolimits")) out.autolimits = read_flag(*a);
    if (const XmlAttribute* a = e->attribute("inertiafromgeom"))
      out.from_geoms = static_cast<MjcfCompiler::FromGeoms>(read_choice(*a, {"false", "auto", "true"}));
  }
  return out;
}

geometry::Quaternion read_orientation(const MjcfElement& element, const MjcfCompiler& compiler) {
  std::vector<std::pair<std::string_view, const XmlAttribute*>> given;
  for (const std::string_view form : {"quat", "axisangle", "euler", "xyaxes", "zaxis"})
    if (const XmlAttribute* a = element.attribute(form)) given.emplace_back(form, a);
  if (given.empty()) return {};
  const auto [form, a] = given.front();
  if (given.size() > 1)
    fail_model("M704", fmt::format("'{}' and '{}' both give the orientation", form, given[1].first),
               given[1].second->place, "keep one of them");
  const auto unit = [place = a->place](const Eigen::Vector3d& v) {
    const double length = v.stableNorm();
    if (!(length > 1e-12)) fail_model("M704", "expected a direction, not a vector of length zero", place);
    return Eigen::Vector3d(v / length);
  };
  if (form == "quat") {
    const std::vector<double> x = read_numbers(*a, 4, 4);
    const geometry::Quaternion q{x[0], x[1], x[2], x[3]};
    if (!(q.norm() > 1e-12) || !std::isfinite(q.norm())) fail_model("M704", "a quaternion of length zero", a->place);
    return q.norm() == 1 ? q : q.normalized();
  }
  if (form == "axisangle") {
    const std::vector<double> x = read_numbers(*a, 4, 4);
    return geometry::from_axis_angle(unit({x[0], x[1], x[2]}), x[3] * compiler.angle);
  }
  if (form == "euler") {
    // A lower-case axis is carried along, an upper-case one stays where it is: turns about it are put in front.
    const Eigen::Vector3d angles = read_vector(*a) * compiler.angle;
    geometry::Quaternion q;
    for (int k = 0; k < 3; ++k) {
      const char axis = compiler.euler[static_cast<std::size_t>(k)];
      const bool fixed = axis < 'a';
      const geometry::Quaternion turn =
          geometry::from_axis_angle(Eigen::Vector3d::Unit(fixed ? axis - 'X' : axis - 'x'), angles[k]);
      q = fixed ? turn * q : q * turn;
    }
    return q;
  }
  if (form == "xyaxes") {
    const std::vector<double> x = read_numbers(*a, 6, 6);
    const Eigen::Vector3d first = unit({x[0], x[1], x[2]});
    const Eigen::Vector3d y{x[3], x[4], x[5]};
    const Eigen::Vector3d second = unit(y - first.dot(y) * first);
    Eigen::Matrix3d R;
    R << first, second, first.cross(second);
    return geometry::from_matrix(R);
  }
  // zaxis: the least turn that takes z there.
  const Eigen::Vector3d z = unit(read_vector(*a));
  const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ().cross(z);
  if (axis.norm() < 1e-12) return z.z() > 0 ? geometry::Quaternion{} : geometry::Quaternion{0, 1, 0, 0};
  return geometry::from_axis_angle(axis, std::atan2(axis.norm(), z.z()));
}

Pose read_pose(const MjcfElement& element, const MjcfCompiler& compiler) {
  return {element.vector("pos", Eigen::Vector3d::Zero()), read_orientation(element, compiler)};
}

std::optional<std::pair<double, double>> read_range(const MjcfElement& element, const MjcfCompiler& compiler,
                                                    std::string_view range, std::string_view limited) {
  const XmlAttribute* r = element.attribute(range);
  const XmlAttribute* l = element.attribute(limited);
  const std::size_t how = l ? read_choice(*l, {"false", "true", "auto"}) : 2;
  if (how == 0 || !r || (how == 2 && !compiler.autolimits)) return {};
  const std::vector<double> ends = read_numbers(*r, 2, 2);
  if (ends[0] == 0 && ends[1] == 0 && how == 2) return {};
  if (!(ends[0] < ends[1])) fail_model("M704", "the lower end of a range is not below the upper one", r->place);
  return std::pair(ends[0], ends[1]);
}

}  // namespace mortise::io
