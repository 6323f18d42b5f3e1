// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/dataset.hpp"

#include <colla/lifelong_agent.hpp>

#include <string>

namespace colla {

/// Throws SettingError for `key` if `bytes` is most of this machine's memory; `count` and `noun`
/// say what needs it.
void check_memory(double bytes, double count, const std::string& noun, const std::string& key);

/// Throws SettingError for `atoms` if the knowledge bases of that many agents would take most of
/// this machine's memory, even before they have tasks...
void check_memory(const AgentOptions& agent, Index agents);
/// ... or once the agents of a data set have learned it: many tasks change the solver's path.
void check_memory(const AgentOptions& agent, const DataSet& data);

/// The same for what agents keep for the edges of their network; the error is for `graph`.
void check_edge_memory(const AgentOptions& agent, double edges);

/// About how many edges a graph with this name has, without making it.
double count_edges(const std::string& graph, Index agents);

}  // namespace colla
