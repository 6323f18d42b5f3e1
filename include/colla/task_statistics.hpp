// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/matrix.hpp>
#include <colla/problem.hpp>

namespace colla {

/// What an agent keeps of a task's rows to estimate the task again under another prior: X'X and
/// X'y where they say everything in less room (regression with at least as many rows as features),
/// otherwise the rows themselves.
struct TaskStatistics {
  Index rows = 0;             ///< M
  double target_squares = 0;  ///< y'y
  Matrix gram;                ///< X'X, d x d; or empty
  Vector products;            ///< X'y, d; or empty
  Samples X;                  ///< M x d; or empty
  Vector y;                   ///< M; or empty
  /// What was released of rows (PriorOptions::release) has noise: deviations of the entries of X'X
  /// and X'y, on the diagonal of X'X sqrt(2) times as large. With labels, X'X and X'y are then
  /// those of a log-likelihood that is a quadratic, theta'X'y - 1/2 theta'X'X theta.
  double gram_noise = 0;
  double products_noise = 0;

  bool is_noisy() const { return gram_noise > 0.0 || products_noise > 0.0; }
  bool has_rows() const { return gram.size() == 0; }
  Index features() const { return has_rows() ? X.cols() : gram.rows(); }
  bool operator==(const TaskStatistics&) const = default;
};

TaskStatistics statistics_of(Problem problem, const SamplesView& X, const VectorView& y);
/// Of the old rows and the new ones together.
TaskStatistics appended(Problem problem, const TaskStatistics& old, const SamplesView& X,
                        const VectorView& y);
/// Of the rows of two that hold X'X and X'y.
TaskStatistics sum_of(const TaskStatistics& one, const TaskStatistics& other);

}  // namespace colla
