// SPDX-License-Identifier: Apache-2.0
// The commands of `colla agent`.
#pragma once

#include "agent/daemon/control_client.hpp"
#include "roster/home.hpp"
#include "store/model_file.hpp"

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

/// One name per feature, the intercept last; x1, x2, ... where only their number is agreed.
std::vector<std::string> feature_names_of(const Home& home);

/// What the agent has learned, as a model file has it.
Model model_of(const Home& home, const AgentState& state);

/// Where a network without a recipe looks for tasks.
inline constexpr char default_task_column[] = "task";
/// Whether the file has the column, and it is not a feature.
bool names_tasks(const Network& network, const std::string& file, const std::string& column);

// agent_run.cpp
void add_agent_run(CLI::App& agent);

// agent_learn.cpp, agent_requests.cpp: of a running agent
void add_agent_learn(CLI::App& agent);
void add_agent_forget(CLI::App& agent);
void add_agent_close(CLI::App& agent);
void add_agent_reopen(CLI::App& agent);
void add_agent_update(CLI::App& agent);
void add_agent_status(CLI::App& agent);

/// On standard error.
void tell_why_it_waits(ControlClient& client);

// agent_learned.cpp, agent_show.cpp: from the store, whether the agent runs or not
void add_agent_tasks(CLI::App& agent);
void add_agent_show(CLI::App& agent);
void add_agent_privacy(CLI::App& agent);
void add_agent_predict(CLI::App& agent);
void add_agent_evaluate(CLI::App& agent);
void add_agent_export(CLI::App& agent);

}  // namespace colla::cli
