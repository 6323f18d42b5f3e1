// SPDX-License-Identifier: Apache-2.0
// How good a model's predictions are, task by task.
#pragma once

#include "training/measures.hpp"
#include "training/model_predictions.hpp"

namespace colla {

struct TaskScore {
  std::string agent;  ///< empty where the rows name none
  std::string task;
  Index rows = 0;
  double first = 0.0;  ///< by the problem's main measure; of three labels or more, the mean AUC
  double second = 0.0;
};

/// The mean over those labels that occur of how well each is told from all others; NaN if one label
/// occurs alone. `labels` holds positions, `scores` has a column per label.
double mean_auc(const VectorView& labels, const SamplesView& scores);

/// Of rows with targets, in the order in which the tasks appear first.
std::vector<TaskScore> score_tasks(const Model& model, const Rows& rows,
                                   const Predictions& predictions);

}  // namespace colla
