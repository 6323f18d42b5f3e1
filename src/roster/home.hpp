// SPDX-License-Identifier: Apache-2.0
// An agent's home: the folder on its machine with everything it needs to take part.
//
//     agent.toml     who it is and where it listens
//     network.toml   the network, the same bytes at every agent
//     first-dictionary.csv   with which it begins, if network.toml names one
//     recipe.toml    how rows become features, if network.toml names one
//     ca.crt         the certificate of the network's authority
//     agent.crt      its own certificate
//     agent.key      its private key; nobody else may read it
//     agent.db       what it has learned (made by the agent)
#pragma once

#include "recipe/recipe.hpp"
#include "roster/network.hpp"

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>

namespace colla {

enum class LogFormat { text, json };

template <>
struct Names<LogFormat> {
  static constexpr Named<LogFormat> all[] = {{LogFormat::text, "text"}, {LogFormat::json, "json"}};
};

struct Home {
  std::filesystem::path folder;
  Network network;
  Index position = 0;       ///< of this agent in the network
  Matrix first_dictionary;  ///< empty: drawn from the seed
  std::optional<Recipe> recipe = {};
  std::string listen;  ///< host:port
  LogFormat log = LogFormat::text;
  Index look_every = 10;  ///< seconds, at its certificate: it may be a new one

  const RosterAgent& agent() const { return network.agents[static_cast<std::size_t>(position)]; }
  std::filesystem::path certificate() const { return folder / "agent.crt"; }
  std::filesystem::path key() const { return folder / "agent.key"; }
  std::filesystem::path authority() const { return folder / "ca.crt"; }
  std::filesystem::path start() const { return folder / "first-dictionary.csv"; }
  std::filesystem::path recipe_file() const { return folder / "recipe.toml"; }
  std::filesystem::path store() const { return folder / "agent.db"; }
  std::filesystem::path socket() const { return folder / "control.sock"; }
  std::filesystem::path lock() const { return folder / "agent.lock"; }
};

/// Throws DataError or OptionError if a file is missing or wrong, if the agent is not in the
/// network, or if others may read its key.
Home read_home(const std::filesystem::path& folder);

/// Throws DataError, naming `where`, if the agents of a network cannot use the recipe: its target
/// has three labels or more.
void check_for_network(const Recipe& recipe, const std::string& where);

/// Throws DataError unless neighbours would accept the agent's certificate at `now` and its key
/// matches. Separate from `read_home`, because what the agent has learned can be used without it.
void check_identity(const Home& home, std::time_t now);

/// The text of an agent.toml. With an empty `listen` the agent uses its address in network.toml.
std::string agent_toml(const std::string& name, const std::string& listen = "",
                       LogFormat log = LogFormat::text);

}  // namespace colla
