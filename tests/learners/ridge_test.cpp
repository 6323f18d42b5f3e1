// SPDX-License-Identifier: Apache-2.0
#include "random_problems.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>
#include <colla/single_task.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::random_rows;
using testing::random_targets;
using testing::random_vector;

const auto forms = {CurvatureForm::dense, CurvatureForm::factored};

// The gradient of (1/M) |X th - y|^2 + gamma |th|^2 is 2 (Gamma th - X'y/M).
RC_GTEST_PROP(Ridge, the_gradient_vanishes_for_any_number_of_rows, (std::uint64_t seed)) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 12);
  const Index rows = *rc::gen::inRange<Index>(1, 30);
  const double gamma = std::pow(10.0, *rc::gen::inRange(-6, 3));
  const Samples X = random_rows(random, rows, d);
  const Vector y = random_vector(random, rows);
  for (const auto form : forms) {
    const auto model = fit_ridge(X, y, gamma, form);
    const Vector gradient =
        X.transpose() * (X * model.alpha - y) / static_cast<double>(rows) + gamma * model.alpha;
    RC_ASSERT(gradient.cwiseAbs().maxCoeff() < 1e-9);
    const Matrix expected =
        Matrix(X.transpose() * X) / static_cast<double>(rows) + gamma * Matrix::Identity(d, d);
    RC_ASSERT(model.gamma->dense().isApprox(expected, 1e-10));
    if (form == CurvatureForm::factored) {
      RC_ASSERT(model.gamma->factor_rows() <= std::min(rows, d));
    }
  }
}

RC_GTEST_PROP(SingleTask, the_order_of_the_rows_does_not_matter, (std::uint64_t seed)) {
  Random random(seed);
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  const Index rows = *rc::gen::inRange<Index>(2, 20);
  const Samples X = random_rows(random, rows, 4);
  const Vector y = random_targets(random, problem, rows);
  std::vector<Index> order(static_cast<std::size_t>(rows));
  for (Index i = 0; i < rows; ++i) order[static_cast<std::size_t>(i)] = i;
  random.shuffle(order);
  const auto a = fit(problem, X, y, 1e-2);
  const auto b = fit(problem, Samples(X(order, Eigen::all)), Vector(y(order)), 1e-2);
  RC_ASSERT(a.alpha.isApprox(b.alpha, 1e-9));
  RC_ASSERT(a.gamma->dense().isApprox(b.gamma->dense(), 1e-9));
}

// Every row twice leaves the means, and so the model, as they are.
RC_GTEST_PROP(SingleTask, doubling_every_row_changes_nothing, (std::uint64_t seed)) {
  Random random(seed);
  const auto problem = *rc::gen::element(Problem::regression, Problem::classification);
  const Index rows = *rc::gen::inRange<Index>(2, 10);
  const Samples X = random_rows(random, rows, 6);
  const Vector y = random_targets(random, problem, rows);
  const auto once = fit(problem, X, y, 1e-2);
  const auto twice = fit(problem, Samples(X.replicate(2, 1)), Vector(y.replicate(2, 1)), 1e-2);
  RC_ASSERT(once.alpha.isApprox(twice.alpha, 1e-8));
  RC_ASSERT(once.gamma->dense().isApprox(twice.gamma->dense(), 1e-8));
}

// Targets scaled by c scale alpha by c; features and targets are both free of units.
RC_GTEST_PROP(Ridge, scaling_the_targets_scales_the_model, (std::uint64_t seed)) {
  Random random(seed);
  const Samples X = random_rows(random, 9, 5);
  const Vector y = random_vector(random, 9);
  const double scale = std::pow(10.0, *rc::gen::inRange(-8, 9));
  RC_ASSERT(fit_ridge(X, scale * y, 0.1).alpha.isApprox(scale * fit_ridge(X, y, 0.1).alpha, 1e-10));
}

RC_GTEST_PROP(Append, regression_equals_a_fit_on_all_rows, (std::uint64_t seed)) {
  Random random(seed);
  const Index d = *rc::gen::inRange<Index>(1, 8);
  const Index before = *rc::gen::inRange<Index>(1, 15);
  const Index after = *rc::gen::inRange<Index>(1, 15);
  const Samples X = random_rows(random, before + after, d);
  const Vector y = random_vector(random, before + after);
  for (const auto form : forms) {
    const auto old = fit_ridge(X.topRows(before), y.head(before), 0.05, form);
    const auto merged = append(Problem::regression, old, X.bottomRows(after), y.tail(after), 0.05);
    const auto all = fit_ridge(X, y, 0.05, form);
    RC_ASSERT(merged.rows == before + after);
    RC_ASSERT(merged.alpha.isApprox(all.alpha, 1e-8));
    RC_ASSERT(merged.gamma->dense().isApprox(all.gamma->dense(), 1e-10));
  }
}

// The old quadratic is exact to second order, so with many old rows near the same optimum the
// merged model is closer to the fit on all rows than either part's.
TEST(Append, classification_comes_close_to_a_fit_on_all_rows) {
  Random random(11);
  const Samples X = random_rows(random, 600, 4);
  const Vector truth = random_vector(random, 4);
  Vector y = X * truth + random_vector(random, 600);
  y = y.unaryExpr([](double v) { return v > 0 ? 1.0 : -1.0; });
  for (const auto form : forms) {
    const auto old = fit_logistic(X.topRows(300), y.head(300), 1e-2, form);
    const auto merged = append(Problem::classification, old, X.bottomRows(300), y.tail(300), 1e-2);
    const auto fresh = fit_logistic(X.bottomRows(300), y.tail(300), 1e-2, form);
    const auto all = fit_logistic(X, y, 1e-2, form);
    const double error = (merged.alpha - all.alpha).norm();
    EXPECT_LT(error, 0.1 * (old.alpha - all.alpha).norm());
    EXPECT_LT(error, 0.1 * (fresh.alpha - all.alpha).norm());
    EXPECT_TRUE(merged.gamma->dense().isApprox(all.gamma->dense(), 0.05));
  }
}

// Rows of zeros carry no information: only the shares of old and new rows change, and with them the
// weight of the ridge in the new part.
TEST(Append, empty_rows_do_not_make_a_classifier_forget) {
  Random random(12);
  const Samples X = random_rows(random, 60, 3);
  const SingleTaskModel old = fit_logistic(X, testing::random_labels(random, 60), 1e-6);
  const Vector y = (Vector(2) << -1, 1).finished();
  const auto merged = append(Problem::classification, old, Samples::Zero(2, 3), y, 1e-6);
  EXPECT_TRUE(merged.alpha.isApprox(old.alpha, 1e-3));
}

TEST(CheckRows, what_cannot_be_fitted_is_named) {
  const auto message = [](Problem problem, const Samples& X, const Vector& y) -> std::string {
    try {
      check_rows(problem, X, y, "task 'a'");
      return "";
    } catch (const DataError& error) {
      return error.what();
    }
  };
  const Samples X = Samples::Ones(2, 3);
  Samples with_nan = X;
  with_nan(1, 1) = std::nan("");
  const Vector both = (Vector(2) << -1, 1).finished();
  EXPECT_EQ(message(Problem::classification, X, both), "");
  EXPECT_EQ(message(Problem::regression, X, Vector::Ones(3)),
            "task 'a': X has 2 rows and y has 3; give one target per row");
  EXPECT_NE(message(Problem::regression, Samples(0, 3), Vector(0)), "");
  EXPECT_NE(message(Problem::regression, with_nan, both), "");
  EXPECT_NE(message(Problem::regression, X, both * INFINITY), "");
  const std::string remedy = "; scale such values down, or remove the row";
  EXPECT_EQ(message(Problem::regression, X, both * 1e308),
            "task 'a', row 1, target: -1e+308 is beyond 1e30" + remedy);
  Samples with_one_beyond = X;
  with_one_beyond(1, 2) = std::nextafter(largest_row_value, INFINITY);
  EXPECT_EQ(message(Problem::classification, with_one_beyond, both),
            "task 'a', row 2, column 3: 1.0000000000000002e+30 is beyond 1e30" + remedy);
  EXPECT_EQ(message(Problem::regression, X * largest_row_value, both * largest_row_value), "");
  EXPECT_NE(message(Problem::classification, X, Vector::Ones(2)), "");
  EXPECT_NE(message(Problem::classification, X, 2 * both), "");
}

}  // namespace
}  // namespace colla
