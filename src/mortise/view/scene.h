// What the viewer draws of a run, and the data its page reads. The page (web/) knows nothing but this:
//
//   results.json   {"results": [{"path": "data/0/", "label": "out.h5"}, …one or two], "live": false}
//   and under each path:
//   scene.json     made once, by `make_scene` and `to_json`:
//     format "mortise-scene", version 1, name, facts (one line), program (its version), dimension 2 | 3, up (a unit
//     vector, against gravity), length (typical size of a body, m), extent {min, max} (of what moves, over
//     the run), start {min, max} (at its first frame), force (the largest reaction of the frames looked at, N)
//     bodies    [{name, particle, mass, center [x, y, z], kept, colour "#rrggbb" | null, shapes [Shape…]}]
//     ground    [Shape…]
//     meshes    [{positions: base64 of float32 x y z…, triangles: base64 of uint32 a b c…}]
//     joints    [{name, type, driver, bodies [a, b], at [[x, y, z], [x, y, z]], axes [[w, x, y, z], [w, x, y, z]],
//                 placed (has a point that can be shown), rows, redundant, conflict, kept}]
//     springs   [{name, type, bodies, at}]              forces that act between two points
//     tracers   [{name, body, at}]
//     events    [{t, name, what, joints}]
//     diagnosis {freedoms, rank, rows, text}            text: what `mortise check` says
//     modes     [{words, v: [[vx, vy, vz, wx, wy, wz] of each body…]}]   free motions at the first frame; world axes,
//               at the body's origin, the largest displacement `length`
//     notes     [text…]                                what could not be drawn as the model says, and why
//     quantities [{name, unit}]                         names that series/ knows; of a large model few
//     frames    {count, total, bytes, fields [{name, offset, items, width, columns, units}]}
//   times.bin      float64, one a frame
//   frames.bin     `bytes` bytes a frame, little endian, float32: any run of frames is one range of bytes
//   series/NAME    float64, one a frame; NAME percent-encoded (served only)
//   status.json    {"frames": 812, "finished": false, "status": "running"}; asked for every second where live
//
// A body's number is its place in `bodies`; −1 is the ground. Points and axes are in the body's frame (its origin as
// the user gave it), quaternions w first. `frames.total` is what the result has, `count` what is there to be shown: a
// file that had to be thinned has less. Fields of a frame, `items` × `width` numbers each (planar | spatial):
//   pose      of the body frames: x y angle | x y z qw qx qy qz
//   velocity  of their origins: vx vy wz | vx vy vz wx wy wz, world axes
//   reaction  of the joints on their second body at its point: fx fy tz | fx fy fz tx ty tz, world axes
//   general   energies, constraint norms and the quantities of `output:`, named by `columns`
// What a restricted result does not keep is NaN, and `kept` is false.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "mortise/analysis/diagnose.h"
#include "mortise/view/page.h"

namespace mortise::view {

// A piece of a body, in its frame. `rod` and `plate` are drawn where the user gave no geometry: between joint points.
struct Shape {
  enum class Kind { box, sphere, cylinder, capsule, mesh, rod, plate };
  Kind kind = Kind::sphere;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  Eigen::Quaterniond axes = Eigen::Quaterniond::Identity();  // cylinders and capsules lie along z
  Eigen::Vector3d size = Eigen::Vector3d::Zero();            // box: edges · others: radius, length · rod: radius
  std::vector<Eigen::Vector3d> points;                       // rod: two · plate: corners, in order
  int mesh = -1;
};

struct SceneBody {
  std::string name, colour;
  bool particle = false, kept = true;
  double mass = 0;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  std::vector<Shape> shapes;
};

struct SceneJoint {
  std::string name, type;
  bool driver = false, placed = false, kept = true, conflict = false;
  std::array<int, 2> bodies{-1, -1};
  std::array<Eigen::Vector3d, 2> at{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  std::array<Eigen::Quaterniond, 2> axes{Eigen::Quaterniond::Identity(), Eigen::Quaterniond::Identity()};
  int rows = 0, redundant = 0;  // rows that take part in a dependency
};

struct SceneSpring {
  std::string name, type;
  std::array<int, 2> bodies{-1, -1};
  std::array<Eigen::Vector3d, 2> at{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
};

struct SceneTracer {
  std::string name;
  int body = -1;
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
};

struct SceneEvent {
  double t = 0;
  std::string name, what, joints;
};

struct SceneMode {
  std::string words;
  std::vector<std::array<double, 6>> v;  // of each body
};

struct SceneMesh {
  std::vector<float> positions;
  std::vector<std::uint32_t> triangles;
};

struct FrameField {
  std::string name;
  std::size_t offset = 0, items = 0, width = 0;  // offset in bytes
  std::vector<std::string> columns, units;
};

struct Scene {
  std::string name, facts;
  int dimension = 2;
  Eigen::Vector3d up = Eigen::Vector3d::UnitY();
  double length = 1;
  Eigen::AlignedBox3d extent, start;
  double force = 0;
  std::vector<SceneBody> bodies;
  std::vector<Shape> ground;
  std::vector<SceneMesh> meshes;
  std::vector<SceneJoint> joints;
  std::vector<SceneSpring> springs;
  std::vector<SceneTracer> tracers;
  std::vector<SceneEvent> events;
  int freedoms = 0, rank = 0, rows = 0;
  std::string diagnosis;
  std::vector<std::string> notes;
  std::vector<SceneMode> modes;
  std::vector<std::pair<std::string, std::string>> quantities;  // name, unit
  std::uint64_t frames = 0, total = 0;
  std::size_t frame_bytes = 0;
  std::vector<FrameField> fields;
};

// The diagnosis at the first frame of the run (at the assembled model, where the frames do not keep all bodies).
analysis::Diagnosis first_diagnosis(const mechanism::Mechanism& mechanism, const Run& run);

// Events are those of the run's ledger; mesh files are looked for in the folders. Reads at most 24 frames.
Scene make_scene(const mechanism::Mechanism& mechanism, const Run& run, const analysis::Diagnosis& diagnosis,
                 const std::vector<analysis::EventEntry>& events = {}, const std::vector<std::string>& folders = {"."});

std::string to_json(const Scene& scene);

}  // namespace mortise::view
