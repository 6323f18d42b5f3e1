// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "recipe/recipe.hpp"
#include "store/model_file.hpp"

#include <string>
#include <vector>

namespace colla {

/// How coefficients become effects, which users picture: effect = offset + factor theta. Without a
/// recipe they are the same.
struct EffectUnits {
  std::string target;              ///< what effects are in: "score", "log-odds of yes"
  std::vector<FeatureStep> steps;  ///< of the intercept: nothing to step
  Vector factor;
  Vector offset;
  Index intercept = -1;

  [[nodiscard]] Vector effects(const Vector& theta) const {
    return offset + factor.cwiseProduct(theta);
  }
  /// Of their standard deviations.
  [[nodiscard]] Vector spreads(const Vector& deviations) const {
    return factor.cwiseProduct(deviations);
  }
  /// "+14.4", "if so"; empty for the intercept.
  [[nodiscard]] std::string step_text(Index feature) const;
};

/// The last feature is the intercept, if there is one. The model's agents do not matter.
EffectUnits effect_units(const Model& model);

}  // namespace colla
