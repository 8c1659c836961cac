// What all peers share: the mechanisms, the clock, and one judge of errors.
//
// A mechanism is a list of rods and hinges in world coordinates, every body's frame at its centre of mass and along the
// world's axes at the start, so that each peer needs only a translation of it. Energies and gaps are computed here from
// the poses and velocities that a peer tells, for all of them in the same way; its own sums are not trusted.
//
//     peer_NAME CASE N UNTIL LIMIT [key=value]...     CASE: n-four-bar, chain, bricard; LIMIT: seconds of wall clock
//
// prints one JSON object. Only stepping is timed; samples are taken every 0.01 s.
#pragma once

#include <Eigen/Dense>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace peers {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

constexpr double gravity = 9.81;  // towards −y

struct Body {
  Vec3 at;       // centre of mass
  Vec3 inertia;  // about world axes at the start, where they are principal
  Vec3 v = Vec3::Zero(), w = Vec3::Zero();
  double mass = 1;
};

struct Hinge {
  int a, b;  // bodies; −1: ground
  Vec3 at, axis;
};

struct Mechanism {
  std::vector<Body> bodies;
  std::vector<Hinge> hinges;
  bool planar = true;

  Vec3 at(int body) const { return body < 0 ? Vec3::Zero() : bodies[static_cast<std::size_t>(body)].at; }
};

// The hinges of a spanning tree in an order in which every parent comes before its children, and the others.
struct Tree {
  struct Branch {
    int parent, child;
    Hinge hinge;
  };
  std::vector<Branch> branches;
  std::vector<Hinge> loops;

  explicit Tree(const Mechanism& m);
};

struct Task {
  std::string name;
  int n = 0;
  double until = 0, limit = 0;
  std::map<std::string, double> options;

  double option(const std::string& key, double otherwise) const {
    const auto found = options.find(key);
    return found == options.end() ? otherwise : found->second;
  }
};

struct BodyState {
  Vec3 at, v, w;  // of the centre of mass; world axes
  Mat3 R;
};

class Peer {
 public:
  virtual ~Peer() = default;
  virtual void advance(double t) = 0;  // may throw; what was reached until then counts
  virtual BodyState body(int k) const = 0;
  virtual long steps() const = 0;
  virtual std::string setting() const = 0;     // integrator, accuracy or step
  virtual std::string constraint() const = 0;  // what is done to keep the loops closed
};

// Defined by each program.
extern const char* const peer_name;
std::unique_ptr<Peer> make_peer(const Mechanism& mechanism, const Task& task);

}  // namespace peers
