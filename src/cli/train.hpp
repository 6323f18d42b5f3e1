// SPDX-License-Identifier: Apache-2.0
// What `colla train` prints.
#pragma once

#include "training/training.hpp"

namespace colla::cli {

struct TrainReport {
  const DataSet& data;
  const TrainingOptions& options;
  const TrainingResult& result;
  std::string graph;  ///< its name or file
  bool has_intercept = true;
  double seconds = 0.0;
};

void print_train_table(const TrainReport& report);
void print_train_json(const TrainReport& report);

}  // namespace colla::cli
