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

bool is_among(const std::vector<RosterAgent>& agents, const std::string& name) {
  return std::any_of(agents.begin(), agents.end(),
                     [&](const RosterAgent& agent) { return agent.name == name; });
}

// Both live, or neither.
void check_mode(const Network& network, const Hello& hello) {
  if (hello.living.has_value() == (network.mode == Mode::living)) return;
  refuse("it greets as an agent of a network of another mode");
}

}  // namespace

Hello own_hello(const Home& home) {
  Hello hello;
  hello.network = home.network.id;
  hello.network_hash = home.network.hash;
  hello.agent = home.agent().name;
  if (home.network.mode == Mode::living) {
    hello.living = LivingHello{static_cast<std::uint64_t>(home.network.version), 0, 0, 0};
  }
  return hello;
}

Caller check_hello(const Home& home, const Hello& hello,
                   const std::vector<std::string>& certificate_names) {
  const Network& network = home.network;
  if (hello.protocol != protocol_version) {
    refuse("it speaks protocol " + std::to_string(hello.protocol) + ", this agent " +
               std::to_string(protocol_version),
           "use one version of colla");
  }
  const auto& names = certificate_names;
  if (!names.empty() && names.front() != hello.agent) {
    refuse("it says it is " + shown(hello.agent) + ", its certificate is for " +
           shown(names.front()));
  }
  if (hello.network != network.id) refuse("it belongs to another network");
  check_mode(network, hello);
  if (!hello.living && hello.network_hash != network.hash) {
    refuse("its network.toml differs (" + start_of(hello.network_hash) + ", here " +
               start_of(network.hash) + ")",
           "give all agents the same file");
  }
  if (is_among(neighbours_of(home), hello.agent)) return Caller::neighbour;
  const auto version = static_cast<std::uint64_t>(network.version);
  if (hello.living && hello.living->version > version) return Caller::member;
  const bool is_known = is_among(network.agents, hello.agent);
  refuse(shown(hello.agent) + (is_known ? " is not a neighbour" : " is not in the network"));
}

std::vector<RosterAgent> neighbours_of(const Home& home) {
  const Graph graph = home.network.graph();
  std::vector<RosterAgent> neighbours;
  for (const Link& link : graph.links(home.position)) {
    neighbours.push_back(home.network.agents[static_cast<std::size_t>(link.neighbour)]);
  }
  return neighbours;
}

}  // namespace colla
