// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "files/file_lock.hpp"
#include "files/staged_files.hpp"
#include "roster/membership.hpp"
#include "roster/provision.hpp"

#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace colla {

/// The folder of a network (provision.hpp) while one command changes it; other commands wait. A
/// change is written to network.toml first and then to every home in the folder. If the command is
/// killed in between, the next one finishes it: of all valid rosters in the folder the one with the
/// highest version counts.
class NetworkFolder {
 public:
  /// Throws DataError, OptionError or StoreError: the folder is not one of a network, its authority
  /// is missing, its network.toml was not signed by it, or there are two rosters of one version.
  NetworkFolder(std::filesystem::path folder, std::time_t now);

  const Network& network() const { return network_; }
  /// What a killed command had left undone, a line each.
  const std::vector<std::string>& repairs() const { return repairs_; }

  /// New keys and certificates for the named agents, or for all if none is named; a home that no
  /// longer exists is made again with just these two files.
  std::vector<IssuedHome> renew(const std::vector<std::string>& names, Index days);

  /// Throws OptionError unless the network lives: no other can change.
  void require_living() const;
  // Those below are for living networks.

  /// Makes what `change` (membership.hpp) returns the next version. Throws OptionError if nothing
  /// changes.
  void change(const std::function<Network(const Network&)>& change);
  /// Also makes the agent's home, which must not exist.
  IssuedHome add(const RosterAgent& agent, const std::vector<std::string>& neighbours, Index days);
  /// Also revokes its certificates, which would be valid again for another agent of this name. Its
  /// home stays, since it may hold what the agent has learned.
  void remove(const std::string& name, const std::vector<AgentLink>& links);
  /// Revokes all certificates that the agent ever had, and gives it a new one.
  IssuedHome revoke(const std::string& name, Index days);

 private:
  struct Roster {
    Network network;
    std::string text;
  };
  Roster read_roster() const;
  Roster newest_roster() const;
  void repair();
  void repair_certificates();
  Roster next(Network changed) const;
  void stage(const Roster& roster, StagedFiles& staged) const;
  void stage(const Credential& credential, const std::filesystem::path& home,
             StagedFiles& staged) const;
  NamedTexts texts() const;

  std::filesystem::path folder_;
  std::time_t now_;
  Credential authority_;
  FileLock lock_;
  Network network_;
  std::vector<std::string> repairs_;
};

}  // namespace colla
