// One small model for each joint and driver, in each dimension and pairing in which it exists. A part of the registry
// without an entry here fails a test.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace mortise::test {

struct PartSample {
  const char* section;  // "joints" or "drivers"
  const char* type;
  int dimension;
  const char* pairing;  // tells samples of one part apart
  const char* item;     // the fields of the part, which is named J
  const char* before;   // a joint it refers to, named H; "" = none

  std::string name() const;  // for gtest: letters, digits and underscores
  std::string text() const;  // the whole model
};

// Bodies in general position, centre of mass off the origin, full inertia; a bead without orientation.
inline constexpr const char* planar_bodies = R"(
bodies:
  first: {mass: 2.3, inertia: 0.4, center: [0.11, -0.23], at: [0.3, 0.5], angle: 0.7,
          points: {P: [0.4, 0.1]}, frames: {F: {at: [0.2, -0.3], angle: 0.4}}}
  second: {mass: 1.7, inertia: 0.3, center: [-0.17, 0.08], at: [1.9, 1.2], angle: -1.1,
           points: {P: [-0.3, 0.2]}, frames: {F: {at: [0.5, 0.1], angle: -0.9}}}
  bead: {type: particle, mass: 0.6, at: [-1.4, 2.1]}
  third: {mass: 1.1, inertia: 0.2, center: [0.05, 0.14], at: [-0.6, 0.9], angle: 0.4, geometry: {skin: {sphere: 0.3}}}
)";
inline constexpr const char* spatial_bodies = R"(
bodies:
  first: {mass: 2.3, inertia: {xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.05, xz: -0.07, yz: 0.03}, center: [0.11, -0.23, 0.07],
          at: [0.3, 0.5, -0.2], orientation: {rpy: [0.4, -0.3, 0.9]},
          points: {P: [0.4, 0.1, -0.2]}, frames: {F: {at: [0.2, -0.3, 0.1], orientation: {rpy: [0.2, 0.1, -0.3]}}}}
  second: {mass: 1.7, inertia: {xx: 0.3, yy: 0.4, zz: 0.35, xy: -0.04, xz: 0.02, yz: 0.06}, center: [-0.17, 0.08, 0.21],
           at: [1.9, 1.2, 0.8], orientation: {rpy: [-0.7, 0.5, 0.2]},
           points: {P: [-0.3, 0.2, 0.1]}, frames: {F: {at: [0.5, 0.1, 0.3], orientation: {rpy: [0.9, -0.4, 0.1]}}}}
  bead: {type: particle, mass: 0.6, at: [-1.4, 2.1, 1.3]}
  third: {mass: 1.1, inertia: {xx: 0.2, yy: 0.3, zz: 0.25, xy: 0.02, xz: 0.01, yz: -0.03}, center: [0.05, 0.14, -0.06],
          at: [-0.6, 0.9, 0.5], orientation: {rpy: [0.3, 0.8, -0.5]}, points: {P: [0.2, -0.1, 0.3]},
          geometry: {skin: {sphere: 0.3}}}
)";

// Smooth, with all derivatives.
#define MORTISE_DRIVE "function: 0.3 + 0.2*sin(2*t + 0.4) + t^2/5"

inline const std::vector<PartSample>& part_samples() {
  static const std::vector<PartSample> all{
      {"joints", "revolute", 2, "bodies", "between: [first, second], at: [0.9, 0.8]", ""},
      {"joints", "revolute", 2, "ground_first", "between: [ground, second], at: [0.9, 0.8]", ""},
      {"joints", "revolute", 2, "ground_second", "between: [first, ground], at: [0.9, 0.8]", ""},
      {"joints", "revolute", 2, "bead", "between: [first, bead], at: [0.9, 0.8]", ""},
      {"joints", "revolute", 2, "named_points", "between: [first.P, second.P]", ""},
      {"joints", "revolute", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]", ""},
      {"joints", "revolute", 3, "ground_first", "between: [ground, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]", ""},
      {"joints", "revolute", 3, "ground_second", "between: [first, ground], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]", ""},
      {"joints", "revolute", 3, "frames", "between: [first.F, second.F]", ""},
      {"joints", "revolute", 3, "axis_in_second",
       "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3], in: second", ""},
      {"joints", "prismatic", 2, "bodies", "between: [first, second], at: [0.9, 0.8], axis: [3, 4]", ""},
      {"joints", "prismatic", 2, "ground_first", "between: [ground, second], at: [0.9, 0.8], axis: [3, 4]", ""},
      {"joints", "prismatic", 2, "ground_second", "between: [first, ground], axis: [3, 4], in: first", ""},
      {"joints", "prismatic", 2, "frames", "between: [first.F, second.F]", ""},
      {"joints", "prismatic", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, -2, 3]", ""},
      {"joints", "prismatic", 3, "ground_first", "between: [ground, second], axis: [1, -2, 3]", ""},
      {"joints", "prismatic", 3, "ground_second", "between: [first, ground], axis: [1, -2, 3], in: first", ""},
      {"joints", "cylindrical", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, -2, 3]", ""},
      {"joints", "cylindrical", 3, "ground_first", "between: [ground, second.P], axis: [1, -2, 3]", ""},
      {"joints", "cylindrical", 3, "ground_second", "between: [first.P, ground], axis: [1, -2, 3]", ""},
      {"joints", "universal", 3, "bodies",
       "between: [first, second], at: [0.9, 0.8, 0.1], axis: [3, 4, 0], axis_second: [-4, 3, 0]", ""},
      {"joints", "universal", 3, "ground_first",
       "between: [ground, second], at: [0.9, 0.8, 0.1], axis: [3, 4, 0], axis_second: [-4, 3, 0]", ""},
      {"joints", "universal", 3, "ground_second", "between: [first, ground], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "spherical", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "spherical", 3, "ground_first", "between: [ground, second], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "spherical", 3, "ground_second", "between: [first, ground], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "spherical", 3, "bead", "between: [bead, second], points: [[0, 0, 0], [0.4, 0.3, 0.2]]", ""},
      {"joints", "fixed", 2, "bodies", "between: [first, second], at: [0.9, 0.8]", ""},
      {"joints", "fixed", 2, "ground_first", "between: [ground, second]", ""},
      {"joints", "fixed", 2, "ground_second", "between: [first, ground]", ""},
      {"joints", "fixed", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "fixed", 3, "ground_first", "between: [ground, second]", ""},
      {"joints", "fixed", 3, "ground_second", "between: [first, ground]", ""},
      {"joints", "fixed", 3, "frames", "between: [first.F, second.F]", ""},
      {"joints", "distance", 2, "bodies", "between: [first.P, second.P], length: 1.1", ""},
      {"joints", "distance", 2, "ground_first", "between: [ground, second], points: [[-0.4, -0.9], [0.2, 0.3]]", ""},
      {"joints", "distance", 2, "ground_second", "between: [bead, ground]", ""},
      {"joints", "distance", 2, "bead", "between: [first.P, bead]", ""},
      {"joints", "distance", 3, "bodies", "between: [first.P, second.P], length: 1.1", ""},
      {"joints", "distance", 3, "ground_first", "between: [ground, second]", ""},
      {"joints", "distance", 3, "ground_second", "between: [bead, ground]", ""},
      {"joints", "distance", 3, "bead", "between: [first.P, bead]", ""},
      {"joints", "coordinate", 2, "x", "body: first.P, coordinate: x, value: 0.2", ""},
      {"joints", "coordinate", 2, "y", "body: second.P, coordinate: y", ""},
      {"joints", "coordinate", 2, "angle", "body: second.F, coordinate: angle, value: 0.3", ""},
      {"joints", "coordinate", 2, "bead", "body: bead, coordinate: y", ""},
      {"joints", "coordinate", 3, "x", "body: first.P, coordinate: x", ""},
      {"joints", "coordinate", 3, "y", "body: second.P, coordinate: y", ""},
      {"joints", "coordinate", 3, "z", "body: first, coordinate: z, value: -0.3", ""},
      {"joints", "coordinate", 3, "bead", "body: bead, coordinate: z", ""},
      {"joints", "point-on-plane", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [2, -1, 2]", ""},
      {"joints", "point-on-plane", 3, "ground_first", "between: [ground, second.P], axis: [2, -1, 2]", ""},
      {"joints", "point-on-plane", 3, "ground_second", "between: [first, ground], at: [0.9, 0.8, 0.1]", ""},
      {"joints", "point-on-plane", 3, "bead", "between: [first, bead], at: [0.9, 0.8, 0.1], axis: [2, -1, 2]", ""},
      {"joints", "point-on-line", 2, "bodies", "between: [first, second], at: [0.9, 0.8], axis: [3, 4]", ""},
      {"joints", "point-on-line", 2, "ground_first", "between: [ground, second.P], axis: [3, 4]", ""},
      {"joints", "point-on-line", 2, "ground_second", "between: [first.P, ground], axis: [3, 4], in: first", ""},
      {"joints", "point-on-line", 2, "bead", "between: [first, bead], at: [0.9, 0.8], axis: [3, 4]", ""},
      {"joints", "point-on-line", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, -2, 3]", ""},
      {"joints", "point-on-line", 3, "ground_first", "between: [ground, second.P], axis: [1, -2, 3]", ""},
      {"joints", "point-on-line", 3, "ground_second", "between: [first.P, ground], axis: [1, -2, 3]", ""},
      {"joints", "point-on-line", 3, "bead", "between: [first, bead], at: [0.9, 0.8, 0.1], axis: [1, -2, 3]", ""},
      {"joints", "point-on-curve", 2, "formulas",
       "between: [first, second.P], curve: [s, 0.3 + s^2/12], from: -6, to: 7", ""},
      {"joints", "point-on-curve", 2, "ground_first",
       "between: [ground, second.P], curve: [7*cos(s), 7*sin(s) - 6], from: 0, to: 360 deg, closed: true", ""},
      {"joints", "point-on-curve", 2, "ground_second",
       "between: [first, ground], points: [[0.1, 0.3], [0.4, 0.2]], curve: [s, 0.3 - sin(s/6)], from: -6, to: 6", ""},
      // Far from the knots: a spline's third derivative jumps there, which differences see.
      {"joints", "point-on-curve", 2, "bead",
       "between: [second, bead], through: [[-50, 7], [-20, -2], [20, 3], [50, -4]]", ""},
      {"joints", "point-on-curve", 3, "formulas",
       "between: [first, second.P], curve: [6*cos(s), 6*sin(s) - 5, s], from: -1, to: 5", ""},
      {"joints", "point-on-curve", 3, "ground_first",
       "between: [ground, second], curve: [7*cos(s), 7*sin(s) - 6, 0.3*sin(2*s)], from: 0, to: 360 deg, closed: true",
       ""},
      {"joints", "point-on-curve", 3, "ground_second",
       "between: [first, ground], points: [[0.1, 0.3, 0], [0.4, 0.2, 0.1]], curve: [s, 0.3, s^2/15], from: -6, to: 6",
       ""},
      {"joints", "point-on-curve", 3, "bead",
       "between: [first, bead], through: [[-50, 7, 3], [-20, -2, 1], [20, 3, -2], [50, -4, 5]]", ""},
      {"joints", "planar", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, -2, 3]", ""},
      {"joints", "planar", 3, "ground_first", "between: [ground, second.P], axis: [1, -2, 3]", ""},
      {"joints", "planar", 3, "ground_second", "between: [first.P, ground], axis: [1, -2, 3]", ""},
      {"joints", "screw", 3, "bodies",
       "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, -2, 3], pitch: 8, angle: 1.2", ""},
      {"joints", "screw", 3, "ground_first", "between: [ground, second.P], axis: [1, -2, 3], pitch: -7", ""},
      {"joints", "screw", 3, "ground_second", "between: [first.P, ground], axis: [1, -2, 3], pitch: 9", ""},
      {"joints", "rack-pinion", 2, "bodies", "between: [first, second.P], axis: [1, 3], radius: 0.4", ""},
      {"joints", "rack-pinion", 2, "ground_first",
       "between: [ground, second], points: [[0.3, 4], [0.1, 0.2]], axis: [1, 0.2], radius: 0.4", ""},
      {"joints", "rack-pinion", 2, "ground_second", "between: [first, ground], axis: [1, 3], in: first, radius: 0.7",
       ""},
      {"joints", "rack-pinion", 3, "bodies",
       "between: [first, second.P], axis: [3, 4, 0], pinion_axis: [0, 0, 1], radius: 1.4", ""},
      {"joints", "rack-pinion", 3, "ground_first",
       "between: [ground, second], points: [[0.3, 0.4, 3], [0.1, 0.2, 0.3]], axis: [1, 0, 0], pinion_axis: [0, 3, 4], "
       "radius: 1.2",
       ""},
      {"joints", "rack-pinion", 3, "ground_second", "between: [first, ground], axis: [1, 3, 0], radius: 1.7", ""},
      {"joints", "constant-velocity", 3, "bodies",
       "between: [first, second], at: [0.9, 0.8, 0.1], axis: [3, 4, 0], axis_second: [1, 2, 3]", ""},
      {"joints", "constant-velocity", 3, "ground_first", "between: [ground, second.P], axis: [3, 4, 0]", ""},
      {"joints", "constant-velocity", 3, "ground_second",
       "between: [first.P, ground], axis: [3, 4, 0], axis_second: [1, 2, 3], in: first", ""},
      {"joints", "parallel-axes", 3, "bodies", "between: [first, second], axis: [1, -2, 3]", ""},
      {"joints", "parallel-axes", 3, "ground_first", "between: [ground, second], axis: [1, -2, 3], angle: 0.3", ""},
      {"joints", "parallel-axes", 3, "ground_second", "between: [first, ground], axis: [1, -2, 3]", ""},
      {"joints", "perpendicular-axes", 3, "bodies",
       "between: [first, second], axis: [1, -2, 3], axis_second: [2, 1, 0.3]", ""},
      {"joints", "perpendicular-axes", 3, "ground_first", "between: [ground, second], axis: [1, -2, 3]", ""},
      {"joints", "perpendicular-axes", 3, "ground_second", "between: [first, ground]", ""},
      {"joints", "rolling-line", 2, "bodies", "between: [first, second.P], axis: [1, 3], radius: 0.4", ""},
      {"joints", "rolling-line", 2, "ground_first",
       "between: [ground, second], points: [[0.3, 4], [0.1, 0.2]], axis: [1, 0.2], radius: 0.4", ""},
      {"joints", "rolling-line", 2, "ground_second", "between: [first, ground], axis: [1, 3], radius: 0.7", ""},
      {"joints", "rolling-circle", 2, "bodies", "between: [first, second], radius_first: 1.3, radius_second: 0.4", ""},
      {"joints", "rolling-circle", 2, "ground_first",
       "between: [ground, second], radius_first: 2.3, radius_second: 0.4, internal: true", ""},
      {"joints", "rolling-circle", 2, "ground_second",
       "between: [first, ground], points: [[0, 0], [-3, 0.2]], radius_first: 0.5, radius_second: 2.9, internal: true",
       ""},
      {"joints", "knife-edge", 2, "bodies", "between: [first, second], at: [0.9, 0.8], axis: [1, 3]", ""},
      {"joints", "knife-edge", 2, "ground_first", "between: [ground, second.P], axis: [1, 3]", ""},
      {"joints", "knife-edge", 2, "ground_second", "between: [first.P, ground], axis: [1, 3]", ""},
      {"joints", "knife-edge", 3, "bodies", "between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 3, 2]", ""},
      {"joints", "knife-edge", 3, "ground_first", "between: [ground, second.P], axis: [1, 3, 2]", ""},
      {"joints", "knife-edge", 3, "ground_second", "between: [first.P, ground], axis: [1, 3, 2]", ""},
      {"joints", "rolling-disc", 3, "tilted_plane",
       "body: second.P, radius: 0.45, axis: [1, 2, 0.5], normal: [0.2, -0.1, 1], at: [0.1, 0.2, 0.3]", ""},
      {"joints", "rolling-disc", 3, "level_plane", "body: first, radius: 0.8, axis: [0, 1, 0]", ""},
      {"joints", "gear", 2, "carrier", "joints: [H, G], teeth: [20, 30]",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}\n"
       "  G: {type: revolute, between: [first, third], at: [0.2, 0.1]}"},
      {"joints", "gear", 2, "ground", "joints: [H, G], ratio: 1.7, internal: true",
       "{type: revolute, between: [ground, second], at: [0.9, 0.8]}\n"
       "  G: {type: revolute, between: [first, ground], at: [0.2, 0.1]}"},
      {"joints", "gear", 3, "carrier", "joints: [H, G], teeth: [10, 20]",
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}\n"
       "  G: {type: cylindrical, between: [first, third], at: [0.2, 0.1, 0.3], axis: [0, 1, 1]}"},
      {"joints", "gear", 3, "ground", "joints: [H, G], ratio: 2, internal: true",
       "{type: revolute, between: [ground, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}\n"
       "  G: {type: revolute, between: [first, ground], at: [0.2, 0.1, 0.3], axis: [0, 1, 1]}"},
      {"joints", "coupling", 2, "three_bodies",
       "terms: {H.angle: 2, G.displacement: -0.7, third.angle: 0.4, second.P.y: 1.1, G.distance: 0.3}",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}\n"
       "  G: {type: prismatic, between: [second, third], points: [[0.1, 0.2], [0.9, -0.3]], axis: [3, 4]}"},
      {"joints", "coupling", 2, "bead", "terms: {bead.x: 1, first.angle: 0.3}, constant: 0.4", ""},
      {"joints", "coupling", 3, "three_bodies", "terms: {H.angle: 2, G.angle: 4, G.displacement: -0.7, third.P.x: 1.3}",
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}\n"
       "  G: {type: cylindrical, between: [second, third], at: [0.2, 0.1, 0.3], axis: [0, 1, 1]}"},
      {"joints", "coupling", 3, "bead", "terms: {bead.z: 1, first.P.x: 0.3}, constant: 0.4", ""},
      {"joints", "speed-coupling", 2, "three_bodies",
       "terms: {H.angle: 2, third.vx: -0.7, second.wz: 0.4}, function: 0.3*sin(2*t)",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"joints", "speed-coupling", 2, "bead", "terms: {bead.vy: 1, first.P.vx: pi}", ""},
      {"joints", "speed-coupling", 3, "three_bodies",
       "terms: {H.angle: pi, third.P.vz: -0.7, second.wy: 0.4}, function: 0.3*sin(2*t)",
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"joints", "speed-coupling", 3, "bead", "terms: {bead.vy: 1, first.wx: sqrt(2)}", ""},
      {"joints", "row", 2, "skate",
       "coefficients: {second.vx: sin(second.angle), second.vy: -cos(second.angle)}, constant: 0.2*cos(t)", ""},
      {"joints", "row", 2, "three_bodies",
       "coefficients: {first.P.vx: 1 + second.P.y^2, third.wz: sin(t)*H.angle, bead.vy: exp(-first.x)},"
       " constant: t*third.y",
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"joints", "row", 3, "free", "coefficients: {second.vx: second.P.x - second.x, second.wz: 2 + sin(first.y)}", ""},
      {"joints", "row", 3, "three_bodies",
       "coefficients: {first.P.vz: 1 + second.P.y^2, third.wx: sin(t)*cos(H.angle), bead.vy: exp(-first.x)},"
       " constant: t*third.y",
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"joints", "no-slip", 2, "bodies", "between: [first.P, second.P], radii: [0.4, 0.7]", ""},
      {"joints", "no-slip", 2, "ground_first", "between: [ground, second], radii: [1.3, 0.4], internal: true", ""},
      {"joints", "no-slip", 2, "ground_second", "between: [first.P, ground], radii: [0.4, 0.4]", ""},
      {"joints", "no-slip", 3, "bodies", "between: [first.P, second.P], radii: [0.4, 0.7], axis: [1, 2, 3]", ""},
      {"joints", "no-slip", 3, "ground_first", "between: [ground, second], radii: [1.3, 0.4], internal: true", ""},
      {"joints", "no-slip", 3, "ground_second", "between: [first.P, ground], radii: [0.4, 0.4]", ""},
      {"joints", "rolling-sphere", 3, "moving_plane",
       "body: second.P, radius: 0.45, plane: first, normal: [0.2, -0.1, 1], at: [0.1, 0.2, 0.3]", ""},
      {"joints", "rolling-sphere", 3, "level_plane", "body: first, radius: 0.8", ""},
      {"joints", "rolling-sphere-track", 3, "moving_plane",
       "body: second.P, radius: 0.45, plane: first, normal: [0, -1, 1], at: [0.1, 0.2, 0.3], axis: [1, 1, 1],"
       " track: 0.3*sin(2*x) + x^2",
       ""},
      {"joints", "rolling-sphere-track", 3, "level_plane", "body: first, radius: 0.8, track: sin(x)", ""},
      {"drivers", "rotation", 2, "bodies", "joint: H, " MORTISE_DRIVE,
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"drivers", "rotation", 2, "ground_first", "joint: H, " MORTISE_DRIVE,
       "{type: revolute, between: [ground, second], at: [0.9, 0.8]}"},
      {"drivers", "rotation", 2, "frames", "joint: H, " MORTISE_DRIVE,
       "{type: revolute, between: [first.F, second.F]}"},
      {"drivers", "rotation", 3, "bodies", "joint: H, " MORTISE_DRIVE,
       "{type: revolute, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"drivers", "rotation", 3, "ground_first", "joint: H, " MORTISE_DRIVE,
       "{type: cylindrical, between: [ground, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"drivers", "rotation", 3, "ground_second", "joint: H, function: 40*t",
       "{type: revolute, between: [first, ground], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"drivers", "translation", 2, "bodies", "joint: H, " MORTISE_DRIVE,
       "{type: prismatic, between: [first, second], at: [0.9, 0.8], axis: [3, 4]}"},
      {"drivers", "translation", 2, "ground_second", "joint: H, " MORTISE_DRIVE,
       "{type: prismatic, between: [first, ground], axis: [3, 4]}"},
      {"drivers", "translation", 3, "bodies", "joint: H, " MORTISE_DRIVE,
       "{type: prismatic, between: [first, second], axis: [1, 2, 3]}"},
      {"drivers", "translation", 3, "ground_first", "joint: H, " MORTISE_DRIVE,
       "{type: cylindrical, between: [ground, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3]}"},
      {"drivers", "distance", 2, "bodies", "between: [first.P, second.P], " MORTISE_DRIVE, ""},
      {"drivers", "distance", 2, "bead", "between: [ground, bead], " MORTISE_DRIVE, ""},
      {"drivers", "distance", 3, "bodies", "between: [first.P, second.P], " MORTISE_DRIVE, ""},
      {"drivers", "distance", 3, "bead", "between: [bead, second.P], " MORTISE_DRIVE, ""},
      {"drivers", "coordinate", 2, "x", "body: first.P, coordinate: x, " MORTISE_DRIVE, ""},
      {"drivers", "coordinate", 2, "angle", "body: second.F, coordinate: angle, " MORTISE_DRIVE, ""},
      {"drivers", "coordinate", 2, "bead", "body: bead, coordinate: y, " MORTISE_DRIVE, ""},
      {"drivers", "coordinate", 3, "y", "body: first.P, coordinate: y, " MORTISE_DRIVE, ""},
      {"drivers", "coordinate", 3, "bead", "body: bead, coordinate: z, " MORTISE_DRIVE, ""},
      {"drivers", "rotation", 3, "screw", "joint: H, " MORTISE_DRIVE,
       "{type: screw, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3], pitch: 8}"},
      {"drivers", "translation", 2, "slot", "joint: H, " MORTISE_DRIVE,
       "{type: point-on-line, between: [first, bead], at: [0.9, 0.8], axis: [3, 4]}"},
      {"drivers", "path", 2, "bodies", "body: second.P, relative_to: first.F, path: [0.3*sin(t), t^2/3]", ""},
      {"drivers", "path", 2, "bead", "body: bead, path: [0.3*sin(t), t^2/3]", ""},
      {"drivers", "path", 3, "bodies", "body: second.P, relative_to: first.F, path: [0.3*sin(t), t^2/3, 0.2*cos(2*t)]",
       ""},
      {"drivers", "path", 3, "bead", "body: bead, path: [0.3*sin(t), t^2/3, 0.2*cos(2*t)]", ""},
      {"drivers", "speed", 2, "angle", "joint: H, " MORTISE_DRIVE,
       "{type: revolute, between: [first, second], at: [0.9, 0.8]}"},
      {"drivers", "speed", 2, "point", "body: second.P, coordinate: y, " MORTISE_DRIVE, ""},
      {"drivers", "speed", 2, "body_angle", "body: second, coordinate: angle, " MORTISE_DRIVE, ""},
      {"drivers", "speed", 3, "screw", "joint: H, of: displacement, " MORTISE_DRIVE,
       "{type: screw, between: [first, second], at: [0.9, 0.8, 0.1], axis: [1, 2, 3], pitch: 8}"},
      {"drivers", "speed", 3, "bead", "body: bead, coordinate: z, " MORTISE_DRIVE, ""},
  };
  return all;
}

#undef MORTISE_DRIVE

inline std::string PartSample::name() const {
  std::string text = std::string(section) + "_" + type + (dimension == 2 ? "_planar_" : "_spatial_") + pairing;
  for (char& c : text)
    if (c == '-') c = '_';
  return text;
}

inline std::string PartSample::text() const {
  std::string out = "mortise: 1\ndimension: ";
  out += dimension == 2 ? "planar\ngravity: [0.3, -9.81]" : "spatial\ngravity: [0.3, 0.2, -9.81]";
  out += dimension == 2 ? planar_bodies : spatial_bodies;
  const std::string entry = std::string("  J: {type: ") + type + ", " + item + "}\n";
  const bool joint = section == std::string("joints");
  if (joint || *before) out += "joints:\n";
  if (*before) out += std::string("  H: ") + before + "\n";
  return out + (joint ? "" : "drivers:\n") + entry;
}

// Printed by gtest where a parameter is shown.
inline void PrintTo(const PartSample& sample, std::ostream* out) { *out << sample.name(); }

}  // namespace mortise::test
