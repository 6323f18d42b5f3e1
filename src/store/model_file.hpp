// SPDX-License-Identifier: Apache-2.0
// A trained network in one file: SQLite, written whole or not at all. docs/formats.md has the
// schema.
#pragma once

#include "recipe/recipe.hpp"

#include <colla/lifelong_agent.hpp>

#include <optional>
#include <string>
#include <vector>

namespace colla {

struct ModelAgent {
  std::string name;
  /// A file has its step, its dictionary (d x 0 for single-task learning) and its records.
  AgentState state;
};

struct Model {
  std::string algorithm;
  AgentOptions options;
  std::vector<std::string> features;  ///< d names; the last is "(intercept)" if one was added
  /// The training file's names for its columns.
  std::string task_column = "task";
  std::string agent_column = "agent";
  std::string target_column = "y";
  /// None: the columns are numbers, used as they are, and labels are 0 and 1.
  std::optional<Recipe> recipe = {};
  /// Three labels or more have a model each: the agents of the first label's models, then the same
  /// agents for the second label, and so on.
  std::vector<ModelAgent> agents;
};

/// The groups of agents in a model: one per label if there are three or more, otherwise one.
std::size_t group_count(const Model& model);

/// What agents have learned; the columns have their default names.
Model make_model(const std::string& algorithm, const AgentOptions& options,
                 std::vector<std::string> features, std::vector<ModelAgent> agents);

/// Replaces `path`, or leaves it as it was and throws StoreError. A file that is not a model is
/// never overwritten.
void write_model(const std::string& path, const Model& model);

/// Throws StoreError now if write_model would refuse: no such folder, or a file of another kind.
void check_model_path(const std::string& path);

/// Throws StoreError if the file is missing, damaged, of another kind or of a newer version.
Model read_model(const std::string& path);

}  // namespace colla
