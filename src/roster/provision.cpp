// SPDX-License-Identifier: Apache-2.0
#include "roster/provision.hpp"

#include "data/text.hpp"
#include "data/unfinished_file.hpp"
#include "roster/address.hpp"
#include "roster/home.hpp"
#include "roster/new_file.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <algorithm>

namespace colla {
namespace {

namespace fs = std::filesystem;

void check_new_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  if (fs::exists(status)) {
    if (!fs::is_directory(folder, error)) {
      throw StoreError("exists and is not a folder", folder.string(), "choose another name");
    }
    if (!fs::is_empty(folder, error) || error) {
      throw StoreError("is not an empty folder", folder.string(),
                       "choose another one; a network is never written over, and .unfinished-* is "
                       "what an interrupted `init` left");
    }
    return;
  }
  const fs::path path = fs::absolute(folder).lexically_normal();
  const fs::path parent = (path.has_filename() ? path : path.parent_path()).parent_path();
  if (!fs::is_directory(parent, error)) {
    throw StoreError("no such folder", parent.string(), "make it first");
  }
}

// Entries of a folder that appear together: they are made in a folder inside it first. What is not
// finished is taken away again, and so is a folder made for it.
class Staging {
 public:
  explicit Staging(const fs::path& folder)
      : folder_(folder), place_(folder / (".unfinished-" + std::to_string(::getpid()))) {
    check_new_folder(folder);
    std::error_code error;
    made_folder_ = !fs::exists(folder, error);
    if (made_folder_) make_private_folder(folder);
    try {
      make_private_folder(place_);
    } catch (const StoreError&) {
      if (made_folder_) fs::remove(folder, error);
      throw;
    }
  }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;
    for (const fs::path& path : moved_) fs::remove_all(path, ignored);
    fs::remove_all(place_, ignored);
    if (made_folder_) fs::remove(folder_, ignored);  // only if it is empty
  }

  const fs::path& place() const { return place_; }

  /// In this order: the last entry says that all are there.
  void finish(const std::vector<std::string>& entries) {
    for (const std::string& entry : entries) {
      std::error_code error;
      fs::rename(place_ / entry, folder_ / entry, error);
      if (error) {
        throw StoreError("cannot be made (" + error.message() + ")", (folder_ / entry).string(),
                         "check the folder and its permissions");
      }
      moved_.push_back(folder_ / entry);
    }
    moved_.clear();
    made_folder_ = false;
  }

 private:
  fs::path folder_;
  fs::path place_;
  bool made_folder_ = false;
  std::vector<fs::path> moved_;
};

Credential issue(const Credential& authority, const RosterAgent& agent, Index days,
                 std::time_t now) {
  const std::string host = parse_address(agent.address, agent.name).host;
  return issue_certificate(authority, {agent.name, host, days}, now);
}

IssuedHome issued_home(const fs::path& folder, const RosterAgent& agent,
                       const Credential& credential, const std::string& authority,
                       std::time_t now) {
  const CertificateCheck check =
      check_certificate(credential.certificate, authority, agent.name, now);
  if (!check.refusal.empty()) throw DataError(check.refusal, agent.name, "");
  return {agent, folder / agent.name, check.not_after};
}

std::string read_authority_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw DataError("no such file", file.string(),
                    "renew certificates in the folder that `colla network init` made");
  }
  return read_text_file(file.string());
}

// Both files stand beside their places before the first takes its place: that key and certificate
// do not match lasts from one renaming to the next.
void replace_credential(const fs::path& home, const Credential& credential) {
  std::error_code error;
  if (!fs::is_directory(home, error)) make_private_folder(home);
  UnfinishedFile key((home / "agent.key").string(), true);
  UnfinishedFile certificate((home / "agent.crt").string(), true);
  fs::remove(key.place(), error);
  fs::remove(certificate.place(), error);
  write_new_file(key.place(), credential.key, Readers::owner);
  write_new_file(certificate.place(), credential.certificate, Readers::all);
  key.finish();
  certificate.finish();
}

std::vector<RosterAgent> named_agents(const Network& network,
                                      const std::vector<std::string>& names) {
  if (names.empty()) return network.agents;
  std::vector<std::string> known;
  for (const RosterAgent& agent : network.agents) known.push_back(agent.name);
  std::vector<RosterAgent> agents;
  for (const std::string& name : names) {
    const Index position = network.position_of(name);
    if (position < 0) {
      throw OptionError("no agent " + colla::in_quotes(name) + " in the network", "",
                        "give one of " + listed(known));
    }
    const RosterAgent& agent = network.agents[static_cast<std::size_t>(position)];
    if (std::find(agents.begin(), agents.end(), agent) == agents.end()) agents.push_back(agent);
  }
  return agents;
}

}  // namespace

std::vector<IssuedHome> provision(const fs::path& folder, const Network& network, Index days,
                                  std::time_t now, const std::string& first_dictionary) {
  const std::string text = to_toml(network);
  parse_network(text, "network.toml");  // What is written can be read.
  Staging staging(folder);
  const Credential authority = make_authority(network.id, now);
  std::vector<std::string> entries = {"authority"};
  make_private_folder(staging.place() / "authority");
  write_new_file(staging.place() / "authority" / "ca.crt", authority.certificate, Readers::all);
  write_new_file(staging.place() / "authority" / "ca.key", authority.key, Readers::owner);
  std::vector<IssuedHome> homes;
  for (const RosterAgent& agent : network.agents) {
    const Credential credential = issue(authority, agent, days, now);
    const fs::path home = staging.place() / agent.name;
    make_private_folder(home);
    write_new_file(home / "agent.toml", agent_toml(agent.name), Readers::all);
    write_new_file(home / "network.toml", text, Readers::all);
    if (!network.start.empty()) {
      write_new_file(home / "first-dictionary.csv", first_dictionary, Readers::all);
    }
    write_new_file(home / "ca.crt", authority.certificate, Readers::all);
    write_new_file(home / "agent.crt", credential.certificate, Readers::all);
    write_new_file(home / "agent.key", credential.key, Readers::owner);
    entries.push_back(agent.name);
    homes.push_back(issued_home(folder, agent, credential, authority.certificate, now));
  }
  write_new_file(staging.place() / "network.toml", text, Readers::all);
  entries.emplace_back("network.toml");
  staging.finish(entries);
  return homes;
}

Network read_network_folder(const fs::path& folder) {
  const fs::path file = folder / "network.toml";
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw DataError("is not the folder of a network", folder.string(),
                    "make one with `colla network init`");
  }
  return read_network(file.string());
}

std::vector<IssuedHome> renew(const fs::path& folder, const std::vector<std::string>& names,
                              Index days, std::time_t now) {
  const Network network = read_network_folder(folder);
  const std::vector<RosterAgent> agents = named_agents(network, names);
  const Credential authority = {read_authority_file(folder / "authority" / "ca.crt"),
                                read_authority_file(folder / "authority" / "ca.key")};
  std::vector<Credential> credentials;
  std::vector<IssuedHome> homes;
  for (const RosterAgent& agent : agents) {
    credentials.push_back(issue(authority, agent, days, now));
    homes.push_back(issued_home(folder, agent, credentials.back(), authority.certificate, now));
  }
  for (std::size_t k = 0; k < homes.size(); ++k) {
    replace_credential(homes[k].folder, credentials[k]);
  }
  return homes;
}

}  // namespace colla
