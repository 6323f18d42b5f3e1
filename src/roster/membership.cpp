// SPDX-License-Identifier: Apache-2.0
#include "roster/membership.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <span>
#include <utility>

namespace colla {
namespace {

const std::string& name_at(const Network& network, Index position) {
  return network.agents[static_cast<std::size_t>(position)].name;
}

// The first agent that agent 0 cannot reach, or -1.
Index first_apart(const Network& network) {
  const Graph graph = network.graph();
  std::vector<bool> is_reached(network.agents.size(), false);
  std::vector<Index> open = {0};
  is_reached[0] = true;
  while (!open.empty()) {
    const Index agent = open.back();
    open.pop_back();
    for (const Link& link : graph.links(agent)) {
      if (is_reached[static_cast<std::size_t>(link.neighbour)]) continue;
      is_reached[static_cast<std::size_t>(link.neighbour)] = true;
      open.push_back(link.neighbour);
    }
  }
  const auto found = std::find(is_reached.begin(), is_reached.end(), false);
  return found == is_reached.end() ? -1 : found - is_reached.begin();
}

// Sorts the edges.
Network joined(Network network, const std::string& remedy) {
  network.edges = network.graph().edges();
  const Index apart = first_apart(network);
  if (apart < 0) return network;
  throw OptionError(in_quotes(name_at(network, apart)) + " would have no path to " +
                        in_quotes(name_at(network, 0)),
                    "", remedy);
}

Edge edge_of(const Network& network, const AgentLink& link) {
  const Index a = position_in(network, link.a);
  const Index b = position_in(network, link.b);
  if (a == b) {
    throw OptionError(in_quotes(link.a) + " cannot be linked to itself", "", "name two agents");
  }
  return {std::min(a, b), std::max(a, b)};
}

std::string in_words(const AgentLink& link) {
  return in_quotes(link.a) + " and " + in_quotes(link.b);
}

void add_edge(Network& network, const AgentLink& link) {
  const Edge edge = edge_of(network, link);
  if (std::find(network.edges.begin(), network.edges.end(), edge) != network.edges.end()) {
    throw OptionError(in_words(link) + " are linked already", "", "leave that out");
  }
  network.edges.push_back(edge);
}

// Options for a line through the neighbours of an agent that goes, which joins all it has joined.
std::string joining_advice(const Network& network, Index leaving) {
  const Graph graph = network.graph();
  const std::span<const Link> around = graph.links(leaving);
  std::string options;
  for (std::size_t k = 1; k < around.size(); ++k) {
    const Edge edge = {around[k - 1].neighbour, around[k].neighbour};
    if (std::find(network.edges.begin(), network.edges.end(), edge) != network.edges.end())
      continue;
    options += " --link " + name_at(network, edge.i) + "," + name_at(network, edge.j);
  }
  return "join its neighbours in the same step, for instance with" + options;
}

void take_out(Network& network, Index leaving) {
  std::erase_if(network.edges,
                [leaving](const Edge& edge) { return edge.i == leaving || edge.j == leaving; });
  for (Edge& edge : network.edges) {
    if (edge.i > leaving) --edge.i;
    if (edge.j > leaving) --edge.j;
  }
  network.agents.erase(network.agents.begin() + leaving);
}

Setting<Network> of_network(const Setting<NetworkOptions>& setting) {
  return {setting.key,  setting.places, setting.domain,
          setting.help, setting.get,    setting.put};  // a Network is NetworkOptions
}

// Everything else in network.toml, by key.
std::vector<std::pair<std::string, std::string>> lasting_values(const Network& network) {
  std::string features = std::to_string(network.columns);
  for (const std::string& name : network.feature_names) features += ", " + in_quotes(name);
  std::vector<std::pair<std::string, std::string>> values = {
      {"id", network.id},
      {"mode", name_of(network.mode)},
      {"algorithm", name_of(algorithm_of(network))},
      {"features", features},
      {"intercept", network.intercept ? "true" : "false"},
      {"target_column", network.target_column},
      {"release_batch", std::to_string(network.release_batch)},
      {"privacy", network.privacy ? to_text(*network.privacy) : "none"},
      {"recipe", network.recipe},
      {"first_dictionary", network.start}};
  const Settings<Network> changeable = changeable_settings(network);
  for (const Setting<NetworkOptions>& setting : network_settings()) {
    const auto is_this = [&setting](const auto& other) { return other.key == setting.key; };
    const bool may_change = std::any_of(changeable.begin(), changeable.end(), is_this);
    if (may_change || !stands_in_file(setting, network)) continue;
    values.emplace_back(setting.key, to_text(setting.get(network)));
  }
  return values;
}

}  // namespace

Network with_agent(Network network, const RosterAgent& agent,
                   const std::vector<std::string>& neighbours) {
  network.agents.push_back(checked_agent(agent, network.agents, "agent"));
  for (const std::string& neighbour : neighbours) add_edge(network, {agent.name, neighbour});
  return joined(std::move(network), "name at least one neighbour");
}

Network without_agent(Network network, const std::string& name,
                      const std::vector<AgentLink>& links) {
  const Index leaving = position_in(network, name);
  if (network.agents.size() == 1) {
    throw OptionError(in_quotes(name) + " is the only agent", "", "a network has at least one");
  }
  const std::string advice = joining_advice(network, leaving);
  take_out(network, leaving);
  for (const AgentLink& link : links) add_edge(network, link);
  return joined(std::move(network), advice);
}

Network with_address(Network network, const RosterAgent& agent) {
  const auto place = network.agents.begin() + position_in(network, agent.name);
  std::vector<RosterAgent> others(network.agents.begin(), place);
  others.insert(others.end(), place + 1, network.agents.end());
  *place = checked_agent(agent, others, "agent");
  return network;
}

Network with_link(Network network, const AgentLink& link) {
  add_edge(network, link);
  network.edges = network.graph().edges();
  return network;
}

Network without_link(Network network, const AgentLink& link) {
  if (std::erase(network.edges, edge_of(network, link)) == 0) {
    throw OptionError(in_words(link) + " are not linked", "", "network.toml has all links");
  }
  return joined(std::move(network), "link the two sides another way first");
}

Network with_setting(Network network, const std::string& key, const std::string& value) {
  std::vector<std::string> keys;
  for (const Setting<Network>& setting : changeable_settings(network)) {
    keys.push_back(setting.key);
    if (setting.key != key) continue;
    try {
      setting.set(network, parse_value(setting.domain, value));
    } catch (const SettingError& error) {
      throw error.named(key);
    }
    return network;
  }
  throw OptionError("no setting " + in_quotes(key) + " that can change in this network", "",
                    "set " + listed(keys) + "; for anything else make a new network");
}

Network with_revoked(Network network, const std::vector<std::string>& fingerprints) {
  for (const std::string& fingerprint : fingerprints) {
    auto& revoked = network.revoked;
    if (std::find(revoked.begin(), revoked.end(), fingerprint) == revoked.end()) {
      revoked.push_back(fingerprint);
    }
  }
  return network;
}

Settings<Network> changeable_settings(const Network& network) {
  Settings<Network> settings = {minimum_rows_setting()};
  for (const char* key : {"lambda", "mu", "gamma"}) {
    const Setting<NetworkOptions>& setting = setting_named(network_settings(), key);
    if (stands_in_file(setting, network)) settings.push_back(of_network(setting));
  }
  return settings;
}

std::string forbidden_change(const Network& before, const Network& after) {
  const auto old_values = lasting_values(before);
  const auto new_values = lasting_values(after);
  for (std::size_t k = 0; k < old_values.size() && k < new_values.size(); ++k) {
    if (old_values[k] == new_values[k]) continue;
    return "is of another network: " + old_values[k].first + " differs, and it can never change";
  }
  return "";
}

std::string cannot_change(const Network& network) {
  return "is of mode " + name_of(network.mode) + ", and such a network cannot change";
}

}  // namespace colla
