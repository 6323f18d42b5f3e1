// SPDX-License-Identifier: Apache-2.0
#include "learners/logistic.hpp"
#include "linalg/lapack.hpp"

#include <colla/error.hpp>
#include <colla/single_task.hpp>

#include <Eigen/QR>

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

// 0 times a number is 0 unless the number is NaN or infinity.
bool all_finite(const SamplesView& values) { return (values * 0.0).sum() == 0.0; }

}  // namespace

void check_rows(Problem problem, const SamplesView& X, const VectorView& y,
                const std::string& where) {
  if (X.rows() != y.size()) {
    throw DataError(
        "X has " + std::to_string(X.rows()) + " rows and y has " + std::to_string(y.size()), where,
        "give one target per row");
  }
  if (X.rows() == 0) throw DataError("no rows", where, "give at least one");
  if (!all_finite(X))
    throw DataError("X holds NaN or infinity", where, "remove or fill such values");
  if (!all_finite(y))
    throw DataError("y holds NaN or infinity", where, "remove or fill such values");
  if (problem == Problem::regression) return;
  if (((y.array() != 1.0) && (y.array() != -1.0)).any()) {
    throw DataError("labels other than -1 and +1", where, "code the two classes as -1 and +1");
  }
  if (y.minCoeff() == y.maxCoeff()) {
    throw DataError("only one class among the labels", where,
                    "give rows of both classes or leave the task out");
  }
}

SingleTaskModel fit(Problem problem, const SamplesView& X, const VectorView& y, double gamma,
                    CurvatureForm form) {
  return problem == Problem::regression ? fit_ridge(X, y, gamma, form)
                                        : fit_logistic(X, y, gamma, form);
}

SingleTaskModel append(Problem problem, const SingleTaskModel& old, const SamplesView& X,
                       const VectorView& y, double gamma) {
  const CurvatureForm form = old.gamma->form();
  if (problem == Problem::regression) return append_ridge(old, fit_ridge(X, y, gamma, form));

  SingleTaskModel merged;
  merged.rows = old.rows + X.rows();
  const double old_share = static_cast<double>(old.rows) / static_cast<double>(merged.rows);
  const double fresh_share = static_cast<double>(X.rows()) / static_cast<double>(merged.rows);
  const QuadraticPrior prior{old.alpha, old.gamma->dense(), old_share};
  const LogisticFit fit = minimise_logistic(X, y, gamma, fresh_share, &prior);
  merged.alpha = fit.theta;
  const Curvature fresh = logistic_curvature(X, fit, gamma, form);
  merged.gamma = std::make_shared<Curvature>(combine(*old.gamma, old_share, fresh, fresh_share));
  return merged;
}

}  // namespace colla
