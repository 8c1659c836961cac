#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {

const std::vector<Part>& parts() {
  static const std::vector<Part> all = [] {
    std::vector<Part> list = bodies();
    for (Part (*make)() : {
             revolute,
             prismatic,
             cylindrical,
             universal,
             spherical,
             fixed,
             distance,
             coordinate,
             point_on_plane,
             point_on_line,
             point_on_curve,
             planar_joint,
             screw,
             rack_pinion,
             constant_velocity,
             parallel_axes,
             perpendicular_axes,
             rolling_line,
             rolling_circle,  //
             knife_edge,
             rolling_disc,  //
             rotation_driver,
             translation_driver,
             distance_driver,
             coordinate_driver,
             path_driver,
             speed_driver,  //
             point_force,
             torque,
             spring_damper_actuator,
             torsional_spring_damper_actuator,
         })
      list.push_back(make());
    return list;
  }();
  return all;
}

const model::Catalogue& catalogue() {
  static const model::Catalogue all = [] {
    model::Catalogue list;
    for (const Part& part : parts()) list.add(part.info);
    return list;
  }();
  return all;
}

std::vector<model::FieldSpec> joint_fields(unsigned which, std::vector<model::FieldSpec> own) {
  using model::FieldKind;
  std::vector<model::FieldSpec> fields;
  fields.push_back({"between",
                    FieldKind::attachments,
                    true,
                    "",
                    "",
                    "the two bodies, or named points or frames on them: [ground, arm], [arm.tip, rod.A]",
                    {}});
  if (which & with_place) {
    fields.push_back({"at", FieldKind::vector, false, "", "m", "world point of the joint at t = 0", {}});
    fields.push_back({"points", FieldKind::points, false, "", "m", "one point per body, in body axes", {}});
  }
  if (which & with_axis) {
    fields.push_back(
        {"axis", FieldKind::direction, false, "z (planar: x)", "", "joint axis, a world direction at t = 0", {}});
    fields.push_back({"in",
                      FieldKind::choice,
                      false,
                      "world",
                      "",
                      "axes in which directions are given",
                      {"world", "first", "second"}});
  }
  if (which & with_angle) {
    fields.push_back(
        {"angle", FieldKind::angle, false, "0, or that of the named frames", "rad", "the joint angle at t = 0", {}});
    fields.back().planar = false;
  }
  for (model::FieldSpec& field : own) fields.push_back(std::move(field));
  fields.push_back(
      {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its rows are off", {}});
  return fields;
}

}  // namespace mortise::mechanism
