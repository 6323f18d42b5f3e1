// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram_factor.hpp"
#include "random_problems.hpp"

#include <colla/curvature.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace colla {
namespace {

RC_GTEST_PROP(Curvature, both_forms_are_the_same_matrix, (std::uint64_t seed)) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 8);
  const Index rows = *rc::gen::inRange<Index>(1, 40);
  const Samples R = testing::random_rows(random, rows, d);
  const auto factored = Curvature::from_factor(R, 0.1);
  const Matrix expected = R.transpose() * R + 0.1 * Matrix::Identity(d, d);
  const auto dense = Curvature::from_dense(expected);
  const Matrix V = random.normal_matrix(d, 3);
  Matrix from_factored(d, 3);
  Matrix from_dense(d, 3);
  factored.multiply(V, from_factored);
  dense.multiply(V, from_dense);
  RC_ASSERT(factored.dense().isApprox(expected, 1e-12));
  RC_ASSERT(from_factored.isApprox(from_dense, 1e-11));
  Vector single(d);
  Vector inner(rows);
  factored.multiply(V.col(0), single, inner);
  RC_ASSERT(single.isApprox(from_dense.col(0), 1e-11));
}

RC_GTEST_PROP(Curvature, a_combination_is_the_weighted_sum_in_at_most_d_rows,
              (std::uint64_t seed)) {
  Random random(seed);
  const Index d = 5;
  const auto A =
      Curvature::from_factor(testing::random_rows(random, *rc::gen::inRange<Index>(1, 6), d), 0.2);
  const auto B =
      Curvature::from_factor(testing::random_rows(random, *rc::gen::inRange<Index>(1, 6), d), 0.3);
  const auto sum = combine(A, 0.25, B, 0.75);
  RC_ASSERT(sum.dense().isApprox(0.25 * A.dense() + 0.75 * B.dense(), 1e-11));
  RC_ASSERT(sum.factor_rows() <= d);
}

// H = Z'Z + ridge I; the columns of Z differ by 1e9 in scale and two are equal, so that forming H
// loses the ridge.
TEST(GramFactor, collinear_and_badly_scaled_columns_still_give_a_factor_of_h) {
  Random random(2);
  Samples Z = testing::random_rows(random, 30, 3);
  Z.col(1) = Z.col(0);
  Z.col(2) *= 1e-9;
  Z *= 1e6;
  const double ridge = 1e-9;
  Matrix factor = Z.transpose() * Z;
  factor.diagonal().array() += ridge;
  factor_gram(Z, 1.0, ridge, factor);
  const Matrix C = factor.triangularView<Eigen::Lower>();
  EXPECT_TRUE(C.allFinite());
  EXPECT_GT(C.diagonal().minCoeff(), 0.0);
  EXPECT_TRUE((C * C.transpose()).isApprox(Z.transpose() * Z, 1e-10));
}

}  // namespace
}  // namespace colla
