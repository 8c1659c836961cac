// Bodies: rigid (mass, inertia about the centre of mass) and particle (mass only).
#include "mortise/mechanism/parts.h"

namespace mortise::mechanism {

std::vector<Part> bodies() {
  using model::FieldKind;
  using model::FieldSpec;
  using model::Section;
  const FieldSpec mass{"mass", FieldKind::number, true, "", "kg", "mass", {}};
  const FieldSpec at{"at", FieldKind::vector, false, "origin", "m", "position of the body frame's origin at t = 0", {}};
  const FieldSpec velocity{"velocity", FieldKind::vector,
                           false,      "0",
                           "m/s",      "of the origin at t = 0, world axes; kept where the joints allow it",
                           {}};
  const FieldSpec plane{
      "plane", FieldKind::direction,
      false,   "",
      "",      "normal, in world axes: the body stays in this plane through its place at t = 0 (spatial)",
      {},      false,
      true};
  const FieldSpec points{"points", FieldKind::point_map, false, "", "m", "named points, in body axes", {}};

  Part rigid;
  rigid.info = {Section::body, "rigid", {}, "a rigid body with its own frame", true, true, {}, 0, 0};
  rigid.info.fields = {
      mass,
      {"inertia",
       FieldKind::inertia,
       true,
       "",
       "kg m^2",
       "about the centre of mass; planar: a number; spatial: [xx, yy, zz] or {xx, yy, zz, xy, xz, yz}, tensor sign",
       {}},
      {"inertia_frame",
       FieldKind::orientation,
       false,
       "body axes",
       "",
       "axes in which the inertia is given (spatial)",
       {}},
      {"center", FieldKind::vector, false, "origin", "m", "centre of mass, in body axes", {}},
      at,
      {"angle", FieldKind::angle, false, "0", "rad", "of the body frame at t = 0 (planar)", {}, true, false},
      {"orientation", FieldKind::orientation, false, "world axes", "", "of the body frame at t = 0 (spatial)", {}},
      plane,
      velocity,
      {"angular_velocity",
       FieldKind::spin,
       false,
       "0",
       "rad/s",
       "at t = 0; planar: a number; spatial: a vector in world axes",
       {}},
      points,
      {"frames", FieldKind::frame_map, false, "", "", "named frames: {at: …, orientation: … (planar: angle)}", {}},
  };
  rigid.build = [](const ItemCopy& item, Builder& builder) { builder.add_body(item, false); };

  Part particle;
  particle.info = {
      Section::body, "particle", {"point-mass"}, "a point mass: it has no orientation", true, true, {}, 0, 0};
  particle.info.fields = {mass, at, plane, velocity};
  particle.build = [](const ItemCopy& item, Builder& builder) { builder.add_body(item, true); };
  return {rigid, particle};
}

}  // namespace mortise::mechanism
