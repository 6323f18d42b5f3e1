// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/graph.hpp>
#include <colla/lifelong_agent.hpp>

namespace colla {

struct NetworkOptions {
  AgentOptions agent;
  /// Penalty rho/2 |L_i - L_j|^2 on disagreement; > 0 if there are edges.
  double rho = 0.1;
  /// Threads that run the agents; 0: all cores. The result does not depend on it.
  int threads = 1;
};

/// Throws OptionError unless rho fits the graph.
void check(const NetworkOptions& options, const Graph& graph);

}  // namespace colla
