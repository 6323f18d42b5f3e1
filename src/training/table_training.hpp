// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/table_tasks.hpp"
#include "training/training.hpp"

namespace colla {

/// Learns the tasks of a prepared table: one run, or one per label if there are three or more.
/// Scores are in the target's own units; of several runs they are means over the labels. The model
/// has the table's recipe. Throws OptionError or DataError.
TrainingResult train(const PreparedTable& table, bool with_intercept,
                     const TrainingOptions& options, const TrainingObserver& observer);

}  // namespace colla
