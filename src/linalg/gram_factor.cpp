// SPDX-License-Identifier: Apache-2.0
#include "linalg/gram_factor.hpp"

#include "linalg/lapack.hpp"

#include <Eigen/QR>

#include <cmath>
#include <limits>

namespace colla {

void factor_by_orthogonal_decomposition(const SamplesView& Z, double weight,
                                        const VectorView& ridge, Matrix& factor) {
  const Index d = Z.cols();
  Matrix stacked = Matrix::Zero(Z.rows() + d, d);
  stacked.topRows(Z.rows()) = std::sqrt(weight) * Z;
  stacked.bottomRows(d).diagonal() = ridge.cwiseSqrt();
  const Eigen::HouseholderQR<Matrix> qr(stacked);
  factor = qr.matrixQR().topRows(d).triangularView<Eigen::Upper>().transpose();
  const double smallest = std::numeric_limits<double>::min();
  for (Index j = 0; j < d; ++j) {
    // A Cholesky factor has a positive diagonal.
    if (factor(j, j) < 0.0) factor.col(j) *= -1.0;
    if (factor(j, j) < smallest) factor(j, j) = smallest;
  }
}

void factor_gram(const SamplesView& Z, double weight, double ridge, Matrix& factor) {
  if (cholesky_in_place(factor)) return;
  factor_by_orthogonal_decomposition(Z, weight, Vector::Constant(Z.cols(), ridge), factor);
}

}  // namespace colla
