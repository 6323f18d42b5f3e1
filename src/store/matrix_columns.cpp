// SPDX-License-Identifier: Apache-2.0
#include "store/matrix_columns.hpp"

#include <cmath>

namespace colla {
namespace {

constexpr std::int64_t dense_gamma = -1;

}  // namespace

std::vector<double> packed(const Matrix& A) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(A.rows() * (A.rows() + 1) / 2));
  for (Index j = 0; j < A.cols(); ++j) {
    for (Index i = j; i < A.rows(); ++i) values.push_back(A(i, j));
  }
  return values;
}

Matrix unpacked(const std::vector<double>& values, Index order) {
  Matrix A(order, order);
  std::size_t k = 0;
  for (Index j = 0; j < order; ++j) {
    for (Index i = j; i < order; ++i) A(i, j) = A(j, i) = values[k++];
  }
  return A;
}

GammaColumns gamma_columns(const Curvature& gamma) {
  if (gamma.form() == CurvatureForm::dense) {
    return {dense_gamma, 0.0, packed(gamma.dense_matrix())};
  }
  const Samples& factor = gamma.factor();
  return {factor.rows(), gamma.ridge(), {factor.data(), factor.data() + factor.size()}};
}

std::shared_ptr<const Curvature> read_gamma(const Database& database, const Statement& row,
                                            int first, Index d) {
  const std::int64_t rows = row.integer(first);
  const double ridge = row.real(first + 1);
  const auto order = static_cast<std::size_t>(d);
  if (rows == dense_gamma) {
    return std::make_shared<Curvature>(
        Curvature::from_dense(unpacked(row.reals(first + 2, order * (order + 1) / 2), d)));
  }
  if (rows < 1 || rows > d || !std::isfinite(ridge) || ridge < 0.0) {
    database.fail_as_damaged("an impossible Gamma");
  }
  const std::vector<double> values = row.reals(first + 2, static_cast<std::size_t>(rows) * order);
  return std::make_shared<Curvature>(
      Curvature::from_factor(Eigen::Map<const Samples>(values.data(), rows, d), ridge));
}

Vector read_vector(const Statement& row, int column, Index size) {
  return read_matrix(row, column, size, 1);
}

Matrix read_matrix(const Statement& row, int column, Index rows, Index cols) {
  const std::vector<double> values = row.reals(column, static_cast<std::size_t>(rows * cols));
  return Eigen::Map<const Matrix>(values.data(), rows, cols);
}

}  // namespace colla
