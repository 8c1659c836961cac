// The catalogue of parts: what a model file may contain. Each joint, driver, force and body type describes itself once
// (name, aliases, help, fields); the reader checks files against it, and the JSON Schema, `mortise list` and the
// documentation are written from it. A new part is one entry: nothing else has to learn its name.
#pragma once

#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mortise::model {

enum class Section { body, joint, driver, force, event };

enum class FieldKind {
  number,           // a formula of parameters
  angle,            // the same; radians unless written with `deg`
  flag,             // true | false
  text,             // a plain word
  choice,           // one of `choices`
  vector,           // [x, y] or [x, y, z] by the model's dimension; formulas
  direction,        // a vector, normalised, not zero
  spin,             // an angular velocity: a number (planar) or [x, y, z] (spatial)
  function,         // a formula of t and parameters; those of forces may use named quantities and `variables` too
  function_vector,  // two or three of them
  function_spin,    // one (planar) or three (spatial): a torque
  curve,            // formulas of the curve's parameter s and parameters: [x, y] or [x, y, z]
  point_list,       // [p, p, …]: points, each a vector
  orientation,      // {rpy: …} | {quaternion: {w,x,y,z}} | {axis: …, angle: …} | {euler: {…}}
  inertia,          // number (planar) | [xx, yy, zz] | {xx, yy, zz, xy, xz, yz}
  body,             // a body's name, or ground
  attachment,       // body | body.point | body.frame
  attachments,      // [attachment, attachment]: the field `between`
  points,           // [p, p]: one local point per body, each a vector
  point_map,        // {name: vector, …}
  frame_map,        // {name: {at: vector, orientation…}, …}
  joint,            // the name of a joint
  matrix,           // 3×3 (planar) or 6×6 (spatial): a list of rows, or a list of numbers for its diagonal
  joints,           // [joint, joint]
  constraints,      // a joint or driver, or a list of them
  pair,             // [a, b]: two numbers in any dimension
  terms,            // {joint.angle: number, body.x: number, …}
  row_terms,        // the same with formulas of t and of coordinates
  row_function,     // a formula of t and of coordinates
};

struct FieldSpec {
  std::string name;
  FieldKind kind = FieldKind::number;
  bool required = false;
  std::string fallback;                // the default as text, for documentation; "" = none
  std::string unit;                    // "m", "rad", "kg", "N m" …; shown in documentation
  std::string help;                    // one line
  std::vector<std::string> choices;    // of a choice
  bool planar = true, spatial = true;  // dimensions in which it exists (an orientation never exists in planar models)
  double minimum = -std::numeric_limits<double>::infinity();  // of a number
  std::vector<std::string> variables{};  // of a function: what it may use beside t, such as x, a deflection
  std::string variable = "t";            // of a function: what it is a formula of
};

struct PartInfo {
  Section section = Section::joint;
  std::string type;                    // canonical, kebab-case
  std::vector<std::string> aliases;    // hinge, pin, …: accepted with a note
  std::string help;                    // one line
  bool planar = true, spatial = true;  // dimensions in which it exists
  std::vector<FieldSpec> fields;
  int rows_planar = 0, rows_spatial = 0;  // constraint rows
};

class Catalogue {
 public:
  void add(PartInfo part) { parts_.push_back(std::move(part)); }
  const std::deque<PartInfo>& parts() const { return parts_; }
  const PartInfo* find(Section section, std::string_view type_or_alias) const;  // nullptr when unknown
  std::vector<std::string> types(Section section) const;                        // canonical names

 private:
  std::deque<PartInfo> parts_;  // models point into it: adding must not move what is there
};

std::string_view section_name(Section section);  // "bodies", "joints", …
std::string_view item_name(Section section);     // "body", "joint", …

}  // namespace mortise::model
