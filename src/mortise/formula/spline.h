// A cubic spline through given points: the function of one argument that a table stands for. Twice continuously
// differentiable, because drivers need velocity and acceleration.
//
// On [x_i, x_{i+1}], with h the width, A = (x_{i+1} − x)/h, B = (x − x_i)/h and m the second derivatives at the knots,
//
//     f = A y_i + B y_{i+1} + ((A³ − A) m_i + (B³ − B) m_{i+1}) h²/6,
//
// and f' is continuous when, d_i being the slope of the chord over [x_i, x_{i+1}],
//
//     h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (d_i − d_{i−1}),
//
// a diagonally dominant tridiagonal system (de Boor, A Practical Guide to Splines, ch. IV). Cost: O(n) to build,
// O(log n) to evaluate; evaluation allocates nothing.
#pragma once

#include <vector>

#include "mortise/formula/expression.h"

namespace mortise::formula {

class Spline {
 public:
  enum class Ends {
    natural,  // no curvature at either end
    clamped,  // given slopes at the ends
    periodic  // the last point is the first, and the function goes on with the same curvature
  };
  enum class Outside {
    extend,  // straight on with the slope of the end
    hold,    // the value of the end
    error    // not a number
  };

  // At least 3 points, x finite and strictly increasing, as many y; periodic: the last y is that of the first. Throws
  // std::invalid_argument, also when the numbers are so large that the curvature is not finite.
  Spline(std::vector<double> x, std::vector<double> y, Ends ends = Ends::natural, Outside outside = Outside::extend,
         double first_slope = 0, double last_slope = 0);

  Jet<double> operator()(double x) const;  // value, first and second derivative

  double begin() const { return x_.front(); }
  double end() const { return x_.back(); }
  const std::vector<double>& knots() const { return x_; }

 private:
  void solve_open(double first_slope, double last_slope);
  void solve_periodic();
  Jet<double> inside(double x) const;

  std::vector<double> x_, y_, m_;
  Ends ends_;
  Outside outside_;
};

}  // namespace mortise::formula
