// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram_factor.hpp"
#include "linalg/lapack.hpp"

#include <colla/single_task.hpp>

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

}  // namespace

SingleTaskModel fit_ridge(const SamplesView& X, const VectorView& y, double gamma,
                          CurvatureForm form) {
  if (form == CurvatureForm::factored && X.rows() < X.cols()) return fit_dual(X, y, gamma);
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

}  // namespace colla
