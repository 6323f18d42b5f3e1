// SPDX-License-Identifier: Apache-2.0
#include "report/learned_page.hpp"

#include <nlohmann/json.hpp>

namespace colla {
namespace {

using Json = nlohmann::ordered_json;  // NaN is written as null

Json list_of(const std::vector<Effect>& effects, double Effect::*field) {
  Json list = Json::array();
  for (const Effect& effect : effects) list.push_back(effect.*field);
  return list;
}

Json feature_json(const FeatureEffect& feature) {
  return {{"feature", feature.feature}, {"step", feature.step},     {"size", feature.size},
          {"mean", feature.mean},       {"spread", feature.spread}, {"opposite", feature.opposite}};
}

Json task_json(const TaskEffects& task) {
  Json object = {{"agent", task.agent}, {"task", task.task}, {"rows", task.rows}};
  object["distance"] = task.distance;
  object["expected"] = task.expected;
  object["chance"] = task.chance;
  object["estimate"] = list_of(task.estimates, &Effect::value);
  object["deviation"] = list_of(task.estimates, &Effect::deviation);
  object["alone"] = list_of(task.alone, &Effect::value);
  object["alone_deviation"] = list_of(task.alone, &Effect::deviation);
  return object;
}

Json part_json(const LearnedPart& part) {
  Json object;
  if (!part.label.empty()) object["label"] = part.label;
  if (!part.agent.empty()) object["agent"] = part.agent;
  object["noise"] = part.noise;
  object["correlated"] = part.is_correlated;
  object["unused_features"] = part.unused;
  object["own_priors"] = Json::array();
  for (const OwnPrior& own : part.own_priors) {
    object["own_priors"].push_back({{"agent", own.agent}, {"weight", own.weight}});
  }
  object["features"] = Json::array();
  for (const FeatureEffect& feature : part.features)
    object["features"].push_back(feature_json(feature));
  object["tasks"] = Json::array();
  for (const TaskEffects& task : part.tasks) object["tasks"].push_back(task_json(task));
  return object;
}

}  // namespace

std::string to_json(const Learned& learned) {
  Json object = {{"algorithm", learned.algorithm}, {"effects_on", learned.target},
                 {"agents", learned.agents},       {"tasks", learned.tasks},
                 {"rows", learned.rows},           {"parts", Json::array()}};
  for (const LearnedPart& part : learned.parts) object["parts"].push_back(part_json(part));
  return object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace colla
