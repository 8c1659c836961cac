// A run for ParaView: points and lines that move, with velocities, and the reactions at the joints.
//
//     NAME.vtkhdf            VTKHDF, an unstructured grid in time: ParaView 5.12 and later
//     NAME.xdmf              the same numbers by reference into that file: any ParaView, VisIt
//     NAME.pvd, NAME/*.vtp   one text file a frame: whatever reads VTK at all
//
// Each body is its centre of mass, the points that joints and names mark on it, and lines from the one to the others;
// each joint is a point. The cells stay, the points move. Arrays on points: velocity, force and torque (reactions on
// the second body, at the joint; zero elsewhere), `kind` (0 body, 1 joint) and `item` (its number in the lists of
// names); `item` on cells, too. One pass over the frames, O(points) memory.
#pragma once

#include <cstdint>
#include <string>

#include "mortise/io/results_reader.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::view {

struct ParaviewReport {
  std::string vtkhdf, xdmf, pvd;
  std::uint64_t frames = 0;
  std::size_t points = 0, cells = 0;
};

// Creates the folder where it is missing. `mechanism` is that of the result. Throws OutputError, ResultError.
ParaviewReport export_paraview(io::ResultReader& reader, const mechanism::Mechanism& mechanism,
                               const std::string& folder, const std::string& name, std::uint64_t every = 1);

}  // namespace mortise::view
