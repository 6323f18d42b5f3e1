// SPDX-License-Identifier: Apache-2.0
// What the numbers say, in words.
#pragma once

#include "report/report.hpp"

#include <string>

namespace colla {

/// The label of a method of a study, or the key itself if the study has no such method.
std::string label_of(const Study& study, const std::string& key);

/// Whether a title needs "(synthetic)" after it: the data are synthetic, and it does not say so.
bool needs_synthetic_mark(const Study& study);

/// Which method is ahead, by how much, and whether the interval excludes 0.
std::string difference_words(const Study& study, const PairedDifference& difference);

/// Decimals that suit a difference and its interval.
int difference_decimals(const PairedDifference& difference);

/// "6 agents, 138 tasks, 23 steps, 20 trials"
std::string size_words(const Study& study);

/// Whether the trials can give an interval at all.
bool has_interval(const Study& study, const PairedDifference& difference);

}  // namespace colla
