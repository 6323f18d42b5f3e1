// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/greeting.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& remedy = "") {
  throw NetworkError(what, "", remedy);
}

std::string start_of(const std::string& hash) { return hash.substr(0, 12) + "..."; }

// A stranger's name for itself goes into logs and terminals.
std::string shown(const std::string& name) { return "'" + printable(name.substr(0, 64)) + "'"; }

}  // namespace

Hello own_hello(const Home& home, const Position& received, std::uint32_t checksum) {
  const Network& network = home.network;
  return {protocol_version, network.id,
          network.hash,     network.agents[static_cast<std::size_t>(home.position)].name,
          received,         checksum};
}

std::size_t check_hello(const Home& home, const Graph& graph, const Hello& hello,
                        const std::vector<std::string>& certificate_names) {
  const Network& network = home.network;
  if (hello.protocol != protocol_version) {
    refuse("it speaks protocol " + std::to_string(hello.protocol) + ", this agent " +
               std::to_string(protocol_version),
           "use one version of colla");
  }
  const auto& names = certificate_names;
  if (!names.empty() && std::find(names.begin(), names.end(), hello.agent) == names.end()) {
    refuse("it says it is " + shown(hello.agent) + ", its certificate is for " +
           shown(names.front()));
  }
  if (hello.network != network.id) refuse("it belongs to another network");
  if (hello.network_hash != network.hash) {
    refuse("its network.toml differs (" + start_of(hello.network_hash) + ", here " +
               start_of(network.hash) + ")",
           "give all agents the same file");
  }
  const auto links = graph.links(home.position);
  const auto found = std::find_if(links.begin(), links.end(), [&](const Link& link) {
    return network.agents[static_cast<std::size_t>(link.neighbour)].name == hello.agent;
  });
  if (found == links.end()) {
    const bool is_known =
        std::any_of(network.agents.begin(), network.agents.end(),
                    [&](const RosterAgent& agent) { return agent.name == hello.agent; });
    refuse(shown(hello.agent) + (is_known ? " is not a neighbour" : " is not in the network"));
  }
  return static_cast<std::size_t>(found - links.begin());
}

}  // namespace colla
