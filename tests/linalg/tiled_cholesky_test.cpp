// SPDX-License-Identifier: Apache-2.0
#include "linalg/tiled_cholesky.hpp"

#include "linalg/lapack.hpp"

#include <colla/random.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

Matrix positive_definite(Index n) {
  const Matrix root = Random(7, {static_cast<std::uint64_t>(n)}).normal_matrix(n, n);
  return root * root.transpose() + Matrix::Identity(n, n);
}

// Every way in which an order can fill its last tile, and one panel to many.
TEST(TiledCholesky, solves_systems_of_every_order) {
  for (Index n = 1; n <= 41; ++n) {
    const Matrix A = positive_definite(n);
    Matrix factor = A;
    ASSERT_TRUE(cholesky_in_place(factor));
    factor.triangularView<Eigen::StrictlyUpper>().setConstant(1e300);  // must not be read
    TiledCholesky tiled;
    tiled.assign(factor);
    const Vector expected = Random(8, {}).normal_matrix(n, 1);
    Vector x = A * expected;
    tiled.solve_in_place(x);
    EXPECT_LT((x - expected).norm(), 1e-11 * expected.norm()) << "order " << n;
  }
}

TEST(TiledCholesky, a_smaller_system_can_follow_a_larger_one) {
  TiledCholesky tiled;
  for (const Index n : {33, 3}) {
    const Matrix A = positive_definite(n);
    Matrix factor = A;
    ASSERT_TRUE(cholesky_in_place(factor));
    tiled.assign(factor);
    EXPECT_EQ(tiled.order(), n);
    Vector x = A * Vector::Ones(n);
    tiled.solve_in_place(x);
    EXPECT_LT((x - Vector::Ones(n)).norm(), 1e-11);
  }
}

}  // namespace
}  // namespace colla
