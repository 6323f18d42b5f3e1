// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <colla/posterior.hpp>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

Prior prior_of(const oracle::Json& json) {
  const Matrix D = oracle::matrix(json["D"]);
  return {oracle::vector(json["m"]), Matrix(Eigen::LLT<Matrix>(D).matrixL()),
          json.value("sigma2", 1.0)};
}

TaskStatistics task_of(const oracle::Json& json, Problem problem) {
  return statistics_of(problem, oracle::matrix(json["X"]), oracle::vector(json["y"]));
}

TEST(PriorOracle, estimates_evidence_and_predictions_are_reproduced) {
  for (const auto& json : oracle::load("prior-step")) {
    const bool is_regression = json["kind"] == "regression";
    const Problem problem = is_regression ? Problem::regression : Problem::classification;
    const Prior prior = prior_of(json);
    for (const auto& task : json["tasks"]) {
      const Posterior posterior(problem, task_of(task, problem), prior);
      EXPECT_TRUE(posterior.converged());
      EXPECT_LT(oracle::distance(posterior.theta(), oracle::vector(task["theta"])), 1e-8);
      EXPECT_LT(oracle::distance(posterior.covariance(), oracle::matrix(task["V"])), 1e-8);
      EXPECT_NEAR(posterior.evidence(), task["evidence"].get<double>(),
                  1e-8 * std::abs(task["evidence"].get<double>()));
      if (!is_regression) continue;
      EXPECT_NEAR(posterior.expected_squares(), task["expected_rss"].get<double>(),
                  1e-8 * task["expected_rss"].get<double>());
      const Vector x = oracle::vector(task["x"]);
      EXPECT_NEAR(x.dot(posterior.theta()), task["prediction"].get<double>(), 1e-8);
      EXPECT_NEAR(std::sqrt(posterior.variance(x.transpose()) + prior.noise),
                  task["std"].get<double>(), 1e-8);
    }
  }
}

TEST(PriorOracle, the_m_step_is_reproduced) {
  for (const auto& json : oracle::load("prior-step")) {
    const bool is_regression = json["kind"] == "regression";
    const Problem problem = is_regression ? Problem::regression : Problem::classification;
    const Prior prior = prior_of(json);
    const Index d = prior.mean.size();
    Vector m = Vector::Zero(d);
    Matrix second = Matrix::Zero(d, d);
    double squares = 0.0;
    double rows = 0.0;
    for (const auto& json_task : json["tasks"]) {
      const TaskStatistics task = task_of(json_task, problem);
      const Posterior posterior(problem, task, prior);
      m += posterior.theta();
      second += posterior.theta() * posterior.theta().transpose() + posterior.covariance();
      squares += posterior.expected_squares();
      rows += static_cast<double>(task.rows);
    }
    const auto n = static_cast<double>(json["tasks"].size());
    m /= n;
    EXPECT_LT(oracle::distance(m, oracle::vector(json["next"]["m"])), 1e-8);
    EXPECT_LT(oracle::distance(second / n - m * m.transpose(), oracle::matrix(json["next"]["S"])),
              1e-8);
    if (is_regression) {
      EXPECT_NEAR(squares / rows, json["next"]["sigma2"].get<double>(), 1e-8);
    }
  }
}

}  // namespace
}  // namespace colla
