// SPDX-License-Identifier: Apache-2.0
// Tasks of which statistics with noise were released, by dense formulas without coordinates.
#include <colla/posterior.hpp>
#include <colla/random.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace colla {
namespace {

struct NoisyTask {
  TaskStatistics exact;
  TaskStatistics told;
};

NoisyTask noisy_task(Random& random, Index rows, Index d, double noise) {
  Samples X = random.normal_matrix(rows, d);
  X.col(0) *= 3.0;
  const Vector y = X * random.normal_matrix(d, 1) + 0.5 * random.normal_matrix(rows, 1);
  NoisyTask task = {statistics_of(Problem::regression, X, y), {}};
  task.told = task.exact;
  for (Index j = 0; j < d; ++j) {
    for (Index i = 0; i <= j; ++i) {
      const double e = noise * random.normal() * (i == j ? std::numbers::sqrt2 : 1.0);
      task.told.gram(i, j) += e;
      if (i < j) task.told.gram(j, i) += e;
    }
  }
  task.told.products += noise * random.normal_matrix(d, 1);
  task.told.gram_noise = task.told.products_noise = noise;
  return task;
}

Prior random_prior(Random& random, Index d, bool is_diagonal) {
  Prior prior = {random.normal_matrix(d, 1), Matrix(), 0.25};
  if (is_diagonal) {
    prior.root = random.normal_matrix(d, 1).cwiseAbs();
  } else {
    prior.root = Matrix(random.normal_matrix(d, d)).triangularView<Eigen::Lower>();
    prior.root.diagonal() = prior.root.diagonal().cwiseAbs();
  }
  return prior;
}

// Ledoit and Wolf: to the mean of the diagonal, by what noise explains of the distance from it.
Matrix drawn_in(const TaskStatistics& told) {
  const Index d = told.gram.rows();
  const double mean = told.gram.trace() / static_cast<double>(d);
  const Matrix apart = told.gram - mean * Matrix::Identity(d, d);
  const double of_noise =
      told.gram_noise * told.gram_noise * static_cast<double>(d) * (static_cast<double>(d) + 1.0);
  return mean * Matrix::Identity(d, d) + (1.0 - of_noise / apart.squaredNorm()) * apart;
}

// c - G m is N(0, W + G D G).
TEST(NoisyPosterior, has_the_mean_covariance_and_evidence_of_a_normal_observation) {
  for (const bool is_diagonal : {true, false}) {
    for (const Problem problem : {Problem::regression, Problem::classification}) {
      Random random(is_diagonal ? 1 : 2);
      const TaskStatistics told = noisy_task(random, 80, 4, 3.0).told;
      const Prior prior = random_prior(random, 4, is_diagonal);
      const Matrix D = is_diagonal ? Matrix(prior.root.col(0).cwiseAbs2().asDiagonal())
                                   : Matrix(prior.root * prior.root.transpose());
      const Matrix G = drawn_in(told);
      const double sigma2 = has_labels(problem) ? 1.0 : prior.noise;
      const double extra = 9.0 * (1.0 + prior.mean.squaredNorm() + D.trace());
      const Matrix W = sigma2 * G + extra * Matrix::Identity(4, 4);
      const Vector r = told.products - told.gram * prior.mean;
      const Matrix covariance = W + G * D * G;
      const Matrix gain = D * G * covariance.inverse();
      const Posterior posterior(problem, told, prior);
      EXPECT_LT((posterior.theta() - prior.mean - gain * r).norm(), 1e-9);
      EXPECT_LT((posterior.covariance() - (D - gain * G * D)).norm(), 1e-9);
      EXPECT_LT((posterior.variances() - posterior.covariance().diagonal()).norm(), 1e-12);
      EXPECT_NEAR(posterior.evidence(),
                  -0.5 * (4.0 * std::log(2.0 * std::numbers::pi) +
                          std::log(covariance.determinant()) + r.dot(covariance.inverse() * r)),
                  1e-8);
      const double at_mean = told.target_squares + prior.mean.dot(told.gram * prior.mean) -
                             2.0 * prior.mean.dot(told.products);
      EXPECT_NEAR(posterior.residual_squares(),
                  has_labels(problem) ? 0.0 : at_mean - (G * D).trace(), 1e-8);
    }
  }
}

TEST(NoisyPosterior, without_noise_is_that_of_the_rows) {
  Random random(3);
  const NoisyTask task = noisy_task(random, 60, 5, 1e-7);
  const Prior prior = random_prior(random, 5, true);
  const Posterior told(Problem::regression, task.told, prior);
  const Posterior exact(Problem::regression, task.exact, prior);
  EXPECT_LT((told.theta() - exact.theta()).norm(), 1e-6);
  EXPECT_LT((told.covariance() - exact.covariance()).norm(), 1e-6);
}

// The sums of small tasks are indefinite as they come out.
TEST(NoisyPosterior, is_finite_and_near_the_prior_where_noise_is_all_there_is) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const TaskStatistics told = noisy_task(random, 5, 4, 300.0).told;
    const Prior prior = random_prior(random, 4, seed % 2 == 0);
    const Posterior posterior(Problem::regression, told, prior);
    ASSERT_TRUE(posterior.theta().allFinite());
    ASSERT_TRUE(std::isfinite(posterior.evidence()));
    const Matrix V = posterior.covariance();
    ASSERT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(V).eigenvalues().minCoeff(), -1e-12);
    ASSERT_LE(V.trace(), prior.variances().sum() * (1.0 + 1e-12));
  }
}

}  // namespace
}  // namespace colla
