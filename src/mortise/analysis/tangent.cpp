#include "mortise/analysis/tangent.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "mortise/gauss/kinematics.h"
#include "mortise/system/measure.h"

namespace mortise::analysis {

using mechanism::Mechanism;

Tangent::Tangent(const Mechanism& m) : mechanism_(m), pattern_(m.pattern()) {
  const double length = m.characteristic_length();
  sizes_.setOnes(m.v_size());
  for (const mechanism::Body& body : m.bodies())
    for (int k = body.translations(); k < body.v_size(); ++k) sizes_[body.v + k] = 1 / length;
  W_.setZero(pattern_.M_size);
  for (int block = 0; block < pattern_.columns.count(); ++block)
    for (int k = 0; k < pattern_.columns.size(block); ++k) {
      const double size = sizes_[pattern_.columns.begin(block) + k];
      W_[pattern_.M_offset[static_cast<std::size_t>(block)] + k * (pattern_.columns.size(block) + 1)] =
          1 / (size * size);
    }
}

void Tangent::scale_rows(const Evaluation& e) {
  Vector norm2 = Vector::Zero(pattern_.m());
  for (const gauss::RowBlock& at : pattern_.A) {
    const int columns = pattern_.columns.size(at.block), begin = pattern_.columns.begin(at.block);
    for (int i = 0; i < at.rows; ++i)
      for (int k = 0; k < columns; ++k) {
        const double x = e.problem.A[at.offset + i * columns + k] * sizes_[begin + k];
        norm2[at.row + i] += x * x;
      }
  }
  for (int row = 0; row < pattern_.m(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const bool turns =
        pattern_.rows[i].unit == gauss::RowUnit::angle || pattern_.rows[i].unit == gauss::RowUnit::angular_speed;
    // A row that happens to be short at this pose is not to be blown up.
    const double nominal = turns ? 1 / mechanism_.characteristic_length() : 1, norm = std::sqrt(norm2[row]);
    pattern_.row_scale[i] = 1 / (norm > 1e-3 * nominal ? norm : nominal);
  }
}

void Tangent::problem(const Evaluation& e, gauss::GaussProblem& out) const {
  if (out.pattern != &pattern_) out.resize(pattern_);
  out.M = W_;
  out.A = e.problem.A;
  out.b = e.problem.b;
  out.Q.setZero();
  out.active = e.problem.active;
  out.violation = scaled_max(e.phi, pattern_.position_size);
}

Matrix Tangent::free_motions(const Evaluation& e, const linalg::RankPolicy& policy) const {
  gauss::GaussProblem scaled;
  problem(e, scaled);
  for (const gauss::RowBlock& at : pattern_.A) {
    const int columns = pattern_.columns.size(at.block), begin = pattern_.columns.begin(at.block);
    for (int i = 0; i < at.rows; ++i)
      for (int k = 0; k < columns; ++k) scaled.A[at.offset + i * columns + k] *= sizes_[begin + k];
  }
  return sizes_.asDiagonal() * gauss::free_motions(scaled, policy);
}

namespace {

std::string listed(const std::vector<std::string>& names) {
  if (names.size() > 6)
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + 5, ", "), names.size() - 5);
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string direction(const Eigen::Vector3d& d, bool planar) {
  const auto tidy = [](double x) { return std::abs(x) < 5e-4 ? 0.0 : x; };
  return planar ? fmt::format("({:.3g}, {:.3g})", tidy(d.x()), tidy(d.y()))
                : fmt::format("({:.3g}, {:.3g}, {:.3g})", tidy(d.x()), tidy(d.y()), tidy(d.z()));
}

}  // namespace

std::string motion_in_words(const Mechanism& m, const State& state, const Vector& u) {
  const bool planar = m.dimension() == 2;
  const int width = planar ? 3 : 6;
  mechanism::Motions motions;
  m.motions(as_span(state.q), as_span(u), motions);
  Vector velocity(static_cast<Eigen::Index>(m.bodies().size()) * width);
  m.velocities(motions, as_span(velocity));
  const double length = m.characteristic_length();
  struct Part {
    std::string name;
    Eigen::Vector3d move, turn;
  };
  std::vector<Part> parts;
  double largest = 0;
  for (std::size_t k = 0; k < m.bodies().size(); ++k) {
    const double* x = velocity.data() + static_cast<std::ptrdiff_t>(k) * width;
    Part part{m.name(m.bodies()[k].ref), {x[0], x[1], planar ? 0 : x[2]}, {0, 0, planar ? x[2] : 0}};
    if (!planar) part.turn << x[3], x[4], x[5];
    largest = std::max({largest, part.move.norm(), part.turn.norm() * length});
    parts.push_back(part);
  }
  std::vector<std::string> turning, back;
  std::vector<std::pair<std::string, std::string>> sliding;  // direction, body
  // The sign of a motion is nobody's: the first body turns forward, or moves along a positive axis.
  double sign = 0, spin = 0;
  for (Part& part : parts) {
    const double move = part.move.norm(), turn = part.turn.norm() * length;
    if (std::max(move, turn) < 0.05 * largest) continue;
    if (turn > 1e-6 * largest) {
      if (spin == 0) {
        Eigen::Index axis = 0;
        part.turn.cwiseAbs().maxCoeff(&axis);
        spin = part.turn[axis] < 0 ? -1 : 1;
      }
      (planar && spin * part.turn.z() < 0 ? back : turning).push_back(part.name);
    } else {
      const Eigen::Vector3d d = part.move / move;
      for (int k = 0; k < 3 && sign == 0; ++k)
        if (std::abs(d[k]) > 1e-6) sign = d[k] < 0 ? -1 : 1;
      sliding.emplace_back(direction(sign * d, planar), part.name);
    }
  }
  std::vector<std::string> texts;
  if (!turning.empty()) texts.push_back(listed(turning) + (turning.size() == 1 ? " turns" : " turn"));
  if (!planar && turning.size() == 1)
    for (const Part& part : parts)
      if (part.name == turning.front()) texts.back() += " about " + direction(spin * part.turn.normalized(), planar);
  if (!back.empty()) texts.push_back(listed(back) + (back.size() == 1 ? " turns back" : " turn back"));
  while (!sliding.empty()) {
    const std::string along = sliding.front().first;
    std::vector<std::string> names;
    for (const auto& [d, name] : sliding)
      if (d == along) names.push_back(name);
    std::erase_if(sliding, [&](const auto& s) { return s.first == along; });
    texts.push_back(fmt::format("{} {} along {}", listed(names), names.size() == 1 ? "moves" : "move", along));
  }
  return texts.empty() ? "nothing moves" : fmt::format("{}", fmt::join(texts, "; "));
}

void localize(const Tangent& tangent, Matrix& motions) {
  Matrix scaled = tangent.sizes().cwiseInverse().asDiagonal() * motions;
  std::vector<bool> taken(static_cast<std::size_t>(motions.cols()), false);
  for (Eigen::Index pass = 0; pass < motions.cols(); ++pass) {
    Eigen::Index row = 0, column = -1;
    double largest = 0;
    for (Eigen::Index j = 0; j < motions.cols(); ++j)
      for (Eigen::Index i = 0; i < motions.rows() && !taken[static_cast<std::size_t>(j)]; ++i)
        if (std::abs(scaled(i, j)) > largest * (1 + 1e-9)) largest = std::abs(scaled(i, j)), row = i, column = j;
    if (column < 0) break;
    taken[static_cast<std::size_t>(column)] = true;
    scaled.col(column) /= scaled(row, column);
    for (Eigen::Index j = 0; j < motions.cols(); ++j)
      if (j != column) scaled.col(j) -= scaled(row, j) * scaled.col(column);
  }
  for (Eigen::Index j = 0; j < motions.cols(); ++j) scaled.col(j) /= std::max(scaled.col(j).norm(), 1e-300);
  motions = tangent.sizes().asDiagonal() * scaled;
}

std::vector<std::string> rows_in_words(const Mechanism& m, const Vector& error, const std::vector<double>& sizes,
                                       const char* per) {
  const double worst = scaled_max(error, sizes);
  std::vector<std::string> lines;
  for (const mechanism::Constraint& c : m.constraints()) {
    double off = 0;
    int which = -1;
    for (int row = c.row; row < c.row + c.rows; ++row) {
      const double e = std::abs(error[row]) / sizes[static_cast<std::size_t>(row)];
      if (e > 0.02 * worst && e > off) off = e, which = row;
    }
    if (which < 0) continue;
    if (lines.size() == 12) {
      lines.emplace_back("…");
      break;
    }
    const auto unit = m.pattern().rows[static_cast<std::size_t>(which)].unit;
    const bool angular = unit == gauss::RowUnit::angle || unit == gauss::RowUnit::angular_speed;
    const double value = std::abs(error[which]);
    lines.push_back(fmt::format("{} '{}' off by {:.4g} {}{}", c.driver ? "driver" : "joint", m.name(c.ref),
                                value * (angular ? 180 / M_PI : 1000), angular ? "deg" : "mm", per));
  }
  return lines;
}

}  // namespace mortise::analysis
