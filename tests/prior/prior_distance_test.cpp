// SPDX-License-Identifier: Apache-2.0
// How far a task is from the prior.
#include <colla/posterior.hpp>
#include <colla/random.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

Prior correlated_prior(Index features) {
  Random random(21);
  Matrix root = random.normal_matrix(features, features);
  root = root.triangularView<Eigen::Lower>();
  root.diagonal() = root.diagonal().cwiseAbs();
  return {random.normal_matrix(features, 1), root, 0.5};
}

// (theta - m)'D^-1(theta - m), tr(I - D^-1 V), 2 tr((I - D^-1 V)^2)
TEST(PriorDistance, is_that_of_theta_and_what_the_rows_tell) {
  const Prior correlated = correlated_prior(4);
  Prior diagonal = correlated;
  diagonal.root = correlated.root.diagonal();
  for (const Prior& prior : {correlated, diagonal}) {
    for (const Index rows : {2, 9}) {
      Random random(22);
      const Samples X = random.normal_matrix(rows, 4);
      const Vector y = random.normal_matrix(rows, 1);
      const Matrix F = prior.is_diagonal() ? Matrix(prior.root.col(0).asDiagonal()) : prior.root;
      const Matrix D = F * F.transpose();
      const Posterior posterior(Problem::regression, statistics_of(Problem::regression, X, y),
                                prior);
      const Vector moved = posterior.theta() - prior.mean;
      const Matrix told = Matrix::Identity(4, 4) - D.inverse() * posterior.covariance();
      const PriorDistance found = posterior.distance();
      EXPECT_NEAR(found.squares, moved.dot(D.inverse() * moved), 1e-8);
      EXPECT_NEAR(found.expected, told.trace(), 1e-8);
      EXPECT_NEAR(found.variance, 2.0 * (told * told).trace(), 1e-8);
    }
  }
}

// Its derivative by the width k of the prior N(m, k D) is that of the log evidence:
// d/dk log p = (squares - expected)/2 at k = 1.
TEST(PriorDistance, tells_whether_a_wider_prior_would_have_more_evidence) {
  const Prior prior = correlated_prior(3);
  Random random(23);
  const Samples X = random.normal_matrix(7, 3);
  const Vector y = 3.0 * random.normal_matrix(7, 1);
  const TaskStatistics task = statistics_of(Problem::regression, X, y);
  const auto evidence = [&](double k) {
    Prior wider = prior;
    wider.root *= std::sqrt(k);
    return Posterior(Problem::regression, task, wider).evidence();
  };
  const double step = 1e-5;
  const double slope = (evidence(1.0 + step) - evidence(1.0 - step)) / (2.0 * step);
  const PriorDistance found = Posterior(Problem::regression, task, prior).distance();
  EXPECT_NEAR(slope, 0.5 * (found.squares - found.expected), 1e-6);
}

TEST(PriorDistance, has_the_stated_mean_and_variance_over_tasks_of_the_prior) {
  const Prior prior = correlated_prior(3);
  Random random(24);
  const Samples X = random.normal_matrix(5, 3);
  constexpr int draws = 20000;
  double sum = 0.0;
  double squares = 0.0;
  PriorDistance found;
  for (int k = 0; k < draws; ++k) {
    const Vector theta = prior.mean + prior.root * random.normal_matrix(3, 1);
    const Vector y = X * theta + std::sqrt(prior.noise) * random.normal_matrix(5, 1);
    found =
        Posterior(Problem::regression, statistics_of(Problem::regression, X, y), prior).distance();
    sum += found.squares;
    squares += found.squares * found.squares;
  }
  const double mean = sum / draws;
  EXPECT_NEAR(mean, found.expected, 4.0 * std::sqrt(found.variance / draws));
  EXPECT_NEAR(squares / draws - mean * mean, found.variance, 0.1 * found.variance);
}

}  // namespace
}  // namespace colla
