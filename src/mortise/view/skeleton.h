// What a mechanism looks like when all that is known of it are its joints: each body is the hull of the points that
// joints and the user's named points mark on it.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::view {

using mechanism::Anchor;
using mechanism::Motions;

struct BodyShape {
  int body = 0;
  std::string name;
  bool particle = false;
  std::vector<Anchor> points;  // distinct; empty for a body that nothing holds
};

struct GroundPivot {
  std::string name;
  Anchor anchor;
};

// A line between two points that move: a massless rod, or the rail on which a joint slides.
struct Rod {
  Anchor a, b;
  bool rail = false;
};

struct Tracer {
  std::string name;
  Anchor anchor;
};

struct Skeleton {
  int dimension = 2;
  std::vector<BodyShape> bodies;
  std::vector<GroundPivot> pivots;
  std::vector<Anchor> joints;  // between two bodies
  std::vector<Rod> rods;
  bool has_points = false;      // the user named points
  std::vector<Tracer> tracers;  // the named points; the bodies' origins when there are none
};

Skeleton make_skeleton(const mechanism::Mechanism& mechanism);

// World position of a point fixed on a body (or on the ground); planar: z = 0.
Eigen::Vector3d world_point(const Anchor& anchor, const Motions& motions, int dimension);

// From space to the picture: the picture's right and up, in world axes.
struct Camera {
  Eigen::Vector3d right = Eigen::Vector3d::UnitX(), up = Eigen::Vector3d::UnitY();
  std::string caption;  // how a spatial model is looked at; "" for planar ones
  Eigen::Vector2d operator()(const Eigen::Vector3d& p) const { return {right.dot(p), up.dot(p)}; }
};

// Planar: the plane itself. Spatial: an isometric view with up against gravity, from that of four corners from which
// the points fill most of the picture.
Camera choose_camera(const mechanism::Mechanism& mechanism, const std::vector<Eigen::Vector3d>& points);

// Corners of the convex hull, counter-clockwise (Andrew's monotone chain); collinear points give the two ends.
std::vector<Eigen::Vector2d> convex_hull(std::vector<Eigen::Vector2d> points);

}  // namespace mortise::view
