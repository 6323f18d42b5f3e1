// SPDX-License-Identifier: Apache-2.0
#include "row_privacy/row_release.hpp"

#include <colla/posterior.hpp>
#include <colla/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace colla {
namespace {

RandomBits seeded(std::uint64_t seed) {
  return [random = std::make_shared<Random>(seed)] { return random->bits(); };
}

Matrix random_symmetric(Random& random, Index order) {
  const Matrix any = random.normal_matrix(order, order);
  return (any + any.transpose()).normalized();
}

// In every direction D of length 1, <E, D> has variance sigma^2.
TEST(SymmetricNoise, has_the_same_spread_in_every_direction) {
  constexpr Index order = 3;
  constexpr int runs = 20'000;
  Random random(5);
  std::vector<Matrix> directions = {Matrix::Zero(order, order), Matrix::Zero(order, order)};
  directions[0](1, 1) = 1.0;
  directions[1](0, 2) = directions[1](2, 0) = 1.0 / std::numbers::sqrt2;
  for (int k = 0; k < 4; ++k) directions.push_back(random_symmetric(random, order));
  Vector squares = Vector::Zero(std::ssize(directions));
  const RandomBits bits = seeded(6);
  for (int run = 0; run < runs; ++run) {
    const Matrix noise = symmetric_noise(bits, order, 3.0);
    ASSERT_EQ(noise, noise.transpose());
    for (std::size_t k = 0; k < directions.size(); ++k) {
      squares[static_cast<Index>(k)] +=
          std::pow(noise.cwiseProduct(directions[k]).sum() / 3.0, 2) / runs;
    }
  }
  for (const double variance : squares) EXPECT_NEAR(variance, 1.0, 5.0 * std::sqrt(2.0 / runs));
}

TEST(SymmetricNoise, is_normal) {
  constexpr int runs = 50'000;
  const RandomBits bits = seeded(7);
  const std::vector<double> borders = {-2.0, -1.0, 0.0, 0.5, 1.5, 2.5};
  std::vector<int> below(borders.size());
  for (int run = 0; run < runs; ++run) {
    const double value = normal_noise(bits, 1.0);
    for (std::size_t k = 0; k < borders.size(); ++k) below[k] += value < borders[k] ? 1 : 0;
  }
  for (std::size_t k = 0; k < borders.size(); ++k) {
    EXPECT_NEAR(below[k] / static_cast<double>(runs),
                0.5 * std::erfc(-borders[k] / std::numbers::sqrt2), 2.5 / std::sqrt(runs));
  }
}

TEST(SystemRandomBits, differ_at_every_call) {
  const RandomBits bits = system_random_bits();
  std::set<std::uint64_t> seen;
  for (int k = 0; k < 1000; ++k) seen.insert(bits());
  EXPECT_EQ(seen.size(), 1000U);
}

RC_GTEST_PROP(BoundedRows, longer_rows_are_scaled_and_counted, ()) {
  Random random(*rc::gen::arbitrary<std::uint64_t>());
  const Samples X = random.normal_matrix(20, 3);
  const Vector y = random.normal_matrix(20, 1);
  const BoundedRows rows = bounded_rows(X, y, 2.0);
  Index longer = 0;
  for (Index i = 0; i < X.rows(); ++i) {
    Vector u(4);
    u << X.row(i).transpose(), y[i];
    if (u.norm() > 2.0) {
      ++longer;
      u *= 2.0 / u.norm();
    }
    RC_ASSERT((rows.u.row(i).transpose() - u).norm() < 1e-12);
  }
  RC_ASSERT(rows.shortened == longer);
}

TEST(RowRelease, is_a_multiple_of_a_step_far_below_the_noise) {
  const PrivacyOptions options = {1.0, 1e-6, 2.0, 1};
  const double sigma = noise_deviation(options);
  EXPECT_NEAR(sigma, 4.224678889326822 * std::numbers::sqrt2 * 4.0, 1e-5);
  const double step = release_step(sigma);
  EXPECT_LT(step, 1e-6 * sigma);
  Random random(1);
  const Matrix sum = noisy_sum(random.normal_matrix(9, 4), options, seeded(2));
  for (const double value : sum.reshaped()) EXPECT_EQ(value, std::round(value / step) * step);
}

TEST(RowRelease, without_noise_the_statistics_are_those_of_the_rows) {
  Random random(3);
  const Samples X = random.normal_matrix(12, 3);
  const Vector y = random.normal_matrix(12, 1);
  const Samples u = bounded_rows(X, y, 1e3).u;
  const TaskStatistics told =
      released_statistics(Problem::regression, u.transpose() * u, X.rows(), 0.0);
  const TaskStatistics exact = statistics_of(Problem::regression, X, y);
  EXPECT_FALSE(told.is_noisy());
  EXPECT_EQ(told.rows, exact.rows);
  EXPECT_LT((told.gram - exact.gram).norm(), 1e-12 * exact.gram.norm());
  EXPECT_LT((told.products - exact.products).norm(), 1e-12 * exact.products.norm());
  EXPECT_NEAR(told.target_squares, exact.target_squares, 1e-12 * exact.target_squares);
}

// The entries off the diagonal of A have sigma/sqrt 2; those of the quadratic are scaled as it is.
TEST(RowRelease, statistics_say_how_large_their_noise_is) {
  const Matrix A = Matrix::Identity(4, 4);
  const double noise = 6.0 / std::numbers::sqrt2;
  const TaskStatistics numbers = released_statistics(Problem::regression, A, 9, 6.0);
  EXPECT_DOUBLE_EQ(numbers.gram_noise, noise);
  EXPECT_DOUBLE_EQ(numbers.products_noise, noise);
  const TaskStatistics labels = released_statistics(Problem::classification, A, 9, 6.0);
  EXPECT_DOUBLE_EQ(labels.gram_noise, noise * labels.gram(0, 0));
  EXPECT_DOUBLE_EQ(labels.products_noise, 0.5 * noise);
}

TEST(RowRelease, noise_is_another_one_each_time_and_rows_are_counted) {
  const auto count = std::make_shared<ReleasedRows>();
  const RowRelease release = release_with({1.0, 1e-6, 1.0, 1}, Problem::regression, count);
  const Samples X = Samples::Constant(6, 2, 0.5);
  Vector y = Vector::Zero(6);
  y[4] = 9.0;
  EXPECT_NE(release("t", X, y), release("t", X, y));
  EXPECT_EQ(count->all, 12);
  EXPECT_EQ(count->shortened, 2);
}

// With t = s/4: the coefficients of log(1/(1 + e^-s)) in T_0, T_1 and T_2, by Chebyshev's
// quadrature.
TEST(PassGlm, quadratic_is_the_chebyshev_approximation_of_the_log_likelihood) {
  constexpr int nodes = 2000;
  Vector c = Vector::Zero(3);
  for (int k = 0; k < nodes; ++k) {
    const double angle = (k + 0.5) * std::numbers::pi / nodes;
    for (Index j = 0; j < 3; ++j) {
      c[j] -= 2.0 / nodes * std::log1p(std::exp(-4.0 * std::cos(angle))) *
              std::cos(static_cast<double>(j) * angle);
    }
  }
  const Samples one = Samples::Ones(1, 2);  // x = y = 1
  const TaskStatistics told =
      released_statistics(Problem::classification, one.transpose() * one, 1, 0.0);
  EXPECT_NEAR(told.products[0], c[1] / 4.0, 1e-12);
  EXPECT_NEAR(-0.5 * told.gram(0, 0), 2.0 * c[2] / 16.0, 1e-12);
}

TEST(PassGlm, the_estimate_from_many_rows_is_near_that_from_the_rows_themselves) {
  Random random(4);
  const Samples X = random.normal_matrix(20'000, 3);
  Vector y(X.rows());
  for (Index i = 0; i < y.size(); ++i) {
    y[i] = random.uniform() < 1.0 / (1.0 + std::exp(-X(i, 0) + 0.5 * X(i, 1))) ? 1.0 : -1.0;
  }
  const RowRelease release = release_with({1.0, 1e-6, 2.5, 1}, Problem::classification,
                                          std::make_shared<ReleasedRows>(), seeded(5));
  const Prior prior = {Vector::Zero(3), Vector::Constant(3, 2.0), 1.0};
  const Posterior told(Problem::classification, release("t", X, y), prior);
  const Posterior exact(Problem::classification, statistics_of(Problem::classification, X, y),
                        prior);
  EXPECT_LT((told.theta() - exact.theta()).norm(), 0.25 * exact.theta().norm());
}

}  // namespace
}  // namespace colla
