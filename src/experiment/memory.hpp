// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <colla/lifelong_agent.hpp>

#include <string>

namespace colla {

/// Throws OptionError, naming `where`, if so many agents would take most of this machine's memory:
/// A and its factor, or the matrix-free path's arrays, beside the coder's.
void check_memory(const AgentOptions& agent, Index agents, const std::string& where);

}  // namespace colla
