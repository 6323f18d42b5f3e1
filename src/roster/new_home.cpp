// SPDX-License-Identifier: Apache-2.0
#include "roster/new_home.hpp"

#include "files/new_file.hpp"
#include "roster/address.hpp"
#include "roster/home.hpp"

#include <colla/error.hpp>

namespace colla {

namespace fs = std::filesystem;

IssuedCredential issue_for(const RosterAgent& agent, const Credential& authority, Index days,
                           std::time_t now) {
  const std::string host = parse_address(agent.address, agent.name).host;
  IssuedCredential issued = {issue_certificate(authority, {agent.name, host, days}, now), {}};
  issued.check =
      check_certificate(issued.credential.certificate, authority.certificate, agent.name, now);
  if (!issued.check.refusal.empty()) throw DataError(issued.check.refusal, agent.name, "");
  return issued;
}

void write_home(const fs::path& folder, const NewHome& home) {
  write_new_file(folder / "agent.toml", agent_toml(home.agent), Readers::all);
  write_new_file(folder / "network.toml", home.network, Readers::all);
  write_named_texts(folder, home.texts);
  write_new_file(folder / "ca.crt", home.authority, Readers::all);
  write_new_file(folder / "agent.crt", home.credential.certificate, Readers::all);
  write_new_file(folder / "agent.key", home.credential.key, Readers::owner);
}

void write_named_texts(const fs::path& folder, const NamedTexts& texts) {
  const auto write = [&folder](const char* name, const std::string& text) {
    if (!text.empty()) write_new_file(folder / name, text, Readers::all);
  };
  write("first-dictionary.csv", texts.first_dictionary);
  write("recipe.toml", texts.recipe);
}

}  // namespace colla
