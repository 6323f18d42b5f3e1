// SPDX-License-Identifier: Apache-2.0
// From the results of all trials to a report.
#pragma once

#include "experiment/runner.hpp"
#include "report/report.hpp"

namespace colla {

/// Relative improvement of a task's score over a baseline's: (baseline - ours)/baseline for RMSE,
/// (ours - baseline)/baseline for AUC. The mean over tasks; NaN where a score is undefined.
double jumpstart(const std::vector<double>& ours, const std::vector<double>& baseline,
                 bool higher_is_better);

/// All but the command line, the versions and the time. The results must be complete.
Report summarise(const ExperimentSpec& spec, const ExperimentPlan& plan, const ExperimentData& data,
                 const ExperimentResults& results);

}  // namespace colla
