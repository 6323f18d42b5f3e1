// SPDX-License-Identifier: Apache-2.0
#include <colla/posterior.hpp>
#include <colla/random.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace colla {
namespace {

struct Rows {
  Samples X;
  Vector y;
};

Rows random_rows(Index rows, Index features, std::uint64_t key) {
  Random random(7, {key});
  Rows drawn{random.normal_matrix(rows, features), Vector()};
  drawn.y = random.normal_matrix(rows, 1);
  return drawn;
}

Prior diagonal_prior(Index features, std::uint64_t key) {
  Random random(8, {key});
  return {random.normal_matrix(features, 1), random.normal_matrix(features, 1).cwiseAbs(), 0.7};
}

// theta = m + D X'(X D X' + sigma^2 I)^-1 (y - X m), V = D - D X'(...)^-1 X D,
// log N(y; X m, X D X' + sigma^2 I): no formula in common with the posterior's.
TEST(Posterior, regression_agrees_with_the_normal_distribution_of_the_rows) {
  for (const Index rows : {1, 3, 6, 20}) {
    const Index d = 6;
    const Rows task = random_rows(rows, d, static_cast<std::uint64_t>(rows));
    const Prior prior = diagonal_prior(d, static_cast<std::uint64_t>(rows));
    const Matrix D = prior.root.col(0).cwiseAbs2().asDiagonal();
    const Matrix K = task.X * D * task.X.transpose() + prior.noise * Matrix::Identity(rows, rows);
    const Vector rest = task.y - task.X * prior.mean;
    const Vector theta = prior.mean + D * task.X.transpose() * K.inverse() * rest;
    const Matrix V = D - D * task.X.transpose() * K.inverse() * task.X * D;
    const double evidence = -0.5 * (rest.dot(K.inverse() * rest) + std::log(K.determinant()) +
                                    static_cast<double>(rows) * std::log(2.0 * std::numbers::pi));
    const double squares =
        (task.y - task.X * theta).squaredNorm() + (task.X * V * task.X.transpose()).trace();

    const Posterior posterior(Problem::regression,
                              statistics_of(Problem::regression, task.X, task.y), prior);
    EXPECT_LT((posterior.theta() - theta).norm(), 1e-9);
    EXPECT_LT((posterior.covariance() - V).norm(), 1e-9);
    EXPECT_LT((posterior.variances() - V.diagonal()).norm(), 1e-9);
    EXPECT_NEAR(posterior.evidence(), evidence, 1e-8);
    EXPECT_NEAR(posterior.expected_squares(), squares, 1e-8);
    const Eigen::RowVectorXd x = task.X.row(0) * 0.3;
    EXPECT_NEAR(posterior.variance(x), x * V * x.transpose(), 1e-9);
  }
}

TEST(Posterior, a_diagonal_root_and_its_matrix_give_the_same) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index rows : {3, 12}) {
      Rows task = random_rows(rows, 5, 3);
      if (has_labels(problem)) task.y = task.y.cwiseSign();
      const Prior diagonal = diagonal_prior(5, 4);
      Prior dense = diagonal;
      dense.root = diagonal.root.col(0).asDiagonal();
      const TaskStatistics statistics = statistics_of(problem, task.X, task.y);
      const Posterior a(problem, statistics, diagonal);
      const Posterior b(problem, statistics, dense);
      EXPECT_LT((a.theta() - b.theta()).norm(), 1e-9);
      EXPECT_LT((a.covariance() - b.covariance()).norm(), 1e-9);
      EXPECT_NEAR(a.evidence(), b.evidence(), 1e-8);
    }
  }
}

// The gradient of the loss and the prior at the mode is 0.
TEST(Posterior, classification_ends_at_the_mode_with_fewer_and_more_rows_than_features) {
  for (const Index rows : {2, 5, 40}) {
    Rows task = random_rows(rows, 5, 9 + static_cast<std::uint64_t>(rows));
    task.y = task.y.cwiseSign();
    const Prior prior = diagonal_prior(5, 2);
    const Posterior posterior(Problem::classification,
                              statistics_of(Problem::classification, task.X, task.y), prior);
    const Vector D = prior.root.col(0).cwiseAbs2();
    Vector gradient = (posterior.theta() - prior.mean).cwiseQuotient(D);
    Matrix hessian = D.cwiseInverse().asDiagonal();
    for (Index i = 0; i < rows; ++i) {
      const double p = 1.0 / (1.0 + std::exp(-task.X.row(i).dot(posterior.theta())));
      gradient += (p - (task.y[i] > 0.0 ? 1.0 : 0.0)) * task.X.row(i).transpose();
      hessian += p * (1.0 - p) * task.X.row(i).transpose() * task.X.row(i);
    }
    EXPECT_LT(gradient.norm(), 1e-8);
    EXPECT_LT((posterior.covariance() - hessian.inverse()).norm(), 1e-8);
  }
}

TEST(Posterior, separable_labels_and_a_warm_start_end_at_the_same_mode) {
  Rows task = random_rows(30, 3, 1);
  task.y = task.X.col(0).cwiseSign();
  Prior prior = diagonal_prior(3, 1);
  prior.root.setConstant(30.0);
  const TaskStatistics statistics = statistics_of(Problem::classification, task.X, task.y);
  const Posterior cold(Problem::classification, statistics, prior);
  const Vector start = Vector::Constant(3, 5.0);
  const Posterior warm(Problem::classification, statistics, prior, &start);
  EXPECT_TRUE(cold.converged());
  EXPECT_TRUE(cold.theta().allFinite());
  EXPECT_LT((cold.theta() - warm.theta()).norm(), 1e-7 * cold.theta().norm());
}

TEST(Posterior, a_feature_without_variance_keeps_the_mean) {
  const Rows task = random_rows(9, 4, 5);
  Prior prior = diagonal_prior(4, 5);
  prior.root(2, 0) = 0.0;
  const Posterior posterior(Problem::regression, statistics_of(Problem::regression, task.X, task.y),
                            prior);
  EXPECT_EQ(posterior.theta()[2], prior.mean[2]);
  EXPECT_EQ(posterior.variances()[2], 0.0);
}

TEST(TaskStatistics, appended_rows_are_as_good_as_all_at_once) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    Rows task = random_rows(9, 4, 6);
    if (has_labels(problem)) task.y = task.y.cwiseSign();
    const Prior prior = diagonal_prior(4, 6);
    for (const Index first : {2, 6}) {
      const TaskStatistics both =
          appended(problem, statistics_of(problem, task.X.topRows(first), task.y.head(first)),
                   task.X.bottomRows(9 - first), task.y.tail(9 - first));
      const Posterior a(problem, both, prior);
      const Posterior b(problem, statistics_of(problem, task.X, task.y), prior);
      EXPECT_LT((a.theta() - b.theta()).norm(), 1e-10);
    }
  }
}

}  // namespace
}  // namespace colla
