// What a shape of `geometry:` may say beside its place: one kind of shape, with its numbers, and how it is drawn.
// Geometry is a frame_map whose FieldSpec lists these keys as choices; Field::formulas has the frames of all shapes
// first, then their numbers, shape by shape, in the order of this table.
#pragma once

#include <array>
#include <string_view>

namespace mortise::model {

struct GeometryKey {
  std::string_view name;
  int planar = 0, spatial = 0;  // numbers; 0: a text
  bool kind = true;             // one of the kinds of shapes, of which each shape has exactly one
  std::string_view form = {};   // of the numbers
};

inline constexpr std::array<GeometryKey, 8> geometry_keys{{
    {"box", 2, 3, true, "[x, y(, z)] edges"},
    {"sphere", 1, 1, true, "radius"},
    {"cylinder", 2, 2, true, "[radius, length] along z"},
    {"capsule", 2, 2, true, "[radius, length] along z, between the centres of its ends"},
    {"mesh", 0, 0, true, "file.stl or file.obj"},
    {"scale", 1, 1, false, "metres a unit of the mesh"},
    {"colour", 0, 0, false, "\"#rrggbb\""},
    {"plane", 2, 3, true, "[x, y(, z)] normal: a half-space below it, for the ground of contacts"},
}};

}  // namespace mortise::model
