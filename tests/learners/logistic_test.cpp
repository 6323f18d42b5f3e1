// SPDX-License-Identifier: Apache-2.0
#include "random_problems.hpp"

#include <colla/prediction.hpp>
#include <colla/single_task.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::random_labels;
using testing::random_rows;
using testing::random_vector;

// The gradient of (1/M) sum log(1 + exp(-y x.th)) + gamma |th|^2.
Vector gradient(const Samples& X, const Vector& y, double gamma, const Vector& theta) {
  Vector pull(y.size());
  for (Index i = 0; i < y.size(); ++i) pull[i] = y[i] * probability(-y[i] * X.row(i).dot(theta));
  return 2.0 * gamma * theta - X.transpose() * pull / static_cast<double>(y.size());
}

// X'WX/(2M) + gamma I, W = diag p(1 - p).
Matrix curvature(const Samples& X, double gamma, const Vector& theta) {
  Vector weights(X.rows());
  for (Index i = 0; i < X.rows(); ++i) {
    const double p = probability(X.row(i).dot(theta));
    weights[i] = p * (1.0 - p);
  }
  return X.transpose() * weights.asDiagonal() * X / (2.0 * static_cast<double>(X.rows())) +
         gamma * Matrix::Identity(X.cols(), X.cols());
}

RC_GTEST_PROP(Logistic, the_gradient_vanishes_for_any_number_of_rows, (std::uint64_t seed)) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 12);
  const Index rows = *rc::gen::inRange<Index>(2, 40);
  const double gamma = std::pow(10.0, *rc::gen::inRange(-6, 2));
  const Samples X = random_rows(random, rows, d);
  const Vector y = random_labels(random, rows);
  for (const auto form : {CurvatureForm::dense, CurvatureForm::factored}) {
    FitSummary summary;
    const auto model = fit_logistic(X, y, gamma, form, &summary);
    RC_ASSERT(summary.status == FitStatus::converged);
    RC_ASSERT(gradient(X, y, gamma, model.alpha).cwiseAbs().maxCoeff() < 1e-10);
    RC_ASSERT(model.gamma->dense().isApprox(curvature(X, gamma, model.alpha), 1e-8));
  }
}

TEST(Logistic, separable_tasks_converge_because_of_the_ridge) {
  Random random(4);
  const Samples X = random_rows(random, 50, 3);
  const Vector y = X.col(0).unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  for (const double gamma : {1e-1, 1e-4, 1e-8, 1e-12}) {
    FitSummary summary;
    const auto model = fit_logistic(X, y, gamma, CurvatureForm::dense, &summary);
    EXPECT_EQ(summary.status, FitStatus::converged) << gamma;
    EXPECT_LT(summary.newton_steps, 100);
    EXPECT_LT(gradient(X, y, gamma, model.alpha).cwiseAbs().maxCoeff(), 1e-10) << gamma;
  }
}

// Columns that differ by up to 16 orders of magnitude; the gradient is compared with each column's
// own scale.
TEST(Logistic, badly_scaled_tasks_converge) {
  Random random(9);
  Samples X = random_rows(random, 200, 4);
  const Vector truth = random_vector(random, 4);
  Vector y = X * truth + random_vector(random, 200);
  y = y.unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  const Vector scales = (Vector(4) << 1e8, 1e-8, 1.0, 1e4).finished();
  X = X * scales.asDiagonal();
  FitSummary summary;
  const auto model = fit_logistic(X, y, 1e-6, CurvatureForm::dense, &summary);
  EXPECT_EQ(summary.status, FitStatus::converged) << summary.gradient;
  const Vector scaled = gradient(X, y, 1e-6, model.alpha).cwiseQuotient(scales);
  EXPECT_LT(scaled.cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Logistic, identical_columns_and_constant_columns_converge) {
  Random random(5);
  Samples X = random_rows(random, 40, 4);
  X.col(1) = X.col(0);
  X.col(2).setZero();
  X.col(3).setOnes();
  const Vector y = random_labels(random, 40);
  for (const double gamma : {1e-2, 1e-10}) {
    FitSummary summary;
    const auto model = fit_logistic(X, y, gamma, CurvatureForm::dense, &summary);
    EXPECT_EQ(summary.status, FitStatus::converged);
    EXPECT_EQ(model.alpha[2], 0.0);
    EXPECT_NEAR(model.alpha[0], model.alpha[1], 1e-5);
  }
}

RC_GTEST_PROP(Prediction, probability_and_label_agree, ()) {
  const double score =
      *rc::gen::map(rc::gen::inRange(-1000000, 1000000), [](int v) { return v * 1e-3; });
  const double p = probability(score);
  RC_ASSERT(p >= 0.0 && p <= 1.0);
  RC_ASSERT((p >= 0.5) == (label(score) > 0.0));
  RC_ASSERT(std::abs(p + probability(-score) - 1.0) < 1e-15);
}

}  // namespace
}  // namespace colla
