// The two examples of Blajer, Bestle and Schiehlen (specs/orthogonal-complement.md §4) as systems in a page: an open
// chain of three links with absolute angles θ, closed to a four-bar (cut at the far pivot or between links 2 and 3), or
// with its tip on a line (two local coordinates, or one along the normal). Rows come with their local description.
//
//     M_ij = I_i δ_ij + K_ij l_i l_j cos(θ_i − θ_j),      Q_i = −Σ_j K_ij l_i l_j sin(θ_i − θ_j) θ̇_j² − g l_i w_i cos
//     θ_i
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "mortise/gauss/local_rows.h"
#include "mortise/system/system.h"

namespace mortise::test {

struct ChainData {
  Eigen::Vector3d l{1, 0.8, 1.3}, mass{1, 0.8, 1.3};
  double g = 9.81;

  Eigen::Vector2d tip(const Vector& q) const {
    Eigen::Vector2d out(0, 0);
    for (int i = 0; i < 3; ++i) out += l[i] * Eigen::Vector2d(std::cos(q[i]), std::sin(q[i]));
    return out;
  }
};

// The pose of the reference data: θ = (60°, 10°, −70°).
inline Vector blajer_pose() { return Eigen::Vector3d(60, 10, -70) * (std::numbers::pi / 180); }

struct LocalScratch final : Scratch {
  gauss::LocalRows local;
};

class ChainSystem : public System {
 public:
  const gauss::Pattern& pattern() const override { return pattern_; }
  int q_size() const override { return 3; }
  const ChainData& data() const { return data_; }
  std::unique_ptr<Scratch> make_scratch() const override {
    auto scratch = std::make_unique<LocalScratch>();
    lay_out_local(scratch->local);
    return scratch;
  }

  void evaluate(const State& s, unsigned, Scratch& scratch, Evaluation& out) const override {
    out.problem.active = s.active;
    dynamics(s, out);
    gauss::LocalRows& local = static_cast<LocalScratch&>(scratch).local;
    constraints(s, local, out);
    out.problem.local = &local;
    const gauss::Pattern& p = pattern_;
    for (int i = 0; i < p.m(); ++i)
      for (int j = 0; j < 3; ++j) out.problem.A[3 * i + j] = 0;
    for (const gauss::LocalPoint& point : local.points)
      for (int i = 0; i < point.at.C.rows(); ++i)
        for (int j = 0; j < 3; ++j)
          for (int l = 0; l < point.at.C.cols(); ++l)
            out.problem.A[3 * (point.row + i) + j] += point.at.C(i, l) * local.J(point.coordinate + l, j);
    out.problem.multiply_A(as_span(s.v), as_span(out.phidot));
    out.c_t.setZero();
    for (int i = 0; i < p.m(); ++i)
      if (!s.active[static_cast<std::size_t>(i)]) out.phi[i] = 0;
  }

 protected:
  // `cut_b`: the chain has two links, the third hangs on the ground at the far pivot, along (−cos θ₃, sin θ₃).
  ChainSystem(const ChainData& data, int rows, bool cut_b) : data_(data), cut_b_(cut_b) {
    pattern_.columns.append(3);
    pattern_.layout_mass();
    for (int i = 0; i < rows; ++i) pattern_.rows.push_back({0, i});
    pattern_.append_block(0, rows, 0);
    pattern_.row_scale.assign(static_cast<std::size_t>(rows), 1.0);
    pattern_.position_size.assign(static_cast<std::size_t>(rows), 1.0);
    pattern_.velocity_size.assign(static_cast<std::size_t>(rows), 1.0);
    pattern_.version = 1;
    const Eigen::Vector3d& m = data_.mass;
    const double m3 = cut_b ? 0 : m[2];
    K_ << m[0] / 4 + m[1] + m3, m[1] / 2 + m3, m3 / 2,  //
        m[1] / 2 + m3, m[1] / 4 + m3, m3 / 2,           //
        m3 / 2, m3 / 2, m[2] / 4;
    weight_ = Eigen::Vector3d(m[0] / 2 + m[1] + m3, m[1] / 2 + m3, m[2] / 2);
  }

  virtual void lay_out_local(gauss::LocalRows& local) const = 0;
  // Ĉ, D̂ and J; φ and b.
  virtual void constraints(const State& s, gauss::LocalRows& local, Evaluation& out) const = 0;

  // The rows of J, and −J̇ v, of the tip of the open chain; with cut_b of both halves of the pin between links 2 and 3.
  void tip_rows(const State& s, Eigen::Matrix<double, 2, 3>& J, Eigen::Vector2d& right) const {
    right.setZero();
    for (int i = 0; i < 3; ++i) {
      const double c = data_.l[i] * std::cos(s.q[i]), si = data_.l[i] * std::sin(s.q[i]), w2 = s.v[i] * s.v[i];
      const double sign = cut_b_ && i == 2 ? -1 : 1;
      J.col(i) << -si, sign * c;
      right += Eigen::Vector2d(c * w2, sign * si * w2);
    }
  }

  ChainData data_;
  gauss::Pattern pattern_;
  bool cut_b_;

 private:
  void dynamics(const State& s, Evaluation& out) const {
    const Eigen::Vector3d& l = data_.l;
    out.kinetic = out.potential = out.power_dissipated = out.power_applied = 0;
    for (int i = 0; i < 3; ++i) {
      out.problem.Q[i] = -data_.g * l[i] * weight_[i] * std::cos(s.q[i]);
      out.potential += data_.g * l[i] * weight_[i] * std::sin(s.q[i]);
      for (int j = 0; j < 3; ++j) {
        const double K = K_(i, j) * l[i] * l[j], between = s.q[i] - s.q[j];
        const double M = K * std::cos(between) + (i == j ? data_.mass[i] * l[i] * l[i] / 12 : 0);
        out.problem.M[3 * i + j] = M;
        out.problem.Q[i] -= K * std::sin(between) * s.v[j] * s.v[j];
        out.kinetic += 0.5 * M * s.v[i] * s.v[j];
      }
    }
  }

  Eigen::Matrix3d K_;
  Eigen::Vector3d weight_;
};

// Example 1. With the reference lengths and pose the far pivot is where the tip is.
class BlajerFourBar final : public ChainSystem {
 public:
  explicit BlajerFourBar(bool cut_b = false, const ChainData& data = {})
      : BlajerFourBar(cut_b, data, data.tip(blajer_pose())) {}
  BlajerFourBar(bool cut_b, const ChainData& data, const Eigen::Vector2d& pivot)
      : ChainSystem(data, 2, cut_b), pivot_(pivot) {}
  const Eigen::Vector2d& pivot() const { return pivot_; }

 protected:
  void lay_out_local(gauss::LocalRows& local) const override {
    local.points = {{0, 0, gauss::planar_pin()}};
    local.J.setZero(2, 3);
  }
  void constraints(const State& s, gauss::LocalRows& local, Evaluation& out) const override {
    Eigen::Matrix<double, 2, 3> J;
    Eigen::Vector2d right;
    tip_rows(s, J, right);
    local.J = J;
    out.problem.b = right;
    out.phi = data_.tip(s.q) - pivot_;
    if (cut_b_) out.phi[1] -= 2 * data_.l[2] * std::sin(s.q[2]);
  }

 private:
  Eigen::Vector2d pivot_;
};

// Example 2: the tip on the line x sin α − y cos α = c.
class BlajerLine final : public ChainSystem {
 public:
  enum class Coordinates { two, normal };  // cases a and b of the source
  // Throws gauss::LocalRankDeficient for a line that its coordinates cannot describe.
  BlajerLine(Coordinates coordinates, double alpha, double c, const ChainData& data = {})
      : ChainSystem(data, 1, false),
        coordinates_(coordinates),
        alpha_(alpha),
        c_(c),
        at_(coordinates == Coordinates::two ? gauss::point_on_line(alpha) : gauss::point_on_line_along_normal()) {}

 protected:
  void lay_out_local(gauss::LocalRows& local) const override {
    local.points = {{0, 0, at_}};
    local.J.setZero(at_.C.cols(), 3);
  }
  void constraints(const State& s, gauss::LocalRows& local, Evaluation& out) const override {
    Eigen::Matrix<double, 2, 3> J;
    Eigen::Vector2d right;
    tip_rows(s, J, right);
    const Eigen::Vector2d tip = data_.tip(s.q), normal(std::sin(alpha_), -std::cos(alpha_));
    if (coordinates_ == Coordinates::normal) {
      local.J = normal.transpose() * J;
      out.problem.b[0] = normal.dot(right);
      out.phi[0] = normal.dot(tip) - c_;
    } else {
      local.J = J;
      out.problem.b[0] = at_.C(0, 0) * right[0] + at_.C(0, 1) * right[1];
      out.phi[0] = tip[1] - (tip[0] - c_ / std::sin(alpha_)) * std::tan(alpha_);
    }
  }

 private:
  Coordinates coordinates_;
  double alpha_, c_;
  gauss::LocalConstraint at_;
};

// A system evaluated at a pose: the problem with its local rows, for those who want no run.
struct Instant {
  const System& system;
  std::unique_ptr<Scratch> scratch;
  Evaluation evaluation;
  State state;

  Instant(const System& s, const Vector& q, const Vector& v) : system(s), scratch(s.make_scratch()) {
    evaluation.resize(s.pattern());
    state.q = q;
    state.v = v;
    state.active.assign(static_cast<std::size_t>(s.pattern().m()), 1);
    s.evaluate(state, need_dynamics | need_energy, *scratch, evaluation);
  }
  gauss::GaussProblem& problem() { return evaluation.problem; }
  const gauss::LocalRows& local() const { return *evaluation.problem.local; }
};

}  // namespace mortise::test
