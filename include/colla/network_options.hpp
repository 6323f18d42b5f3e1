// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/exchange_plan.hpp>
#include <colla/graph.hpp>
#include <colla/lifelong_agent.hpp>

#include <span>
#include <vector>

namespace colla {

/// How neighbours come to agree.
enum class Rule {
  paper,    ///< extended ADMM (participant.hpp)
  healing,  ///< from any state, with nothing to set (healing.hpp)
};

template <>
struct Names<Rule> {
  static constexpr Named<Rule> all[] = {{Rule::paper, "paper"}, {Rule::healing, "healing"}};
};

/// What an edge's metric is made of, by the rule that heals. A collective prior needs neither.
enum class MetricKind {
  kronecker,  ///< the ends' mean s s' and mean Gamma
  scale,      ///< their sizes alone: tells less, and takes more exchanges
};

template <>
struct Names<MetricKind> {
  static constexpr Named<MetricKind> all[] = {{MetricKind::kronecker, "kronecker"},
                                              {MetricKind::scale, "scale"}};
};

/// The settings that a network computes with.
struct NetworkOptions {
  AgentOptions agent;
  Rule rule = Rule::paper;
  MetricKind metric = MetricKind::kronecker;
  /// Of the paper's rule: penalty rho/2 |L_i - L_j|^2 on disagreement; > 0 if there are edges.
  double rho = 0.1;
  /// At each time step.
  ExchangePlan exchanges = {};
  /// How many times to re-encode all tasks after a step's exchanges and exchange again.
  Index refresh = 0;
  /// End a step's exchanges once both residuals are below this share of the dictionaries' size; 0:
  /// never.
  double tolerance = 0.0;
  /// Threads that run the agents; 0: all cores. The result does not depend on it.
  int threads = 1;
};

/// The settings of an agent, then those of the exchanges.
const Settings<NetworkOptions>& network_settings();
/// Those of the exchanges alone.
std::span<const Setting<NetworkOptions>> exchange_settings();
/// Whether agents with these options heed the setting: a collective prior has no dictionary.
bool is_used(const Setting<NetworkOptions>& setting, const AgentOptions& agent);

/// The collective prior of a network whose features and targets have unit size; `linear` as in
/// PriorOptions.
PriorOptions prior_of_network(const Graph& graph, Index features, std::vector<Index> linear = {});
/// With a collective prior, tasks are estimated again this often in a step: EM's own pace, and
/// means that settle in between.
inline constexpr Index refresh_of_prior = 5;

/// Throws SettingError if a value is outside its range, or if rho does not fit the graph.
void check(const NetworkOptions& options, const Graph& graph);
/// Throws SettingError if agents exchange by the paper's rule and rho is 0.
void check_rho(const NetworkOptions& options, bool has_edges);

}  // namespace colla
