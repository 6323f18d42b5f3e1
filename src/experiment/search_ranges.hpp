// SPDX-License-Identifier: Apache-2.0
// Where a search looks for settings, in the units of the loss and the data.
#pragma once

#include "data/dataset.hpp"
#include "experiment/settings.hpp"

namespace colla {

/// What settings are measured in. With targets times k or features times k, the same settings in
/// these units give the same predictions, times k.
struct DataScale {
  /// Mean x_j^2, times the bend of the loss: 1 for squares, at most 1/8 for the logistic loss (half
  /// its second derivative). A Gamma without ridge has about this diagonal.
  double curvature = 1.0;
  /// The loss of a model that is 0: mean y^2, or log 2.
  double loss = 1.0;
  Index features = 1;
};

/// Arrivals of tasks, all agents.
Index count_tasks(const DataSet& rows);

/// Every task counts the same.
DataScale scale_of(const DataSet& rows);

/// gamma in units of the curvature; lambda and rho of loss/d, mu of 2 sqrt(curvature loss): see
/// docs/experiments.md. Atoms up to 10, and not more than features or tasks.
SearchRanges ranges_for(const DataSet& rows);

/// The given ranges; where none is given, those for the data.
SearchRanges ranges_for(const GivenRanges& given, const DataSet& rows);

}  // namespace colla
