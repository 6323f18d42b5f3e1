// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/graph.hpp>

namespace colla {

/// Which of `processes` runs each agent: in blocks of consecutive numbers or dealt in turn,
/// whichever overlaps the exchanges of the processes more. Shares differ by at most one agent.
std::vector<int> share_agents(const Graph& graph, int processes);

/// The time of some exchanges in units of one agent's, if each process runs its own agents in
/// ascending order and each agent waits for the neighbours it needs.
double exchange_time(const Graph& graph, const std::vector<int>& owners, int processes);

}  // namespace colla
