// The coordinate choices, each in its own file.
#pragma once

#include "mortise/coordinates/coordinate_system.h"

namespace mortise::coordinates {

std::unique_ptr<CoordinateSystem> make_absolute(const Mechanism&, const State& start);
std::unique_ptr<CoordinateSystem> make_euler_angles(const Mechanism&, const State& start);
std::unique_ptr<CoordinateSystem> make_euler_parameters(const Mechanism&, const State& start);
std::unique_ptr<CoordinateSystem> make_tree(const Mechanism&, const State& start);
std::unique_ptr<CoordinateSystem> make_natural(const Mechanism&, const State& start,
                                               const CoordinateSettings& settings);

}  // namespace mortise::coordinates
