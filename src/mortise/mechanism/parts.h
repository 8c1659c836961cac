// The registry of parts: a new joint, driver or force is one file and one line in parts.cpp.
#pragma once

#include <vector>

#include "mortise/mechanism/builder.h"
#include "mortise/model/catalogue.h"

namespace mortise::mechanism {

struct Part {
  model::PartInfo info;
  void (*build)(const ItemCopy&, Builder&) = nullptr;
};

const std::vector<Part>& parts();
const model::Catalogue& catalogue();  // what `parts` describe, for the reader, the schema and `mortise list`

// Fields that joints share, then those of the part itself.
enum JointFields : unsigned { with_place = 1, with_axis = 2, with_angle = 4 };
std::vector<model::FieldSpec> joint_fields(unsigned which, std::vector<model::FieldSpec> own = {});

// One per file of bodies/, joints/, drivers/ and forces/.
std::vector<Part> bodies();
Part revolute();
Part prismatic();
Part cylindrical();
Part universal();
Part spherical();
Part fixed();
Part distance();
Part coordinate();
Part point_on_plane();
Part point_on_line();
Part point_on_curve();
Part planar_joint();
Part screw();
Part rack_pinion();
Part constant_velocity();
Part parallel_axes();
Part perpendicular_axes();
Part rolling_line();
Part rolling_circle();
Part knife_edge();
Part rolling_disc();
Part rotation_driver();
Part translation_driver();
Part distance_driver();
Part coordinate_driver();
Part path_driver();
Part speed_driver();
Part point_force();
Part torque();
Part spring_damper_actuator();
Part torsional_spring_damper_actuator();

}  // namespace mortise::mechanism
