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
  // For pictures, and for contacts (contact/contact_set.h).
  const FieldSpec geometry{"geometry",
                           FieldKind::frame_map,
                           false,
                           "",
                           "m",
                           "how it is drawn: named shapes {box: …}, {sphere: r}, {cylinder: [r, l]}, {capsule: [r, l]} "
                           "or {mesh: file}, each "
                           "with at, orientation (planar: angle), colour, and of a mesh scale",
                           {"box", "sphere", "cylinder", "capsule", "mesh", "scale", "colour"}};

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
      geometry,
  };
  rigid.build = [](const ItemCopy& item, Builder& builder) { builder.add_body(item, false); };

  rigid.page = {
      R"(
planar    M = diag(m, m, J),  coordinates x, y, angle of the centre of mass
spatial   m v̇ = F,   J ω̇ + ω × J ω = T;   position of the centre of mass, unit quaternion; ω in body axes
)",
      R"(`at`, `velocity` and the quantities of a body are those of its frame's origin; the centre of mass is `center` away.
Inertia has the sign of the tensor (xy = −∫ x y dm). `plane` holds a spatial body in a plane.)",
      R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  stick: {mass: 1, inertia: 0.1, at: [0, 0], velocity: [2, 3], angular_velocity: 5, points: {a: [-0.4, 0], b: [0.4, 0]}}
analysis: {until: 0.6}
)"};

  Part particle;
  particle.info = {
      Section::body, "particle", {"point-mass"}, "a point mass: it has no orientation", true, true, {}, 0, 0};
  particle.info.fields = {mass, at, plane, velocity, geometry};
  particle.build = [](const ItemCopy& item, Builder& builder) { builder.add_body(item, true); };
  particle.page = {
      R"(
m v̇ = F
)",
      R"(It has a place but no orientation: joints that need one refuse it and say so. `plane` holds a spatial particle in a plane.)",
      R"(
mortise: 1
dimension: planar
gravity: [0, -9.81]
bodies:
  ball: {type: particle, mass: 1, at: [0, 0], velocity: [2, 3]}
analysis: {until: 0.6}
)"};
  return {rigid, particle};
}

}  // namespace mortise::mechanism
