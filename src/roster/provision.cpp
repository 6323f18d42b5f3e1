// SPDX-License-Identifier: Apache-2.0
#include "roster/provision.hpp"

#include "files/new_file.hpp"
#include "files/text.hpp"
#include "files/unfinished_file.hpp"
#include "roster/address.hpp"
#include "roster/home.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>

namespace colla {
namespace {

namespace fs = std::filesystem;

// Without symbolic links and without a trailing slash.
fs::path full_path(const fs::path& folder) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  return path.has_filename() ? path : path.parent_path();
}

void check_new_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder, error);
  if (!fs::exists(status)) {
    const fs::path parent = full_path(folder).parent_path();
    if (fs::is_directory(parent, error)) return;
    throw StoreError("no such folder", parent.string(), "make it first");
  }
  if (!fs::is_directory(folder, error)) {
    throw StoreError("exists and is not a folder", folder.string(), "choose another name");
  }
  if (!fs::is_empty(folder, error) || error) {
    throw StoreError("is not an empty folder", folder.string(),
                     "choose another one; a network is never written over");
  }
  if (full_path(folder) == full_path(fs::current_path(error))) {
    throw StoreError("is the folder you are in, which would be replaced", folder.string(),
                     "give the name of a new one in it");
  }
}

bool is_running(const std::string& process) {
  pid_t id = 0;
  const char* const end = process.data() + process.size();
  const auto [stop, error] = std::from_chars(process.data(), end, id);
  if (stop != end || error != std::errc() || id <= 0) return true;  // not ours
  return ::kill(id, 0) == 0 || errno != ESRCH;
}

// A folder that appears whole or not at all: it is made beside its place and renamed last. If the
// process is killed before that, the next one removes the remains.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& folder) : target_(full_path(folder)) {
    check_new_folder(folder);
    place_ = unfinished_name(target_.string());
    remove_leftovers();
    make_private_folder(place_);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;
  ~UnfinishedFolder() {
    std::error_code ignored;
    fs::remove_all(place_, ignored);
  }

  /// To be written to.
  const fs::path& place() const { return place_; }

  /// Syncs all files and folders, then renames. Replaces an empty folder of that name.
  void finish() {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(place_)) {
      if (entry.is_directory()) sync_folder(entry.path());
    }
    sync_folder(place_);
    std::error_code error;
    fs::rename(place_, target_, error);
    if (error) {
      throw StoreError("cannot be created (" + error.message() + ")", target_.string(),
                       "check the folder around it, or choose a name that does not exist yet");
    }
    sync_folder(target_.parent_path());
  }

 private:
  void remove_leftovers() const {
    std::string beginning = place_.filename().string();
    beginning.resize(beginning.rfind('-') + 1);
    std::error_code ignored;
    for (const fs::directory_entry& entry :
         fs::directory_iterator(target_.parent_path(), ignored)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(beginning) || is_running(name.substr(beginning.size()))) continue;
      fs::remove_all(entry.path(), ignored);
    }
  }

  fs::path target_;
  fs::path place_;
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

// Both files are written before either is renamed: key and certificate disagree only between the
// two renames.
void replace_credential(const fs::path& home, const Credential& credential) {
  std::error_code error;
  if (!fs::is_directory(home, error)) make_private_folder(home);
  const UnfinishedFile key((home / "agent.key").string());
  const UnfinishedFile certificate((home / "agent.crt").string());
  write_new_file(key.path(), credential.key, Readers::owner);
  write_new_file(certificate.path(), credential.certificate, Readers::all);
  key.replace_target();
  certificate.replace_target();
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
  parse_network(text, "network.toml");  // never write what cannot be read
  UnfinishedFolder unfinished(folder);
  const fs::path& place = unfinished.place();
  const Credential authority = make_authority(network.id, now);
  make_private_folder(place / "authority");
  write_new_file(place / "authority" / "ca.crt", authority.certificate, Readers::all);
  write_new_file(place / "authority" / "ca.key", authority.key, Readers::owner);
  std::vector<IssuedHome> homes;
  for (const RosterAgent& agent : network.agents) {
    const Credential credential = issue(authority, agent, days, now);
    const fs::path home = place / agent.name;
    make_private_folder(home);
    write_new_file(home / "agent.toml", agent_toml(agent.name), Readers::all);
    write_new_file(home / "network.toml", text, Readers::all);
    if (!network.start.empty()) {
      write_new_file(home / "first-dictionary.csv", first_dictionary, Readers::all);
    }
    write_new_file(home / "ca.crt", authority.certificate, Readers::all);
    write_new_file(home / "agent.crt", credential.certificate, Readers::all);
    write_new_file(home / "agent.key", credential.key, Readers::owner);
    homes.push_back(issued_home(folder, agent, credential, authority.certificate, now));
  }
  write_new_file(place / "network.toml", text, Readers::all);
  unfinished.finish();
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
