// Which joints could allow more without a new motion. A joint is relaxed by freeing directions of its relative motion:
// of its rows those combinations are kept which do nothing along these, C with C Bᵀ Z = 0, B the wrenches of the rows
// and Z the directions in joint axes. The rank of the group's rows is computed anew with C A in the place of A: if it
// stays, no motion is gained and every row given up was redundant.
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "mortise/analysis/diagnose_parts.h"

namespace mortise::analysis {

namespace {

struct Target {
  const char* to;
  std::vector<int> freed;  // directions: 0-2 along, 3-5 about the joint's axes; planar: 0, 1 along, 2 about
};

// The axis of a joint is z in space, x in the plane.
const std::vector<Target>& targets(const std::string& type, bool planar) {
  static const std::map<std::string, std::vector<Target>> in_space{
      {"revolute",
       {{"cylindrical", {2}},
        {"universal", {3}},
        {"universal", {4}},
        {"spherical", {3, 4}},
        {"point-on-line along its axis", {2, 3, 4}},
        {"point-on-plane across its axis", {0, 1, 3, 4}}}},
      {"prismatic", {{"cylindrical", {5}}, {"point-on-line", {3, 4, 5}}}},
      {"cylindrical", {{"point-on-line", {3, 4}}}},
      {"universal", {{"spherical", {3, 4, 5}}}},
      {"screw", {{"cylindrical", {2, 5}}}},
      {"spherical",
       {{"point-on-line along x", {0}},
        {"point-on-line along y", {1}},
        {"point-on-line along z", {2}},
        {"point-on-plane across x", {1, 2}},
        {"point-on-plane across y", {0, 2}},
        {"point-on-plane across z", {0, 1}}}},
      {"fixed",
       {{"revolute about x", {3}},
        {"revolute about y", {4}},
        {"revolute about z", {5}},
        {"prismatic along x", {0}},
        {"prismatic along y", {1}},
        {"prismatic along z", {2}},
        {"spherical", {3, 4, 5}}}},
  };
  static const std::map<std::string, std::vector<Target>> in_plane{
      {"revolute", {{"point-on-line along x", {0}}, {"point-on-line along y", {1}}}},
      {"prismatic", {{"point-on-line", {2}}}},
      {"fixed", {{"revolute", {2}}, {"prismatic along x", {0}}, {"prismatic along y", {1}}}},
  };
  static const std::vector<Target> none;
  const auto& table = planar ? in_plane : in_space;
  const auto found = table.find(type);
  return found == table.end() ? none : found->second;
}

// Rows of the group, joint by joint.
struct Rows {
  std::vector<int> joints;
  std::vector<Matrix> of;

  Matrix all(std::size_t replaced, const Matrix& by) const {
    Eigen::Index rows = 0;
    for (std::size_t k = 0; k < of.size(); ++k) rows += k == replaced ? by.rows() : of[k].rows();
    Matrix out(rows, of[0].cols());
    rows = 0;
    for (std::size_t k = 0; k < of.size(); ++k) {
      const Matrix& part = k == replaced ? by : of[k];
      out.middleRows(rows, part.rows()) = part;
      rows += part.rows();
    }
    return out;
  }
};

// The combinations of a joint's rows that are left.
Matrix kept_combinations(const Matrix& B, const std::vector<int>& freed, double length, bool planar) {
  Matrix along(B.cols(), static_cast<Eigen::Index>(freed.size()));
  for (std::size_t k = 0; k < freed.size(); ++k)
    along.col(static_cast<Eigen::Index>(k)) =
        B.row(freed[k]).transpose() / (freed[k] >= (planar ? 2 : 3) ? length : 1.0);
  Eigen::ColPivHouseholderQR<Matrix> qr(along);
  qr.setThreshold(1e-9);
  const Matrix Q = qr.householderQ() * Matrix::Identity(B.cols(), B.cols());
  return Q.rightCols(B.cols() - qr.rank()).transpose();
}

}  // namespace

void find_relaxations(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out) {
  const mechanism::Mechanism& m = posed.m;
  const bool planar = m.dimension() == 2;
  std::size_t looked_at = 0;
  for (RedundantGroup& group : out.groups) {
    if (looked_at++ == options.most_relaxed) break;
    const SmallRows small = rows_of(posed, fronts, posed.e.problem.A, group.joints);
    if (small.rows.empty()) continue;
    group.relaxed = true;
    Rows rows{group.joints, {}};
    std::vector<Matrix> wrench;
    for (const int joint : group.joints) {
      const mechanism::Constraint& c = m.constraints()[index(joint)];
      std::vector<Eigen::Index> own, place;
      for (std::size_t i = 0; i < small.rows.size(); ++i)
        if (small.rows[i] >= c.row && small.rows[i] < c.row + c.rows) {
          own.push_back(static_cast<Eigen::Index>(i));
          place.push_back(small.rows[i] - c.row);
        }
      rows.of.push_back(small.A(own, Eigen::all));
      Matrix B = wrenches(posed, joint)(Eigen::all, place);
      for (std::size_t i = 0; i < own.size(); ++i)
        B.col(static_cast<Eigen::Index>(i)) *= fronts.row_scale(small.rows[static_cast<std::size_t>(own[i])]);
      wrench.push_back(std::move(B));
    }
    const double violation = posed.e.problem.violation;
    const int rank = rank_of(small.A, options.rank, violation);
    int left = static_cast<int>(small.rows.size()) - rank;
    const int redundant = left;
    if (redundant == 0) continue;

    struct Step {
      std::size_t at = 0;
      Matrix by;
      Relaxation relaxation;
    };
    // All that keep the rank, by the rows they save.
    const auto steps = [&](const std::vector<unsigned char>& changed) {
      std::vector<Step> found;
      for (std::size_t k = 0; k < rows.joints.size(); ++k) {
        if (changed[k] || m.constraints()[index(rows.joints[k])].driver) continue;
        const std::string& type = m.model().items[index(m.constraints()[index(rows.joints[k])].ref.item)].part->type;
        const auto consider = [&](Matrix by, const std::string& to) {
          const int saved = static_cast<int>(rows.of[k].rows() - by.rows());
          if (saved == 0 || saved > left || rank_of(rows.all(k, by), options.rank, violation) < rank) return;
          const bool known = std::any_of(found.begin(), found.end(), [&](const Step& s) {
            return s.at == k && s.relaxation.to == to && s.relaxation.rows >= saved;
          });
          if (!known) found.push_back({k, std::move(by), {rows.joints[k], to, saved}});
        };
        if (rows.of[k].rows() > 0)
          for (const Target& target : targets(type, planar))
            consider(kept_combinations(wrench[k], target.freed, m.characteristic_length(), planar) * rows.of[k],
                     target.to);
        consider(Matrix(0, rows.of[k].cols()), "nothing");
      }
      std::stable_sort(found.begin(), found.end(),
                       [](const Step& a, const Step& b) { return a.relaxation.rows > b.relaxation.rows; });
      return found;
    };
    std::vector<unsigned char> changed(rows.joints.size(), 0);
    for (const Step& step : steps(changed))
      if (step.relaxation.rows == redundant) group.relaxations.push_back(step.relaxation);
    if (!group.relaxations.empty()) continue;
    // No single one does: the largest first, until nothing is left.
    std::vector<Relaxation> together;
    while (left > 0) {
      const std::vector<Step> found = steps(changed);
      if (found.empty()) break;
      const Step& step = found.front();
      together.push_back(step.relaxation);
      rows.of[step.at] = step.by;
      changed[step.at] = 1;
      left -= step.relaxation.rows;
    }
    if (left == 0) group.together = std::move(together);
  }
}

}  // namespace mortise::analysis
