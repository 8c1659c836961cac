// Shapes that may touch, and where they touch: spheres, capsules, boxes and half-spaces, placed in the world.
//
// A touch has a gap g (negative inside), a unit normal n from the first shape to the second, and a point halfway
// between the two surfaces: moving the second shape by −g n closes the gap. Every touch is a constraint g ≥ 0 of its
// own, so several of one pair (the corners of a box on a plane) may be taken together.
//
// Models of a plane are those of space with z = 0: discs are spheres, boxes are `flat` (two edges count), lines are the
// boundaries of half-spaces.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>

namespace mortise::mechanism {

enum class ShapeKind : std::uint8_t { sphere, capsule, box, plane };

struct ContactShape {
  ShapeKind kind = ShapeKind::sphere;
  bool flat = false;                               // of a planar model
  double radius = 0;                               // sphere, capsule
  double half_length = 0;                          // capsule: between the centres of its ends, along z
  Eigen::Vector3d half = Eigen::Vector3d::Zero();  // box: half edges

  // Of the smallest ball about its centre that holds it; infinite: a plane.
  double reach() const;
};

struct PlacedShape {
  ContactShape shape;
  Eigen::Vector3d p = Eigen::Vector3d::Zero();      // centre; a plane: any point of it
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();  // axes as columns; a plane: the third is its normal, outwards
};

struct Touch {
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), normal = Eigen::Vector3d::UnitX();
  double gap = 0;
  int feature = 0;  // the same corner, edge or end has the same number from step to step
};

struct Manifold {
  static constexpr int most = 24;
  std::array<Touch, most> touches;
  int count = 0;

  void add(const Touch& touch) {
    if (count < most) touches[static_cast<std::size_t>(count++)] = touch;
  }
  const Touch& operator[](int k) const { return touches[static_cast<std::size_t>(k)]; }
};

// Touches with gaps up to `reach`, in a fixed order. Two planes never touch. Exchanging the shapes turns the normals
// round and changes nothing else, up to rounding; where a normal is not decided (centres that coincide) it is the y
// axis.
void find_touches(const PlacedShape& a, const PlacedShape& b, double reach, Manifold& out);

}  // namespace mortise::mechanism
