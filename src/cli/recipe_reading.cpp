// SPDX-License-Identifier: Apache-2.0
#include "cli/recipe_reading.hpp"

#include "cli/recipe_options.hpp"
#include "cli/terminal.hpp"
#include "data/load_data.hpp"
#include "data/registry.hpp"
#include "files/text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace colla::cli {
namespace {

const char* const arrival_options[] = {"--batches", "--revisit"};

}  // namespace

void RecipeReading::add_to(CLI::App& app, const std::string& group, RecipeOption option) {
  app_ = &app;
  if (option == RecipeOption::taken) {
    add_text(app, "--recipe", recipe_,
             "How a CSV file becomes features: a file of `colla data prepare`, or none: every "
             "column is a number, used as it is (default: learned from the training rows)")
        ->type_name("FILE|none")
        ->group(group);
  }
  add_recipe_options(app, options_, group);
  add_text(app, "--batches", arrivals_.batches,
           "How the rows of a task arrive: none: all together, wherever they stand; runs: each run "
           "of rows is an arrival; or a column: in the order of its values")
      ->type_name("none|runs|COLUMN")
      ->group(group);
  add_choice<Revisit>(app, "--revisit", arrivals_.revisit,
                      "Later arrivals of a task replace its rows or join them (default replace)")
      ->group(group);
}

bool RecipeReading::prepares(const std::string& data) const {
  const bool is_other = find_registered(data) != nullptr || has_ending(data, ".mat");
  if (!is_other && recipe_ != "none") return true;
  const std::string reason =
      is_other ? "is for CSV files" : "is for files that are read with a recipe";
  const auto refuse = [&](const std::string& option) {
    if (app_->count(option) > 0) throw OptionError(reason, option, "leave it out");
  };
  if (is_other && recipe_ != "none" && !recipe_.empty()) refuse("--recipe");
  for (const char* option : recipe_options) refuse(option);
  for (const char* option : arrival_options) refuse(option);
  return false;
}

Recipe RecipeReading::given_recipe(const ReadOptions& columns) const {
  const std::string decided = first_given(*app_, recipe_options);
  if (!decided.empty()) {
    throw OptionError("the recipe in " + printable(recipe_) + " says it", decided,
                      "leave it out, or edit the file");
  }
  Recipe recipe = read_recipe(recipe_);
  if (columns.problem && *columns.problem != recipe.target.problem) {
    throw OptionError("the recipe is for " + name_of(recipe.target.problem), "--problem",
                      "leave it out");
  }
  if (app_->count("--task-column") > 0) recipe.task_column = columns.task_column;
  if (app_->count("--agent-column") > 0) recipe.agent_column = columns.agent_column;
  if (app_->count("--target-column") > 0) recipe.target_column = columns.target_column;
  return recipe;
}

TableTasksOptions RecipeReading::options_for(const ReadOptions& columns) const {
  TableTasksOptions options{
      options_, {}, arrivals_, columns.agent_column_required, {}, classes_for(algorithm_)};
  if (options_.expand == Expansion::automatic && algorithm_ != Algorithm::bayes) {
    options.recipe.expand = Expansion::none;
  }
  options.recipe.problem = columns.problem;
  options.recipe.task_column = columns.task_column;
  options.recipe.agent_column = columns.agent_column;
  options.recipe.target_column = columns.target_column;
  if (!recipe_.empty()) {
    options.given = given_recipe(columns);
    options.recipe.task_column = options.given->task_column;
    options.recipe.agent_column = options.given->agent_column;
    options.recipe.target_column = options.given->target_column;
  }
  const bool has_order = arrivals_.batches != "none" && arrivals_.batches != "runs";
  const auto& wanted = options_.columns;
  if (has_order && std::find(wanted.begin(), wanted.end(), arrivals_.batches) == wanted.end()) {
    options.recipe.drop.push_back(arrivals_.batches);
  }
  if (app_->count("--revisit") > 0 && arrivals_.batches == "none") {
    throw OptionError("all rows of a task arrive together", "--revisit",
                      "leave it out, or say with --batches how they arrive");
  }
  return options;
}

TableTasks RecipeReading::read(const std::string& path, const ReadOptions& columns,
                               std::optional<Index> agents) const {
  check_exists(path);
  TableTasksOptions options = options_for(columns);
  options.agents = agents;
  const TableOptions reading =
      options.given ? table_options(*options.given) : table_options(options.recipe);
  return TableTasks(read_table(path, reading), std::move(options));
}

std::string classes_in(const TaskCounts& counts) {
  std::vector<std::string> shown;
  for (const auto& [label, rows] : counts.classes)
    shown.push_back(fmt::format("{} {}", label, rows));
  return listed(shown);
}

void print_recipe(const Recipe& recipe, const std::string& indent) {
  for (const std::string& line : description(recipe)) fmt::print("{}{}\n", indent, line);
}

}  // namespace colla::cli
