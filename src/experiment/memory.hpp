// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/lifelong_agent.hpp>

#include <string>

namespace colla {

/// Throws SettingError, of `key`, if so many bytes are most of this machine's memory; `count` and
/// `noun` say of what.
void check_memory(double bytes, double count, const std::string& noun, const std::string& key);

/// Throws SettingError, of `atoms`, if so many agents would take most of this machine's memory: A
/// and its factor, or the matrix-free path's arrays, beside the coder's.
void check_memory(const AgentOptions& agent, Index agents);

/// The same of what agents keep for the edges of their network: the error is of `graph`.
void check_edge_memory(const AgentOptions& agent, double edges);

/// How many edges a graph with this name has, or nearly, without making it.
double count_edges(const std::string& graph, Index agents);

}  // namespace colla
