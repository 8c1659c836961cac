// Shapes that the user gave: `geometry:` of bodies. Mesh files are looked for in the given folders, in order; each file
// is read once. One that is not found or cannot be read is told in `scene.notes`, and the body is drawn from its joint
// points.
#pragma once

#include "mortise/view/scene.h"

namespace mortise::view {

void add_geometry(const mechanism::Mechanism& mechanism, const std::vector<std::string>& folders, Scene& scene);

}  // namespace mortise::view
