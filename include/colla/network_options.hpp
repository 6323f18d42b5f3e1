// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/exchange_plan.hpp>
#include <colla/graph.hpp>
#include <colla/lifelong_agent.hpp>

#include <span>

namespace colla {

/// The settings that a network computes with.
struct NetworkOptions {
  AgentOptions agent;
  /// Penalty rho/2 |L_i - L_j|^2 on disagreement; > 0 if there are edges.
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

/// Throws SettingError if a value is outside its range, or if rho does not fit the graph.
void check(const NetworkOptions& options, const Graph& graph);
/// Throws SettingError if agents exchange and rho is 0.
void check_rho(double rho, bool has_edges);

}  // namespace colla
