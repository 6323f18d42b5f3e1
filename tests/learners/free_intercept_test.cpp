// SPDX-License-Identifier: Apache-2.0
// Single-task learners whose intercept is not penalised.
#include "random_problems.hpp"

#include <colla/prediction.hpp>
#include <colla/single_task.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::random_rows;
using testing::random_targets;
using testing::random_vector;

const auto both_forms = {CurvatureForm::dense, CurvatureForm::factored};

struct FreeProblem {
  Samples X;  // the last column is ones
  Vector y;
  Ridge ridge{1.0, true};
};

FreeProblem random_problem(Problem problem, std::uint64_t seed, Index least_rows) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 12);
  const Index rows = *rc::gen::inRange<Index>(least_rows, 30);
  FreeProblem made;
  made.X = random_rows(random, rows, d);
  made.X.col(d - 1).setOnes();
  made.y = random_targets(random, problem, rows);
  made.ridge.gamma = std::pow(10.0, *rc::gen::inRange(-4, 3));
  return made;
}

// D th: the last coefficient costs nothing.
Vector penalised(Vector theta) {
  theta[theta.size() - 1] = 0.0;
  return theta;
}

// The gradient of (1/M) |X th - y|^2 + gamma |D th|^2 is 2 (X'(X th - y)/M + gamma D th).
RC_GTEST_PROP(FreeIntercept, ridge_is_at_the_optimum_for_any_number_of_rows, (std::uint64_t seed)) {
  const FreeProblem p = random_problem(Problem::regression, seed, 1);
  const auto rows = static_cast<double>(p.X.rows());
  Matrix expected = Matrix(p.X.transpose() * p.X) / rows;
  expected.diagonal().head(p.X.cols() - 1).array() += p.ridge.gamma;
  for (const auto form : both_forms) {
    const auto model = fit_ridge(p.X, p.y, p.ridge, form);
    const Vector gradient =
        p.X.transpose() * (p.X * model.alpha - p.y) / rows + p.ridge.gamma * penalised(model.alpha);
    RC_ASSERT(gradient.cwiseAbs().maxCoeff() < 1e-9);
    RC_ASSERT(model.gamma->form() == form);
    RC_ASSERT(model.gamma->dense().isApprox(expected, 1e-10));
    RC_ASSERT(model.rows == p.X.rows());
  }
}

// The gradient of (1/M) sum log(1 + exp(-y x.th)) + gamma |D th|^2, and half its Hessian.
RC_GTEST_PROP(FreeIntercept, logistic_is_at_the_optimum_for_any_number_of_rows,
              (std::uint64_t seed)) {
  const FreeProblem p = random_problem(Problem::classification, seed, 2);
  const auto rows = static_cast<double>(p.X.rows());
  for (const auto form : both_forms) {
    FitSummary summary;
    const auto model = fit_logistic(p.X, p.y, p.ridge, form, &summary);
    RC_ASSERT(summary.status == FitStatus::converged);
    const Vector chance = (1.0 / (1.0 + (-(p.X * model.alpha).array()).exp())).matrix();
    const Vector pull = p.y.cwiseProduct(
        (1.0 / (1.0 + (p.y.array() * (p.X * model.alpha).array()).exp())).matrix());
    const Vector gradient =
        -p.X.transpose() * pull / rows + 2.0 * p.ridge.gamma * penalised(model.alpha);
    RC_ASSERT(gradient.cwiseAbs().maxCoeff() < 1e-9);
    const Vector weights = chance.cwiseProduct(Vector::Ones(chance.size()) - chance);
    Matrix expected = Matrix(p.X.transpose() * weights.asDiagonal() * p.X) / (2.0 * rows);
    expected.diagonal().head(p.X.cols() - 1).array() += p.ridge.gamma;
    RC_ASSERT(model.gamma->dense().isApprox(expected, 1e-8));
  }
}

RC_GTEST_PROP(FreeIntercept, coefficients_alone_are_those_of_the_model, (std::uint64_t seed)) {
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  const FreeProblem p = random_problem(problem, seed, 2);
  for (const bool is_free : {false, true}) {
    const Ridge ridge{p.ridge.gamma, is_free};
    const Vector alpha = fit(problem, p.X, p.y, ridge).alpha;
    RC_ASSERT((fit_coefficients(problem, p.X, p.y, ridge) - alpha).norm() <
              1e-9 * (1.0 + alpha.norm()));
  }
}

// y + c, predictions + c: the fit has no opinion about where zero is.
RC_GTEST_PROP(FreeIntercept, shifting_the_targets_shifts_the_predictions, (std::uint64_t seed)) {
  const FreeProblem p = random_problem(Problem::regression, seed, 1);
  const double shift = std::pow(10.0, *rc::gen::inRange(-3, 5));
  const Vector before = scores(p.X, fit_coefficients(Problem::regression, p.X, p.y, p.ridge));
  const Vector shifted = p.y.array() + shift;
  const Vector after = scores(p.X, fit_coefficients(Problem::regression, p.X, shifted, p.ridge));
  RC_ASSERT((after.array() - shift - before.array()).abs().maxCoeff() < 1e-12 * (1.0 + shift));
}

// A feature's origin does not matter either: the intercept takes it up.
RC_GTEST_PROP(FreeIntercept, shifting_a_feature_changes_no_prediction, (std::uint64_t seed)) {
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  const FreeProblem p = random_problem(problem, seed, 2);
  if (p.X.cols() < 2) return;
  Samples moved = p.X;
  moved.col(0).array() += 3.0;
  const Vector before = scores(p.X, fit_coefficients(problem, p.X, p.y, p.ridge));
  const Vector after = scores(moved, fit_coefficients(problem, moved, p.y, p.ridge));
  RC_ASSERT((after - before).cwiseAbs().maxCoeff() < 1e-7);
}

TEST(FreeIntercept, one_row_gives_its_target) {
  Samples X(1, 3);
  X << 0.5, -2.0, 1.0;
  const Vector y = Vector::Constant(1, 7.0);
  for (const auto form : both_forms) {
    const Vector alpha = fit_ridge(X, y, {1e-2, true}, form).alpha;
    EXPECT_EQ(alpha, (Vector(3) << 0.0, 0.0, 7.0).finished());
  }
}

// Each with the penalty that would pull a penalised intercept to 0.
TEST(FreeIntercept, with_a_heavy_ridge_the_mean_is_left) {
  Random random(3);
  Samples X = random_rows(random, 20, 5);
  X.col(4).setOnes();
  Vector y = random_vector(random, 20).array() + 40.0;
  EXPECT_NEAR(fit_ridge(X, y, {1e9, true}).alpha[4], y.mean(), 1e-6);
  EXPECT_LT(std::abs(fit_ridge(X, y, 1e9).alpha[4]), 1e-6);
  y = Vector::Constant(20, -1.0);
  y.head(5).setOnes();
  EXPECT_NEAR(fit_logistic(X, y, {1e9, true}).alpha[4], std::log(5.0 / 15.0), 1e-6);
}

// The slopes stay finite because of the ridge, and with them the intercept, as long as both classes
// are there; one row of a class is enough.
TEST(FreeIntercept, separable_classes_converge) {
  Samples X(40, 3);
  Vector y(40);
  for (Index i = 0; i < 40; ++i) {
    const double side = i == 0 ? 1.0 : -1.0;
    X.row(i) << 5.0 * side + 0.01 * static_cast<double>(i), 0.1 * static_cast<double>(i % 7), 1.0;
    y[i] = side;
  }
  for (const double gamma : {1e-1, 1e-4, 1e-8}) {
    FitSummary summary;
    const auto model = fit_logistic(X, y, {gamma, true}, CurvatureForm::dense, &summary);
    EXPECT_EQ(summary.status, FitStatus::converged) << gamma;
    EXPECT_TRUE(model.alpha.allFinite());
    EXPECT_GT((y.array() * (X * model.alpha).array()).minCoeff(), 0.0) << gamma;
  }
}

// Gamma alpha = X'y/M holds with D as with I.
RC_GTEST_PROP(FreeIntercept, appending_rows_to_a_regression_equals_a_fit_on_all,
              (std::uint64_t seed)) {
  const FreeProblem p = random_problem(Problem::regression, seed, 2);
  const Index before = p.X.rows() / 2;
  const Index after = p.X.rows() - before;
  for (const auto form : both_forms) {
    const auto old = fit_ridge(p.X.topRows(before), p.y.head(before), p.ridge, form);
    const auto merged =
        append(Problem::regression, old, p.X.bottomRows(after), p.y.tail(after), p.ridge);
    const auto all = fit_ridge(p.X, p.y, p.ridge, form);
    RC_ASSERT((merged.alpha - all.alpha).norm() < 1e-7 * (1.0 + all.alpha.norm()));
    RC_ASSERT(merged.gamma->dense().isApprox(all.gamma->dense(), 1e-10));
  }
}

}  // namespace
}  // namespace colla
