// SPDX-License-Identifier: Apache-2.0
#include "go_mtl/loss.hpp"

#include "linalg/lapack.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

// p(1 - p) of a row, kept away from 0: where every row is far from the boundary, the quadratic
// model would otherwise be flat in directions in which the loss still falls.
constexpr double least_curvature = 1e-10;

double logistic_loss(const VectorView& margins, const VectorView& y) {
  // log(1 + exp(-m)) = max(-m, 0) + log1p(exp(-|m|))
  double loss = 0.0;
  for (Index i = 0; i < y.size(); ++i) {
    const double m = y[i] * margins[i];
    loss += std::max(-m, 0.0) + std::log1p(std::exp(-std::abs(m)));
  }
  return loss;
}

// slope_i = -y_i (1 - p_i), curvature_i = p_i (1 - p_i), p_i = 1/(1 + exp(-y_i m_i))
void differentiate_logistic(const VectorView& margins, const VectorView& y, double weight,
                            Vector& slope, Vector& curvature) {
  for (Index i = 0; i < y.size(); ++i) {
    const double e = std::exp(-std::abs(margins[i]));
    const double small = e / (1.0 + e);  // the smaller of p and 1 - p
    const bool wrong_side = y[i] * margins[i] < 0.0;
    slope[i] = -weight * y[i] * (wrong_side ? 1.0 / (1.0 + e) : small);
    curvature[i] = weight * std::max(small / (1.0 + e), least_curvature);
  }
}

}  // namespace

TaskLoss::TaskLoss(Problem problem, const SamplesView& X, const VectorView& y)
    : problem_(problem), weight_(1.0 / static_cast<double>(X.rows())) {
  const Index d = X.cols();
  if (!is_quadratic() || X.rows() <= d + 1) {
    X_ = X;
    y_ = y;
    return;
  }
  Matrix both(X.rows(), d + 1);
  both.leftCols(d) = X;
  both.col(d) = y;
  const Eigen::HouseholderQR<Matrix> qr(both);
  const Matrix triangle = qr.matrixQR().topRows(d + 1).triangularView<Eigen::Upper>();
  X_ = triangle.leftCols(d);
  y_ = triangle.col(d);
}

double TaskLoss::value(const VectorView& margins) const {
  switch (problem_) {
    case Problem::regression:
      return weight_ * (margins - y_).squaredNorm();
    case Problem::classification:
      return weight_ * logistic_loss(margins, y_);
  }
  return {};
}

void TaskLoss::differentiate(const VectorView& margins, Vector& slope, Vector& curvature) const {
  slope.resize(y_.size());
  curvature.resize(y_.size());
  switch (problem_) {
    case Problem::regression:
      slope = 2.0 * weight_ * (margins - y_);
      curvature.setConstant(2.0 * weight_);
      return;
    case Problem::classification:
      differentiate_logistic(margins, y_, weight_, slope, curvature);
      return;
  }
}

std::shared_ptr<const Curvature> TaskLoss::hessian(const VectorView& curvature,
                                                   CurvatureForm form) const {
  if (constant_hessian_ != nullptr && constant_hessian_->form() == form) return constant_hessian_;
  Samples weighted = curvature.cwiseSqrt().asDiagonal() * X_;
  std::shared_ptr<const Curvature> result;
  if (form == CurvatureForm::factored) {
    result = std::make_shared<Curvature>(Curvature::from_factor(std::move(weighted), 0.0));
  } else {
    Matrix gram = Matrix::Zero(X_.cols(), X_.cols());
    add_gram(weighted, 1.0, gram);
    mirror_lower(gram);
    result = std::make_shared<Curvature>(Curvature::from_dense(std::move(gram)));
  }
  if (is_quadratic()) constant_hessian_ = result;
  return result;
}

double regularised_loss(const std::vector<TaskLoss>& tasks, Penalties penalties,
                        const MatrixView& L, const MatrixView& S) {
  const Matrix thetas = L * S;
  double sum = 0.0;
  for (Index t = 0; t < S.cols(); ++t) {
    const TaskLoss& task = tasks[static_cast<std::size_t>(t)];
    sum += task.value(task.rows() * thetas.col(t)) + penalties.mu * S.col(t).lpNorm<1>();
  }
  return sum / static_cast<double>(S.cols()) + penalties.lambda * L.squaredNorm();
}

}  // namespace colla
