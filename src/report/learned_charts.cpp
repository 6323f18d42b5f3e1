// SPDX-License-Identifier: Apache-2.0
#include "report/learned_charts.hpp"

#include "report/numbers.hpp"

#include <algorithm>

namespace colla {
namespace {

constexpr double half_width = 1.96;  // of a 95 % interval, in standard deviations

Range interval_of(const Effect& effect, double shift) {
  if (std::isnan(effect.deviation)) return {0.0, 0.0};
  const double half = half_width * effect.deviation;
  return {effect.value - shift - half, effect.value - shift + half};
}

// An intercept is drawn as its difference from the mean, to have the scale of effects.
double shift_of(const FeatureEffect& feature) { return feature.is_intercept ? feature.mean : 0.0; }

ChartRow row_of(const Learned& learned, const FeatureEffect& feature) {
  ChartRow row;
  row.label = feature_title(learned, feature);
  if (feature.is_intercept) {
    row.label +=
        (feature.mean < 0.0 ? " + " : " \u2212 ") + effect_text(feature, std::abs(feature.mean));
  }
  row.middle = feature.mean - shift_of(feature);
  row.band = interval_of({feature.mean, feature.spread}, shift_of(feature));
  row.note = "mean " + effect_text(feature, feature.mean) + ", spread between tasks " +
             effect_text(feature, feature.spread);
  return row;
}

// All values, or as many as can be told apart, evenly by rank: the outermost are always there.
std::vector<double> thinned(std::vector<double> values) {
  if (values.size() <= most_drawn_dots) return values;
  std::sort(values.begin(), values.end());
  std::vector<double> kept;
  for (std::size_t k = 0; k < most_drawn_dots; ++k) {
    kept.push_back(values[k * (values.size() - 1) / (most_drawn_dots - 1)]);
  }
  return kept;
}

std::string horizontal_label(const Learned& learned, const LearnedPart& part) {
  return "effect of one step on " +
         (part.label.empty() ? learned.target : "log-odds of " + part.label);
}

// The intercept first.
std::vector<std::size_t> drawn_features(const LearnedPart& part) {
  std::vector<std::size_t> drawn;
  for (std::size_t k = 0; k < part.features.size(); ++k) {
    if (part.features[k].is_intercept) drawn.push_back(k);
  }
  for (const std::size_t k : largest_effects(part, most_drawn_features)) drawn.push_back(k);
  return drawn;
}

}  // namespace

std::string effect_text(const FeatureEffect& feature, double value) {
  const double scale = feature.spread > 0.0 ? feature.spread : feature.mean;
  return fixed_text(value, std::clamp(decimals_for(scale, 2), 0, 4));
}

RowChart effects_chart(const Learned& learned, const LearnedPart& part, const std::string& id) {
  RowChart chart{
      id, "Effects and how they differ between tasks", horizontal_label(learned, part), {}};
  chart.style = estimate_style;
  for (const std::size_t k : drawn_features(part)) {
    const FeatureEffect& feature = part.features[k];
    ChartRow row = row_of(learned, feature);
    for (const TaskEffects& task : part.tasks) {
      row.dots.push_back(task.estimates[k].value - shift_of(feature));
    }
    row.dots = thinned(std::move(row.dots));
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

RowChart task_chart(const Learned& learned, const LearnedPart& part, const TaskEffects& task,
                    const std::string& id) {
  RowChart chart{id, task_title(learned, task), horizontal_label(learned, part), {}};
  chart.style = 7;  // grey
  for (const std::size_t k : largest_differences(part, task, most_task_features)) {
    const FeatureEffect& feature = part.features[k];
    const double shift = shift_of(feature);
    ChartRow row = row_of(learned, feature);
    const Effect& own = task.estimates[k];
    row.note += "; estimate " + effect_text(feature, own.value);
    row.marks.push_back({estimate_style, own.value - shift, interval_of(own, shift)});
    if (!task.alone.empty() && std::isfinite(task.alone[k].value)) {
      const Effect& alone = task.alone[k];
      row.note += "; alone " + effect_text(feature, alone.value);
      row.marks.push_back({alone_style, alone.value - shift, interval_of(alone, shift)});
    }
    chart.rows.push_back(std::move(row));
  }
  return chart;
}

}  // namespace colla
