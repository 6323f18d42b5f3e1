// SPDX-License-Identifier: Apache-2.0
#include "report/learned.hpp"

#include "files/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace colla {
namespace {

// The positions of the largest values, largest first.
std::vector<std::size_t> largest(std::vector<std::size_t> positions, std::size_t most,
                                 const std::function<double(std::size_t)>& value) {
  std::stable_sort(positions.begin(), positions.end(),
                   [&](std::size_t a, std::size_t b) { return value(a) > value(b); });
  positions.resize(std::min(positions.size(), most));
  return positions;
}

}  // namespace

bool names_agents(const Learned& learned) { return learned.agents > 1; }

std::string task_title(const Learned& learned, const TaskEffects& task) {
  return names_agents(learned) ? task.agent + "/" + task.task : task.task;
}

std::string feature_title(const Learned& learned, const FeatureEffect& feature) {
  return feature.is_intercept && learned.has_recipe ? "average row" : feature.feature;
}

std::string step_words(bool has_recipe) {
  return has_recipe ? "a number's standard deviation; a word, or a gap, instead of none"
                    : "1, as columns are used as they are";
}

std::string own_prior_words(const Learned& learned, const LearnedPart& part) {
  if (part.own_priors.empty()) return "";
  std::vector<std::string> names;
  for (const OwnPrior& own : part.own_priors) {
    names.push_back(fmt::format("{} (weight {:.2f})", own.agent, own.weight));
  }
  return fmt::format("{} of {} prefer{} a prior of {} own: {}", names.size(),
                     counted(static_cast<std::size_t>(learned.agents), "agent"),
                     names.size() == 1 ? "s" : "", names.size() == 1 ? "its" : "their",
                     listed(names));
}

long count_below(const LearnedPart& part, double chance) {
  return static_cast<long>(
      std::count_if(part.tasks.begin(), part.tasks.end(),
                    [chance](const TaskEffects& task) { return task.chance < chance; }));
}

std::vector<std::size_t> largest_effects(const LearnedPart& part, std::size_t most) {
  std::vector<std::size_t> positions;
  for (std::size_t j = 0; j < part.features.size(); ++j) {
    if (!part.features[j].is_intercept) positions.push_back(j);
  }
  positions = largest(std::move(positions), most, [&](std::size_t j) {
    return std::hypot(part.features[j].mean, part.features[j].spread);
  });
  std::sort(positions.begin(), positions.end());
  return positions;
}

double difference(const LearnedPart& part, const TaskEffects& task, std::size_t k) {
  const FeatureEffect& feature = part.features[k];
  return feature.spread > 0.0 ? (task.estimates[k].value - feature.mean) / feature.spread : 0.0;
}

std::vector<std::size_t> largest_differences(const LearnedPart& part, const TaskEffects& task,
                                             std::size_t most) {
  std::vector<std::size_t> positions(part.features.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  return largest(std::move(positions), most,
                 [&](std::size_t k) { return std::abs(difference(part, task, k)); });
}

}  // namespace colla
