#include "mortise/gauss/local_rows.h"

#include <Eigen/QR>
#include <cmath>
#include <string>

namespace mortise::gauss {

namespace {
LocalConstraint all_zero(int size) { return {LocalMatrix::Identity(size, size), LocalMatrix(0, size)}; }
}  // namespace

Matrix LocalRows::A(int m) const {
  Matrix out = Matrix::Zero(m, J.cols());
  for (const LocalPoint& point : points)
    out.middleRows(point.row, point.at.C.rows()) += point.at.C * J.middleRows(point.coordinate, point.at.C.cols());
  return out;
}

LocalMatrix local_complement(const LocalMatrix& C, const linalg::RankPolicy& policy) {
  const Eigen::ColPivHouseholderQR<LocalMatrix> qr(C.transpose());
  const double smallest = std::abs(qr.matrixR()(C.rows() - 1, C.rows() - 1)), largest = std::abs(qr.matrixR()(0, 0));
  if (!(smallest > policy.cut(largest, 0)))
    throw LocalRankDeficient("the local constraint matrix has lost rank: pivots " + std::to_string(largest) + " and " +
                             std::to_string(smallest));
  const LocalMatrix Q = qr.householderQ() * LocalMatrix::Identity(C.cols(), C.cols());
  return Q.rightCols(C.cols() - C.rows()).transpose();
}

Vector local_reactions(const LocalRows& local, ConstSpan lambda) {
  Vector out = Vector::Zero(local.k());
  for (const LocalPoint& point : local.points)
    out.segment(point.coordinate, point.at.C.cols()) -=
        point.at.C.transpose() * as_vector(lambda).segment(point.row, point.at.C.rows());
  return out;
}

LocalConstraint planar_pin() { return all_zero(2); }
LocalConstraint spherical_closure() { return all_zero(3); }
LocalConstraint revolute_closure() { return all_zero(5); }
LocalConstraint prescribed_coordinate() { return all_zero(1); }
LocalConstraint point_on_line_along_normal() { return all_zero(1); }

LocalConstraint point_on_line(double alpha) {
  const linalg::RankPolicy policy;
  if (!(std::abs(std::cos(alpha)) > policy.cut(1, 0)))
    throw LocalRankDeficient("a vertical line has no slope: take the distance along its normal as coordinate");
  const double slope = std::tan(alpha);
  LocalConstraint out{LocalMatrix(1, 2), LocalMatrix(1, 2)};
  out.C << -slope, 1;
  out.D << 1, slope;
  return out;
}

LocalConstraint point_on_circle(double x, double y) {
  if (x == 0 && y == 0) throw LocalRankDeficient("a point at the centre of its circle has no direction to the rim");
  LocalConstraint out{LocalMatrix(1, 2), LocalMatrix(1, 2)};
  out.C << 2 * x, 2 * y;
  out.D << -y, x;
  return out;
}

LocalConstraint point_on_surface(double slope_x, double slope_y) {
  LocalConstraint out{LocalMatrix(1, 3), LocalMatrix(2, 3)};
  out.C << -slope_x, -slope_y, 1;
  out.D << 1, 0, slope_x, 0, 1, slope_y;
  return out;
}

LocalConstraint rolling_disc(double radius) {
  LocalConstraint out{LocalMatrix(1, 2), LocalMatrix(1, 2)};
  out.C << 1, -radius;
  out.D << radius, 1;
  return out;
}

}  // namespace mortise::gauss
