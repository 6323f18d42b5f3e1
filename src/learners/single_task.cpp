// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic.hpp"
#include "learners/ridge.hpp"
#include "linalg/lanes.hpp"
#include "linalg/lapack.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>
#include <colla/single_task.hpp>

#include <Eigen/QR>

#include <cmath>

namespace colla {
namespace {

// X'X/M and X'y/M of all rows are the weighted means of the parts', and X'y/M = Gamma alpha.
SingleTaskModel append_ridge(const SingleTaskModel& old, const SingleTaskModel& fresh) {
  SingleTaskModel merged;
  merged.rows = old.rows + fresh.rows;
  const double old_share = static_cast<double>(old.rows) / static_cast<double>(merged.rows);
  const double fresh_share = static_cast<double>(fresh.rows) / static_cast<double>(merged.rows);
  const Index d = old.alpha.size();
  Matrix right_side(d, 1);
  Matrix part(d, 1);
  old.gamma->multiply(MatrixView(old.alpha), right_side);
  fresh.gamma->multiply(MatrixView(fresh.alpha), part);
  right_side = old_share * right_side + fresh_share * part;

  merged.gamma =
      std::make_shared<Curvature>(combine(*old.gamma, old_share, *fresh.gamma, fresh_share));
  Matrix factor = merged.gamma->dense();
  const bool definite = cholesky_in_place(factor);
  if (definite) {
    merged.alpha = right_side;
    cholesky_solve_in_place(factor, merged.alpha);
  } else {
    merged.alpha = merged.gamma->dense().completeOrthogonalDecomposition().solve(right_side);
  }
  return merged;
}

COLLA_FOR_EACH_PROCESSOR
double sum_of_squares(const double* values, Index count) {
  Lanes a = {};
  Lanes b = {};
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    const Lanes first = *lanes(values + i);
    const Lanes second = *lanes(values + i + 4);
    a += first * first;
    b += second * second;
  }
  double sum = 0.0;
  for (; i < count; ++i) sum += values[i] * values[i];
  a += b;
  return (a[0] + a[1]) + (a[2] + a[3]) + sum;
}

double sum_of_squares(const SamplesView& X) {
  if (X.outerStride() == X.cols()) return sum_of_squares(X.data(), X.size());
  double sum = 0.0;
  for (Index i = 0; i < X.rows(); ++i) {
    sum += sum_of_squares(X.data() + i * X.outerStride(), X.cols());
  }
  return sum;
}

[[noreturn]] void refuse_value(double value, const std::string& name, const std::string& where,
                               Index row, const std::string& column) {
  if (!std::isfinite(value)) {
    throw DataError(name + " holds NaN or infinity", where, "remove or fill such values");
  }
  const std::string task = where.empty() ? "" : where + ", ";
  throw beyond_row_values(value, task + "row " + std::to_string(row + 1) + ", " + column);
}

// Rarely checks value by value: usually the sum of all squares is below the bound.
bool are_within_bound(double squares) { return squares <= largest_row_value * largest_row_value; }

void check_targets(const VectorView& y, const std::string& where) {
  if (are_within_bound(sum_of_squares(y.data(), y.size()))) return;
  for (Index i = 0; i < y.size(); ++i) {
    if (!is_row_value(y[i])) refuse_value(y[i], "y", where, i, "target");
  }
}

SingleTaskModel append_logistic(const SingleTaskModel& old, const SamplesView& X,
                                const VectorView& y, const Ridge& ridge, FitSummary* summary) {
  SingleTaskModel merged;
  merged.rows = old.rows + X.rows();
  const double old_share = static_cast<double>(old.rows) / static_cast<double>(merged.rows);
  const double fresh_share = static_cast<double>(X.rows()) / static_cast<double>(merged.rows);
  const QuadraticPrior prior{old.alpha, old.gamma->dense(), old_share};
  const LogisticFit fit = minimise_logistic(X, y, ridge, fresh_share, &prior);
  if (summary != nullptr) *summary = fit.summary;
  merged.alpha = fit.theta;
  const Curvature fresh = logistic_curvature(X, fit, ridge, old.gamma->form());
  merged.gamma = std::make_shared<Curvature>(combine(*old.gamma, old_share, fresh, fresh_share));
  return merged;
}

}  // namespace

void check_rows(Problem problem, const SamplesView& X, const VectorView& y,
                const std::string& where, TaskClasses classes) {
  if (X.rows() != y.size()) {
    throw DataError(
        "X has " + std::to_string(X.rows()) + " rows and y has " + std::to_string(y.size()), where,
        "give one target per row");
  }
  if (X.rows() == 0) throw DataError("no rows", where, "give at least one");
  check_samples(X, where);
  check_targets(y, where);
  if (!has_labels(problem)) return;
  if (y.cwiseAbs().minCoeff() != 1.0 || y.cwiseAbs().maxCoeff() != 1.0) {
    throw DataError("labels other than -1 and +1", where, "code the two classes as -1 and +1");
  }
  if (classes == TaskClasses::both && std::abs(y.sum()) == static_cast<double>(y.size())) {
    throw DataError("only one class among the labels", where,
                    "give rows of both classes or leave the task out");
  }
}

void check_samples(const SamplesView& X, const std::string& where) {
  if (are_within_bound(sum_of_squares(X))) return;
  for (Index i = 0; i < X.rows(); ++i) {
    for (Index j = 0; j < X.cols(); ++j) {
      if (is_row_value(X(i, j))) continue;
      refuse_value(X(i, j), "X", where, i, "column " + std::to_string(j + 1));
    }
  }
}

SingleTaskModel fit(Problem problem, const SamplesView& X, const VectorView& y, const Ridge& ridge,
                    CurvatureForm form, FitSummary* summary) {
  if (summary != nullptr) *summary = {};
  switch (problem) {
    case Problem::regression:
      return fit_ridge(X, y, ridge, form);
    case Problem::classification:
      return fit_logistic(X, y, ridge, form, summary);
  }
  return {};
}

Vector fit_coefficients(Problem problem, const SamplesView& X, const VectorView& y,
                        const Ridge& ridge) {
  switch (problem) {
    case Problem::regression:
      return ridge_coefficients(X, y, ridge);
    case Problem::classification:
      return minimise_logistic(X, y, ridge, 1.0, nullptr).theta;
  }
  return {};
}

SingleTaskModel append(Problem problem, const SingleTaskModel& old, const SamplesView& X,
                       const VectorView& y, const Ridge& ridge, FitSummary* summary) {
  if (summary != nullptr) *summary = {};
  switch (problem) {
    case Problem::regression:
      return append_ridge(old, fit_ridge(X, y, ridge, old.gamma->form()));
    case Problem::classification:
      return append_logistic(old, X, y, ridge, summary);
  }
  return {};
}

}  // namespace colla
