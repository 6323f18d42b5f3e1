// SPDX-License-Identifier: Apache-2.0
#include "learners/ridge.hpp"

#include "linalg/gram_factor.hpp"
#include "linalg/lapack.hpp"

#include <cmath>

namespace colla {
namespace {

// M < d and no d x d matrix wanted: alpha = X'(XX' + M gamma I)^-1 y, Gamma = R'R + gamma I with
// R = X/sqrt(M).
SingleTaskModel fit_dual(const SamplesView& X, const VectorView& y, double gamma) {
  const double rows = static_cast<double>(X.rows());
  const Samples transposed = X.transpose();
  Matrix kernel = Matrix::Zero(X.rows(), X.rows());
  add_gram(transposed, 1.0, kernel);
  kernel.diagonal().array() += rows * gamma;
  factor_gram(transposed, 1.0, rows * gamma, kernel);
  Vector weights = y;
  cholesky_solve_in_place(kernel, weights);

  SingleTaskModel model;
  model.alpha.noalias() = X.transpose() * weights;
  model.gamma = std::make_shared<Curvature>(Curvature::from_factor(X / std::sqrt(rows), gamma));
  model.rows = X.rows();
  return model;
}

SingleTaskModel fit_primal(const SamplesView& X, const VectorView& y, double gamma,
                           CurvatureForm form) {
  const double weight = 1.0 / static_cast<double>(X.rows());
  const Index d = X.cols();
  SingleTaskModel model;
  model.rows = X.rows();

  Matrix gram = Matrix::Zero(d, d);
  add_gram(X, weight, gram);
  gram.diagonal().array() += gamma;
  model.alpha.noalias() = weight * (X.transpose() * y);

  Matrix factor = gram;
  factor_gram(X, weight, gamma, factor);
  cholesky_solve_in_place(factor, model.alpha);

  if (form == CurvatureForm::dense) {
    mirror_lower(gram);
    model.gamma = std::make_shared<Curvature>(Curvature::from_dense(std::move(gram)));
  } else {
    model.gamma = std::make_shared<Curvature>(Curvature::from_cholesky(factor));
  }
  return model;
}

// X = [slopes' columns, 1] around its mean row m: X'X/M = [C + m m', m; m', 1], C that of the
// centred columns.
struct CentredRows {
  CentredRows(const SamplesView& X, const VectorView& y)
      : mean(X.leftCols(X.cols() - 1).colwise().mean()),
        mean_target(y.mean()),
        columns(X.leftCols(X.cols() - 1).rowwise() - mean),
        targets(y.array() - mean_target) {}

  Vector with_intercept(const Vector& slopes) const {
    Vector alpha(slopes.size() + 1);
    alpha << slopes, mean_target - mean.dot(slopes);
    return alpha;
  }

  Eigen::RowVectorXd mean;
  double mean_target;
  Samples columns;
  Vector targets;
};

// From that of the centred rows, C + gamma I, as fit_primal gives it.
Curvature with_intercept(const Curvature& slopes, const CentredRows& rows) {
  const Index d = rows.mean.size();
  if (slopes.form() == CurvatureForm::dense) {
    Matrix gamma(d + 1, d + 1);
    gamma.topLeftCorner(d, d) = slopes.dense_matrix() + rows.mean.transpose() * rows.mean;
    gamma.bottomLeftCorner(1, d) = rows.mean;
    gamma.topRightCorner(d, 1) = rows.mean.transpose();
    gamma(d, d) = 1.0;
    return Curvature::from_dense(std::move(gamma));
  }
  Samples factor = Samples::Zero(slopes.factor_rows() + 1, d + 1);
  factor.topLeftCorner(slopes.factor_rows(), d) = slopes.factor();
  factor.bottomLeftCorner(1, d) = rows.mean;
  factor(slopes.factor_rows(), d) = 1.0;
  return Curvature::from_factor(std::move(factor), 0.0);
}

// The slopes are those of the centred rows; from few rows as `ridge_coefficients` has them.
SingleTaskModel fit_with_free_intercept(const SamplesView& X, const VectorView& y, double gamma,
                                        CurvatureForm form) {
  const CentredRows rows(X, y);
  const SingleTaskModel slopes = fit_primal(rows.columns, rows.targets, gamma, form);
  const bool is_dual = rows.columns.rows() < rows.columns.cols();
  return {rows.with_intercept(is_dual ? fit_dual(rows.columns, rows.targets, gamma).alpha
                                      : slopes.alpha),
          std::make_shared<Curvature>(with_intercept(*slopes.gamma, rows)), X.rows()};
}

}  // namespace

SingleTaskModel fit_ridge(const SamplesView& X, const VectorView& y, const Ridge& ridge,
                          CurvatureForm form) {
  if (ridge.free_intercept) return fit_with_free_intercept(X, y, ridge.gamma, form);
  const bool is_dual = form == CurvatureForm::factored && X.rows() < X.cols();
  return is_dual ? fit_dual(X, y, ridge.gamma) : fit_primal(X, y, ridge.gamma, form);
}

Vector ridge_coefficients(const SamplesView& X, const VectorView& y, const Ridge& ridge) {
  constexpr auto form = CurvatureForm::factored;
  if (!ridge.free_intercept) return fit_ridge(X, y, ridge, form).alpha;
  const CentredRows rows(X, y);
  return rows.with_intercept(fit_ridge(rows.columns, rows.targets, ridge.gamma, form).alpha);
}

}  // namespace colla
