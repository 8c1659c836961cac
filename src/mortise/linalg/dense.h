// Decompositions and products of dense matrices, compiled once (dense.cpp). Who uses them without this header compiles
// a copy: right as well, but Eigen's divide-and-conquer SVD alone takes a compiler half a minute. Every target of ours
// has it in its precompiled header.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

// NOLINTBEGIN(cppcoreguidelines-macro-usage): the list is needed twice, as declarations and as definitions
#define MORTISE_DENSE_DECOMPOSITIONS(declare)                            \
  declare class Eigen::LLT<Eigen::MatrixXd>;                             \
  declare class Eigen::PartialPivLU<Eigen::MatrixXd>;                    \
  declare class Eigen::FullPivLU<Eigen::MatrixXd>;                       \
  declare class Eigen::HouseholderQR<Eigen::MatrixXd>;                   \
  declare class Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;             \
  declare class Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>; \
  declare class Eigen::JacobiSVD<Eigen::MatrixXd>;                       \
  declare class Eigen::BDCSVD<Eigen::MatrixXd>;                          \
  declare class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;          \
  declare class Eigen::EigenSolver<Eigen::MatrixXd>;

// The kernels behind products are details of Eigen 3.4; of other versions each file compiles its own.
#if EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4
namespace mortise::linalg::dense {
using Eigen::Index;
template <int order>
using Out = Eigen::internal::blas_data_mapper<double, Index, order, 0, 1>;
template <int order>
using In = Eigen::internal::const_blas_data_mapper<double, Index, order>;
inline constexpr int mr = Eigen::internal::gebp_traits<double, double>::mr;
inline constexpr int nr = Eigen::internal::gebp_traits<double, double>::nr;
}  // namespace mortise::linalg::dense
#define MORTISE_DENSE_TIMES_VECTOR(declare, order, of)                                                           \
  declare struct Eigen::internal::general_matrix_vector_product<Eigen::Index, double,                            \
                                                                mortise::linalg::dense::In<order>, order, false, \
                                                                double, mortise::linalg::dense::In<of>, false, 0>;
#define MORTISE_DENSE_PRODUCTS(declare)                                                                              \
  declare struct Eigen::internal::gebp_kernel<double, double, Eigen::Index, mortise::linalg::dense::Out<0>,          \
                                              mortise::linalg::dense::mr, mortise::linalg::dense::nr, false, false>; \
  MORTISE_DENSE_TIMES_VECTOR(declare, 0, 0)                                                                          \
  MORTISE_DENSE_TIMES_VECTOR(declare, 0, 1)                                                                          \
  MORTISE_DENSE_TIMES_VECTOR(declare, 1, 0)                                                                          \
  MORTISE_DENSE_TIMES_VECTOR(declare, 1, 1)
#else
#define MORTISE_DENSE_PRODUCTS(declare)
#endif
// NOLINTEND(cppcoreguidelines-macro-usage)

MORTISE_DENSE_DECOMPOSITIONS(extern template)
MORTISE_DENSE_PRODUCTS(extern template)
