// The registry of parts: a new joint, force or event is one file and one line in parts.cpp. Programs that use the
// library add parts of their own to a PartList, which reader and compiler take: nothing in here has to know them.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "mortise/mechanism/builder.h"
#include "mortise/model/catalogue.h"

namespace mortise::mechanism {

// What the part's page says beyond its fields.
struct Page {
  const char* rows = "";     // the equations, one a line; of forces: the law
  const char* signs = "";    // what is positive, what is measured from where, limits
  const char* example = "";  // a whole model that runs
};

struct Part {
  model::PartInfo info;
  std::function<void(const ItemCopy&, Builder&)> build;
  Page page = {};
};

// What models may be made of: the parts of the library and those that were added. Models refer to it: it must live as
// long as they do. Adding moves nothing that is there.
class PartList {
 public:
  PartList();  // the parts of the library
  // Throws std::invalid_argument when the type or an alias is taken, or the part cannot be built.
  PartList& add(Part part);
  const Part* find(model::Section section, std::string_view type) const;  // nullptr when unknown
  const model::Catalogue& catalogue() const { return catalogue_; }

 private:
  std::deque<Part> parts_;
  model::Catalogue catalogue_;
};

const PartList& standard_parts();  // of the library alone
const std::vector<Part>& parts();
const model::Catalogue& catalogue();  // what `parts` describe, for the reader, the schema and `mortise list`

// Fields that joints share, then those of the part itself.
enum JointFields : unsigned { with_place = 1, with_axis = 2, with_angle = 4 };
std::vector<model::FieldSpec> joint_fields(unsigned which, std::vector<model::FieldSpec> own = {});

// One per file of bodies/, joints/, drivers/, forces/ and events/.
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
Part gear();
Part coupling();
Part speed_coupling();
Part user_row();
Part no_slip();
Part rolling_sphere();
Part rolling_sphere_track();
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
Part bushing();
Part bump_stop();
Part friction();
Part drag();
Part tyre();
Part contact_rigid();
Part contact_spring();
Part lock();
Part unlock();
Part mark();
Part breaks();
Part limit();
Part slip_stick();
Part contact();

}  // namespace mortise::mechanism
