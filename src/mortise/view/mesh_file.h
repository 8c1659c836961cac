// Triangles from a file: STL (text or binary) or OBJ (v and f lines; polygons become fans, materials are left out).
#pragma once

#include <string>

#include "mortise/view/scene.h"

namespace mortise::view {

// Throws ResultError that says what is wrong with the file; one above 64 MB is refused.
SceneMesh read_mesh(const std::string& path);
// The same from the file's bytes; `name` is for messages and tells the format by its ending.
SceneMesh parse_mesh(const std::string& bytes, const std::string& name);

}  // namespace mortise::view
