// A curve that a body carries, with the parameter of the point nearest to a given one.
//
// The curve is c(s): formulas of s, or a C² spline through points (s: length along the chords). Along it runs a frame
// w(s), m_1(s), m_2(s): tangents and normals at many sample points, transported with the least rotation, are the
// controls of uniform quintic B-splines, so that the frame has exact first and second derivatives though c has only
// two. Near the curve every point r has one parameter with
//
//     g(s, r) = w(s)·(r − c(s)) = 0,
//
// the foot, nearly the nearest point of the curve, and lies on the curve exactly when both m_k(s)·(r − c(s)) vanish as
// well: no matter that w and m_k are tangent and normal only approximately. The foot is a function of
// r alone: the nearest sample, then Newton's method to rounding. Cost: O(samples) distances.
#pragma once

#include <Eigen/Core>
#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "mortise/formula/expression.h"
#include "mortise/formula/spline.h"

namespace mortise::mechanism {

// Why it is no curve to move on: stands still, turns a corner, crosses itself, does not close.
class CurveError : public std::runtime_error {
 public:
  CurveError(const std::string& message, std::string hint) : std::runtime_error(message), hint(std::move(hint)) {}
  std::string hint;
};

class Curve {
 public:
  struct Jet {
    Eigen::Vector3d value, first, second;
  };

  // `formulas`: 2 (planar) or 3 functions of s; from `from` to `to`, where a closed curve is back at its beginning.
  // Beyond its ends an open curve goes on as the formulas do.
  Curve(std::vector<formula::Expression> formulas, double from, double to, bool closed);
  // Through points; a closed curve goes on from the last to the first, an open one goes straight on at its ends.
  Curve(const std::vector<Eigen::Vector3d>& points, int dimension, bool closed);

  Jet point(double s) const;
  Jet along(double s) const { return frame(0, s); }              // w
  Jet normal(int k, double s) const { return frame(1 + k, s); }  // m_1 (planar: the only one), m_2
  double foot(const Eigen::Vector3d& r) const;                   // not a number where there is none
  int samples() const { return static_cast<int>(samples_.size()); }

 private:
  void survey();
  bool sample(int count);
  void transport(std::vector<Eigen::Vector3d> tangents);
  double within(double s) const;  // a closed curve: s of the first round
  Jet frame(int k, double s) const;
  double slope(double s, const Eigen::Vector3d& r, double& g) const;  // g and ∂g/∂s

  int dimension_ = 2;
  bool closed_ = false;
  double from_ = 0, to_ = 1, step_ = 1;
  std::vector<formula::Expression> formulas_;
  std::vector<formula::Spline> splines_;  // of the components, where no formulas are given
  std::vector<Eigen::Vector3d> samples_;
  std::array<std::vector<Eigen::Vector3d>, 3> frame_;  // controls of w, m_1, m_2
};

}  // namespace mortise::mechanism
