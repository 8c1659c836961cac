// A spanning tree of the joint graph: every body hangs by one joint on the ground or on a body before it, or is free.
//
// Breadth first from the ground, joints in the order of the model, so that paths are short and both sides of a loop are
// about equally long. Joints that close loops, drivers, couplings and joints whose freedom has no coordinates here are
// cuts: their rows stay. A body without such a path is free (six coordinates in space, three in the plane) and a root
// of what hangs on it; particles and bodies held in a plane are always free. Source: specs/orthogonal-complement.md §4
// (open chain and cuts). Cost: O(bodies + joints).
#pragma once

#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::coordinates {

// What a joint of the tree leaves free, seen from the frame on the parent: translations in its axes, then rotations.
enum class Freedom { free, fixed, revolute, prismatic, cylindrical, planar, spherical, universal };

struct Branch {
  int body = 0;
  int parent = mechanism::ground;
  int joint = -1;  // index of the constraint; −1: free
  Freedom freedom = Freedom::free;
  mechanism::Anchor inner, outer;  // frames of the joint on the parent and on the body
  int q = 0, v = 0;                // offsets in the state
  int q_size = 0, v_size = 0;
  int slides = 0;         // how many of the rates are translations: they come first
  bool absolute = false;  // a ball whose quaternion and rates are those of the body itself, not against the parent

  bool has_quaternion() const { return q_size > v_size; }
};

// plain: breadth first, parents before their children. natural: of the joints of a body those with more rows first, so
// that fewer are left to cut joints; bodies in preorder, every subtree in one piece; balls absolute.
enum class Growth { plain, natural };
std::vector<Branch> spanning_tree(const mechanism::Mechanism& mechanism, Growth growth = Growth::plain);

// For people: the independent velocities by the names of their joints, and why other constraints keep their rows.
std::string describe_tree(const mechanism::Mechanism& mechanism, const std::vector<Branch>& tree);
std::vector<std::string> describe_cuts(const mechanism::Mechanism& mechanism, const std::vector<Branch>& tree);

}  // namespace mortise::coordinates
