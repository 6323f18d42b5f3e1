// SPDX-License-Identifier: Apache-2.0
// The options of the commands that read CSV files by a recipe.
#pragma once

#include "cli/options.hpp"
#include "data/dataset.hpp"
#include "training/algorithm.hpp"
#include "training/table_tasks.hpp"

namespace colla::cli {

/// Whether a command takes --recipe, or learns one.
enum class RecipeOption { taken, learned };

class RecipeReading {
 public:
  void add_to(CLI::App& app, const std::string& group, RecipeOption option);

  /// The method that learns from the table, instead of `bayes`: `--expand auto` depends on
  /// it, and which classes a task must have.
  void prepare_for(Algorithm algorithm) { algorithm_ = algorithm; }

  /// Whether DATA is a table to prepare: a CSV file, without `--recipe none`. Throws OptionError if
  /// it is not and options for tables are given.
  bool prepares(const std::string& data) const;

  /// The tasks of a CSV file. `columns` has the names of the columns and the kind of targets.
  TableTasks read(const std::string& path, const ReadOptions& columns,
                  std::optional<Index> agents = {}) const;

 private:
  TableTasksOptions options_for(const ReadOptions& columns) const;
  Recipe given_recipe(const ReadOptions& columns) const;

  const CLI::App* app_ = nullptr;
  std::string recipe_;  // a file, "none", or empty: one is learned
  RecipeOptions options_;
  ArrivalOptions arrivals_;
  Algorithm algorithm_ = Algorithm::bayes;
};

/// Its description.
void print_recipe(const Recipe& recipe, const std::string& indent);

/// "no 12, yes 30".
std::string classes_in(const TaskCounts& counts);

/// The same as an object.
template <typename Json>
Json classes_json(const TaskCounts& counts) {
  Json classes = Json::object();
  for (const auto& [label, rows] : counts.classes) classes[label] = rows;
  return classes;
}

}  // namespace colla::cli
