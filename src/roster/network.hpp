// SPDX-License-Identifier: Apache-2.0
// What all agents of a network agree on beforehand: the agents, the graph and the settings. It is
// one file, network.toml, the same bytes at every agent.
#pragma once

#include "agent/protocol/networked_agent.hpp"

#include <colla/network_options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace colla {

struct RosterAgent {
  std::string name;     ///< 1 to 63 of a-z, 0-9 and -, with no - at either end
  std::string address;  ///< host:port, where the others reach it
  bool operator==(const RosterAgent&) const = default;
};

enum class Mode {
  open,      ///< an agent comes with a task whenever it has one
  lockstep,  ///< every agent learns one task in every step
};

template <>
struct Names<Mode> {
  static constexpr Named<Mode> all[] = {{Mode::open, "open"}, {Mode::lockstep, "lockstep"}};
};

/// The options of the agents: `agent.features` is d = columns, plus 1 with an intercept; options
/// that are not in_network_file have their defaults.
struct Network : NetworkOptions {
  std::string id;  ///< 128 random bits, in 32 hexadecimal digits
  std::string
      hash;  ///< SHA-256 of the file's bytes, in hexadecimal; empty if it is not from a file
  Mode mode = Mode::open;
  std::vector<RosterAgent> agents;  ///< in the order of the exchanges
  std::vector<Edge> edges;
  /// SHA-256 of the file with the first dictionary, in hexadecimal; empty: it is drawn from the
  /// seed.
  std::string start;

  std::vector<std::string> feature_names;  ///< empty if only their number is agreed on
  Index columns = 0;                       ///< features in the rows, without the intercept
  bool intercept = true;                   ///< a last feature is 1 in every row
  std::string target_column = "y";
  /// That a task must bring: neighbours could recover fewer from what they see (docs/privacy.md).
  Index minimum_rows = 3;

  Graph graph() const { return {static_cast<Index>(agents.size()), edges}; }
  StepPlan plan() const { return plan_of(*this, !edges.empty()); }
  /// The position of the agent with this name, or -1.
  Index position_of(std::string_view name) const;
};

/// 32 hexadecimal digits from the system's generator.
std::string random_network_id();

/// Throws OptionError, naming `where`, unless it is a name for an agent.
void check_agent_name(const std::string& name, const std::string& where);
/// Brings an agent's address into its canonical form. Throws OptionError, naming `where`, if its
/// name or address is wrong, or if either could be taken for another agent's. `before` are the
/// agents listed before it.
RosterAgent checked_agent(RosterAgent agent, const std::vector<RosterAgent>& before,
                          const std::string& where);
/// Throws OptionError, naming `where`, if a name is empty, given twice, or that of the target or
/// the intercept.
void check_feature_names(const std::vector<std::string>& names, const std::string& target_column,
                         const std::string& where);
/// Throws SettingError for `atoms` if a dictionary is too large for one message.
void check_size(const AgentOptions& agent);

/// The file's text; `parse_network` reads it back.
std::string to_toml(const Network& network);
/// `name` names the file in messages. Throws DataError or OptionError.
Network parse_network(std::string_view text, const std::string& name);
Network read_network(const std::string& path);

}  // namespace colla
