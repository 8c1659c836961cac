#include "mortise/analysis/diagnose.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "mortise/analysis/diagnose_parts.h"
#include "mortise/analysis/nearness.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

namespace {

std::vector<int> bodies_of(const Posed& posed, const std::vector<int>& joints) {
  std::vector<int> bodies;
  for (const int joint : joints)
    for (const int b : posed.blocks_of_joint[index(joint)]) bodies.push_back(posed.m.pattern().A[index(b)].block);
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  return bodies;
}

// Groups of joints between the same bodies are one; and a group whose joints are all in another one belongs to that.
void merge(const Posed& posed, Diagnosis& d) {
  std::map<std::vector<int>, std::size_t> between;
  std::vector<RedundantGroup> distinct;
  for (RedundantGroup& group : d.groups) {
    const auto [same, fresh] = between.emplace(bodies_of(posed, group.joints), distinct.size());
    if (fresh) {
      distinct.push_back(std::move(group));
      continue;
    }
    RedundantGroup& into = distinct[same->second];
    into.joints.insert(into.joints.end(), group.joints.begin(), group.joints.end());
    std::sort(into.joints.begin(), into.joints.end());
    into.joints.erase(std::unique(into.joints.begin(), into.joints.end()), into.joints.end());
    into.redundancies.insert(into.redundancies.end(), group.redundancies.begin(), group.redundancies.end());
    std::sort(into.redundancies.begin(), into.redundancies.end());
  }
  d.groups = std::move(distinct);
  std::map<int, std::vector<std::size_t>> with;  // groups of each joint
  for (std::size_t g = 0; g < d.groups.size(); ++g)
    for (const int joint : d.groups[g].joints) with[joint].push_back(g);
  std::vector<std::size_t> order(d.groups.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return d.groups[a].joints.size() < d.groups[b].joints.size(); });
  std::vector<unsigned char> gone(d.groups.size(), 0);
  for (const std::size_t g : order) {
    RedundantGroup& small = d.groups[g];
    for (const std::size_t other : with[small.joints[0]]) {
      RedundantGroup& large = d.groups[other];
      if (other == g || gone[other] || large.joints.size() <= small.joints.size()) continue;
      if (!std::includes(large.joints.begin(), large.joints.end(), small.joints.begin(), small.joints.end())) continue;
      large.redundancies.insert(large.redundancies.end(), small.redundancies.begin(), small.redundancies.end());
      std::sort(large.redundancies.begin(), large.redundancies.end());
      gone[g] = 1;
      break;
    }
  }
  std::vector<RedundantGroup> kept;
  for (std::size_t g = 0; g < d.groups.size(); ++g)
    if (!gone[g]) kept.push_back(std::move(d.groups[g]));
  d.groups = std::move(kept);
}

}  // namespace

Posed::Posed(const mechanism::Mechanism& mechanism, const State& at)
    : m(mechanism), state(at), scratch(mechanism.make_scratch()) {
  const gauss::Pattern& pattern = m.pattern();
  e.resize(pattern);
  Vector q_sizes(m.q_size());
  column_size.resize(m.v_size());
  m.typical_sizes(as_span(q_sizes), as_span(column_size));
  unit.setZero(pattern.m());
  joint_of_row.resize(index(pattern.m()));
  blocks_of_joint.resize(m.constraints().size());
  for (std::size_t c = 0; c < m.constraints().size(); ++c)
    for (int k = 0; k < m.constraints()[c].rows; ++k)
      joint_of_row[index(m.constraints()[c].row + k)] = static_cast<int>(c);
  for (std::size_t b = 0; b < pattern.A.size(); ++b)
    blocks_of_joint[index(joint_of_row[index(pattern.A[b].row)])].push_back(static_cast<int>(b));
  evaluate();
}

void Posed::evaluate() {
  m.evaluate(state, need_dynamics, *scratch, e);
  if (!std::isfinite(e.phi.sum() + e.problem.A.sum() + e.problem.b.sum())) throw SolveError(m.blame_non_finite(state));
  m.motions(as_span(state.q), as_span(state.v), motions);
  e.problem.violation = std::max(position_error(), velocity_error());
}

double Posed::position_error() const { return scaled_max(e.phi, m.pattern().position_size); }
double Posed::velocity_error() const { return scaled_max(e.phidot, m.pattern().velocity_size); }

std::vector<int> Posed::joints_of(const std::vector<int>& rows) const {
  std::vector<int> joints;
  for (const int row : rows) joints.push_back(joint_of_row[index(row)]);
  std::sort(joints.begin(), joints.end());
  joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
  return joints;
}

SmallRows rows_of(const Posed& posed, const gauss::Fronts& fronts, const Vector& values,
                  const std::vector<int>& joints) {
  const gauss::Pattern& pattern = posed.m.pattern();
  SmallRows out;
  std::map<int, int> column, place;
  int columns = 0;
  for (const int joint : joints) {
    const mechanism::Constraint& c = posed.m.constraints()[index(joint)];
    for (int row = c.row; row < c.row + c.rows; ++row)
      if (fronts.row_scale(row) > 0) {
        place[row] = static_cast<int>(out.rows.size());
        out.rows.push_back(row);
      }
    for (const int b : posed.blocks_of_joint[index(joint)]) {
      const int block = pattern.A[index(b)].block;
      if (column.emplace(block, columns).second) columns += pattern.columns.size(block);
    }
  }
  out.A.setZero(static_cast<Eigen::Index>(out.rows.size()), columns);
  for (const int joint : joints)
    for (const int b : posed.blocks_of_joint[index(joint)]) {
      const gauss::RowBlock& at = pattern.A[index(b)];
      const int size = pattern.columns.size(at.block), begin = pattern.columns.begin(at.block);
      for (int i = 0; i < at.rows; ++i) {
        const auto row = place.find(at.row + i);
        if (row == place.end()) continue;
        for (int k = 0; k < size; ++k)
          out.A(row->second, column[at.block] + k) +=
              fronts.row_scale(at.row + i) * values[at.offset + i * size + k] * posed.column_size[begin + k];
      }
    }
  return out;
}

int rank_of(const Matrix& A, const linalg::RankPolicy& policy, double violation) {
  if (A.rows() == 0 || A.cols() == 0) return 0;
  const Eigen::ColPivHouseholderQR<Matrix> qr(A.transpose());
  const double cut = policy.cut(std::abs(qr.matrixR()(0, 0)), violation);
  int rank = 0;
  while (rank < std::min(A.rows(), A.cols()) && std::abs(qr.matrixR()(rank, rank)) > cut) ++rank;
  return rank;
}

Eigen::Vector3d joint_point(const Posed& posed, int joint) {
  const mechanism::Anchor& at = posed.m.constraints()[index(joint)].b;
  if (posed.m.dimension() == 3) return mechanism::carry(at, posed.motions.at3(at.body)).p;
  const Eigen::Vector2d p = mechanism::carry(at, posed.motions.at2(at.body)).p;
  return {p.x(), p.y(), 0};
}

Eigen::Matrix3d joint_axes(const Posed& posed, int joint) {
  const mechanism::Anchor& at = posed.m.constraints()[index(joint)].b;
  if (posed.m.dimension() == 3) return mechanism::carry(at, posed.motions.at3(at.body)).E;
  const Eigen::Vector2d x = mechanism::carry(at, posed.motions.at2(at.body)).x;
  Eigen::Matrix3d E = Eigen::Matrix3d::Identity();
  E.topLeftCorner<2, 2>() << x.x(), -x.y(), x.y(), x.x();
  return E;
}

Wrenches wrenches(const Posed& posed, int joint) {
  const mechanism::Constraint& c = posed.m.constraints()[index(joint)];
  const bool planar = posed.m.dimension() == 2;
  if (c.rows > Wrenches::MaxColsAtCompileTime) throw std::logic_error("a joint of more than six rows");
  const Eigen::Matrix3d E = joint_axes(posed, joint);
  Wrenches out(planar ? 3 : 6, c.rows);
  for (int k = 0; k < c.rows; ++k) {
    posed.unit[c.row + k] = 1;
    const mechanism::Wrench w =
        posed.m.reaction_on(c, c.b, posed.motions, posed.state.t, as_span(static_cast<const Vector&>(posed.unit)));
    posed.unit[c.row + k] = 0;
    const Eigen::Vector3d force = E.transpose() * w.head<3>(), torque = E.transpose() * w.tail<3>();
    if (planar)
      out.col(k) << force.x(), force.y(), torque.z();
    else
      out.col(k) << force, torque;
  }
  return out;
}

Diagnosis diagnose(const mechanism::Mechanism& mechanism, const State& state, const DiagnoseOptions& options) {
  Diagnosis out;
  Posed posed(mechanism, state);
  gauss::Fronts fronts(mechanism.pattern(), posed.column_size, mechanism.pattern().velocity_size);
  fronts.factor(posed.e.problem, options.rank);

  out.count = mechanism.count();
  out.rank = fronts.rank();
  out.degrees_of_freedom = fronts.degrees_of_freedom();
  out.characteristic_length = mechanism.characteristic_length();
  out.largest_front = fronts.largest_front();
  std::map<std::vector<int>, std::size_t> group_of;
  for (const gauss::Dependency& d : fronts.dependencies()) {
    Redundancy r{d.row, {}, {}, {}, {}, RedundancyKind::unknown};
    std::vector<double> coefficients, shares;
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      if (std::abs(d.scaled[k]) < options.rank.significance && d.rows[i] != d.row) continue;
      r.rows.push_back(d.rows[i]);
      coefficients.push_back(d.coefficients[k]);
      shares.push_back(d.scaled[k]);
    }
    r.coefficients = Eigen::Map<const Vector>(coefficients.data(), static_cast<Eigen::Index>(coefficients.size()));
    r.shares = Eigen::Map<const Vector>(shares.data(), static_cast<Eigen::Index>(shares.size()));
    r.joints = posed.joints_of(r.rows);
    out.redundancies.push_back(std::move(r));
  }
  // Those found together belong together: their joints are the union.
  std::map<int, std::vector<int>> found;
  for (std::size_t k = 0; k < out.redundancies.size(); ++k)
    found[fronts.dependencies()[k].group].push_back(static_cast<int>(k));
  for (const auto& [number, members] : found) {
    // Of those found together, redundancies without a joint in common are of different loops.
    std::vector<std::vector<int>> parts;
    for (const int k : members) {
      std::vector<int> joined{k};
      std::vector<std::vector<int>> rest;
      for (auto& part : parts) {
        bool meets = false;
        for (const int other : part)
          for (const int joint : out.redundancies[index(other)].joints)
            meets = meets || std::binary_search(out.redundancies[index(k)].joints.begin(),
                                                out.redundancies[index(k)].joints.end(), joint);
        if (meets)
          joined.insert(joined.end(), part.begin(), part.end());
        else
          rest.push_back(std::move(part));
      }
      rest.push_back(std::move(joined));
      parts = std::move(rest);
    }
    for (auto& part : parts) {
      std::sort(part.begin(), part.end());
      std::vector<int> rows;
      for (const int k : part)
        rows.insert(rows.end(), out.redundancies[index(k)].rows.begin(), out.redundancies[index(k)].rows.end());
      std::vector<int> joints = posed.joints_of(rows);
      const auto [same, fresh] = group_of.emplace(joints, out.groups.size());
      if (fresh) {
        out.groups.emplace_back();
        out.groups.back().joints = std::move(joints);
      }
      auto& list = out.groups[same->second].redundancies;
      list.insert(list.end(), part.begin(), part.end());
    }
  }
  merge(posed, out);
  for (RedundantGroup& group : out.groups) group.unknown = static_cast<int>(group.redundancies.size());

  constexpr double near = 0.01;
  if (out.rank.smallest_kept < near) out.near_joints = nearness(mechanism, state, options.rank, near).joints;
  describe_motions(posed, fronts, options, out);
  find_conflicts(posed, fronts, options, out);
  if (options.reactions) find_unique_reactions(posed, options, out);
  if (options.kinds) classify(posed, fronts, options, out);
  if (options.relaxations) find_relaxations(posed, fronts, options, out);
  return out;
}

}  // namespace mortise::analysis
