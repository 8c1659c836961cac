// Which reactions are unique: λ + Σ c_k t_k is as good a solution as λ, so a component of a joint's wrench is unique
// when every self-stress t_k gives none of it. Any basis of self-stresses tells, so the local ones of the elimination
// do.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

namespace {

constexpr const char* spatial_names[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
constexpr const char* planar_names[] = {"fx", "fy", "tz"};
constexpr double smallest_part = 1e-7;  // of the largest wrench of a self-stress, torques by the characteristic length

// Torques in units of force.
Vector weighted(Vector w, double length, bool planar) {
  w.tail(planar ? 1 : 3) /= length;
  return w;
}

}  // namespace

void find_unique_reactions(const Posed& posed, const DiagnoseOptions&, Diagnosis& out) {
  const mechanism::Mechanism& m = posed.m;
  const bool planar = m.dimension() == 2;
  const double length = m.characteristic_length();
  std::map<int, std::vector<Vector>> stresses;  // of each joint: the wrench in each self-stress, scaled to at most one
  std::map<int, std::vector<std::size_t>> taking_part;
  std::map<int, Matrix> bearing;
  std::vector<std::map<int, Vector>> by_redundancy(out.redundancies.size());
  for (std::size_t r = 0; r < out.redundancies.size(); ++r) {
    const Redundancy& redundancy = out.redundancies[r];
    double largest = 0;
    for (std::size_t i = 0; i < redundancy.rows.size(); ++i) {
      const int joint = posed.joint_of_row[index(redundancy.rows[i])];
      auto [found, fresh] = bearing.try_emplace(joint);
      if (fresh) found->second = wrenches(posed, joint);
      auto [wrench, first] = by_redundancy[r].try_emplace(joint, Vector::Zero(planar ? 3 : 6));
      wrench->second += redundancy.coefficients[static_cast<Eigen::Index>(i)] *
                        found->second.col(redundancy.rows[i] - m.constraints()[index(joint)].row);
    }
    for (auto& [joint, wrench] : by_redundancy[r]) {
      wrench = weighted(wrench, length, planar);
      largest = std::max(largest, wrench.cwiseAbs().maxCoeff());
    }
    for (auto& [joint, wrench] : by_redundancy[r]) {
      if (largest > 0) wrench /= largest;
      stresses[joint].push_back(wrench);
      taking_part[joint].push_back(r);
    }
  }
  const char* const* names = planar ? planar_names : spatial_names;
  const int size = planar ? 3 : 6;
  for (const auto& [joint, list] : stresses) {
    Matrix B = bearing[joint];
    for (Eigen::Index k = 0; k < B.cols(); ++k) B.col(k) = weighted(B.col(k), length, planar);
    JointReaction reaction{joint, {}, 0};
    bool any = false;
    Matrix all(size, static_cast<Eigen::Index>(list.size()));
    for (std::size_t k = 0; k < list.size(); ++k) all.col(static_cast<Eigen::Index>(k)) = list[k];
    for (int k = 0; k < size; ++k) {
      if (B.row(k).cwiseAbs().maxCoeff() < smallest_part * B.cwiseAbs().maxCoeff()) continue;
      const bool unique = all.row(k).cwiseAbs().maxCoeff() < smallest_part;
      any = any || !unique;
      reaction.components.push_back({names[k], unique});
    }
    if (!any) continue;
    Eigen::ColPivHouseholderQR<Matrix> qr(all);
    qr.setThreshold(smallest_part);
    reaction.freedom = static_cast<int>(qr.rank());
    out.reactions.push_back(std::move(reaction));
  }

  // Joints side by side between two bodies: what they do together.
  std::map<std::pair<int, int>, std::vector<int>> pairs;
  for (const JointReaction& reaction : out.reactions) {
    const mechanism::Constraint& c = m.constraints()[index(reaction.joint)];
    if (!c.over_several() && !c.driver) pairs[std::minmax(c.a.body, c.b.body)].push_back(reaction.joint);
  }
  for (const auto& [pair, joints] : pairs) {
    if (joints.size() < 2) continue;
    const Eigen::Matrix3d E = joint_axes(posed, joints[0]);
    const Eigen::Vector3d origin = joint_point(posed, joints[0]);
    const int second = m.constraints()[index(joints[0])].b.body;
    Vector largest = Vector::Zero(size);
    std::vector<std::size_t> taking;
    for (const int joint : joints) taking.insert(taking.end(), taking_part[joint].begin(), taking_part[joint].end());
    std::sort(taking.begin(), taking.end());
    taking.erase(std::unique(taking.begin(), taking.end()), taking.end());
    for (const std::size_t r : taking) {
      const std::map<int, Vector>& parts = by_redundancy[r];
      Eigen::Vector3d force = Eigen::Vector3d::Zero(), torque = force;
      for (const int joint : joints) {
        const auto at = parts.find(joint);
        if (at == parts.end()) continue;
        const Eigen::Matrix3d F = joint_axes(posed, joint);
        Eigen::Vector3d f = Eigen::Vector3d::Zero(), t = f;
        if (planar) {
          f.head<2>() = at->second.head<2>();
          t.z() = at->second[2];
        } else {
          f = at->second.head<3>();
          t = at->second.tail<3>();
        }
        const double sign = m.constraints()[index(joint)].b.body == second ? 1 : -1;
        force += sign * (F * f);
        torque += sign * (F * t + (joint_point(posed, joint) - origin).cross(F * f) / length);
      }
      const Eigen::Vector3d f = E.transpose() * force, t = E.transpose() * torque;
      Vector sum(size);
      if (planar)
        sum << f.x(), f.y(), t.z();
      else
        sum << f, t;
      largest = largest.cwiseMax(sum.cwiseAbs());
    }
    ReactionSum sum{joints, {}};
    for (int k = 0; k < size; ++k) sum.components.push_back({names[k], largest[k] < smallest_part});
    if (std::any_of(sum.components.begin(), sum.components.end(), [](const auto& c) { return c.unique; }))
      out.sums.push_back(std::move(sum));
  }

  // Friction, or any force, by a reaction that a rule decides.
  std::vector<std::string> told;
  for (int k = 0; k < m.feedback_size(); ++k) {
    const std::string quantity = m.feedback_name(k);
    const std::size_t end = quantity.find(".reaction");
    if (end == std::string::npos) continue;
    const std::string joint = quantity.substr(0, end);
    const int c = m.find_constraint(joint);
    const auto loose =
        std::find_if(out.reactions.begin(), out.reactions.end(), [&](const JointReaction& r) { return r.joint == c; });
    if (loose == out.reactions.end() || std::find(told.begin(), told.end(), joint) != told.end()) continue;
    told.push_back(joint);
    out.warnings.push_back(
        fmt::format("a force depends on the reaction of '{}', which is not unique: the motion depends on the rule that "
                    "decides it (analysis: reactions)",
                    joint));
  }
}

}  // namespace mortise::analysis
