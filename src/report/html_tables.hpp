// SPDX-License-Identifier: Apache-2.0
// The tables of the page, as HTML.
#pragma once

#include "report/report.hpp"
#include "report/study_charts.hpp"

#include <string>
#include <utility>
#include <vector>

namespace colla {

/// Table 1: methods down, data sets across, ours beside the paper's, in percent.
std::string jumpstart_table(const Figure& figure);

/// Scores of all methods of a study.
std::string score_table(const Study& study, const Styles& styles);

/// Paired differences with their intervals as numbers, as a drawing and in words.
std::string difference_table(const Study& study);

/// How settings were found, and which.
std::string selection_table(const Study& study);

/// What did not reach its accuracy, for the methods with such results.
std::string numerics_table(const Study& study);

/// Names and values.
std::string pair_table(const std::vector<std::pair<std::string, std::string>>& pairs);

}  // namespace colla
