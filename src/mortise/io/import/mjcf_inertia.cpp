// Mass, centre and inertia from <inertial>, or from the shapes of a body: solid, of one density each.
//
//     sphere     4/3 π r³            2/5 m r²
//     box        8 a b c             m/3 (b² + c²), …                           half sizes a, b, c
//     ellipsoid  4/3 π a b c         m/5 (b² + c²), …                           half axes
//     cylinder   2 π r² h            m (3 r² + 4 h²)/12 twice, m r²/2           half length h
//     capsule    cylinder and two half spheres, whose centres lie h + 3r/8 away
#include <fmt/format.h>

#include <cmath>

#include "mortise/io/import/mjcf_parts.h"

namespace mortise::io {

namespace {

struct Solid {
  double volume = 0;
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();  // of mass 1
};

Solid capsule(double r, double h) {
  const double cylinder = 2 * M_PI * r * r * h, ball = 4.0 / 3 * M_PI * r * r * r, volume = cylinder + ball;
  const double a = cylinder / volume, b = ball / volume;  // shares of the mass
  const double along = a * r * r / 2 + b * 2 * r * r / 5;
  // A half sphere about its own centre of mass: 83/320 r²; that lies h + 3r/8 from the middle.
  const double d = h + 3 * r / 8;
  const double across = a * (3 * r * r + 4 * h * h) / 12 + b * (83.0 / 320 * r * r + d * d);
  return {volume, {across, across, along}};
}

Solid solid(const std::string& type, const Eigen::Vector3d& size) {
  const Eigen::Vector3d s = size.cwiseProduct(size);
  const Eigen::Vector3d sums{s.y() + s.z(), s.x() + s.z(), s.x() + s.y()};
  if (type == "sphere") return {4.0 / 3 * M_PI * std::pow(size.x(), 3), Eigen::Vector3d::Constant(0.4 * s.x())};
  if (type == "box") return {8 * size.prod(), sums / 3};
  if (type == "ellipsoid") return {4.0 / 3 * M_PI * size.prod(), sums / 5};
  if (type == "capsule") return capsule(size.x(), size.y());
  const double across = (3 * s.x() + 4 * s.y()) / 12;  // a cylinder
  return {2 * M_PI * s.x() * size.y(), {across, across, s.x() / 2}};
}

}  // namespace

std::optional<Inertia> read_geom_inertia(const MjcfElement& geom, const Pose& frame, const MjcfCompiler& compiler) {
  const XmlElement& xml = geom.xml();
  const XmlAttribute* named = geom.attribute("type");
  static const std::vector<std::string> types{"sphere", "box",    "ellipsoid", "capsule", "cylinder",
                                              "plane",  "hfield", "mesh",      "sdf"};
  const bool is_mesh = !named && geom.attribute("mesh");
  const std::string type = named ? types[read_choice(*named, types)] : is_mesh ? "mesh" : "sphere";
  if (type == "plane" || type == "hfield") return {};
  const double density = geom.number("density", 1000);
  const XmlAttribute* mass = geom.attribute("mass");
  const double given = mass ? read_number(*mass) : -1;
  if ((mass && given == 0) || (!mass && density == 0)) return {};
  if (type == "mesh" || type == "sdf")
    fail_model("M710", fmt::format("the inertia of a {} is not computed", type), xml.place,
               "give the body an <inertial>, or the geom mass=\"0\"");
  if (const XmlAttribute* shell = geom.attribute("shellinertia"); shell && read_flag(*shell))
    fail_model("M710", "shells are not computed, solids are", shell->place, "give the body an <inertial>");

  Pose pose{geom.vector("pos", Eigen::Vector3d::Zero()), {}};
  const std::size_t need = type == "sphere" ? 1 : type == "box" || type == "ellipsoid" ? 3 : 2;
  const XmlAttribute* line = geom.attribute("fromto");
  const XmlAttribute* size_attribute = geom.attribute("size");
  if (!size_attribute) fail_model("M705", fmt::format("a {} needs the attribute 'size'", type), xml.place);
  const std::vector<double> sizes = read_numbers(*size_attribute, 1, 3);
  Eigen::Vector3d size = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < sizes.size(); ++k) size[static_cast<Eigen::Index>(k)] = sizes[k];
  std::size_t known = sizes.size();
  if (line && type != "sphere") {
    const std::vector<double> x = read_numbers(*line, 6, 6);
    const Eigen::Vector3d a{x[0], x[1], x[2]}, b{x[3], x[4], x[5]};
    const double length = (b - a).norm();
    if (!(length > 0)) fail_model("M704", "the two ends of 'fromto' coincide", line->place);
    pose.p = (a + b) / 2;
    // Mujoco lets z point from the second end to the first; a solid looks the same both ways.
    const Eigen::Vector3d z = (a - b) / length, axis = Eigen::Vector3d::UnitZ().cross(z);
    pose.q =
        axis.norm() < 1e-12 ? geometry::Quaternion{} : geometry::from_axis_angle(axis, std::atan2(axis.norm(), z.z()));
    if (need == 3) size.y() = size.x();
    size[need == 3 ? 2 : 1] = length / 2;
    known = need;
  } else {
    pose.q = read_orientation(geom, compiler);
  }
  if (known < need)
    fail_model("M704", fmt::format("a {} needs {} sizes, not {}", type, need, known), size_attribute->place);
  for (std::size_t k = 0; k < need; ++k)
    if (!(size[static_cast<Eigen::Index>(k)] > 0)) fail_model("M704", "sizes are above zero", size_attribute->place);

  const Solid body = solid(type, size);
  Inertia out;
  out.mass = mass ? given : density * body.volume;
  out.tensor = (out.mass * body.moments).asDiagonal();
  out.place = xml.place;
  return moved(out, frame * pose);
}

Inertia read_mjcf_inertial(const XmlElement& element, const MjcfDefaults& defaults, const MjcfCompiler& compiler) {
  const MjcfElement inertial(element, defaults, "");
  Inertia out;
  out.place = element.place;
  out.center = read_vector(required_attribute(element, "pos"));
  out.mass = read_number(required_attribute(element, "mass"));
  if (const XmlAttribute* full = element.attribute("fullinertia")) {
    const std::vector<double> m = read_numbers(*full, 6, 6);
    out.tensor << m[0], m[3], m[4], m[3], m[1], m[5], m[4], m[5], m[2];
    for (const char* form : {"quat", "axisangle", "euler", "xyaxes", "zaxis", "diaginertia"})
      if (const XmlAttribute* a = element.peek(form))
        fail_model("M704", fmt::format("'fullinertia' is in the axes of the body: it goes without '{}'", form),
                   a->place);
  } else {
    out.tensor = read_vector(required_attribute(element, "diaginertia")).asDiagonal();
    out.frame = read_orientation(inertial, compiler);
  }
  return out;
}

}  // namespace mortise::io
