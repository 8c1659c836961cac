// What stands still and may be touched: the `ground` of contact forces. A plane is drawn as a thin slab below the
// bodies that may touch it, as large as the room in which they move; walls of spatial models are left out, as they
// would hide what they hold.
#pragma once

#include "mortise/view/scene.h"

namespace mortise::view {

// `reach`: of each body, where it is over the run.
void add_ground(const mechanism::Mechanism& mechanism, const std::vector<Eigen::AlignedBox3d>& reach, Scene& scene);

}  // namespace mortise::view
