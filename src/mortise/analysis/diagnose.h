// What is going on with the constraints of a mechanism at a pose, in the names of its joints.
//
// Mobility (Grübler's count, the count by rank, free motions), redundancy (each redundant row with the joints that it
// depends on, whether it is one of this pose, of these dimensions or of any, and which joint could be relaxed to what),
// conflicts (redundant rows that ask for something else than the others grant), which reactions are unique, and how
// clear the rank is. All of it comes from one elimination along the joint graph (gauss/fronts.h) and from what it
// finds, dependency by dependency: the cost is that of the loops, O(bodies) for a mechanism of small loops.
//
// Notation: M a + Aᵀλ = Q; a dependency tᵀA = 0 is a *self-stress*: λ + c t moves nothing, for any c. So a reaction
// component is unique when no t reaches it; and φ (or c_t, or b) can be met when tᵀφ = 0 for all t.
#pragma once

#include <string>
#include <vector>

#include "mortise/gauss/fronts.h"
#include "mortise/mechanism/mechanism.h"

namespace mortise::analysis {

// A way in which the mechanism can move at this pose: A v = 0.
struct FreeMotion {
  Vector v;  // velocities of all bodies, the largest (angles by the characteristic length) as long as that
  std::vector<int> bodies;  // that move
  bool local = false;       // of one body alone, while all others stand still
  std::string words;
};

// Whether a redundancy is lost when the mechanism moves, when its points are elsewhere, or never.
enum class RedundancyKind { pose, dimensions, structural, unknown };

// A row that follows from others.
struct Redundancy {
  int row = 0;
  std::vector<int> rows;  // of the dependency, `row` among them
  Vector coefficients;    // Σ coefficients · rows of A = 0
  Vector shares;          // the same of rows of equal length, the largest 1
  std::vector<int> joints;
  RedundancyKind kind = RedundancyKind::unknown;
};

// A joint that could be replaced by one that allows more, without a new motion.
struct Relaxation {
  int joint = 0;
  std::string to;  // "spherical", "nothing": leave it out
  int rows = 0;    // that it has less
};

// Redundancies of the same joints. Each of `relaxations` alone, or all of `together`, leaves none.
struct RedundantGroup {
  std::vector<int> joints;
  std::vector<int> redundancies;  // indices
  int structural = 0, dimensions = 0, pose = 0, unknown = 0;
  bool relaxed = false;  // whether relaxations were looked for
  std::vector<Relaxation> relaxations, together;
};

enum class Level { position, velocity, acceleration };

// The smallest sets of rows that cannot hold together.
struct Conflict {
  Level level = Level::position;
  std::vector<int> rows, joints;
  Vector repairs;   // what each of the rows would have to give in, alone, in its own unit (m or rad; per s, per s²)
  int easiest = 0;  // the row (an index into `rows`) with the smallest repair, measured by the mechanism's size
};

// Which components of a joint's reaction are unique, in the axes of the joint's second frame.
struct JointReaction {
  int joint = 0;
  struct Component {
    const char* name;  // fx, fy, fz, tx, ty, tz
    bool unique;
  };
  std::vector<Component> components;  // those that the joint can bear
  int freedom = 0;                    // dimension of the self-stresses in this joint
};

// Several joints between the same two bodies: components of what they do together, about the first one's point.
struct ReactionSum {
  std::vector<int> joints;
  std::vector<JointReaction::Component> components;
};

struct Diagnosis {
  mechanism::Count count;
  linalg::Rank rank;  // pivots of the fronts
  int degrees_of_freedom = 0;
  int local_mobilities = 0;
  std::vector<FreeMotion> motions;  // all of them, or the first few where there are many
  std::vector<Redundancy> redundancies;
  std::vector<RedundantGroup> groups;
  std::vector<Conflict> conflicts;
  std::vector<JointReaction> reactions;  // of joints with a component that is not unique
  std::vector<ReactionSum> sums;
  std::vector<std::string> warnings;
  std::vector<int> near_joints;  // whose rows are nearly dependent: a singular pose is near (rank.smallest_kept)
  double characteristic_length = 1;
  int poses = 0, geometries = 0;  // others that were looked at for the kinds
  int largest_front = 0;          // columns
};

struct DiagnoseOptions {
  linalg::RankPolicy rank;
  bool kinds = true, relaxations = true, reactions = true;
  int most_motions = 24;          // described
  std::size_t most_relaxed = 20;  // groups for which relaxations are looked for
};

// At a state whose positions and velocities were assembled as far as they can be.
Diagnosis diagnose(const mechanism::Mechanism& mechanism, const State& state, const DiagnoseOptions& options = {});

// The report for people, as `mortise check` prints it; `rule` names what decides reactions that are not unique.
std::string describe(const mechanism::Mechanism& mechanism, const Diagnosis& diagnosis, const std::string& rule);
// Only what cannot hold together; empty where everything can.
std::string describe_conflicts(const mechanism::Mechanism& mechanism, const Diagnosis& diagnosis);
// The same in a line or two, for the start of a run.
std::string describe_briefly(const mechanism::Mechanism& mechanism, const Diagnosis& diagnosis);
// "A, B, C and 4 more"
std::string joint_names(const mechanism::Mechanism& mechanism, const std::vector<int>& joints, std::size_t most = 12);
const char* name(RedundancyKind kind);
const char* name(Level level);

}  // namespace mortise::analysis
