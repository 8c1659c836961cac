#include "mortise/io/results_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <utility>

#include "mortise/analysis/quantity.h"
#include "mortise/error.h"
#include "mortise/io/results_layout.h"

namespace mortise::io {

using analysis::Frame;
using analysis::RunHeader;

namespace {

// Where a column's number stands in a frame.
struct Column {
  std::string name;
  Vector Frame::*vector = nullptr;
  double Frame::*scalar = nullptr;
  Eigen::Index at = 0;
};

using Suffixes = std::vector<const char*>;

// Columns of bodies or joints; `kept` are their numbers in the model, where the file does not have them all.
void add_items(const std::vector<std::string>& items, const std::vector<std::uint32_t>* kept, const Suffixes& suffixes,
               Vector Frame::*member, std::vector<std::vector<Column>>& of_item) {
  for (std::size_t k = 0; k < items.size(); ++k)
    for (std::size_t j = 0; j < suffixes.size(); ++j)
      of_item[k].push_back({items[k] + "." + suffixes[j], member, nullptr,
                            static_cast<Eigen::Index>((kept ? (*kept)[k] : k) * suffixes.size() + j)});
}

std::vector<Column> all_columns(const RunHeader& h) {
  const bool planar = h.dimension == 2;
  std::vector<Column> columns{{"t", nullptr, &Frame::t, 0}};
  std::vector<std::vector<Column>> bodies(h.bodies.size()), joints(h.joints.size());
  const auto* bodies_kept = h.kept ? &h.kept->bodies : nullptr;
  const auto* joints_kept = h.kept ? &h.kept->joints : nullptr;
  add_items(h.bodies, bodies_kept,
            planar ? Suffixes{"x", "y", "angle"} : Suffixes{"x", "y", "z", "qw", "qx", "qy", "qz"}, &Frame::pose,
            bodies);
  add_items(h.bodies, bodies_kept, planar ? Suffixes{"vx", "vy", "wz"} : Suffixes{"vx", "vy", "vz", "wx", "wy", "wz"},
            &Frame::velocity, bodies);
  add_items(h.bodies, bodies_kept,
            planar ? Suffixes{"ax", "ay", "alphaz"} : Suffixes{"ax", "ay", "az", "alphax", "alphay", "alphaz"},
            &Frame::acceleration, bodies);
  add_items(h.joints, joints_kept,
            planar ? Suffixes{"reaction.fx", "reaction.fy", "reaction.tz"}
                   : Suffixes{"reaction.fx", "reaction.fy", "reaction.fz", "reaction.tx", "reaction.ty", "reaction.tz"},
            &Frame::reaction, joints);
  for (auto* groups : {&bodies, &joints})
    for (std::vector<Column>& group : *groups) std::move(group.begin(), group.end(), std::back_inserter(columns));
  const std::pair<const char*, double Frame::*> scalars[] = {{"energy.kinetic", &Frame::kinetic},
                                                             {"energy.potential", &Frame::potential},
                                                             {"energy.dissipated", &Frame::dissipated},
                                                             {"energy.applied", &Frame::applied},
                                                             {"energy.constraint_work", &Frame::constraint_work},
                                                             {"constraint.position", &Frame::position_error},
                                                             {"constraint.velocity", &Frame::velocity_error},
                                                             {"constraint.acceleration", &Frame::acceleration_error}};
  for (const auto& [name, member] : scalars) columns.push_back({name, nullptr, member, 0});
  for (std::size_t k = 0; k < h.quantities.size(); ++k) {
    const auto known = [&](const Column& c) { return c.name == h.quantities[k]; };
    if (std::none_of(columns.begin(), columns.end(), known))
      columns.push_back({h.quantities[k], &Frame::quantities, nullptr, static_cast<Eigen::Index>(k)});
  }
  return columns;
}

bool selects(const std::string& wanted, const std::string& name) {
  return name.starts_with(wanted) && (name.size() == wanted.size() || name[wanted.size()] == '.');
}

std::vector<Column> chosen_columns(const ResultReader& reader, const CsvOptions& options) {
  std::vector<Column> all = all_columns(reader.header());
  if (options.columns.empty()) return all;
  std::vector<Column> chosen{all.front()};  // time always leads
  for (const std::string& wanted : options.columns) {
    bool found = false;
    for (const Column& column : all)
      if (selects(wanted, column.name)) {
        found = true;
        const bool known =
            std::any_of(chosen.begin(), chosen.end(), [&](const Column& c) { return c.name == column.name; });
        if (!known) chosen.push_back(column);
      }
    if (found) continue;
    std::vector<std::string> names;
    for (const Column& column : all)  // and what begins them: crank, crank.tip, A.reaction
      for (std::size_t dot = 0; dot != std::string::npos;) {
        dot = column.name.find('.', dot + 1);
        const std::string name = column.name.substr(0, dot);
        if (names.empty() || names.back() != name) names.push_back(name);
      }
    const std::string near = nearest_name(wanted, names);
    const RunHeader& h = reader.header();
    throw ResultError(
        reader.path(),
        fmt::format("has no column '{}'{}{}", wanted, near.empty() ? "" : fmt::format("; did you mean '{}'?", near),
                    h.kept ? fmt::format("; it keeps {} (output: bodies, joints)", analysis::describe_kept(h)) : ""));
  }
  return chosen;
}

std::string quoted(const std::string& name, char separator) {
  if (name.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

}  // namespace

std::vector<std::string> csv_columns(const RunHeader& header) {
  std::vector<std::string> names;
  for (Column& column : all_columns(header)) names.push_back(std::move(column.name));
  return names;
}

void export_csv(ResultReader& reader, std::ostream& out, const CsvOptions& options, const std::string& name) {
  const std::vector<Column> columns = chosen_columns(reader, options);
  fmt::memory_buffer line;
  const auto write_line = [&] {
    line.push_back('\n');
    out.write(line.data(), static_cast<std::streamsize>(line.size()));
    if (!out) throw OutputError(name, "cannot be written (disk full?)");
    line.clear();
  };
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0) line.push_back(options.separator);
    fmt::format_to(std::back_inserter(line), "{}", quoted(columns[k].name, options.separator));
  }
  write_line();

  Frame frame;
  for (std::uint64_t number = 0; number < reader.frames(); number += std::max<std::uint64_t>(options.every, 1)) {
    reader.read_frame(number, frame);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Column& c = columns[k];
      if (k > 0) line.push_back(options.separator);
      fmt::format_to(std::back_inserter(line), "{}", c.scalar ? frame.*c.scalar : (frame.*c.vector)[c.at]);
    }
    write_line();
  }
  out.flush();
  if (!out) throw OutputError(name, "cannot be written (disk full?)");
}

void export_events(ResultReader& reader, std::ostream& out, const std::string& name) {
  out << "t,event,what,joints,impulse,work,kinetic_before,kinetic_after,velocity_jump,frame\n";
  for (const analysis::EventEntry& e : reader.events())
    out << fmt::format("{},{},{},{},{},{},{},{},{},{}\n", e.t,
                       quoted(reader.header().events[static_cast<std::size_t>(e.event)], ','), e.what,
                       quoted(e.joints, ','), e.impulse, e.work, e.kinetic_before, e.kinetic_after, e.jump, e.frame);
  out.flush();
  if (!out) throw OutputError(name, "cannot be written (disk full?)");
}

}  // namespace mortise::io
