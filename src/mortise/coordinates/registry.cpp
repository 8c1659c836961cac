// Every choice of coordinates by name: a new one is a line here.
#include <stdexcept>

#include "mortise/coordinates/kinds.h"

namespace mortise::coordinates {

namespace {

// Those without settings of their own.
template <auto make>
std::unique_ptr<CoordinateSystem> simply(const Mechanism& mechanism, const State& start, const CoordinateSettings&) {
  return make(mechanism, start);
}

}  // namespace

const std::vector<CoordinateEntry>& coordinate_systems() {
  static const std::vector<CoordinateEntry> entries{
      {"absolute", "position and orientation of every body; angular velocities", simply<make_absolute>},
      {"euler-angles", "three angles (zxz) for every orientation; singular where the nutation vanishes",
       simply<make_euler_angles>},
      {"euler-parameters",
       "four numbers and their rates for every orientation; needs a formulation for singular masses",
       simply<make_euler_parameters>},
      {"tree", "joint coordinates along a spanning tree; only the rows of cut loops and drivers remain",
       simply<make_tree>},
      {"natural", "velocities of the joints of a tree, solved along it in linear time; rows of cut joints remain",
       make_natural},
  };
  return entries;
}

std::unique_ptr<CoordinateSystem> make_coordinates(const std::string& name, const Mechanism& mechanism,
                                                   const State& start, const CoordinateSettings& settings) {
  std::string known;
  for (const CoordinateEntry& entry : coordinate_systems()) {
    if (entry.name == name) return entry.make(mechanism, start, settings);
    known += (known.empty() ? "" : ", ") + entry.name;
  }
  throw std::invalid_argument("unknown coordinates '" + name + "'; known: " + known);
}

}  // namespace mortise::coordinates
