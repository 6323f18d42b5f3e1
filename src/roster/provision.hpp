// SPDX-License-Identifier: Apache-2.0
// Makes a network's folder, from which each agent's home is copied to its machine:
//
//     network.toml           what all agents agree on
//     authority/ca.crt       the network's authority; anyone with ca.key can join the network
//     authority/ca.key
//     <agent>/               its home (home.hpp)
#pragma once

#include "roster/certificates.hpp"
#include "roster/network.hpp"

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
/// for `days` days. `first_dictionary` is the text of the file that `network.start` names, if it
/// names one. Throws StoreError if the folder is not empty or cannot be written.
std::vector<IssuedHome> provision(const std::filesystem::path& folder, const Network& network,
                                  Index days, std::time_t now,
                                  const std::string& first_dictionary = "");

/// The network of a folder that `provision` wrote. Throws DataError or OptionError.
Network read_network_folder(const std::filesystem::path& folder);

/// Replaces the keys and certificates of the named agents, or of all if none is named; a home that
/// no longer exists is made again with just these two files. Throws OptionError for an unknown
/// name, DataError or StoreError.
std::vector<IssuedHome> renew(const std::filesystem::path& folder,
                              const std::vector<std::string>& names, Index days, std::time_t now);

}  // namespace colla
