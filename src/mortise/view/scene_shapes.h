// What a body looks like where the user gave no geometry: the wheels that its joints and tyres speak of, bars and
// plates between its joint points, or the box whose mass is spread as the body's is.
#pragma once

#include "mortise/view/scene.h"

namespace mortise::view {

// Typical size of a body: half of them have points farther apart than this.
double typical_length(const mechanism::Mechanism& mechanism, const Skeleton& skeleton);

// A named point or frame of a body, or its origin; of the ground the world's.
Eigen::Vector3d point_on(const mechanism::Mechanism& mechanism, int body, const std::string& point);

// Gives shapes to bodies that have none yet. O(bodies + joints).
void add_shapes(const mechanism::Mechanism& mechanism, const Skeleton& skeleton, Scene& scene);

}  // namespace mortise::view
