// SPDX-License-Identifier: Apache-2.0
#include "report/write_report.hpp"

#include <nlohmann/json.hpp>

namespace colla {
namespace {

using Json = nlohmann::ordered_json;  // NaN is written as null

Json estimate_json(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"standard_error", estimate.standard_error}};
}

Json estimates_json(const std::vector<Estimate>& estimates) {
  Json means = Json::array();
  Json errors = Json::array();
  for (const Estimate& estimate : estimates) {
    means.push_back(estimate.mean);
    errors.push_back(estimate.standard_error);
  }
  return {{"mean", means}, {"standard_error", errors}};
}

Json pairs_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json list = Json::array();
  for (const auto& [name, value] : pairs) list.push_back({{"name", name}, {"value", value}});
  return list;
}

// One array element per element of the list.
template <typename Element, typename Convert>
Json list_json(const std::vector<Element>& list, Convert convert) {
  Json array = Json::array();
  for (const Element& element : list) array.push_back(convert(element));
  return array;
}

Json setting_json(const SelectedSetting& setting) {
  return {{"name", setting.name},
          {"median", setting.median},
          {"lowest", setting.lowest},
          {"highest", setting.highest}};
}

Json method_json(const MethodResult& method) {
  return {{"key", method.key},
          {"label", method.label},
          {"graph", method.graph},
          {"is_ours", method.is_ours},
          {"is_offline", method.is_offline},
          {"curve_mean", estimate_json(method.curve_mean)},
          {"final_score", estimate_json(method.final_score)},
          {"jumpstart", estimate_json(method.jumpstart)},
          {"jumpstart_over_tuned", estimate_json(method.jumpstart_over_tuned)},
          {"curve", estimates_json(method.curve)},
          {"gap", estimates_json(method.gap)},
          {"exchanges", estimates_json(method.exchanges)},
          {"selection", method.selection},
          {"settings", list_json(method.settings, setting_json)},
          {"numerics", as_map<Json>(method.numerics)}};
}

Json difference_json(const PairedDifference& difference) {
  return {{"quantity", difference.quantity},
          {"a", difference.a},
          {"b", difference.b},
          {"mean", difference.mean},
          {"low", difference.low},
          {"high", difference.high},
          {"excludes_zero", difference.excludes_zero()}};
}

Json graph_json(const GraphEdges& graph) {
  return {{"graph", graph.graph},
          {"label", graph.label},
          {"agents", graph.agents},
          {"edges", graph.edges}};
}

Json paper_json(const PaperNumber& number) {
  return {{"method", number.method}, {"jumpstart", number.jumpstart}};
}

Json study_json(const Study& study) {
  return {{"key", study.key},
          {"title", study.title},
          {"data", study.data},
          {"is_synthetic", study.is_synthetic},
          {"metric", study.metric},
          {"higher_is_better", study.higher_is_better},
          {"agents", study.agents},
          {"tasks", study.tasks},
          {"steps", study.steps},
          {"trials", study.trials},
          {"methods", list_json(study.methods, method_json)},
          {"differences", list_json(study.differences, difference_json)},
          {"paper", list_json(study.paper, paper_json)},
          {"graphs", list_json(study.graphs, graph_json)}};
}

Json figure_json(const Figure& figure) {
  return {{"key", figure.key},
          {"title", figure.title},
          {"caption", figure.caption},
          {"studies", list_json(figure.studies, study_json)}};
}

}  // namespace

std::string to_json(const Report& report) {
  const Json json = {{"name", report.name},
                     {"command_line", report.command_line},
                     {"versions", pairs_json(report.versions)},
                     {"settings", pairs_json(report.settings)},
                     {"jumpstart_table", report.jumpstart_table},
                     {"figures", list_json(report.figures, figure_json)},
                     {"seconds", report.seconds}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace colla
