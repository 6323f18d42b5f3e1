// SPDX-License-Identifier: Apache-2.0
// Agents' states as numbers, which is what ranks send.
#pragma once

#include <colla/engine.hpp>

namespace colla {

/// The step, the dictionary, the names and codes of the tasks, and the duals of the edges whose
/// first end the agent is. What is left out, `unpacked` finds elsewhere or `Engine::states` lacks.
Numbers packed(const AgentState& state, Index position);

/// The states of all agents of a network.
std::vector<AgentState> unpacked(const std::vector<Numbers>& all, const Graph& graph,
                                 const NetworkOptions& options);

}  // namespace colla
