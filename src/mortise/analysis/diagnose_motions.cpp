// Free motions in words. Those of one body alone, while all others stand still (local mobilities), are found in the
// columns of that body; the others are the motions of the elimination without these parts, in echelon form, so that
// each has as few bodies as possible.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "mortise/analysis/diagnose_parts.h"
#include "mortise/gauss/echelon.h"

namespace mortise::analysis {

namespace {

constexpr double still = 1e-8;  // of the largest, in scaled velocities
constexpr int most_sorted = 96;

// Velocity of the centre of mass and angular velocity, world axes, of a body in a motion v.
struct Twist {
  Eigen::Vector3d v = Eigen::Vector3d::Zero(), w = Eigen::Vector3d::Zero(), at = Eigen::Vector3d::Zero();
};

Twist twist_of(const Posed& posed, int body, const Vector& v) {
  const mechanism::Body& b = posed.m.bodies()[index(body)];
  const double* u = v.data() + b.v;
  Twist t;
  if (posed.m.dimension() == 2) {
    const auto& motion = posed.motions.at2(body);
    t.at << motion.r.x(), motion.r.y(), 0;
    t.v << u[0], u[1], 0;
    if (!b.particle) t.w.z() = u[2];
    return t;
  }
  const auto& motion = posed.motions.at3(body);
  t.at = motion.r;
  if (b.plane) {
    t.v = u[0] * b.plane->col(0) + u[1] * b.plane->col(1);
    if (!b.particle) t.w = u[2] * b.plane->col(2);
  } else {
    t.v << u[0], u[1], u[2];
    if (!b.particle) t.w = motion.R * Eigen::Vector3d(u[3], u[4], u[5]);
  }
  return t;
}

std::string vector_text(const Posed& posed, Eigen::Vector3d x) {
  for (double& value : x)
    if (std::abs(value) < 1e-9 * std::max(1.0, x.cwiseAbs().maxCoeff())) value = 0;
  return posed.m.dimension() == 2 ? fmt::format("[{:.4g}, {:.4g}]", x.x(), x.y())
                                  : fmt::format("[{:.4g}, {:.4g}, {:.4g}]", x.x(), x.y(), x.z());
}

Eigen::Vector3d unit_direction(Eigen::Vector3d x) {
  x.normalize();
  Eigen::Index largest = 0;
  x.cwiseAbs().maxCoeff(&largest);
  return x[largest] < 0 ? Eigen::Vector3d(-x) : x;
}

// Joints whose point on the body lies on the axis.
std::string joints_on_axis(const Posed& posed, int body, const Eigen::Vector3d& point, const Eigen::Vector3d& axis) {
  std::vector<std::string> names;
  const auto& constraints = posed.m.constraints();
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    if (constraints[c].over_several() || constraints[c].driver) continue;
    if (constraints[c].a.body != body && constraints[c].b.body != body) continue;
    const Eigen::Vector3d arm = joint_point(posed, static_cast<int>(c)) - point;
    if ((arm - axis.dot(arm) * axis).norm() < 1e-7 * posed.m.characteristic_length())
      names.push_back(posed.m.name(constraints[c].ref));
  }
  if (names.empty()) return {};
  if (names.size() == 1) return fmt::format(" through '{}'", names[0]);
  return fmt::format(" through '{}'", fmt::join(names, "', '"));
}

std::string of_one_body(const Posed& posed, int body, const Vector& v) {
  const double length = posed.m.characteristic_length();
  const Twist t = twist_of(posed, body, v);
  const double turning = t.w.norm() * length, moving = t.v.norm();
  if (turning < still * moving) return fmt::format("slides along {}", vector_text(posed, unit_direction(t.v)));
  const Eigen::Vector3d axis = unit_direction(t.w);
  const Eigen::Vector3d point = t.at + t.w.cross(t.v) / t.w.squaredNorm();
  const double pitch = t.w.dot(t.v) / t.w.squaredNorm();
  if (posed.m.dimension() == 2) {
    const std::string joints = joints_on_axis(posed, body, point, axis);
    return joints.empty() ? fmt::format("turns about {}", vector_text(posed, point)) : "turns about the axis" + joints;
  }
  const std::string joints = joints_on_axis(posed, body, point, axis);
  if (std::abs(pitch) < 1e-7 * length)
    return joints.empty()
               ? fmt::format("turns about {} through {}", vector_text(posed, axis), vector_text(posed, point))
               : fmt::format("turns about the line {}{}", vector_text(posed, axis), joints);
  return fmt::format("turns about {} and slides along it by {:.4g} m a radian", vector_text(posed, axis), pitch);
}

std::string list_bodies(const Posed& posed, const std::vector<int>& bodies) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min<std::size_t>(bodies.size(), 6); ++k)
    names.push_back(posed.m.name(posed.m.bodies()[index(bodies[k])].ref));
  if (bodies.size() > 6) return fmt::format("{} and {} more", fmt::join(names, ", "), bodies.size() - 6);
  if (names.size() < 2) return names.empty() ? "" : names[0];
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

// All bodies with the same angular velocity and velocities to match.
bool moves_as_one(const Posed& posed, const FreeMotion& motion, const Vector& v) {
  if (motion.bodies.size() < 2 || motion.bodies.size() != posed.m.bodies().size()) return false;
  const Twist first = twist_of(posed, motion.bodies[0], v);
  const double length = posed.m.characteristic_length(), size = first.v.norm() + first.w.norm() * length;
  return std::all_of(motion.bodies.begin(), motion.bodies.end(), [&](int body) {
    const Twist t = twist_of(posed, body, v);
    const Eigen::Vector3d carried = first.v + first.w.cross(t.at - first.at);
    const bool particle = posed.m.bodies()[index(body)].particle;
    return (t.v - carried).norm() < 1e-7 * size && (particle || (t.w - first.w).norm() * length < 1e-7 * size);
  });
}

void put_into_words(const Posed& posed, FreeMotion& motion) {
  const double length = posed.m.characteristic_length();
  double largest = 0;
  std::vector<double> sizes;
  for (std::size_t k = 0; k < posed.m.bodies().size(); ++k) {
    const Twist t = twist_of(posed, static_cast<int>(k), motion.v);
    sizes.push_back(std::max(t.v.norm(), t.w.norm() * length));
    largest = std::max(largest, sizes.back());
  }
  motion.v *= length / largest;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (sizes[k] > still * largest) motion.bodies.push_back(static_cast<int>(k));
  if (motion.bodies.size() == 1) {
    motion.words =
        fmt::format("{} {}", list_bodies(posed, motion.bodies), of_one_body(posed, motion.bodies[0], motion.v));
    if (motion.local && posed.m.bodies().size() > 1) motion.words += ": local mobility, the rest stands still";
    return;
  }
  if (moves_as_one(posed, motion, motion.v)) {
    motion.words = fmt::format("the whole moves as one body: it {}", of_one_body(posed, motion.bodies[0], motion.v));
    return;
  }
  std::vector<int> turning, sliding;
  for (const int body : motion.bodies) {
    const Twist t = twist_of(posed, body, motion.v);
    (t.w.norm() * length > still * largest ? turning : sliding).push_back(body);
  }
  if (!turning.empty())
    motion.words = fmt::format("{} {}", list_bodies(posed, turning), turning.size() == 1 ? "turns" : "turn together");
  if (!sliding.empty())
    motion.words += fmt::format("{}{} {} without turning", turning.empty() ? "" : ", ", list_bodies(posed, sliding),
                                sliding.size() == 1 ? "moves" : "move");
}

}  // namespace

void describe_motions(const Posed& posed, const gauss::Fronts& fronts, const DiagnoseOptions& options, Diagnosis& out) {
  const gauss::Pattern& pattern = posed.m.pattern();
  const int dof = out.degrees_of_freedom;
  if (dof == 0) return;
  // Local mobilities: null vectors of a body's own columns.
  std::vector<std::vector<int>> blocks(index(pattern.columns.count()));
  for (std::size_t b = 0; b < pattern.A.size(); ++b) blocks[index(pattern.A[b].block)].push_back(static_cast<int>(b));
  struct Local {
    int begin;
    Matrix basis;  // scaled, orthonormal
  };
  std::vector<Local> locals;
  for (int block = 0; block < pattern.columns.count(); ++block) {
    const int size = pattern.columns.size(block), begin = pattern.columns.begin(block);
    Matrix gram = Matrix::Zero(size, size);
    for (const int b : blocks[index(block)]) {
      const gauss::RowBlock& at = pattern.A[index(b)];
      for (int i = 0; i < at.rows; ++i) {
        Vector row(size);
        for (int k = 0; k < size; ++k)
          row[k] =
              fronts.row_scale(at.row + i) * posed.e.problem.A[at.offset + i * size + k] * posed.column_size[begin + k];
        gram += row * row.transpose();
      }
    }
    // Cheap test by the Gram matrix; those that may be singular are looked at with the rows themselves.
    if (gram.ldlt().vectorD().minCoeff() > 1e-6) continue;
    Matrix rows(0, size);
    for (const int b : blocks[index(block)]) {
      const gauss::RowBlock& at = pattern.A[index(b)];
      for (int i = 0; i < at.rows; ++i) {
        if (fronts.row_scale(at.row + i) == 0) continue;
        rows.conservativeResize(rows.rows() + 1, size);
        for (int k = 0; k < size; ++k)
          rows(rows.rows() - 1, k) =
              fronts.row_scale(at.row + i) * posed.e.problem.A[at.offset + i * size + k] * posed.column_size[begin + k];
      }
    }
    int rank = 0;
    Matrix V = Matrix::Identity(size, size);
    if (rows.rows() > 0) {
      const Eigen::JacobiSVD<Matrix> svd(rows, Eigen::ComputeFullV);
      while (rank < svd.singularValues().size() &&
             svd.singularValues()[rank] > options.rank.cut(svd.singularValues()[0], posed.e.problem.violation))
        ++rank;
      V = svd.matrixV();
    }
    if (rank == size) continue;
    locals.push_back({begin, V.rightCols(size - rank)});
    out.local_mobilities += size - rank;
  }
  const bool whole = pattern.columns.count() == 1;  // a single body has no others to be local against
  for (Local& local : locals) {
    const std::vector<int> rows = gauss::to_echelon(local.basis, Vector::Zero(local.basis.rows()));
    for (Eigen::Index k = 0; k < local.basis.cols(); ++k) {
      if (static_cast<int>(out.motions.size()) == options.most_motions) break;
      FreeMotion motion;
      motion.v = Vector::Zero(pattern.n());
      motion.v.segment(local.begin, local.basis.rows()) = local.basis.col(k);
      motion.v = motion.v.cwiseProduct(posed.column_size);
      motion.local = !whole;
      put_into_words(posed, motion);
      out.motions.push_back(std::move(motion));
    }
    local.basis = Eigen::HouseholderQR<Matrix>(local.basis).householderQ() *
                  Matrix::Identity(local.basis.rows(), local.basis.cols());
  }
  if (whole) out.local_mobilities = 0;

  int rest = dof - static_cast<int>(
                       std::count_if(out.motions.begin(), out.motions.end(), [](const FreeMotion&) { return true; }));
  rest = std::min(rest, options.most_motions - static_cast<int>(out.motions.size()));
  if (rest <= 0) return;
  const auto keep = [&](const Vector& scaled) {
    FreeMotion motion;
    motion.v = scaled.cwiseProduct(posed.column_size);
    put_into_words(posed, motion);
    out.motions.push_back(std::move(motion));
  };
  const auto without_locals = [&](Vector x) {
    for (const Local& local : locals) {
      auto part = x.segment(local.begin, local.basis.rows());
      part -= local.basis * (local.basis.transpose() * part).eval();
    }
    return x;
  };
  if (dof > most_sorted) {
    for (int k = 0, kept = 0; k < dof && kept < rest; ++k) {
      const Vector raw = fronts.motion(k).cwiseQuotient(posed.column_size);
      const Vector x = without_locals(raw);
      if (x.norm() < 1e-8 * raw.norm()) continue;
      keep(x);
      ++kept;
    }
    return;
  }
  Matrix all(pattern.n(), dof);
  for (int k = 0; k < dof; ++k) {
    const Vector raw = fronts.motion(k).cwiseQuotient(posed.column_size);
    all.col(k) = without_locals(raw / raw.cwiseAbs().maxCoeff());
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(all);
  Matrix chosen(pattern.n(), rest);
  for (int k = 0; k < rest; ++k) chosen.col(k) = all.col(qr.colsPermutation().indices()[k]);
  gauss::to_echelon(chosen, Vector::Zero(pattern.n()));
  for (int k = 0; k < rest; ++k) keep(chosen.col(k));
}

}  // namespace mortise::analysis
