// SPDX-License-Identifier: Apache-2.0
// The identity of an agent of a network: everything that must match for its stored state to be
// usable.
#pragma once

#include "agent/protocol/networked_agent.hpp"

#include <utility>

namespace colla {

struct AgentIdentity {
  std::string network;
  std::string network_hash;  ///< of all that the agents of the network have agreed on
  std::string agent;
  Index position = 0;
  Graph graph;
  NetworkOptions options;        ///< the agent must remember models
  Matrix first_dictionary = {};  ///< d x u; if empty it is drawn from the seed
  Index minimum_rows = 1;        ///< of a task

  StepPlan plan() const { return plan_of(options, !graph.edges().empty()); }
};

/// Names and values of all of it; the first difference in this order is the one to report.
std::vector<std::pair<std::string, std::string>> settings_of(const AgentIdentity& identity);

/// The agent as it is before its first step, which may already have begun.
NetworkedAgent first_agent(const AgentIdentity& identity, bool has_begun = false);

}  // namespace colla
