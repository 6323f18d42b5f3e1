// SPDX-License-Identifier: Apache-2.0
#include "experiment/effect_units.hpp"

#include "data/dataset.hpp"
#include "recipe/cell.hpp"
#include "training/model_predictions.hpp"

namespace colla {
namespace {

std::string target_words(const Model& model) {
  const std::vector<std::string> labels = labels_of(model);
  if (labels.empty()) return model.target_column;
  return labels.size() == 2 ? "log-odds of " + labels[1] : "log-odds of a label";
}

}  // namespace

std::string EffectUnits::step_text(Index feature) const {
  if (feature == intercept) return "";
  const FeatureStep& step = steps[static_cast<std::size_t>(feature)];
  return step.is_number ? "+" + rounded_text(step.size) : "if so";
}

EffectUnits effect_units(const Model& model) {
  const auto d = std::ssize(model.features);
  EffectUnits units{target_words(model), {}, Vector::Ones(d), Vector::Zero(d)};
  if (model.features.back() == intercept_name) units.intercept = d - 1;
  if (!model.recipe) {
    units.steps.assign(static_cast<std::size_t>(d), {true, 1.0, 1.0});
    return units;
  }
  units.steps = feature_steps(*model.recipe);
  units.steps.resize(static_cast<std::size_t>(d));
  const TargetRule& target = model.recipe->target;
  const double spread = has_labels(target.problem) ? 1.0 : target.spread;
  for (Index j = 0; j < d; ++j) {
    units.factor[j] = spread * units.steps[static_cast<std::size_t>(j)].coded;
  }
  if (units.intercept >= 0 && !has_labels(target.problem)) {
    units.offset[units.intercept] = target.mean;
  }
  return units;
}

}  // namespace colla
