// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/store/agent_store.hpp"
#include "agent/store/living_store.hpp"
#include "roster/home.hpp"

namespace colla {

/// Whose state the home's store keeps, if its network takes steps.
inline AgentIdentity identity_of(const Home& home) {
  const Network& network = home.network;
  const NetworkOptions& options = network;
  return {network.id,      network.hash, home.agent().name,     home.position,
          network.graph(), options,      home.first_dictionary, network.minimum_rows};
}

/// The same if it lives.
inline LivingIdentity living_identity_of(const Home& home) {
  const NetworkOptions& options = home.network;
  return {home.network.id, home.agent().name, options, home.first_dictionary, home.network.privacy};
}

/// What an agent has learned, as its store has it, whether it runs or not. Throws StoreError if the
/// store is damaged or of another network.
inline AgentState look_at_state(const Home& home) {
  const std::string folder = home.folder.string();
  return home.network.mode == Mode::living
             ? LivingStore::look(folder, living_identity_of(home))
             : AgentStore::look(folder, identity_of(home)).participant().state();
}

}  // namespace colla
