// SPDX-License-Identifier: Apache-2.0
// `colla agent`: run an agent of a network, give it tasks, use what it has learned.
#include "cli/agent_commands.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "data/rows.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <fmt/core.h>

#include <algorithm>

namespace colla::cli {

CLI::App* add_agent_command(CLI::App& agent, AgentCommand& command, const std::string& name,
                            const std::string& help) {
  CLI::App* app = agent.add_subcommand(name, help);
  add_text(*app, "--home", command.home, "The agent's folder, made by `colla network init`")
      ->required()
      ->type_name("DIR");
  return app;
}

std::vector<std::string> features_in(const Network& network, const std::string& file,
                                     const std::vector<std::string>& other_than) {
  std::vector<std::string> names = network.feature_names;
  if (names.empty()) {
    names = other_columns(file, other_than);
    if (std::ssize(names) != network.columns) {
      throw DataError(fmt::format("has {} columns other than {}, the network {} features",
                                  names.size(), listed(other_than), network.columns),
                      file, "give the features of the network, a target and nothing else");
    }
  }
  if (network.intercept) names.emplace_back(intercept_name);
  return names;
}

std::vector<std::string> feature_names_of(const Home& home) {
  std::vector<std::string> names =
      home.recipe ? feature_names(*home.recipe) : home.network.feature_names;
  for (Index k = std::ssize(names) + 1; k <= home.network.columns; ++k) {
    names.push_back(fmt::format("x{}", k));
  }
  if (home.network.intercept) names.emplace_back(intercept_name);
  return names;
}

bool names_tasks(const Network& network, const std::string& file, const std::string& column) {
  const auto has = [&column](const std::vector<std::string>& names) {
    return std::find(names.begin(), names.end(), column) != names.end();
  };
  return !has(network.feature_names) && has(other_columns(file, {}));
}

void add_agent(CLI::App& program) {
  CLI::App* agent = program.add_subcommand(
      "agent", "Run an agent of a network, give it tasks, use what it has learned");
  agent->require_subcommand(1);
  add_agent_run(*agent);
  add_agent_learn(*agent);
  add_agent_status(*agent);
  add_agent_tasks(*agent);
  add_agent_privacy(*agent);
  add_agent_predict(*agent);
  add_agent_evaluate(*agent);
  add_agent_export(*agent);
  add_agent_show(*agent);
  add_agent_forget(*agent);
  add_agent_close(*agent);
  add_agent_reopen(*agent);
  add_agent_update(*agent);
  agent->footer(
      "A home is the folder that `colla network init` made for the agent. On its machine:\n"
      "  colla agent run --home clinics/north\n"
      "and in another terminal:\n"
      "  colla agent learn rows.csv --home clinics/north\n"
      "  colla agent predict new.csv --home clinics/north\n"
      "`colla agent COMMAND --help` explains a command.");
}

}  // namespace colla::cli
