// Where frames of a run go: a result file, a test's memory, a plot. Frames carry the state and what was solved for it;
// everything else (points, reactions in joint frames, energies) is derived from them by named quantities.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "mortise/linalg/types.h"

namespace mortise::analysis {

struct Frame {
  double t = 0;
  Vector q, v, a, lambda, work;
  Vector inputs;      // stored in result files only where events change them: else those of a run are as modelled
  Vector active;      // of each row: 1 on, 0 off; only where events switch them
  Vector quantities;  // of `output: quantities:`
  // Poses of the user's body frames and what joints do, in world axes (planar models: 3 numbers x, y, angle).
  Vector pose;          // bodies × 7 (x y z qw qx qy qz) or × 3
  Vector velocity;      // bodies × 6 (vx vy vz wx wy wz, world) or × 3
  Vector acceleration;  // the same
  Vector reaction;      // joints × 6 (force, torque on the second body at the joint point, world) or × 3
  double kinetic = 0, potential = 0, dissipated = 0, applied = 0, constraint_work = 0;
  double position_error = 0, velocity_error = 0, acceleration_error = 0;  // scaled norms of φ, φ̇, A a − b
};

// A line of the ledger: what happened at an event. What happens at the same time shares v⁻ and v⁺; the works of such
// lines add up to the jump of the kinetic energy. The frames before and after it have its time.
struct EventEntry {
  double t = 0;
  int event = 0;       // number in RunHeader::events
  std::string what;    // "locked", "unlocked", "breaks", "impact", "rests", "released", "slips", "sticks", "mark";
                       // of a singular pose the branch: "smooth", "other"
  std::string joints;  // those that were switched, with commas between; of a singular pose its rows
  double impulse = 0;  // √ΣΛ² over its rows [N s, N m s]
  double work = 0;     // of the impulse, from it alone: ½(v⁺ + v⁻)·P [J]
  double kinetic_before = 0, kinetic_after = 0;
  double jump = 0;          // the largest |v⁺ − v⁻|, each velocity measured by its typical size
  std::uint64_t frame = 0;  // number of the frame after it
};

// Singular poses that a run passes are in the ledger of its result file, as events of this name.
inline constexpr const char* singular_pose_event = "singular pose";

// What a restricted file keeps of each frame (`output: bodies:, joints:`): numbers in the model, rising, of bodies and
// joints and of their coordinates, velocities and rows.
struct Kept {
  int all_bodies = 0, all_joints = 0;  // of the model
  std::vector<std::uint32_t> bodies, joints, q, v, rows;
};

// What a result file says about the run before its first frame.
struct RunHeader {
  int dimension = 2;
  int q_size = 0, v_size = 0, rows = 0;                // of the model
  std::vector<std::string> bodies, joints, row_names;  // those that the file keeps
  std::optional<Kept> kept;                            // none: everything
  bool single = false;                                 // what frames tell of bodies and joints is kept in 32 bits
  std::vector<std::string> quantities, quantity_units;
  std::vector<std::string> events;
  int inputs = 0;  // numbers of Frame::inputs that are stored: none without events of the model
  std::string model_name, model_text, version, options;

  std::size_t all_bodies() const { return kept ? static_cast<std::size_t>(kept->all_bodies) : bodies.size(); }
  std::size_t all_joints() const { return kept ? static_cast<std::size_t>(kept->all_joints) : joints.size(); }
  // Events of the model switch rows: frames have `active` and `inputs`.
  bool switches() const { return !events.empty() && events.front() != singular_pose_event; }
};

struct RunSummary {
  std::string status;  // "done", "interrupted", "failed: …"
  long evaluations = 0, steps = 0, failed_steps = 0, rank = 0;
  double cpu_evaluate = 0, cpu_solve = 0, cpu_project = 0, cpu_output = 0, cpu_total = 0;
  double energy_drift = 0, worst_position = 0, worst_velocity = 0;
};

// Processor time of this process so far, for RunSummary.
inline double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunHeader&) = 0;
  virtual void frame(const Frame&) = 0;
  virtual void event(const EventEntry&) {}  // between the frames before and after it
  virtual void flush() = 0;  // make what was given so far durable (before a checkpoint, at an interruption)
  virtual void end(const RunSummary&) = 0;
};

}  // namespace mortise::analysis
