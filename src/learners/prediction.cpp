// SPDX-License-Identifier: Apache-2.0
#include "linalg/lanes.hpp"

#include <colla/prediction.hpp>

namespace colla {
namespace {

// Four rows at a time, four columns at a time, then column by column.
COLLA_FOR_EACH_PROCESSOR
void multiply_rows(const double* X, Index stride, Index rows, Index columns, const double* theta,
                   double* products) {
  Index i = 0;
  for (; i + 4 <= rows; i += 4) {
    const double* a = X + i * stride;
    const double* b = a + stride;
    const double* c = b + stride;
    const double* d = c + stride;
    Lanes of_a = {}, of_b = {}, of_c = {}, of_d = {};
    Index j = 0;
    for (; j + 4 <= columns; j += 4) {
      const Lanes weights = *lanes(theta + j);
      of_a += *lanes(a + j) * weights;
      of_b += *lanes(b + j) * weights;
      of_c += *lanes(c + j) * weights;
      of_d += *lanes(d + j) * weights;
    }
    Lanes sum;
    add_up(of_a, of_b, of_c, of_d, sum);
    for (; j < columns; ++j) sum += Lanes{a[j], b[j], c[j], d[j]} * theta[j];
    *lanes(products + i) = sum;
  }
  for (; i < rows; ++i) {
    double sum = 0.0;
    for (Index j = 0; j < columns; ++j) sum += X[i * stride + j] * theta[j];
    products[i] = sum;
  }
}

}  // namespace

double score(const Eigen::Ref<const Eigen::RowVectorXd>& x, const VectorView& theta) {
  return x.dot(theta);
}

Vector scores(const SamplesView& X, const VectorView& theta) {
  Vector products(X.rows());
  multiply_rows(X.data(), X.outerStride(), X.rows(), X.cols(), theta.data(), products.data());
  return products;
}

}  // namespace colla
