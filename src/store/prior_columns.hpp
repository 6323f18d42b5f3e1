// SPDX-License-Identifier: Apache-2.0
// A collective prior in the tables of a model file: what its agents agreed on is one blob of
// numbers; the statistics of a task stand where CoLLA's tasks have alpha and Gamma.
#pragma once

#include "store/matrix_columns.hpp"

#include <colla/prior_options.hpp>
#include <colla/task_statistics.hpp>

#include <memory>

namespace colla {

/// Of a prior of d features.
std::vector<double> prior_numbers(const PriorOptions& prior, Index d);
/// Throws StoreError unless they describe a prior of d features.
PriorOptions read_prior(const Database& database, const std::vector<double>& numbers, Index d);

/// The columns alpha, gamma_rows, gamma_ridge and gamma of a task.
struct StatisticsColumns {
  Vector alpha;  ///< X'y, or y
  /// rows -1: the values are the lower triangle of X'X; otherwise M, and X row by row. The ridge is
  /// y'y.
  GammaColumns gamma;
};

StatisticsColumns statistics_columns(const TaskStatistics& task);
/// From columns `alpha` and `gamma` to `gamma` + 2. Throws StoreError unless they hold a task of
/// that many rows.
std::shared_ptr<const TaskStatistics> read_statistics(const Database& database,
                                                      const Statement& row, int alpha, int gamma,
                                                      Index rows, Index d);

}  // namespace colla
