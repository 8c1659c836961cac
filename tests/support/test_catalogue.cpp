#include "support/test_catalogue.h"

namespace mortise::test {

namespace {

using model::FieldKind;
using model::FieldSpec;
using model::PartInfo;
using model::Section;

FieldSpec field(const char* name, FieldKind kind, const char* unit = "", const char* help = "") {
  FieldSpec f;
  f.name = name, f.kind = kind, f.unit = unit, f.help = help;
  return f;
}
FieldSpec required(FieldSpec f) {
  f.required = true;
  return f;
}
FieldSpec planar_only(FieldSpec f) {
  f.spatial = false;
  return f;
}
FieldSpec at_least(FieldSpec f, double minimum) {
  f.minimum = minimum;
  return f;
}
FieldSpec among(FieldSpec f, std::vector<std::string> choices) {
  f.choices = std::move(choices);
  return f;
}

PartInfo part(Section section, const char* type, std::vector<std::string> aliases, const char* help,
              std::vector<FieldSpec> fields) {
  PartInfo p;
  p.section = section, p.type = type, p.aliases = std::move(aliases), p.help = help, p.fields = std::move(fields);
  return p;
}
PartInfo spatial_only(PartInfo p) {
  p.planar = false;
  return p;
}

std::vector<FieldSpec> joint_fields(std::vector<FieldSpec> more = {}) {
  std::vector<FieldSpec> fields{required(field("between", FieldKind::attachments, "", "the two bodies")),
                                field("at", FieldKind::vector, "m", "a point of the world at t = 0"),
                                field("points", FieldKind::points, "m", "one point per body"),
                                field("active", FieldKind::flag)};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

model::Catalogue make() {
  model::Catalogue c;
  c.add(part(Section::body, "rigid", {}, "a rigid body",
             {required(field("mass", FieldKind::number, "kg", "its mass")),
              field("inertia", FieldKind::inertia, "kg m²"), field("center", FieldKind::vector, "m"),
              field("at", FieldKind::vector, "m"), planar_only(field("angle", FieldKind::angle, "rad")),
              field("orientation", FieldKind::orientation), field("inertia_frame", FieldKind::orientation),
              field("velocity", FieldKind::vector, "m/s"), field("angular_velocity", FieldKind::spin, "rad/s"),
              field("points", FieldKind::point_map, "m"), field("frames", FieldKind::frame_map)}));
  c.add(part(Section::body, "particle", {"point"}, "a point with mass",
             {required(field("mass", FieldKind::number, "kg")), field("at", FieldKind::vector, "m"),
              field("velocity", FieldKind::vector, "m/s")}));
  const FieldSpec axis = field("axis", FieldKind::direction);
  c.add(part(Section::joint, "revolute", {"hinge", "pin"}, "turns about one axis", joint_fields({axis})));
  c.add(part(Section::joint, "prismatic", {"slide", "slider", "translational"}, "slides along one axis",
             joint_fields({required(axis)})));
  c.add(part(Section::joint, "fixed", {"weld"}, "holds two bodies together", joint_fields()));
  c.add(spatial_only(part(Section::joint, "spherical", {"ball"}, "turns about a point", joint_fields())));
  c.add(part(Section::joint, "distance", {"rod"}, "keeps two points at a distance",
             joint_fields({at_least(field("length", FieldKind::number, "m"), 0)})));
  c.add(part(Section::joint, "coordinate", {}, "holds one coordinate of a body",
             {required(field("body", FieldKind::body)),
              required(among(field("coordinate", FieldKind::choice), {"x", "y", "z", "angle"})),
              field("value", FieldKind::number), field("label", FieldKind::text)}));
  c.add(part(Section::driver, "rotation", {"motor"}, "turns a joint",
             {required(field("joint", FieldKind::joint)), required(field("function", FieldKind::function, "rad"))}));
  c.add(part(Section::force, "spring-damper-actuator", {"spring-damper", "tsda"}, "acts along a line",
             {required(field("between", FieldKind::attachments)), field("points", FieldKind::points, "m"),
              at_least(field("stiffness", FieldKind::number, "N/m"), 0),
              at_least(field("damping", FieldKind::number, "N s/m"), 0),
              at_least(field("length", FieldKind::number, "m"), 0), field("force", FieldKind::function, "N")}));
  c.add(part(
      Section::force, "force", {}, "a force at a point of a body",
      {required(field("body", FieldKind::attachment)), required(field("value", FieldKind::function_vector, "N"))}));
  return c;
}

}  // namespace

const model::Catalogue& test_catalogue() {
  static const model::Catalogue catalogue = make();
  return catalogue;
}

}  // namespace mortise::test
