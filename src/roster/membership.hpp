// SPDX-License-Identifier: Apache-2.0
// What may change in a living network, and how. Every function returns the changed network, of the
// same version, or throws OptionError: the result is always valid and joins all its agents.
//
// Agents are known by their names. Their order matters only between two neighbours: the first one
// of the two calls the other. New agents come last.
#pragma once

#include "roster/network.hpp"

#include <string>
#include <vector>

namespace colla {

/// The names of two agents that exchange.
struct AgentLink {
  std::string a;
  std::string b;
};

Network with_agent(Network network, const RosterAgent& agent,
                   const std::vector<std::string>& neighbours);
/// `links` join what the agent alone has joined.
Network without_agent(Network network, const std::string& name,
                      const std::vector<AgentLink>& links = {});
/// The agent of this name at another address.
Network with_address(Network network, const RosterAgent& agent);
Network with_link(Network network, const AgentLink& link);
Network without_link(Network network, const AgentLink& link);
/// `value` as in network.toml, without quotes.
Network with_setting(Network network, const std::string& key, const std::string& value);
/// Certificates with these fingerprints are no longer accepted.
Network with_revoked(Network network, const std::vector<std::string>& fingerprints);

/// The settings that may change while the network lives; the others are the same for ever.
Settings<Network> changeable_settings(const Network& network);
/// What differs although it may never change, as a clause; empty if nothing does.
std::string forbidden_change(const Network& before, const Network& after);
/// Why a network of this mode has no membership, as a clause.
std::string cannot_change(const Network& network);

}  // namespace colla
