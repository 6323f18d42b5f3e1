// SPDX-License-Identifier: Apache-2.0
// Settings for one training run: what `colla train --select` does.
#pragma once

#include "experiment/method_trial.hpp"

namespace colla {

/// A search with as many candidates that suits the rows: their ranges, and few validation rows
/// where a task has hardly more rows than coefficients, because settings for much fewer rows would
/// not suit all of them.
SearchSpec search_for(const DataSet& training_rows, Index candidates);

/// How often `select_settings` learns, without the check of the winner.
Index planned_evaluations(const SearchSpec& search);

/// The settings of a method by the final scores of validation splits of these rows, which are all
/// that it uses: one data set, or one per label with the same settings for all, whose mean score
/// counts. `keep_going` is called before each validation and may throw to stop. Learns in this
/// process, whatever engine the options name.
Selection select_settings(const std::vector<DataSet>& training_rows, const TrainingOptions& options,
                          const FixedParameters& fixed, const SearchSpec& search,
                          const std::function<void()>& keep_going = {});

}  // namespace colla
