// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>

#include <vector>

namespace colla {

/// The rows of a classification task as Newton's method needs them: Z = diag(y) X. All that depends
/// on a row depends on its margin, m = Z th.
class LogisticRows {
 public:
  LogisticRows(const SamplesView& X, const VectorView& y);

  Index rows() const { return rows_; }
  /// Length of the vectors of margins and of what is computed from them: rows of zeros may follow
  /// at the end, whose margin must be `unused_margin`.
  Index padded_rows() const { return padded_rows_; }
  static constexpr double unused_margin = 1000.0;

  /// margins = Z th; of the rows in use.
  void multiply(const VectorView& theta, Eigen::Ref<Vector> margins) const;
  /// gradient = Z' pull
  void multiply_transposed(const VectorView& pull, Eigen::Ref<Vector> gradient) const;
  /// H += weight Z' diag(w) Z, lower triangle.
  void add_weighted_gram(const VectorView& w, double weight, Eigen::Ref<Matrix> H) const;

 private:
  // Eight rows of one column.
  struct alignas(64) Line {
    double entries[8];
  };
  const double* first() const { return lines_.front().entries; }
  Index stride() const { return 8 * padded_columns_; }

  Index rows_;
  Index columns_;
  Index padded_rows_;
  // One of the two holds Z, with zeros in the padding.
  Index padded_columns_ = 0;
  std::vector<Line> lines_;  // few columns: blocks of eight rows, each column by column
  Matrix Z_;                 // more columns
};

/// From margins m: pull = sigma(-m), curvature = p(1 - p). Returns sum log(1 + exp(-m)).
double logistic_loss(const VectorView& margins, Eigen::Ref<Vector> pull,
                     Eigen::Ref<Vector> curvature);

}  // namespace colla
