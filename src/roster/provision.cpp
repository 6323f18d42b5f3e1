// SPDX-License-Identifier: Apache-2.0
#include "roster/provision.hpp"

#include "files/new_file.hpp"
#include "roster/issued.hpp"
#include "roster/signature.hpp"
#include "roster/unfinished_folder.hpp"

#include <colla/error.hpp>

namespace colla {
namespace {

namespace fs = std::filesystem;

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

}  // namespace

std::vector<IssuedHome> provision(const fs::path& folder, const Network& network, Index days,
                                  std::time_t now, const NamedTexts& texts) {
  parse_network(to_toml(network), "network.toml");  // never write what cannot be read
  check_new_folder(folder);
  UnfinishedFolder unfinished(folder);
  const fs::path& place = unfinished.place();
  const Credential authority = make_authority(network.id, now);
  const bool is_living = network.mode == Mode::living;
  const std::string text =
      is_living ? with_signature(to_toml(network), authority) : to_toml(network);
  make_private_folder(place / "authority");
  write_new_file(place / "authority" / "ca.crt", authority.certificate, Readers::all);
  write_new_file(place / "authority" / "ca.key", authority.key, Readers::owner);
  std::vector<IssuedHome> homes;
  std::string issued;
  for (const RosterAgent& agent : network.agents) {
    const auto [credential, check] = issue_for(agent, authority, days, now);
    make_private_folder(place / agent.name);
    write_home(place / agent.name, {agent.name, credential, authority.certificate, text, texts});
    homes.push_back({agent, folder / agent.name, check.not_after});
    issued += issued_line(check.fingerprint, agent.name);
  }
  if (is_living) {  // what further homes need
    write_new_file(place / issued_file, issued, Readers::all);
    write_named_texts(place, texts);
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
  if (fs::exists(folder / "agent.toml", error)) {
    throw DataError("is the folder of one agent", folder.string(),
                    "give the folder around it, which `colla network init` made");
  }
  return read_network(file.string());
}

}  // namespace colla
