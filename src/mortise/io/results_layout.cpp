#include "mortise/io/results_layout.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace mortise::io {

using analysis::Frame;
using analysis::RunHeader;
using analysis::RunSummary;

namespace {

ResultField one(const char* path, const char* unit, const char* meaning, double Frame::*member) {
  ResultField field;
  field.path = path, field.unit = unit, field.columns = "", field.meaning = meaning, field.scalar = member;
  return field;
}

ResultField list(const char* path, const char* unit, const char* columns, const char* meaning, std::size_t width,
                 Vector Frame::*member) {
  ResultField field;
  field.path = path, field.unit = unit, field.columns = columns, field.meaning = meaning;
  field.shape = {width}, field.width = field.stride = width, field.vector = member;
  return field;
}

// Items of a frame's vector that a file keeps: all, or those of a list.
struct Items {
  std::size_t all = 0;
  std::shared_ptr<const std::vector<std::uint32_t>> kept;
  bool single = false;

  Items(const RunHeader& h, std::size_t count, std::vector<std::uint32_t> analysis::Kept::*which)
      : all(count), single(h.single) {
    if (h.kept) kept = std::make_shared<const std::vector<std::uint32_t>>(*h.kept.*which);
  }
  std::size_t stored() const { return kept ? kept->size() : all; }
};

// Numbers [offset, offset + width) of the `stride` numbers of each item; `flat` drops a last side of length 1.
ResultField table(const char* path, const char* unit, const char* columns, const char* meaning, const Items& items,
                  std::size_t width, std::size_t stride, std::size_t offset, Vector Frame::*member, bool flat = false) {
  ResultField field;
  field.path = path, field.unit = unit, field.columns = columns, field.meaning = meaning;
  field.items = items.stored(), field.width = width, field.stride = stride, field.offset = offset;
  field.all_items = items.all, field.kept = items.kept, field.single = items.single, field.vector = member;
  field.shape = flat ? std::vector<std::size_t>{field.items} : std::vector<std::size_t>{field.items, width};
  return field;
}

// One number an item: coordinates, velocities, rows.
ResultField numbers(const char* path, const char* unit, const char* columns, const char* meaning, const Items& items,
                    Vector Frame::*member) {
  return table(path, unit, columns, meaning, items, 1, 1, 0, member, true);
}

struct Hasher {
  XXH64_state_t state;
  explicit Hasher(std::uint64_t seed = 0) { XXH64_reset(&state, seed); }
  // Not inlined: with a known small size g++ 12 warns of array bounds inside xxhash.h, in a branch never taken.
  [[gnu::noinline]] void bytes(const void* data, std::size_t size) {
    if (size > 0) XXH64_update(&state, data, size);
  }
  template <class T>
  void value(T v) {
    bytes(&v, sizeof v);
  }
  void text(const std::string& s) {
    value<std::uint64_t>(s.size());
    bytes(s.data(), s.size());
  }
  void texts(const std::vector<std::string>& list) {
    value<std::uint64_t>(list.size());
    for (const std::string& s : list) text(s);
  }
  std::uint64_t digest() const { return XXH64_digest(&state); }
};

}  // namespace

std::vector<ResultField> result_fields(const RunHeader& h) {
  const bool planar = h.dimension == 2;
  const auto size = [](int n) { return static_cast<std::size_t>(n); };
  const Items nb(h, h.all_bodies(), &analysis::Kept::bodies), nj(h, h.all_joints(), &analysis::Kept::joints),
      q(h, size(h.q_size), &analysis::Kept::q), v(h, size(h.v_size), &analysis::Kept::v),
      rows(h, size(h.rows), &analysis::Kept::rows);
  const std::size_t d = planar ? 2 : 3, r = planar ? 1 : 3;  // numbers of a translation, of a rotation's rate
  const std::size_t pose = planar ? 3 : 7, twist = planar ? 3 : 6;
  const char* xyz = planar ? "x,y" : "x,y,z";
  const char* turn = planar ? "z" : "x,y,z";
  std::vector<ResultField> f;
  f.push_back(one("time", "s", "time of each frame", &Frame::t));
  f.push_back(numbers("state/q", "m, rad, 1", "coordinates",
                      "generalized coordinates, block by block in the order of the bodies", q, &Frame::q));
  f.push_back(numbers("state/v", "m/s, rad/s", "velocities", "generalized velocities", v, &Frame::v));
  f.push_back(numbers("state/a", "m/s^2, rad/s^2", "accelerations", "generalized accelerations", v, &Frame::a));
  f.push_back(numbers("state/lambda", "N, N m", "rows",
                      "multipliers of the rows of /constraints/rows; M a + A^T lambda = Q", rows, &Frame::lambda));
  f.push_back(list("state/work", "J", "dissipated,applied,constraint", "work done since the start", 3, &Frame::work));
  f.push_back(
      table("bodies/position", "m", xyz, "origin of each body's frame, world axes", nb, d, pose, 0, &Frame::pose));
  if (planar)
    f.push_back(table("bodies/angle", "rad", "angle", "angle of each body's frame, not wrapped", nb, 1, pose, 2,
                      &Frame::pose, true));
  else
    f.push_back(table("bodies/quaternion_wxyz", "1", "w,x,y,z", "rotation from each body's axes to world axes, w first",
                      nb, 4, pose, 3, &Frame::pose));
  f.push_back(table("bodies/velocity", "m/s", xyz, "velocity of each body's origin, world axes", nb, d, twist, 0,
                    &Frame::velocity));
  f.push_back(table("bodies/angular_velocity", "rad/s", turn, "angular velocity, world axes", nb, r, twist, d,
                    &Frame::velocity, planar));
  f.push_back(table("bodies/acceleration", "m/s^2", xyz, "acceleration of each body's origin, world axes", nb, d, twist,
                    0, &Frame::acceleration));
  f.push_back(table("bodies/angular_acceleration", "rad/s^2", turn, "angular acceleration, world axes", nb, r, twist, d,
                    &Frame::acceleration, planar));
  f.push_back(table("joints/reaction_force", "N", xyz, "force on the joint's second body, world axes", nj, d, twist, 0,
                    &Frame::reaction));
  f.push_back(table("joints/reaction_torque", "N m", turn,
                    "torque on the joint's second body about the joint point, world axes", nj, r, twist, d,
                    &Frame::reaction));
  f.push_back(one("energy/kinetic", "J", "kinetic energy", &Frame::kinetic));
  f.push_back(one("energy/potential", "J", "potential energy", &Frame::potential));
  f.push_back(one("energy/dissipated", "J", "energy dissipated since the start", &Frame::dissipated));
  f.push_back(one("energy/applied", "J", "work of applied forces since the start", &Frame::applied));
  f.push_back(
      one("energy/constraint_work", "J", "work of driven constraints since the start", &Frame::constraint_work));
  f.push_back(one("constraints/position", "1", "scaled norm of the position residual phi", &Frame::position_error));
  f.push_back(one("constraints/velocity", "1", "scaled norm of the velocity residual", &Frame::velocity_error));
  if (h.switches()) {
    f.push_back(numbers("state/active", "1", "rows", "rows of /constraints/rows: 1 on, 0 off", rows, &Frame::active));
    f.push_back(list("state/inputs", "", "inputs", "inputs of the model, then what events remember", size(h.inputs),
                     &Frame::inputs));
  }
  for (std::size_t k = 0; k < h.quantities.size(); ++k) {
    ResultField field;
    field.path = "quantities/" + h.quantities[k];
    field.unit = h.quantity_units[k], field.meaning = "asked for by output: quantities:";
    field.stride = h.quantities.size(), field.offset = k, field.vector = &Frame::quantities;
    f.push_back(field);
  }
  f.push_back(one("constraints/acceleration", "1", "scaled norm of A a - b", &Frame::acceleration_error));
  return f;
}

namespace {

// Where the numbers of the k-th item that is kept begin in the frame's vector.
std::size_t place(const ResultField& field, std::size_t k) {
  return (field.kept ? (*field.kept)[k] : k) * field.stride + field.offset;
}

}  // namespace

void gather(const ResultField& field, const Frame& frame, double* row) {
  if (field.scalar) {
    *row = frame.*field.scalar;
    return;
  }
  const Vector& from = frame.*field.vector;
  if (from.size() == 0) {
    std::fill_n(row, field.numbers(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  if (static_cast<std::size_t>(from.size()) != field.all_items * field.stride)
    throw std::invalid_argument("a frame has " + std::to_string(from.size()) + " numbers for " + field.path +
                                " where the header promised " + std::to_string(field.all_items * field.stride));
  for (std::size_t k = 0; k < field.items; ++k)
    std::copy_n(from.data() + place(field, k), field.width, row + k * field.width);
  if (field.single)
    for (std::size_t k = 0; k < field.numbers(); ++k) row[k] = static_cast<double>(static_cast<float>(row[k]));
}

void scatter(const ResultField& field, const double* row, Frame& frame) {
  if (field.scalar) {
    frame.*field.scalar = *row;
    return;
  }
  Vector& to = frame.*field.vector;
  for (std::size_t k = 0; k < field.items; ++k)
    std::copy_n(row + k * field.width, field.width, to.data() + place(field, k));
}

void resize(const std::vector<ResultField>& fields, Frame& frame) {
  for (const ResultField& field : fields) {
    if (!field.vector) continue;
    Vector& to = frame.*field.vector;
    to.resize(static_cast<Eigen::Index>(field.all_items * field.stride));
    if (field.kept) to.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
}

std::size_t chunk_frames(const ResultField& field) {
  const std::size_t row = std::max<std::size_t>(field.numbers(), 1) * field.bytes();
  return ((std::size_t{64} << 10) + row - 1) / row;
}

std::size_t frames_per_batch(const std::vector<ResultField>& fields, std::size_t bytes) {
  std::size_t frame = 0;
  for (const ResultField& field : fields) frame += field.numbers() * sizeof(double);
  return std::clamp<std::size_t>(bytes / frame, 1, 8192);
}

FrameBlock::FrameBlock(const std::vector<ResultField>& fields, std::size_t capacity) : capacity_(capacity) {
  std::size_t total = 0;
  for (const ResultField& field : fields) {
    sizes_.push_back(field.numbers());
    offsets_.push_back(total);
    total += field.numbers();
  }
  numbers_.resize(total * capacity);
}

std::uint64_t FrameBlock::checksum(std::size_t frame, std::uint64_t number) const {
  Hasher hasher(number + 1);
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    hasher.bytes(numbers_.data() + offsets_[k] * capacity_ + frame * sizes_[k], sizes_[k] * sizeof(double));
  return hasher.digest();
}

std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed) { return XXH64(data, size, seed); }

std::uint64_t hash_text(const std::string& text) { return XXH64(text.data(), text.size(), 0); }

std::uint64_t hash_header(const RunHeader& h) {
  Hasher hasher;
  for (const int n : {h.dimension, h.q_size, h.v_size, h.rows}) hasher.value<std::int64_t>(n);
  for (const auto* names : {&h.bodies, &h.joints, &h.row_names}) hasher.texts(*names);
  for (const auto* text : {&h.model_name, &h.model_text, &h.version, &h.options}) hasher.text(*text);
  if (!h.quantities.empty())  // files without any are those of before
    for (const auto* names : {&h.quantities, &h.quantity_units}) hasher.texts(*names);
  if (!h.events.empty()) {
    hasher.texts(h.events);
    hasher.value<std::int64_t>(h.inputs);
  }
  if (h.single) hasher.text("float32");
  if (h.kept) {
    for (const int n : {h.kept->all_bodies, h.kept->all_joints}) hasher.value<std::int64_t>(n);
    for (const KeptList& list : kept_lists()) {
      const std::vector<std::uint32_t>& kept = *h.kept.*list.member;
      hasher.value<std::uint64_t>(kept.size());
      hasher.bytes(kept.data(), kept.size() * sizeof kept[0]);
    }
  }
  return hasher.digest();
}

const std::array<KeptList, 5>& kept_lists() {
  using analysis::Kept;
  static const std::array<KeptList, 5> lists{{{"bodies/numbers", &Kept::bodies},
                                              {"joints/numbers", &Kept::joints},
                                              {"state/q_numbers", &Kept::q},
                                              {"state/v_numbers", &Kept::v},
                                              {"constraints/row_numbers", &Kept::rows}}};
  return lists;
}

std::uint64_t hash_summary(const RunSummary& s) {
  Hasher hasher;
  hasher.text(s.status);
  for (const SummaryItem& item : summary_items())
    item.integer ? hasher.value<std::int64_t>(s.*item.integer) : hasher.value(s.*item.real);
  return hasher.digest();
}

std::uint64_t hash_count(std::uint64_t frames) { return XXH64(&frames, sizeof frames, 0x6d6f7274697365ULL); }

const std::vector<SummaryItem>& summary_items() {
  static const std::vector<SummaryItem> items{
      {"evaluations", "1", &RunSummary::evaluations, nullptr},
      {"steps", "1", &RunSummary::steps, nullptr},
      {"failed_steps", "1", &RunSummary::failed_steps, nullptr},
      {"rank", "1", &RunSummary::rank, nullptr},
      {"cpu_evaluate", "s", nullptr, &RunSummary::cpu_evaluate},
      {"cpu_solve", "s", nullptr, &RunSummary::cpu_solve},
      {"cpu_project", "s", nullptr, &RunSummary::cpu_project},
      {"cpu_output", "s", nullptr, &RunSummary::cpu_output},
      {"cpu_total", "s", nullptr, &RunSummary::cpu_total},
      {"energy_drift", "1", nullptr, &RunSummary::energy_drift},
      {"worst_position", "1", nullptr, &RunSummary::worst_position},
      {"worst_velocity", "1", nullptr, &RunSummary::worst_velocity},
  };
  return items;
}

}  // namespace mortise::io
