// Results as comma-separated values: a line of names, then one line a frame.
//
//     t, crank.x, crank.y, crank.angle, crank.vx, …, A.reaction.fx, …, energy.kinetic, …, constraint.position, …
//
// Numbers are the shortest text that reads back as the same double (at most 17 digits); "nan" marks what the analysis
// did not compute. Names that contain a separator, a quote or a line break are quoted as in RFC 4180.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "mortise/io/results_reader.h"

namespace mortise::io {

struct CsvOptions {
  char separator = ',';
  std::uint64_t every = 1;           // every n-th frame
  std::vector<std::string> columns;  // names, or beginnings that end at a dot ("crank", "A.reaction"); empty: all
};

std::vector<std::string> csv_columns(const analysis::RunHeader&);  // without options, "t" first

// Throws ResultError for a damaged frame or a column that does not exist (with the nearest name), OutputError when the
// stream refuses the text; `name` is what the message calls it.
void export_csv(ResultReader&, std::ostream&, const CsvOptions& = {}, const std::string& name = "csv output");

// The ledger of events: t, event, what, joints, impulse, work, kinetic_before, kinetic_after, velocity_jump, frame.
void export_events(ResultReader&, std::ostream&, const std::string& name = "csv output");

}  // namespace mortise::io
