// Sweeps and factors of the mass matrix of a tree, against matrices written out.
#include "mortise/linalg/tree_mass.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "mortise/linalg/tree_factor.h"
#include "support/allocation_counter.h"

namespace mortise::test {
namespace {

using linalg::Carry;
using linalg::TreeFactor;
using linalg::TreeMass;
using linalg::TreeShape;
using linalg::Vector6;

using Numbers = std::mt19937_64;
double number(Numbers& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }

// Trees with joints of 0 to 6 rates, pivots and shifts; every fourth a chain.
TreeShape random_shape(Numbers& random, int bodies, bool chain) {
  TreeShape shape;
  std::vector<int> open;  // the way to the last body: preorder
  for (int j = 0; j < bodies; ++j) {
    while (!chain && open.size() > 1 && number(random) > 0.2) open.pop_back();
    const bool root = open.empty() || (!chain && number(random) > 0.95);
    if (root) open.clear();
    const int rates = root ? 6 : std::uniform_int_distribution<int>(0, 3)(random);
    shape.append(root ? -1 : open.back(), rates, root ? Carry::none : number(random) > 0 ? Carry::shift : Carry::pivot);
    open.push_back(j);
  }
  shape.finish(8, 40);
  return shape;
}

void fill(TreeMass& mass, Numbers& random) {
  const TreeShape& shape = mass.shape();
  for (int j = 0; j < shape.bodies(); ++j) {
    auto& link = mass.link(j);
    for (double& x : link.r) x = number(random);
    link.mass = 1.5 + number(random);
    Eigen::Matrix3d S;
    for (int k = 0; k < 9; ++k) S(k) = 0.3 * number(random);
    link.J = Eigen::Matrix3d::Identity() + S * S.transpose();
    for (int k = 0; k < 6 * shape.size(j); ++k) mass.H(j)[k] = number(random);
  }
}

// A row by row, as it is defined.
Matrix null_space(const TreeMass& mass) {
  const TreeShape& shape = mass.shape();
  Matrix A = Matrix::Zero(6 * shape.bodies(), shape.rates());
  for (int j = 0; j < shape.bodies(); ++j) {
    if (const int p = shape.parent(j); p >= 0) {
      Eigen::Matrix<double, 6, 6> X = Eigen::Matrix<double, 6, 6>::Identity();
      const Eigen::Vector3d& r = mass.link(j).r;
      X.topRightCorner<3, 3>() << 0, r.z(), -r.y(), -r.z(), 0, r.x(), r.y(), -r.x(), 0;
      if (shape.carry(j) == Carry::pivot) X.bottomRightCorner<3, 3>().setZero();
      A.middleRows(6 * j, 6) = X * A.middleRows(6 * p, 6);
    }
    A.block(6 * j, shape.begin(j), 6, shape.size(j)) = Eigen::Map<const Matrix>(mass.H(j), 6, shape.size(j));
  }
  return A;
}

Matrix mass_matrix(const TreeMass& mass) {
  const Matrix A = null_space(mass);
  Matrix M = Matrix::Zero(A.rows(), A.rows());
  for (int j = 0; j < mass.shape().bodies(); ++j) {
    M.diagonal().segment(6 * j, 3).setConstant(mass.link(j).mass);
    M.block<3, 3>(6 * j + 3, 6 * j + 3) = mass.link(j).J;
  }
  return A.transpose() * M * A;
}

Vector random_rates(const TreeShape& shape, Numbers& random) {
  Vector x(shape.rates());
  for (double& value : x) value = number(random);
  return x;
}

template <class Check>
void for_each_tree(const Check& check) {
  Numbers random(7);
  for (int k = 0; k < 24; ++k) {
    const TreeShape shape = random_shape(random, 1 + 5 * k, k % 4 == 3);
    TreeMass mass(shape);
    fill(mass, random);
    check(mass, random);
  }
}

TEST(TreeMass, SweepsAreProductsWithTheMatricesWrittenOut) {
  double product = 0, adjoint = 0;
  for_each_tree([&](TreeMass& mass, Numbers& random) {
    const TreeShape& shape = mass.shape();
    const Matrix A = null_space(mass), M = mass_matrix(mass);
    const Vector x = random_rates(shape, random);
    Vector y(shape.rates());
    mass.multiply(x.data(), y.data());
    product = std::max(product, (y - M * x).norm() / (M * x).norm());

    std::vector<Vector6> w(index(shape.bodies())), f(w.size());
    mass.velocities(x.data(), w);
    Vector stacked(6 * shape.bodies()), force(6 * shape.bodies());
    for (int j = 0; j < shape.bodies(); ++j) {
      stacked.segment<6>(6 * j) = w[index(j)];
      for (double& value : f[index(j)]) value = number(random);
      force.segment<6>(6 * j) = f[index(j)];
    }
    EXPECT_LT((stacked - A * x).norm() / (A * x).norm(), 1e-13);
    mass.gather(f, y.data());
    adjoint = std::max(adjoint, std::abs(x.dot(y) - stacked.dot(force)) / (stacked.norm() * force.norm()));
  });
  std::printf("sweeps: product off by %.1e, adjoint by %.1e\n", product, adjoint);
  EXPECT_LT(product, 1e-13);
  EXPECT_LT(adjoint, 1e-13);
}

TEST(TreeFactor, ArticulatedAndSparseAreFactorsOfTheMatrix) {
  double worst[2] = {};
  for_each_tree([&](TreeMass& mass, Numbers& random) {
    const TreeShape& shape = mass.shape();
    const Matrix M = mass_matrix(mass);
    const Vector b = random_rates(shape, random);
    for (const bool sparse : {false, true}) {
      const auto factor = sparse ? make_sparse_tree_factor(shape) : make_articulated_factor(shape);
      ASSERT_EQ(factor->factor(mass, 1e-13), -1);
      Vector y(b.size()), x(b.size());
      factor->whiten(b.data(), y.data());
      factor->unwhiten(y.data(), x.data());
      worst[sparse] = std::max(worst[sparse], (M * x - b).norm() / (M.norm() * x.norm() + b.norm()));
      // F⁻ᵀ is the transpose of F⁻¹.
      const Vector c = random_rates(shape, random);
      factor->unwhiten(c.data(), x.data());
      EXPECT_NEAR(c.dot(y), x.dot(b), 1e-11 * x.norm() * b.norm());
    }
  });
  std::printf("M*⁻¹b: articulated off by %.1e, sparse by %.1e\n", worst[0], worst[1]);
  EXPECT_LT(worst[0], 1e-14);
  EXPECT_LT(worst[1], 1e-14);
}

TEST(TreeFactor, WhitensPathsAsItDoesWholeTrees) {
  for_each_tree([&](TreeMass& mass, Numbers& random) {
    const TreeShape& shape = mass.shape();
    std::vector<int> path;
    for (int j = shape.bodies() - 1; j >= 0; j = shape.parent(j)) path.push_back(j);
    Vector tau = Vector::Zero(shape.rates());
    for (const int j : path)
      for (int k = 0; k < shape.size(j); ++k) tau[shape.begin(j) + k] = number(random);
    for (int kind = 0; kind < 3; ++kind) {
      const auto factor = kind == 0   ? make_sparse_tree_factor(shape)
                          : kind == 1 ? make_articulated_factor(shape)
                                      : make_articulated_factor(shape, true);
      factor->factor(mass, 1e-13);
      Vector whole(tau.size()), part = Vector::Zero(tau.size());
      factor->whiten(tau.data(), whole.data());
      std::vector<Vector6> work(index(shape.bodies()));
      factor->whiten_path(path, tau.data(), part.data(), work);
      EXPECT_LT((whole - part).norm(), 1e-13 * whole.norm()) << kind;
    }
  });
}

TEST(TreeFactor, BranchesApartAreTheDiagonalBlocks) {
  double worst = 0;
  for_each_tree([&](TreeMass& mass, Numbers& random) {
    const TreeShape& shape = mass.shape();
    Matrix M = mass_matrix(mass);
    for (int i = 0; i < M.rows(); ++i)
      for (int k = 0; k < M.cols(); ++k)
        if (shape.part(shape.body_of(i)) != shape.part(shape.body_of(k))) M(i, k) = 0;
    const Vector b = random_rates(shape, random);
    const auto factor = make_articulated_factor(shape, true);
    ASSERT_EQ(factor->factor(mass, 1e-13), -1);
    Vector y(b.size()), x(b.size());
    factor->whiten(b.data(), y.data());
    factor->unwhiten(y.data(), x.data());
    worst = std::max(worst, (M * x - b).norm() / (M.norm() * x.norm() + b.norm()));
  });
  std::printf("block diagonal off by %.1e\n", worst);
  EXPECT_LT(worst, 1e-14);
}

TEST(TreeFactor, NamesTheBodyWithoutMass) {
  TreeShape shape;
  shape.append(-1, 6, Carry::none);
  shape.append(0, 1, Carry::shift);
  shape.append(0, 1, Carry::shift);
  shape.finish();
  TreeMass mass(shape);
  Numbers random(3);
  fill(mass, random);
  mass.link(1).mass = 0;
  mass.link(1).J.setZero();
  EXPECT_EQ(make_articulated_factor(shape)->factor(mass, 1e-13), 1);
  EXPECT_EQ(make_sparse_tree_factor(shape)->factor(mass, 1e-13), 1);
}

TEST(TreeMass, HasTheSameBitsOnAnyNumberOfThreadsAndInOnePiece) {
  Numbers random(11);
  TreeShape shape, whole;
  for (TreeShape* s : {&shape, &whole}) {
    Numbers same(5);
    s->append(-1, 6, Carry::none);
    for (int branch = 0; branch < 24; ++branch)
      for (int k = 0; k < 40; ++k) s->append(k == 0 ? 0 : s->bodies() - 1, 1 + (k + branch) % 3, Carry::shift);
  }
  shape.finish(64, 100);
  whole.finish(64, 1 << 30);  // one thread, all bodies in order
  ASSERT_GT(shape.tasks(), 4u);
  TreeMass mass(shape), single(whole);
  fill(mass, random);
  Numbers again(11);
  fill(single, again);
  Vector b(shape.rates());
  for (double& x : b) x = number(random);
  const auto solve = [&](const TreeMass& of) {
    Vector y(b.size()), x(b.size()), z(b.size());
    const auto factor = make_articulated_factor(of.shape());
    factor->factor(of, 1e-13);
    factor->whiten(b.data(), y.data());
    factor->unwhiten(y.data(), x.data());
    of.multiply(x.data(), z.data());
    return std::make_pair(x, z);
  };
  const auto wanted = solve(single);
  for (const int threads : {1, 2, 4, 8}) {
    const oneapi::tbb::global_control most(oneapi::tbb::global_control::max_allowed_parallelism, index(threads));
    oneapi::tbb::task_arena arena(threads);
    const auto found = arena.execute([&] { return solve(mass); });
    EXPECT_EQ(std::memcmp(found.first.data(), wanted.first.data(), sizeof(double) * index(b.size())), 0) << threads;
    EXPECT_EQ(std::memcmp(found.second.data(), wanted.second.data(), sizeof(double) * index(b.size())), 0) << threads;
  }
}

TEST(TreeShape, SaysWhatItsDivisionIntoTasksAllows) {
  TreeShape shape;
  shape.append(-1, 6, Carry::none);
  for (int branch = 0; branch < 4; ++branch)
    for (int k = 0; k < 3; ++k) shape.append(k == 0 ? 0 : shape.bodies() - 1, 1, Carry::shift);
  shape.finish(3, 1);
  EXPECT_EQ(shape.tasks(), 4u);
  EXPECT_EQ(shape.speed_up(1), 1);
  EXPECT_DOUBLE_EQ(shape.speed_up(2), 13.0 / 7);
  EXPECT_DOUBLE_EQ(shape.speed_up(3), 13.0 / 7);
  EXPECT_DOUBLE_EQ(shape.speed_up(4), 13.0 / 4);
  EXPECT_DOUBLE_EQ(shape.speed_up(8), 13.0 / 4);
}

// Bodies of one branch wait for those of another: that ends only when both are done at the same time.
TEST(TreeShape, DoesBranchesAtTheSameTime) {
  TreeShape shape;
  shape.append(-1, 6, Carry::none);
  for (int branch = 0; branch < 16; ++branch)
    for (int k = 0; k < 40; ++k) shape.append(k == 0 ? 0 : shape.bodies() - 1, 1, Carry::shift);
  shape.finish(64, 100);
  ASSERT_GT(shape.tasks(), 4u);
  const oneapi::tbb::global_control most(oneapi::tbb::global_control::max_allowed_parallelism, 4);
  oneapi::tbb::task_arena arena(4);
  for (const bool roots_first : {true, false}) {
    std::mutex guard;
    std::condition_variable met;
    std::set<std::thread::id> threads;
    bool together = false;
    const auto call = [&](int j) {
      if (j == 0) return;  // the trunk
      std::unique_lock lock(guard);
      if (together) return;
      threads.insert(std::this_thread::get_id());
      if (threads.size() > 1) {
        together = true;
        met.notify_all();
      } else {
        met.wait_for(lock, std::chrono::seconds(20), [&] { return together; });
        together = true;  // nobody came: the check below says so
      }
    };
    arena.execute([&] {
      if (roots_first)
        shape.from_roots(call);
      else
        shape.from_leaves(call);
    });
    EXPECT_GT(threads.size(), 1u) << roots_first;
  }
}

TEST(TreeFactor, AllocatesNothing) {
  if (!allocations_are_counted()) GTEST_SKIP();
  Numbers random(2);
  const TreeShape shape = random_shape(random, 30, false);
  TreeMass mass(shape);
  fill(mass, random);
  Vector b = random_rates(shape, random), y(b.size());
  for (const bool sparse : {false, true}) {
    const auto factor = sparse ? make_sparse_tree_factor(shape) : make_articulated_factor(shape);
    const AllocationCounter counter;
    factor->factor(mass, 1e-13);
    factor->whiten(b.data(), y.data());
    factor->unwhiten(y.data(), y.data());
    mass.multiply(y.data(), b.data());
    EXPECT_EQ(counter.count(), 0);
  }
}

}  // namespace
}  // namespace mortise::test
