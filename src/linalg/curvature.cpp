// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram_factor.hpp"
#include "linalg/lapack.hpp"

#include <colla/curvature.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace colla {
namespace {

// Rows of the factor handled at a time, so that they are read from memory once for R v and R'(R v).
constexpr Index rows_at_a_time = 16;

Samples stack(const Curvature& A, double weight_a, const Curvature& B, double weight_b) {
  Samples rows(A.factor().rows() + B.factor().rows(), A.features());
  rows.topRows(A.factor().rows()) = std::sqrt(weight_a) * A.factor();
  rows.bottomRows(B.factor().rows()) = std::sqrt(weight_b) * B.factor();
  return rows;
}

}  // namespace

Curvature Curvature::from_dense(Matrix gamma) {
  Curvature result;
  result.form_ = CurvatureForm::dense;
  result.dense_ = std::move(gamma);
  return result;
}

Curvature Curvature::from_factor(Samples factor, double ridge) {
  Curvature result;
  result.form_ = CurvatureForm::factored;
  result.factor_ = std::move(factor);
  result.ridge_ = ridge;
  return result;
}

Curvature Curvature::from_cholesky(const MatrixView& factor) {
  Samples rows = factor.transpose();
  rows.triangularView<Eigen::StrictlyLower>().setZero();
  return from_factor(std::move(rows), 0.0);
}

void Curvature::multiply(const MatrixView& V, Eigen::Ref<Matrix> product) const {
  if (form_ == CurvatureForm::dense) {
    product.noalias() = dense_ * V;
    return;
  }
  product = ridge_ * V;
  const Matrix inner = factor_ * V;
  product.noalias() += factor_.transpose() * inner;
}

void Curvature::multiply(const VectorView& v, Eigen::Ref<Vector> product,
                         Eigen::Ref<Vector> inner) const {
  if (form_ == CurvatureForm::dense) {
    product.noalias() = dense_ * v;
    return;
  }
  product = ridge_ * v;
  for (Index first = 0; first < factor_.rows(); first += rows_at_a_time) {
    const Index count = std::min(rows_at_a_time, factor_.rows() - first);
    const auto block = factor_.middleRows(first, count);
    auto part = inner.head(count);
    part.noalias() = block * v;
    product.noalias() += block.transpose() * part;
  }
}

void Curvature::add_to(Eigen::Ref<Matrix> sum, double weight) const {
  if (form_ == CurvatureForm::dense) {
    sum.triangularView<Eigen::Lower>() += weight * dense_;
    return;
  }
  add_gram(factor_, weight, sum);
  sum.diagonal().array() += weight * ridge_;
}

Matrix Curvature::dense() const {
  if (form_ == CurvatureForm::dense) return dense_;
  Matrix gamma = Matrix::Zero(features(), features());
  add_to(gamma, 1.0);
  mirror_lower(gamma);
  return gamma;
}

double Curvature::trace() const {
  if (form_ == CurvatureForm::dense) return dense_.trace();
  return factor_.squaredNorm() + ridge_ * static_cast<double>(features());
}

bool Curvature::operator==(const Curvature& other) const {
  return form_ == other.form_ && ridge_ == other.ridge_ && dense_.rows() == other.dense_.rows() &&
         factor_.rows() == other.factor_.rows() && features() == other.features() &&
         dense_ == other.dense_ && factor_ == other.factor_;
}

Curvature combine(const Curvature& A, double weight_a, const Curvature& B, double weight_b) {
  if (A.form() == CurvatureForm::dense || B.form() == CurvatureForm::dense) {
    return Curvature::from_dense(weight_a * A.dense() + weight_b * B.dense());
  }
  const double ridge = weight_a * A.ridge() + weight_b * B.ridge();
  Samples rows = stack(A, weight_a, B, weight_b);
  if (rows.rows() <= rows.cols()) return Curvature::from_factor(std::move(rows), ridge);
  Matrix factor = Matrix::Zero(rows.cols(), rows.cols());
  add_gram(rows, 1.0, factor);
  factor.diagonal().array() += ridge;
  factor_gram(rows, 1.0, ridge, factor);
  return Curvature::from_cholesky(factor);
}

}  // namespace colla
