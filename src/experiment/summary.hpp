// SPDX-License-Identifier: Apache-2.0
// From the results of all trials to a report.
#pragma once

#include "experiment/runner.hpp"
#include "report/report.hpp"

namespace colla {

/// Relative improvement over a baseline, over all tasks: sum (baseline - ours) / sum baseline for
/// RMSE, sum (ours - baseline) / sum baseline for AUC. That is the mean of the tasks' relative
/// improvements, each weighted by its baseline: a task that the baseline happens to fit exactly
/// would otherwise outweigh all others. Tasks without a score are left out; NaN if none has one.
double jumpstart(const std::vector<double>& ours, const std::vector<double>& baseline,
                 bool higher_is_better);

/// All but the command line, the versions and the time. The results must be complete.
Report summarise(const ExperimentSpec& spec, const ExperimentPlan& plan, const ExperimentData& data,
                 const ExperimentResults& results);

}  // namespace colla
