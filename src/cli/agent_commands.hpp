// SPDX-License-Identifier: Apache-2.0
// The commands of `colla agent`.
#pragma once

#include "roster/home.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace colla::cli {

/// Options that the commands have in common.
struct AgentCommand {
  std::string home;
  bool json = false;
};

/// A command with `--home`.
CLI::App* add_agent_command(CLI::App& agent, AgentCommand& command, const std::string& name,
                            const std::string& help);

/// The columns of the file that hold the network's features: by their agreed names or, where only
/// their number is agreed, all columns other than these, in their order.
std::vector<std::string> features_in(const Network& network, const std::string& file,
                                     const std::vector<std::string>& other_than);

// agent_run.cpp
void add_agent_run(CLI::App& agent);

// agent_requests.cpp: of a running agent
void add_agent_learn(CLI::App& agent);
void add_agent_close(CLI::App& agent);
void add_agent_status(CLI::App& agent);

// agent_learned.cpp: from the store, whether the agent runs or not
void add_agent_tasks(CLI::App& agent);
void add_agent_predict(CLI::App& agent);
void add_agent_evaluate(CLI::App& agent);
void add_agent_export(CLI::App& agent);

}  // namespace colla::cli
