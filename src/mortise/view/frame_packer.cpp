#include "mortise/view/frame_packer.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "mortise/analysis/quantity.h"

namespace mortise::view {

using analysis::Frame;

namespace {

static_assert(std::endian::native == std::endian::little, "frames.bin is little endian");

struct General {
  const char *name, *unit;
  double (*value)(const Frame&);
};

const std::vector<General>& general_columns() {
  static const std::vector<General> all{
      {"energy.kinetic", "J", [](const Frame& f) { return f.kinetic; }},
      {"energy.potential", "J", [](const Frame& f) { return f.potential; }},
      {"energy.total", "J", [](const Frame& f) { return f.kinetic + f.potential; }},
      {"constraint.position", "", [](const Frame& f) { return f.position_error; }},
      {"constraint.velocity", "", [](const Frame& f) { return f.velocity_error; }},
  };
  return all;
}

// Members that the analysis did not compute are NaN on the page.
void append(const Vector& numbers, std::size_t wanted, std::string& out) {
  const auto put = [&](double value) {
    const auto single = static_cast<float>(value);
    out.append(reinterpret_cast<const char*>(&single), sizeof single);
  };
  const auto there = static_cast<std::size_t>(numbers.size());
  for (std::size_t k = 0; k < wanted; ++k)
    put(k < there ? numbers[static_cast<Eigen::Index>(k)] : std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::vector<FrameField> frame_fields(const mechanism::Mechanism& m, const analysis::RunHeader& header) {
  const bool planar = m.dimension() == 2;
  using Names = std::vector<std::string>;
  std::vector<FrameField> fields{
      {"pose", 0, m.bodies().size(), planar ? 3u : 7u,
       planar ? Names{"x", "y", "angle"} : Names{"x", "y", "z", "qw", "qx", "qy", "qz"},
       planar ? Names{"m", "m", "rad"} : Names{"m", "m", "m", "", "", "", ""}},
      {"velocity", 0, m.bodies().size(), planar ? 3u : 6u,
       planar ? Names{"vx", "vy", "wz"} : Names{"vx", "vy", "vz", "wx", "wy", "wz"},
       planar ? Names{"m/s", "m/s", "rad/s"} : Names{"m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s"}},
      {"reaction", 0, m.constraints().size(), planar ? 3u : 6u,
       planar ? Names{"fx", "fy", "tz"} : Names{"fx", "fy", "fz", "tx", "ty", "tz"},
       planar ? Names{"N", "N", "N m"} : Names{"N", "N", "N", "N m", "N m", "N m"}},
      {"general", 0, 1, 0, {}, {}},
  };
  for (const General& g : general_columns()) {
    fields.back().columns.emplace_back(g.name);
    fields.back().units.emplace_back(g.unit);
  }
  for (std::size_t k = 0; k < header.quantities.size(); ++k) {
    fields.back().columns.push_back(header.quantities[k]);
    fields.back().units.push_back(header.quantity_units[k]);
  }
  fields.back().width = fields.back().columns.size();
  std::size_t offset = 0;
  for (FrameField& field : fields) {
    field.offset = offset;
    offset += sizeof(float) * field.items * field.width;
  }
  return fields;
}

std::size_t frame_bytes(const std::vector<FrameField>& fields) {
  return fields.back().offset + sizeof(float) * fields.back().items * fields.back().width;
}

FramePacker::FramePacker(const mechanism::Mechanism& m, const Run& run)
    : run_(&run), fields_(frame_fields(m, run.header)), bytes_(frame_bytes(fields_)) {}

void FramePacker::pack(const Frame& frame, std::string& out) const {
  const Vector* parts[] = {&frame.pose, &frame.velocity, &frame.reaction};
  for (std::size_t k = 0; k < 3; ++k) append(*parts[k], fields_[k].items * fields_[k].width, out);
  const auto computed = static_cast<Eigen::Index>(general_columns().size());
  Vector general(computed + frame.quantities.size());
  for (Eigen::Index k = 0; k < computed; ++k) general[k] = general_columns()[static_cast<std::size_t>(k)].value(frame);
  general.tail(frame.quantities.size()) = frame.quantities;
  append(general, fields_[3].width, out);
}

void FramePacker::pack(std::uint64_t first, std::uint64_t count, std::string& out) const {
  out.reserve(out.size() + count * bytes_);
  Frame frame;
  for (std::uint64_t k = first; k < first + count; ++k) {
    run_->frames.read(k, frame);
    pack(frame, out);
  }
}

std::string FramePacker::range(std::uint64_t offset, std::uint64_t count) const {
  if (count == 0) return {};
  const std::uint64_t first = offset / bytes_, last = (offset + count - 1) / bytes_;
  std::string out;
  pack(first, last - first + 1, out);
  out.erase(0, offset - first * bytes_);
  out.resize(count);
  return out;
}

std::string pack_times(const std::vector<double>& times) {
  return {reinterpret_cast<const char*>(times.data()), sizeof(double) * times.size()};
}

}  // namespace mortise::view
