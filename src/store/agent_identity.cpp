// SPDX-License-Identifier: Apache-2.0
#include "store/agent_identity.hpp"

#include <charconv>

namespace colla {
namespace {

// The shortest text that gives the same bits when read.
std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string neighbours_of(const AgentIdentity& identity) {
  std::string list;
  for (const Link& link : identity.graph.links(identity.position)) {
    list += (list.empty() ? "" : ",") + std::to_string(link.neighbour);
  }
  return list;
}

std::string start_of(const Matrix& first) {
  return first.size() == 0 ? "seed" : std::to_string(checksum(first));
}

}  // namespace

std::string name_of(Solver solver) {
  if (solver == Solver::automatic) return "automatic";
  return solver == Solver::dense ? "dense" : "matrix-free";
}

std::vector<std::pair<std::string, std::string>> settings_of(const AgentIdentity& identity) {
  const AgentOptions& options = identity.options;
  return {
      {"network", identity.network},
      {"agent", identity.agent},
      {"network_hash", identity.network_hash},
      {"position", std::to_string(identity.position)},
      {"neighbours", neighbours_of(identity)},
      {"problem", options.problem == Problem::regression ? "regression" : "classification"},
      {"features", std::to_string(options.features)},
      {"atoms", std::to_string(options.atoms)},
      {"lambda", shortest(options.lambda)},
      {"mu", shortest(options.mu)},
      {"gamma", shortest(options.gamma)},
      {"rho", shortest(identity.rho)},
      {"solver", name_of(options.solver)},
      {"codes", options.codes == Codes::fresh ? "fresh" : "stored"},
      {"seed", std::to_string(options.seed)},
      {"start", start_of(identity.first_dictionary)},
      {"exchanges", to_string(identity.plan.exchanges)},
      {"refresh", std::to_string(identity.plan.refresh)},
      {"edges", identity.plan.has_edges ? "yes" : "no"},
  };
}

NetworkedAgent first_agent(const AgentIdentity& identity, bool has_begun) {
  LifelongAgent agent = identity.first_dictionary.size() == 0
                            ? LifelongAgent(identity.options)
                            : LifelongAgent(identity.options, identity.first_dictionary);
  return {Participant(std::move(agent), identity.graph, identity.position, identity.rho),
          identity.graph,
          identity.plan,
          {{}, has_begun}};
}

}  // namespace colla
