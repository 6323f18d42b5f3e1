// SPDX-License-Identifier: Apache-2.0
#include "roster/network.hpp"

#include "data/dataset.hpp"
#include "files/hexadecimal.hpp"
#include "files/text.hpp"
#include "roster/address.hpp"

#include <colla/error.hpp>

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <stdexcept>

namespace colla {
namespace {

constexpr std::size_t longest_name = 63;
constexpr Index most_entries = Index{1} << 27;  // of a dictionary: 1 GiB in one message

bool is_agent_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= longest_name && name.front() != '-' &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), is_allowed);
}

// An agent's certificate names the agent and its host. If the host were another agent's name, the
// certificate could pass for that agent's.
void check_hosts(const RosterAgent& agent, const Address& address, const RosterAgent& other,
                 const std::string& where) {
  const Address theirs = parse_address(other.address, where);
  const bool ours_is_a_name = address.host == other.name;
  if (!ours_is_a_name && theirs.host != agent.name) return;
  const RosterAgent& holder = ours_is_a_name ? agent : other;
  const RosterAgent& named = ours_is_a_name ? other : agent;
  throw OptionError("the host of " + in_quotes(holder.name) + " is the name of another agent, " +
                        in_quotes(named.name),
                    where, "rename the agent, or give the host's full name or number");
}

}  // namespace

Index Network::position_of(std::string_view name) const {
  const auto found = std::find_if(agents.begin(), agents.end(),
                                  [name](const RosterAgent& entry) { return entry.name == name; });
  return found == agents.end() ? -1 : found - agents.begin();
}

Index position_in(const Network& network, const std::string& name) {
  const Index position = network.position_of(name);
  if (position >= 0) return position;
  std::vector<std::string> known;
  for (const RosterAgent& agent : network.agents) known.push_back(agent.name);
  throw OptionError("no agent " + in_quotes(name) + " in the network", "",
                    "give one of " + listed(known));
}

Setting<Network> minimum_rows_setting() {
  return whole_number_setting("minimum_rows", in_network_file, &Network::minimum_rows,
                              {1, 1'000'000},
                              "Fewest rows that agents learn at a time; neighbours could "
                              "reconstruct fewer");
}

bool stands_in_file(const Setting<NetworkOptions>& setting, const Network& network) {
  const auto is_this = [&setting](const auto& other) { return other.key == setting.key; };
  if (!setting.stands(in_network_file) || !is_used(setting, network.agent)) return false;
  const bool is_living = network.mode == Mode::living;
  if (setting.key == "metric") return is_living;
  const std::span exchanges = exchange_settings();
  return !is_living || std::none_of(exchanges.begin(), exchanges.end(), is_this);
}

void use_prior(Network& network, const Recipe& recipe) {
  network.agent.prior = prior_of_network(network.graph(), network.agent.features,
                                         linear_features(recipe, network.intercept));
  network.agent.prior->is_private = network.privacy.has_value();
  // An agent that is alone for now estimates tasks as others will do when they come.
  if (network.mode != Mode::living) return;
  PriorOptions& prior = *network.agent.prior;
  prior.agents = std::max<Index>(2, std::ssize(network.agents));
  prior.release_batch = network.release_batch;
  if (prior.release_batch > 0) prior.correlated = 0;  // correlations tell more of the rows
}

void make_living(Network& network) {
  network.mode = Mode::living;
  network.rule = Rule::healing;
  network.refresh = 1;
}

std::string random_network_id() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw std::runtime_error("OpenSSL has no random numbers");
  }
  return hexadecimal_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

void check_agent_name(const std::string& name, const std::string& where) {
  if (!is_agent_name(name)) {
    throw OptionError(in_quotes(name) + " is not a valid agent name", where,
                      "use 1 to 63 of a-z, 0-9 and -, with no - at either end");
  }
  if (name == "authority") {
    throw OptionError(in_quotes(name) + " is the folder of the network's authority", where,
                      "choose another name");
  }
}

RosterAgent checked_agent(RosterAgent agent, const std::vector<RosterAgent>& before,
                          const std::string& where) {
  check_agent_name(agent.name, where);
  const Address address = parse_address(agent.address, where + ", " + in_quotes(agent.name));
  agent.address = to_string(address);
  if (address.is_any()) {
    throw OptionError(in_quotes(agent.address) + " is not an address that others can reach", where,
                      "give the machine's name or number; agent.toml says where it listens");
  }
  for (const RosterAgent& other : before) {
    if (other.name == agent.name) {
      throw OptionError("duplicate agent name " + in_quotes(agent.name), where,
                        "give each agent its own name");
    }
    if (other.address == agent.address) {
      throw OptionError("duplicate address " + in_quotes(agent.address), where,
                        "give each agent its own address");
    }
    check_hosts(agent, address, other, where);
  }
  return agent;
}

void check_feature_names(const std::vector<std::string>& names, const std::string& target_column,
                         const std::string& where) {
  std::set<std::string_view> seen;
  for (const std::string& name : names) {
    const bool is_clean =
        std::none_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < 0x20; });
    if (name.empty() || trimmed(name) != name || !is_clean) {
      throw OptionError(in_quotes(name) + " is not a valid feature name", where,
                        "give names without spaces around them, or the number of features");
    }
    if (name == target_column || name == intercept_name) {
      throw OptionError(in_quotes(name) + " is not a feature but the " +
                            (name == target_column ? "target" : "intercept"),
                        where, "leave it out");
    }
    if (!seen.insert(name).second) {
      throw OptionError("duplicate feature " + in_quotes(name), where,
                        "give each feature its own name");
    }
  }
}

void check_edges(const Network& network) {
  const Graph graph = network.graph();
  if (network.mode != Mode::living) {
    if (!network.edges.empty()) check_connected(graph);
  } else if (!graph.is_connected()) {
    throw SettingError("graph", "leaves some agents without a path to the others",
                       "in a living network it joins all agents");
  }
}

void check_privacy(const Network& network) {
  if (!network.privacy) return;
  const bool has_prior = algorithm_of(network) == AgentAlgorithm::bayes;
  if (has_prior && network.mode == Mode::living) return;
  throw SettingError("privacy",
                     has_prior ? "is for living networks"
                               : "is for bayes: dictionaries are computed from the rows themselves",
                     has_prior ? "leave it out, or choose the mode living"
                               : "leave it out, or choose the algorithm bayes");
}

void check_size(const AgentOptions& agent) {
  if (agent.features <= most_entries / agent.atoms) return;
  throw SettingError("atoms",
                     "dictionaries of " + std::to_string(agent.features) + " x " +
                         std::to_string(agent.atoms) + " are too large for a message",
                     "features x atoms may be up to " + std::to_string(most_entries));
}

}  // namespace colla
