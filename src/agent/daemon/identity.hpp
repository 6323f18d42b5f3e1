// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/store/agent_store.hpp"
#include "roster/home.hpp"

namespace colla {

/// Whose state the home's store keeps.
inline AgentIdentity identity_of(const Home& home) {
  const Network& network = home.network;
  const NetworkOptions& options = network;
  return {network.id,      network.hash, home.agent().name,     home.position,
          network.graph(), options,      home.first_dictionary, network.minimum_rows};
}

}  // namespace colla
