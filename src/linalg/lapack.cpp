// SPDX-License-Identifier: Apache-2.0
#include "linalg/lapack.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): Fortran's names
extern "C" {
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dsyevd_(const char* jobz, const char* uplo, const int* n, double* a, const int* lda, double* w,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info);
void openblas_set_num_threads(int count);
}
// NOLINTEND(readability-identifier-naming)

namespace colla {
namespace {

// Parallelism is over agents, and one thread always sums in the same order.
[[maybe_unused]] const bool one_thread = (openblas_set_num_threads(1), true);

// Up to this order calling LAPACK costs more than the work.
constexpr Index small_order = 16;

COLLA_FOR_EACH_PROCESSOR
bool small_cholesky(double* A, Index n, Index stride) {
  for (Index j = 0; j < n; ++j) {
    double* column = A + j * stride;
    for (Index k = 0; k < j; ++k) {
      const double* earlier = A + k * stride;
      const double factor = earlier[j];
      for (Index i = j; i < n; ++i) column[i] -= factor * earlier[i];
    }
    if (!(column[j] > 0.0)) return false;
    const double pivot = std::sqrt(column[j]);
    column[j] = pivot;
    for (Index i = j + 1; i < n; ++i) column[i] /= pivot;
  }
  return true;
}

// Each sum adds the newest unknown last, so that the other terms need not wait for it.
void small_solve(const double* C, Index n, Index stride, double* x) {
  double inverse[small_order];
  for (Index j = 0; j < n; ++j) inverse[j] = 1.0 / C[j * stride + j];
  for (Index j = 0; j < n; ++j) {
    double sum = x[j];
    for (Index k = 0; k < j; ++k) sum -= C[k * stride + j] * x[k];
    x[j] = sum * inverse[j];
  }
  for (Index j = n - 1; j >= 0; --j) {
    double sum = x[j];
    for (Index i = n - 1; i > j; --i) sum -= C[j * stride + i] * x[i];
    x[j] = sum * inverse[j];
  }
}

}  // namespace

bool cholesky_in_place(Eigen::Ref<Matrix> A) {
  if (A.rows() <= small_order) return small_cholesky(A.data(), A.rows(), A.outerStride());
  const int n = static_cast<int>(A.rows());
  const int stride = static_cast<int>(std::max<Index>(1, A.outerStride()));
  int info = 0;
  dpotrf_("L", &n, A.data(), &stride, &info);
  return info == 0;
}

void cholesky_solve_in_place(const MatrixView& factor, Eigen::Ref<Vector> x) {
  if (factor.rows() <= small_order) {
    small_solve(factor.data(), factor.rows(), factor.outerStride(), x.data());
    return;
  }
  const int n = static_cast<int>(factor.rows());
  const int stride = static_cast<int>(std::max<Index>(1, factor.outerStride()));
  const int one = 1;
  dtrsv_("L", "N", "N", &n, factor.data(), &stride, x.data(), &one);
  dtrsv_("L", "T", "N", &n, factor.data(), &stride, x.data(), &one);
}

void add_gram(const SamplesView& Z, double weight, Eigen::Ref<Matrix> C) {
  const int d = static_cast<int>(Z.cols());
  const int rows = static_cast<int>(Z.rows());
  const int z_stride = static_cast<int>(std::max<Index>(1, Z.outerStride()));
  const int c_stride = static_cast<int>(std::max<Index>(1, C.outerStride()));
  const double keep = 1.0;
  // Row-major Z is column-major Z'.
  dsyrk_("L", "N", &d, &rows, &weight, Z.data(), &z_stride, &keep, C.data(), &c_stride);
}

void mirror_lower(Eigen::Ref<Matrix> A) {
  for (Index column = 1; column < A.cols(); ++column) {
    for (Index row = 0; row < column; ++row) A(row, column) = A(column, row);
  }
}

bool symmetric_eigen_in_place(Matrix& A, Vector& values) {
  const int n = static_cast<int>(A.rows());
  values.resize(n);
  int info = 0;
  const int query = -1;
  double work_size = 0.0;
  int iwork_size = 0;
  dsyevd_("V", "L", &n, A.data(), &n, values.data(), &work_size, &query, &iwork_size, &query,
          &info);
  const int lwork = static_cast<int>(work_size);
  std::vector<double> work(static_cast<std::size_t>(lwork));
  std::vector<int> iwork(static_cast<std::size_t>(iwork_size));
  dsyevd_("V", "L", &n, A.data(), &n, values.data(), work.data(), &lwork, iwork.data(), &iwork_size,
          &info);
  return info == 0;
}

}  // namespace colla
