// SPDX-License-Identifier: Apache-2.0
// Makes a network's folder, from which each agent's home is copied to its machine:
//
//     network.toml           what all agents agree on
//     authority/ca.crt       the network's authority; anyone with ca.key can join the network
//     authority/ca.key
//     authority/issued       of a living network: whose each certificate is (issued.hpp)
//     <agent>/               its home (home.hpp)
//     recipe.toml, first-dictionary.csv   of a living network: for homes of agents that are added
#pragma once

#include "roster/new_home.hpp"

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

namespace colla {

/// The home of an agent that got a new key and certificate.
struct IssuedHome {
  RosterAgent agent;
  std::filesystem::path folder;
  std::time_t not_after = 0;
};

/// Writes everything or nothing, even if the process is killed: a new authority, and certificates
/// for `days` days. Throws StoreError if the folder is not empty or cannot be written.
std::vector<IssuedHome> provision(const std::filesystem::path& folder, const Network& network,
                                  Index days, std::time_t now, const NamedTexts& texts = {});

/// The network of a folder that `provision` wrote. Throws DataError or OptionError.
Network read_network_folder(const std::filesystem::path& folder);

}  // namespace colla
