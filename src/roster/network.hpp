// SPDX-License-Identifier: Apache-2.0
// What all agents of a network agree on: the agents, the graph and the settings. It is one file,
// network.toml, the same bytes at every agent. In a living network it is the roster: it has a
// version and the authority's signature (roster.hpp), and some of it can change (membership.hpp).
#pragma once

#include "agent/protocol/networked_agent.hpp"
#include "recipe/recipe.hpp"
#include "row_privacy/privacy_options.hpp"

#include <colla/network_options.hpp>

#include <optional>
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
  living,    ///< no agent waits for another, and agents may come and go
  lockstep,  ///< every agent learns one task in every step
};

template <>
struct Names<Mode> {
  static constexpr Named<Mode> all[] = {{Mode::living, "living"}, {Mode::lockstep, "lockstep"}};
};

enum class AgentAlgorithm {
  bayes,  ///< agents learn what tasks have in common as a prior, and exchange means
  colla,  ///< agents learn and exchange dictionaries
};

template <>
struct Names<AgentAlgorithm> {
  static constexpr Named<AgentAlgorithm> all[] = {{AgentAlgorithm::bayes, "bayes"},
                                                  {AgentAlgorithm::colla, "colla"}};
};

/// The options of the agents: `agent.features` is d = columns, plus 1 with an intercept; options
/// that are not in_network_file have their defaults.
struct Network : NetworkOptions {
  std::string id;  ///< 128 random bits, in 32 hexadecimal digits
  /// SHA-256 of the file's bytes, without the signature, in hexadecimal; empty if it is not from a
  /// file.
  std::string hash;
  Mode mode = Mode::lockstep;
  Index version = 1;                ///< in a living network every change has the next one
  std::vector<RosterAgent> agents;  ///< in the order of the exchanges
  std::vector<Edge> edges;
  /// SHA-256 of the file with the first dictionary, in hexadecimal; empty: it is drawn from the
  /// seed.
  std::string start;
  /// SHA-256 of the file with the recipe, in hexadecimal; empty: rows hold the features themselves.
  std::string recipe;
  /// Fingerprints (certificates.hpp) of certificates that are no longer accepted; in living
  /// networks.
  std::vector<std::string> revoked;

  std::vector<std::string> feature_names;  ///< empty if only their number is agreed on
  Index columns = 0;                       ///< features without the intercept
  bool intercept = true;                   ///< a last feature is 1 in every row
  std::string target_column = "y";
  /// That a task must bring: neighbours could recover fewer from what they see (docs/privacy.md).
  Index minimum_rows = 3;
  /// Of a living network with a collective prior: how many tasks an agent tells of together, in
  /// numbers that it computes from rows once; 0: neighbours are trusted (docs/privacy.md).
  Index release_batch = 0;
  /// What agents may tell of rows; in living networks of bayes.
  std::optional<PrivacyOptions> privacy = {};

  Graph graph() const { return {static_cast<Index>(agents.size()), edges}; }
  StepPlan plan() const { return plan_of(*this, !edges.empty()); }
  /// The position of the agent with this name, or -1.
  Index position_of(std::string_view name) const;
};

/// The position of the agent with this name. Throws OptionError, which lists those that exist.
Index position_in(const Network& network, const std::string& name);
/// Fewest rows that agents learn at a time.
Setting<Network> minimum_rows_setting();

inline AgentAlgorithm algorithm_of(const Network& network) {
  return network.agent.prior ? AgentAlgorithm::bayes : AgentAlgorithm::colla;
}

/// Whether the setting stands in this network's file: agents that live have no common steps, and so
/// no settings of their exchanges.
bool stands_in_file(const Setting<NetworkOptions>& setting, const Network& network);

/// Whether agents exchange nothing but what was released once.
inline bool can_release_batches(const Network& network) {
  return network.mode == Mode::living && network.agent.prior.has_value();
}
inline constexpr Index largest_release_batch = 1'000;

/// Makes the agents learn a collective prior of the recipe's features.
void use_prior(Network& network, const Recipe& recipe);

/// Agents that live exchange by the rule that heals, and estimate old tasks again.
void make_living(Network& network);

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
/// Throws SettingError for `graph` unless the edges join all agents. Only those of networks that
/// never change may stay apart, if there is no edge at all.
void check_edges(const Network& network);
/// Throws SettingError for `privacy` if there is any and the network's agents cannot have it.
void check_privacy(const Network& network);
/// Throws SettingError for `atoms` if a dictionary is too large for one message.
void check_size(const AgentOptions& agent);

/// With its signature; agents take no longer one.
inline constexpr std::size_t longest_roster = std::size_t{256} << 10U;

/// The file's text, without a signature; `parse_network` reads it back.
std::string to_toml(const Network& network);
/// `name` names the file in messages. A collective prior is to be described by `use_prior`, with
/// the recipe in its own file. Throws DataError or OptionError.
Network parse_network(std::string_view text, const std::string& name);
Network read_network(const std::string& path);

}  // namespace colla
