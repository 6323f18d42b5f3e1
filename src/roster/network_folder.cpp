// SPDX-License-Identifier: Apache-2.0
#include "roster/network_folder.hpp"

#include "files/sha256.hpp"
#include "files/text.hpp"
#include "roster/accept.hpp"
#include "roster/issued.hpp"
#include "roster/signature.hpp"
#include "roster/unfinished_folder.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cassert>

namespace colla {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view unfinished = ".unfinished-";

std::string read_authority_file(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    throw DataError("no such file", file.string(),
                    "only the folder that `colla network init` made has the authority");
  }
  return read_text_file(file.string());
}

Credential authority_of(const fs::path& folder) {
  read_network_folder(folder);
  return {read_authority_file(folder / "authority" / "ca.crt"),
          read_authority_file(folder / "authority" / "ca.key")};
}

std::vector<RosterAgent> named_agents(const Network& network,
                                      const std::vector<std::string>& names) {
  if (names.empty()) return network.agents;
  std::vector<RosterAgent> agents;
  for (const std::string& name : names) {
    const RosterAgent& agent = network.agents[static_cast<std::size_t>(position_in(network, name))];
    if (std::find(agents.begin(), agents.end(), agent) == agents.end()) agents.push_back(agent);
  }
  return agents;
}

// Nothing if it cannot be read.
std::string text_of(const fs::path& file) {
  try {
    return read_text_file(file.string());
  } catch (const DataError&) {
    return {};
  }
}

// network.toml in every home of the folder. Names of agents have no dot.
std::vector<fs::path> rosters_of_homes(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path file = entry.path() / "network.toml";
    const bool may_be_home = entry.path().filename().string().find('.') == std::string::npos;
    std::error_code error;
    if (may_be_home && fs::is_regular_file(file, error)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What killed commands left: in the folder whatever is unfinished, in homes what commands write
// there, since an agent may be at work in them.
void remove_leftovers(const fs::path& folder, const Network& network) {
  const auto remove_in = [](const fs::path& place, const std::vector<std::string>& beginnings) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(place, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool is_ours =
          std::any_of(beginnings.begin(), beginnings.end(), [&name](const std::string& beginning) {
            return name.starts_with(beginning) && name.find(unfinished) != std::string::npos;
          });
      if (is_ours) fs::remove_all(entry.path(), ignored);
    }
  };
  remove_in(folder, {""});
  remove_in(folder / "authority", {""});
  for (const RosterAgent& agent : network.agents) {
    remove_in(folder / agent.name, {"network.toml", "agent.key", "agent.crt"});
  }
}

// network.toml in the folder, then in those homes of agents that are there.
std::vector<fs::path> places_of_roster(const fs::path& folder, const Network& network) {
  std::vector<fs::path> places = {folder / "network.toml"};
  for (const RosterAgent& agent : network.agents) {
    const fs::path file = folder / agent.name / "network.toml";
    std::error_code error;
    if (fs::is_regular_file(file, error)) places.push_back(file);
  }
  return places;
}

}  // namespace

NetworkFolder::NetworkFolder(fs::path folder, std::time_t now)
    : folder_(std::move(folder)),
      now_(now),
      authority_(authority_of(folder_)),
      lock_(folder_ / "authority" / "ca.key"),
      network_(read_network_folder(folder_)) {
  if (network_.mode == Mode::living) repair();
}

void NetworkFolder::require_living() const {
  if (network_.mode == Mode::living) return;
  throw OptionError(cannot_change(network_), folder_.string(),
                    "make a new one with `colla network init --mode living`");
}

NetworkFolder::Roster NetworkFolder::read_roster() const {
  const std::string file = (folder_ / "network.toml").string();
  const std::string text = read_text_file(file);
  const std::string fault = check_signature(text, authority_.certificate);
  if (fault.empty()) return {parse_network(text, file), text};
  throw DataError(fault, file,
                  "take back the one in an agent's home; `colla network set`, `add`, `link`, ... "
                  "change it");
}

// Of all rosters in the folder, of which there must not be two of that version.
NetworkFolder::Roster NetworkFolder::newest_roster() const {
  Roster newest = read_roster();
  const std::vector<fs::path> files = rosters_of_homes(folder_);
  for (const fs::path& file : files) {
    std::string text = text_of(file);
    const RosterCheck check = accept_roster(newest.network, text, authority_.certificate);
    if (check.verdict == RosterVerdict::newer) newest = {check.network, std::move(text)};
  }
  for (const fs::path& file : files) {
    const RosterCheck check = accept_roster(newest.network, text_of(file), authority_.certificate);
    if (check.verdict != RosterVerdict::conflict) continue;
    throw DataError(check.reason, file.string(),
                    "keep the one that the agents have, and remove the other");
  }
  return newest;
}

void NetworkFolder::repair() {
  const Roster newest = newest_roster();
  remove_leftovers(folder_, newest.network);
  StagedFiles staged;
  for (const fs::path& place : places_of_roster(folder_, newest.network)) {
    if (text_of(place) == newest.text) continue;
    staged.add(place, newest.text, Readers::all);
    repairs_.push_back(place.string() + " was not version " +
                       std::to_string(newest.network.version) + ", and is now");
  }
  staged.replace();
  network_ = newest.network;
  repair_certificates();
}

// Of a command that was killed after it had revoked a certificate.
void NetworkFolder::repair_certificates() {
  for (const RosterAgent& agent : std::vector<RosterAgent>(network_.agents)) {
    const std::string certificate = text_of(folder_ / agent.name / "agent.crt");
    const std::string fingerprint =
        check_certificate(certificate, authority_.certificate, "", now_).fingerprint;
    const auto& revoked = network_.revoked;
    if (std::find(revoked.begin(), revoked.end(), fingerprint) == revoked.end()) continue;
    const fs::path home = renew({agent.name}, agent_days).front().folder;
    repairs_.push_back("the certificate in " + home.string() +
                       " was revoked: copy the new agent.crt and agent.key to its machine");
  }
}

NetworkFolder::Roster NetworkFolder::next(Network changed) const {
  assert(network_.mode == Mode::living);
  changed.version = network_.version;
  if (to_toml(changed) == to_toml(network_)) {
    throw OptionError("nothing would change", folder_.string(), "network.toml says so already");
  }
  ++changed.version;
  const std::string text = with_signature(to_toml(changed), authority_);
  if (text.size() > longest_roster) {
    throw OptionError(
        fmt::format("would have {} bytes, and agents take up to {}", text.size(), longest_roster),
        (folder_ / "network.toml").string(), "make a new network");
  }
  return {parse_network(text, "network.toml"), text};  // never write what cannot be read
}

void NetworkFolder::stage(const Roster& roster, StagedFiles& staged) const {
  for (const fs::path& place : places_of_roster(folder_, roster.network)) {
    staged.add(place, roster.text, Readers::all);
  }
}

void NetworkFolder::stage(const Credential& credential, const fs::path& home,
                          StagedFiles& staged) const {
  std::error_code error;
  if (!fs::is_directory(home, error)) make_private_folder(home);
  staged.add(home / "agent.key", credential.key, Readers::owner);
  staged.add(home / "agent.crt", credential.certificate, Readers::all);
}

NamedTexts NetworkFolder::texts() const {
  const auto read = [this](const char* name, const std::string& hash) {
    const fs::path file = folder_ / name;
    std::string text = hash.empty() ? "" : read_text_file(file.string());
    if (hash.empty() || sha256_of_bytes(text) == hash) return text;
    throw DataError("is not the one that network.toml names", file.string(),
                    "copy it from an agent's home");
  };
  return {read("first-dictionary.csv", network_.start), read("recipe.toml", network_.recipe)};
}

std::vector<IssuedHome> NetworkFolder::renew(const std::vector<std::string>& names, Index days) {
  StagedFiles staged;
  std::vector<IssuedHome> homes;
  std::string lines;
  for (const RosterAgent& agent : named_agents(network_, names)) {
    const auto [credential, check] = issue_for(agent, authority_, days, now_);
    homes.push_back({agent, folder_ / agent.name, check.not_after});
    stage(credential, homes.back().folder, staged);
    lines += issued_line(check.fingerprint, agent.name);
  }
  if (network_.mode == Mode::living) add_issued(lines, folder_);
  staged.replace();
  return homes;
}

void NetworkFolder::change(const std::function<Network(const Network&)>& change) {
  const Roster roster = next(change(network_));
  StagedFiles staged;
  stage(roster, staged);
  staged.replace();
  network_ = roster.network;
}

IssuedHome NetworkFolder::add(const RosterAgent& agent, const std::vector<std::string>& neighbours,
                              Index days) {
  const Roster roster = next(with_agent(network_, agent, neighbours));
  const RosterAgent& added = roster.network.agents.back();
  const fs::path home = folder_ / added.name;
  if (fs::exists(fs::symlink_status(home))) {
    throw StoreError("exists already", home.string(),
                     "move it away; it may hold what an agent has learned");
  }
  const auto [credential, check] = issue_for(added, authority_, days, now_);
  UnfinishedFolder new_home(home);
  write_home(new_home.place(),
             {added.name, credential, authority_.certificate, roster.text, texts()});
  StagedFiles staged;
  stage(roster, staged);
  add_issued(issued_line(check.fingerprint, added.name), folder_);
  new_home.finish();
  staged.replace();
  network_ = roster.network;
  return {added, home, check.not_after};
}

void NetworkFolder::remove(const std::string& name, const std::vector<AgentLink>& links) {
  change([&](const Network& network) {
    return with_revoked(without_agent(network, name, links), issued_to(name, folder_));
  });
}

IssuedHome NetworkFolder::revoke(const std::string& name, Index days) {
  const RosterAgent agent = named_agents(network_, {name}).front();
  const Roster roster = next(with_revoked(network_, issued_to(name, folder_)));
  const auto [credential, check] = issue_for(agent, authority_, days, now_);
  StagedFiles staged;
  stage(roster, staged);
  stage(credential, folder_ / name, staged);
  add_issued(issued_line(check.fingerprint, name), folder_);
  staged.replace();
  network_ = roster.network;
  return {agent, folder_ / name, check.not_after};
}

}  // namespace colla
