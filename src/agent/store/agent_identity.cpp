// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_identity.hpp"

namespace colla {
namespace {

std::string neighbours_of(const AgentIdentity& identity) {
  std::string list;
  for (const Link& link : identity.graph.links(identity.position)) {
    list += (list.empty() ? "" : ",") + std::to_string(link.neighbour);
  }
  return list;
}

// What the sizes of matrices depend on.
std::string description(const PriorOptions& prior) {
  return std::to_string(prior.agents) + " agents, " + std::to_string(prior.linear.size()) +
         " linear features, " + std::to_string(prior.correlated) + " with correlations";
}

std::string start_of(const Matrix& first) {
  return first.size() == 0 ? "seed" : std::to_string(checksum(first));
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const AgentIdentity& identity) {
  const AgentOptions& agent = identity.options.agent;
  std::vector<std::pair<std::string, std::string>> all = {
      {"network", identity.network},
      {"agent", identity.agent},
      {"network_hash", identity.network_hash},
      {"position", std::to_string(identity.position)},
      {"neighbours", neighbours_of(identity)},
      {"start", start_of(identity.first_dictionary)},
      {"edges", identity.graph.edges().empty() ? "no" : "yes"},
  };
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    if (!setting.stands(in_agent_store) || !is_used(setting, agent)) continue;
    all.emplace_back(setting.key, to_text(setting.get(identity.options)));
  }
  all.emplace_back("prior", agent.prior ? description(*agent.prior) : "none");
  return all;
}

NetworkedAgent first_agent(const AgentIdentity& identity, bool has_begun) {
  std::optional<Matrix> dictionary;
  if (identity.first_dictionary.size() > 0) dictionary = identity.first_dictionary;
  return {Participant(identity.options, identity.graph, identity.position, dictionary),
          identity.graph,
          identity.plan(),
          {{}, has_begun}};
}

}  // namespace colla
