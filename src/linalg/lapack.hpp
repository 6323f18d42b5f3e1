// SPDX-License-Identifier: Apache-2.0
// The few LAPACK and BLAS routines that Eigen does not offer in the form needed here. Symmetric
// arguments are read and written in their lower triangle only.
#pragma once

#include <colla/matrix.hpp>

namespace colla {

/// A = C C', C in the lower triangle of A. False if A is not positive definite; A is then
/// undefined.
[[nodiscard]] bool cholesky_in_place(Eigen::Ref<Matrix> A);

/// x <- (C C')^-1 x, with the factor of cholesky_in_place.
void cholesky_solve_in_place(const MatrixView& factor, Eigen::Ref<Vector> x);

/// C <- C + weight Z'Z, lower triangle.
void add_gram(const SamplesView& Z, double weight, Eigen::Ref<Matrix> C);

/// Copies the lower triangle onto the upper one.
void mirror_lower(Eigen::Ref<Matrix> A);

/// A = V diag(values) V'; V replaces A, values ascend. False if LAPACK does not converge.
[[nodiscard]] bool symmetric_eigen_in_place(Matrix& A, Vector& values);

}  // namespace colla
