// What may touch what: the shapes that an item of type contact-rigid or contact-spring takes from the `geometry` of
// bodies and from its own `ground`, and which pairs of them count.
//
//   bodies: "ball*, wedge"   those whose names match, each with the others (default: all that have a shape)
//   with: "wall*"            instead each of `bodies` with each of these
//   ground: {floor: {plane: [0, 1]}}   shapes that stand still; all bodies of the item may touch them
//
// Shapes of one body, bodies that a joint or driver connects (unless `joined: true`) and two shapes of the ground do
// not touch one another. In planar models cylinders and capsules, which lie along z, are discs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mortise/mechanism/builder.h"
#include "mortise/mechanism/contact/shape.h"

namespace mortise::mechanism {

struct ContactPiece {
  int body = ground;
  PlacedShape at;                    // from the centre of mass, body axes; of the ground: in the world
  bool first = true, second = true;  // on which side of a pair it may be
  double size = 0;                   // of the smallest ball about its centre; 0: a half-space
};

struct ContactSet {
  std::vector<ContactPiece> pieces;  // of bodies in their order, then those of the ground
  double restitution = 0, friction = 0, rest_speed = 0;
  int slot = 0;                             // in State::inputs, of contact-rigid
  std::vector<std::pair<int, int>> joined;  // bodies that joints connect, rising

  bool may_touch(int i, int j) const;
};

// Reads the fields of an item. Throws ModelError: M490 no such body, M491 a body without a shape that can touch, M492
// nothing that could touch, M496 a shape without extent.
ContactSet read_contact_set(const ItemCopy& item, const Builder& builder);

// For pictures: the shapes that stand still of a force of either part, and the bodies that may touch them.
struct ContactGround {
  std::vector<PlacedShape> shapes;
  std::vector<int> bodies;
};
ContactGround contact_ground(const Mechanism& mechanism, const ItemRef& force);

// The fields that both parts share.
std::vector<model::FieldSpec> contact_fields();

// Where a piece is.
PlacedShape placed(const ContactPiece& piece, const Motions& motions, bool planar);

}  // namespace mortise::mechanism
