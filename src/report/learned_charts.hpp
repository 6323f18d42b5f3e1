// SPDX-License-Identifier: Apache-2.0
// Pictures of what a model has learned.
#pragma once

#include "report/learned.hpp"
#include "report/row_chart.hpp"

namespace colla {

// What is drawn at most; pages say what is left out.
inline constexpr std::size_t most_drawn_features = 30;
inline constexpr std::size_t most_drawn_dots = 200;  ///< tasks per feature
inline constexpr std::size_t most_task_features = 8;

// Styles.
inline constexpr int estimate_style = 0;
inline constexpr int alone_style = 1;

/// Per feature the mean, the band that holds 95 % of the tasks, and a dot per task. The intercept's
/// row has differences from its mean.
RowChart effects_chart(const Learned& learned, const LearnedPart& part, const std::string& id);

/// One task: per feature its estimate and the estimate from its own rows, with 95 % intervals, over
/// the band of all tasks.
RowChart task_chart(const Learned& learned, const LearnedPart& part, const TaskEffects& task,
                    const std::string& id);

/// An effect in as many decimals as the spread of its feature deserves.
std::string effect_text(const FeatureEffect& feature, double value);

}  // namespace colla
