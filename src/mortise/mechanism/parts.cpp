#include "mortise/mechanism/parts.h"

#include <stdexcept>

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
             rolling_disc,
             gear,
             coupling,
             speed_coupling,
             user_row,
             no_slip,
             rolling_sphere,
             rolling_sphere_track,  //
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
             bushing,
             bump_stop,
             friction,
             drag,
             tyre,
             contact_rigid,
             contact_spring,  //
             lock,
             unlock,
             mark,
             breaks,
             limit,
             contact,
             slip_stick,
         })
      list.push_back(make());
    return list;
  }();
  return all;
}

PartList::PartList() {
  for (const Part& part : parts()) add(part);
}

PartList& PartList::add(Part part) {
  const model::PartInfo& info = part.info;
  const std::string what = std::string(model::item_name(info.section)) + " '" + info.type + "'";
  if (info.type.empty()) throw std::invalid_argument("a part needs a type");
  if (!part.build) throw std::invalid_argument(what + " has no build function");
  std::vector<std::string> names = info.aliases;
  names.push_back(info.type);
  for (const std::string& name : names)
    if (const model::PartInfo* taken = catalogue_.find(info.section, name))
      throw std::invalid_argument(what + ": the name '" + name + "' belongs to '" + taken->type + "' already");
  catalogue_.add(info);
  parts_.push_back(std::move(part));
  return *this;
}

const Part* PartList::find(model::Section section, std::string_view type) const {
  for (const Part& part : parts_)
    if (part.info.section == section && part.info.type == type) return &part;
  return nullptr;
}

const PartList& standard_parts() {
  static const PartList all;
  return all;
}

const model::Catalogue& catalogue() { return standard_parts().catalogue(); }

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
  fields.push_back({"stiffness", FieldKind::number, false, "", "N/m", "for reactions: stiffness-weighted", {}});
  fields.push_back({"turning_stiffness",
                    FieldKind::number,
                    false,
                    "stiffness · l², l: characteristic length",
                    "N m/rad",
                    "for reactions: stiffness-weighted",
                    {}});
  fields.push_back(
      {"active", FieldKind::flag, false, "true", "", "false: the joint is there but its rows are off", {}});
  return fields;
}

}  // namespace mortise::mechanism
