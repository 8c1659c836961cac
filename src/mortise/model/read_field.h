// From a node of the file to a Field: the node has the shape its kind asks for, its formulas are parsed.
//
// Order of Field::formulas by kind:
//   number, angle, function          the one formula
//   vector, direction, function_vector, curve   x, y (, z)
//   spin, inertia                    planar: the one formula; spatial: x, y, z · xx, yy, zz, xy, xz, yz
//   orientation                      rpy: r, p, y · quaternion: w, x, y, z · axis: x, y, z, angle · euler: three angles
//   points, point_list, point_map    x, y (, z) of each
//   pair                             the two
//   terms, row_terms                 one a key, in the order of the file; `places` are those of the keys
//   frame_map                        of each: x, y, angle (planar) or x, y, z and its orientation, 0 where absent
// The file's order of keys does not matter. Flags, texts and choices have no formulas; references have `names`.
#pragma once

#include <optional>

#include "mortise/model/model.h"
#include "mortise/model/report.h"
#include "mortise/model/scope.h"

namespace mortise::model {

// Nothing when the node is unfit; the mistakes are in the report.
std::optional<Field> read_field(const FieldSpec& spec, const Node& node, int dimension, const Scope& scope,
                                Report& report);

// The ways to write an orientation.
enum class OrientationForm { none, rpy, quaternion, axis_angle, euler };
OrientationForm orientation_form(const Node& node);  // by its keys; none when it is absent or ambiguous

// Reports keys that are not among `known`.
void check_keys(const Node& map, const std::vector<std::string>& known, std::string_view where, Report& report);

}  // namespace mortise::model
