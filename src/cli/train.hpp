// SPDX-License-Identifier: Apache-2.0
// What `colla train` prints.
#pragma once

#include "experiment/search.hpp"
#include "training/task_counts.hpp"
#include "training/training.hpp"

namespace colla::cli {

struct TrainReport {
  std::string name;  ///< of the data
  std::string form;  ///< of the file, if it was recognised
  TaskCounts counts;
  const TrainingOptions& options;
  const TrainingResult& result;
  const Recipe* recipe = nullptr;  ///< of the measured model; null if there is none
  std::string graph;               ///< its name or file
  Index features = 0;              ///< the intercept included
  bool has_intercept = true;
  double seconds = 0.0;
  std::optional<Selection> selected = {};  ///< how the settings were chosen, if they were
  bool has_own_recipe = false;             ///< learned from the rows
};

void print_train_table(const TrainReport& report);
void print_train_json(const TrainReport& report);

}  // namespace colla::cli
