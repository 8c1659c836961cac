// Is a redundancy one of this pose, of these dimensions, or of any?
//
// Elsewhere on the motion: the mechanism is moved along a random mixture of its free motions by a finite amount (and in
// time, where drivers say where it is), and brought back to the constraints by Newton's method with the elimination
// itself. In other dimensions: every joint is put to another place, its axes kept parallel, while the bodies stand as
// they do; a row r, w of a body gets w + δ × r. That is a mechanism of the same joints at a pose that fulfils them. A
// redundancy that is lost in the first is one of the pose, in the second one of the dimensions; what survives both is
// structural. Each group of joints is judged by the rank of its own rows.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <random>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

namespace {

constexpr int other_poses = 3, other_geometries = 2;

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

 private:
  std::mt19937 random_;
};

// A row's columns for a body: r and w, world axes.
struct Side {
  Eigen::Vector3d r = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero();
};

bool movable(const Posed& posed, int body) {
  return body == mechanism::ground || !posed.m.bodies()[index(body)].particle;
}

void write(const Posed& posed, int body, const mechanism::Columns& to, int row, const Side& side, Vector& A) {
  double* out = A.data() + to.offset + row * to.size;
  if (posed.m.dimension() == 2) {
    out[0] = side.r.x(), out[1] = side.r.y();
    if (to.size == 3) out[2] = side.w.z();
  } else if (to.plane) {
    out[0] = to.plane->col(0).dot(side.r), out[1] = to.plane->col(1).dot(side.r);
    if (to.size == 3) out[2] = to.plane->col(2).dot(side.w);
  } else {
    Eigen::Map<Eigen::Vector3d>{out} = side.r;
    if (to.size == 6) Eigen::Map<Eigen::Vector3d>{out + 3} = posed.motions.at3(body).R.transpose() * side.w;
  }
}

Side read(const Posed& posed, int body, const mechanism::Columns& to, int row, const Vector& A) {
  const double* in = A.data() + to.offset + row * to.size;
  Side side;
  if (posed.m.dimension() == 2) {
    side.r << in[0], in[1], 0;
    if (to.size == 3) side.w.z() = in[2];
  } else if (to.plane) {
    side.r = in[0] * to.plane->col(0) + in[1] * to.plane->col(1);
    if (to.size == 3) side.w = in[2] * to.plane->col(2);
  } else {
    side.r << in[0], in[1], in[2];
    if (to.size == 6) side.w = posed.motions.at3(body).R * Eigen::Vector3d(in[3], in[4], in[5]);
  }
  return side;
}

struct Arm {
  Eigen::Vector3d point = Eigen::Vector3d::Zero(), arm = Eigen::Vector3d::Zero();
};

Arm arm_of(const Posed& posed, const mechanism::Anchor& at) {
  Arm out;
  if (posed.m.dimension() == 2) {
    const auto f = mechanism::carry(at, posed.motions.at2(at.body));
    out.point.head<2>() = f.p, out.arm.head<2>() = f.d;
  } else {
    const auto f = mechanism::carry(at, posed.motions.at3(at.body));
    out.point = f.p, out.arm = f.d;
  }
  return out;
}

// The values of A with all joints elsewhere.
Vector in_other_dimensions(const Posed& posed, unsigned seed) {
  Vector A = posed.e.problem.A;
  Dice dice(seed);
  const double size = 0.1 * posed.m.characteristic_length();
  const bool planar = posed.m.dimension() == 2;
  const auto shift = [&]() -> Eigen::Vector3d {
    const double x = dice(), y = dice(), z = dice();
    return size * Eigen::Vector3d(x, y, planar ? 0 : z);
  };
  for (const mechanism::Constraint& c : posed.m.constraints()) {
    const Eigen::Vector3d delta = shift(), other = shift();  // always drawn: joints of others do not change them
    if (c.over_several()) continue;                          // says something about coordinates, not about places
    const std::string& type = posed.m.model().items[index(c.ref.item)].part->type;
    if (type == "distance") {  // each end by itself: the line between them turns
      Arm a = arm_of(posed, c.a), b = arm_of(posed, c.b);
      if (movable(posed, c.a.body)) a.point += delta, a.arm += delta;
      if (movable(posed, c.b.body)) b.point += other, b.arm += other;
      const Eigen::Vector3d u = (b.point - a.point).normalized();
      if (c.to_a.size) write(posed, c.a.body, c.to_a, 0, {-u, -a.arm.cross(u)}, A);
      if (c.to_b.size) write(posed, c.b.body, c.to_b, 0, {u, b.arm.cross(u)}, A);
      continue;
    }
    if (!movable(posed, c.a.body) || !movable(posed, c.b.body)) continue;  // where a particle is, the joint is
    for (int row = 0; row < c.rows; ++row)
      for (const auto& [body, to] : {std::pair{c.a.body, c.to_a}, std::pair{c.b.body, c.to_b}}) {
        if (!to.size) continue;
        Side side = read(posed, body, to, row, A);
        side.w += delta.cross(side.r);
        write(posed, body, to, row, side, A);
      }
  }
  return A;
}

// Newton's method with the elimination as solver. Returns whether all rows are met.
bool bring_back(Posed& posed, gauss::Fronts& fronts, const linalg::RankPolicy& policy) {
  const gauss::Pattern& pattern = posed.m.pattern();
  double before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 25; ++iteration) {
    const double error = posed.position_error();
    if (!std::isfinite(error)) return false;
    if (error < 1e-13 || (error < 1e-11 && error > 0.5 * before)) return true;
    before = error;
    gauss::GaussProblem& problem = posed.e.problem;
    problem.violation = error > 1e-3 ? 0 : error;
    for (std::size_t row = 0; row < pattern.rows.size(); ++row)
      if (pattern.rows[row].kind == gauss::RowKind::nonholonomic) problem.active[row] = 0;
    fronts.factor(problem, policy);
    Vector step = fronts.solve(-posed.e.phi);
    const double size = step.cwiseQuotient(posed.column_size).cwiseAbs().maxCoeff() * posed.column_size[0] /
                        posed.m.characteristic_length();
    if (!(size < 1e6)) return false;
    if (size > 0.3) step *= 0.3 / size;
    posed.m.retract(as_span(posed.state.q), as_span(step), as_span(posed.state.q));
    posed.evaluate();
  }
  return posed.position_error() < 1e-11;
}

// Another pose of the same motion; false when none was reached.
bool move_on(const Posed& from, const gauss::Fronts& fronts, const Diagnosis& diagnosis,
             const linalg::RankPolicy& policy, unsigned seed, Posed& to) {
  const mechanism::Mechanism& m = from.m;
  Dice dice(seed);
  Vector mixture = Vector::Zero(m.v_size());
  for (const FreeMotion& motion : diagnosis.motions) mixture += dice() * motion.v;
  const bool driven = std::any_of(m.constraints().begin(), m.constraints().end(),
                                  [](const mechanism::Constraint& c) { return c.driver; });
  if (diagnosis.motions.empty() && !driven) return false;
  const double length = m.characteristic_length(), speed = from.column_size[0];
  const double size = mixture.cwiseQuotient(from.column_size).cwiseAbs().maxCoeff() * speed / length;
  if (size > 0) mixture /= size;  // the largest move is the characteristic length, or a radian
  const double later = driven ? 0.03 * (1 + std::abs(dice())) * m.model().analysis.until : 0;
  gauss::Fronts work = fronts;
  for (double share = 0.15; share > 1e-3; share /= 4) {
    to.state = from.state;
    to.state.t += later * share / 0.15;
    const Vector move = share * mixture;
    m.retract(as_span(from.state.q), as_span(move), as_span(to.state.q));
    to.state.v.setZero();
    to.evaluate();
    if (bring_back(to, work, policy)) return true;
  }
  return false;
}

}  // namespace

void classify(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out) {
  if (out.redundancies.empty()) return;
  std::vector<Vector> geometries, poses;
  for (unsigned seed = 1; seed <= other_geometries; ++seed) geometries.push_back(in_other_dimensions(posed, seed));
  const bool assembled = posed.position_error() < 1e-9;
  if (assembled) {
    Posed moved(posed.m, posed.state);
    for (unsigned seed = 1; seed <= other_poses; ++seed)
      if (move_on(posed, fronts, out, options.rank, seed, moved)) poses.push_back(moved.e.problem.A);
  }
  out.geometries = static_cast<int>(geometries.size());
  out.poses = static_cast<int>(poses.size());
  // With no motion to leave this pose by, the pose is that of the dimensions.
  const bool stuck = poses.empty() && out.degrees_of_freedom == 0;

  // How many redundancies of each group are gone there. Groups that share joints may count the same one; together they
  // have not lost more than all rows have.
  const auto lost = [&](const std::vector<Vector>& others) {
    std::vector<int> of(out.groups.size(), 0);
    int sum = 0, loose = 0;
    for (std::size_t g = 0; g < out.groups.size(); ++g) {
      const std::vector<int>& joints = out.groups[g].joints;
      const int count = static_cast<int>(out.groups[g].redundancies.size());
      const int here = rank_of(rows_of(posed, fronts, posed.e.problem.A, joints).A, options.rank, 0);
      for (const Vector& A : others)
        of[g] = std::max(of[g], rank_of(rows_of(posed, fronts, A, joints).A, options.rank, 0) - here);
      of[g] = std::clamp(of[g], 0, count);
      sum += of[g];
      loose += of[g] > 0;
    }
    if (loose < 2) return of;
    gauss::Fronts work = fronts;
    gauss::GaussProblem problem = posed.e.problem;
    problem.violation = 0;
    int all = 0;
    for (const Vector& A : others) {
      problem.A = A;
      work.factor(problem, options.rank);
      all = std::max(all, work.rank().rank - out.rank.rank);
    }
    for (std::size_t g = out.groups.size(); g-- > 0 && sum > all;) {
      const int less = std::min(of[g], sum - all);
      of[g] -= less;
      sum -= less;
    }
    return of;
  };
  const std::vector<int> there = lost(geometries), elsewhere = lost(poses);

  for (std::size_t g = 0; g < out.groups.size(); ++g) {
    RedundantGroup& group = out.groups[g];
    const int count = static_cast<int>(group.redundancies.size());
    group.unknown = 0;
    bool vanished = false;
    for (const int k : group.redundancies) vanished = vanished || fronts.row_scale(out.redundancies[index(k)].row) == 0;
    if (vanished) {  // a row that is zero here comes back elsewhere
      group.pose = count;
      for (const int k : group.redundancies) out.redundancies[index(k)].kind = RedundancyKind::pose;
      continue;
    }
    const int lost_there = there[g], lost_elsewhere = elsewhere[g];
    if (poses.empty() && !stuck) {
      group.structural = count - lost_there;
      group.unknown = lost_there;
    } else {
      group.pose = std::min(lost_elsewhere, lost_there);
      group.structural = count - lost_there;
      group.dimensions = count - group.structural - group.pose;
    }
    // Which ones: those whose own rows stay dependent.
    int structural = group.structural, pose = group.pose;
    const auto stays = [&](const Redundancy& r, const std::vector<Vector>& others) {
      const SmallRows small = rows_of(posed, fronts, posed.e.problem.A, r.joints);
      std::vector<Eigen::Index> own;
      for (std::size_t i = 0; i < small.rows.size(); ++i)
        if (std::binary_search(r.rows.begin(), r.rows.end(), small.rows[i]))
          own.push_back(static_cast<Eigen::Index>(i));
      return std::all_of(others.begin(), others.end(), [&](const Vector& A) {
        const Matrix all = rows_of(posed, fronts, A, r.joints).A;
        return rank_of(all(own, Eigen::all), options.rank, 0) < static_cast<int>(own.size());
      });
    };
    const bool mixed = std::max({group.structural, group.dimensions + group.unknown, group.pose}) < count;
    std::vector<int> rest;
    for (const int k : group.redundancies) {
      if (structural > 0 && (!mixed || stays(out.redundancies[index(k)], geometries))) {
        out.redundancies[index(k)].kind = RedundancyKind::structural;
        --structural;
      } else {
        rest.push_back(k);
      }
    }
    std::stable_partition(rest.begin(), rest.end(),
                          [&](int k) { return !mixed || !stays(out.redundancies[index(k)], poses); });
    for (const int k : rest) {
      RedundancyKind& kind = out.redundancies[index(k)].kind;
      if (pose-- > 0)
        kind = RedundancyKind::pose;
      else if (structural-- > 0)
        kind = RedundancyKind::structural;
      else
        kind = group.unknown > 0 ? RedundancyKind::unknown : RedundancyKind::dimensions;
    }
  }
}

}  // namespace mortise::analysis
