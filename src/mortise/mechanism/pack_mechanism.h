// Four mechanisms of one topology, evaluated at once: what Mechanism is for one copy, with linalg::Pack as the scalar.
//
// Topology is shared (pattern, places, types of the kernels), numbers are not: masses, anchors, gravity, constants of
// kernels are gathered lane by lane when the pack is made. Groups without a lane form (lanes.h) are evaluated copy by
// copy by the mechanisms themselves and put into their lanes: right, but not faster than before.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mortise/mechanism/mechanism.h"

namespace mortise::mechanism {

class PackMechanism {
 public:
  using Copies = std::array<const Mechanism*, pack_width>;

  // What keeps a mechanism out of lanes altogether ("event 'stop'", "the quantity 'arm.angle' in a formula"); empty:
  // nothing. Modes that switch, and loads that depend on the solution, have a control flow of their own.
  static std::string obstacle(const Mechanism& mechanism);
  // Where two mechanisms differ in more than numbers; empty: nowhere, they can be lanes of one pack.
  static std::string difference(const Mechanism& a, const Mechanism& b);

  // Copies without obstacle and difference, which must outlive the pack.
  explicit PackMechanism(const Copies& copies);

  const Mechanism& first() const { return *copies_[0]; }
  const std::vector<unsigned char>& active() const { return first().initially_active_; }  // of the rows, in all copies
  // Types of the kernels that are evaluated copy by copy, as names of the first item of each.
  std::vector<std::string> copy_by_copy() const;
  const std::vector<Pack>& mass() const { return mass_; }  // values of M, which are constant

  // What an evaluation needs of one thread.
  struct Workspace {
    PackMotions motions;
    Motions one;  // of a single copy
    Evaluation evaluation;
    std::vector<ForceRecord> records;
  };
  void prepare(Workspace& workspace) const;
  void resize(PackEvaluation& evaluation) const;

  // Needs as of System::evaluate; no allocation.
  void evaluate(double t, const Pack* q, const Pack* v, unsigned needs, Workspace&, PackEvaluation& out) const;
  void qdot(const Pack* q, const Pack* v, Pack* out) const;
  void retract(const Pack* q, const Pack* dv, Pack* out) const;  // `out` may be q
  void normalize(Pack* q) const;
  void multiply_A(const std::vector<Pack>& A, const Pack* x, Pack* y) const;  // y = A x; 0 on rows that are off

 private:
  struct PackBody {
    bool particle, flat, in_plane;
    int q, v, translations;
    Pack mass, height;
    Vec3<Pack> pull;  // gravity in the body's own directions of translation
    Mat3<Pack> inertia, plane;
    geometry::BasicQuaternion<Pack> orientation;  // as modelled
  };
  void motions(const Pack* q, const Pack* v, PackMotions& out) const;
  void take_lane(int lane, const PackMotions& from, Motions& to) const;
  void evaluate_copy_by_copy(double t, unsigned needs, Workspace&, PackEvaluation& out) const;

  Copies copies_;
  std::vector<PackBody> bodies_;
  std::vector<Pack> mass_;
  std::vector<std::unique_ptr<PackConstraints>> constraints_;
  std::vector<std::unique_ptr<PackForces>> forces_;
  std::vector<std::size_t> other_constraints_, other_forces_;  // groups without a lane form
  std::vector<int> other_rows_;                                // their rows
  std::vector<gauss::RowBlock> other_blocks_;                  // and blocks of A
};

}  // namespace mortise::mechanism
