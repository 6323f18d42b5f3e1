// SPDX-License-Identifier: Apache-2.0
// Matrices as blobs of float64, and the three columns of a Gamma.
#pragma once

#include "store/sqlite.hpp"

#include <colla/single_task.hpp>

namespace colla {

/// The lower triangle of a symmetric matrix, column after column.
std::vector<double> packed(const Matrix& A);
/// Both triangles.
Matrix unpacked(const std::vector<double>& values, Index order);

/// Columns `first`, `first` + 1 and `first` + 2: gamma_rows, gamma_ridge, gamma.
struct GammaColumns {
  std::int64_t rows = 0;  ///< of the factor; -1 for the dense form
  double ridge = 0.0;
  std::vector<double> values;
};

GammaColumns gamma_columns(const Curvature& gamma);
/// Throws StoreError unless the columns are those of a d x d Gamma.
std::shared_ptr<const Curvature> read_gamma(const Database& database, const Statement& row,
                                            int first, Index d);

/// Blobs of the given size. Throw StoreError for any other size or for numbers that are not finite.
Vector read_vector(const Statement& row, int column, Index size);
Matrix read_matrix(const Statement& row, int column, Index rows, Index cols);

}  // namespace colla
