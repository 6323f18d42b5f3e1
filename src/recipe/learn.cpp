// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

void check_names(const Table& table, const std::string& key, const std::vector<std::string>& names,
                 const RecipeOptions& options) {
  for (const std::string& name : names) {
    if (table.find(name) == nullptr) {
      throw SettingError(key, "there is no column " + in_quotes(name),
                         "give some of " + table.listed_columns());
    }
    const bool has_role = name == options.task_column || name == options.agent_column ||
                          name == options.target_column;
    if (has_role) {
      throw SettingError(key, in_quotes(name) + " is the task, agent or target column",
                         "leave it out: it is never a feature");
    }
  }
}

void check_options(const Table& table, const RecipeOptions& options) {
  check_roles(options);
  check_names(table, "columns", options.columns, options);
  check_names(table, "drop", options.drop, options);
  check_names(table, "words", options.words, options);
  for (const std::string& name : options.columns) {
    if (contains(options.drop, name)) {
      throw SettingError("drop", "column " + in_quotes(name) + " is also asked for",
                         "give it once");
    }
  }
}

bool may_be_feature(const std::string& name, const RecipeOptions& options) {
  const bool has_role =
      name == options.task_column || name == options.agent_column || name == options.target_column;
  const bool wanted = options.columns.empty() || contains(options.columns, name);
  return !has_role && wanted && !contains(options.drop, name);
}

[[noreturn]] void refuse_without_features(const Recipe& recipe, const Table& table,
                                          const RecipeOptions& options) {
  std::string reasons;
  for (const LeftOut& each : recipe.left_out) {
    reasons += (reasons.empty() ? " (" : ", ") + each.column + ": " + each.reason;
  }
  throw DataError(
      "no column is left as a feature" + reasons + (reasons.empty() ? "" : ")"), table.place(),
      options.columns.empty() ? "add columns that vary, or ask for identifiers or dates by name"
                              : "ask for columns that vary");
}

// Words of all columns together are bounded, because a dictionary's cost grows with the features.
void check_width(const Recipe& recipe, const Table& table, const RecipeOptions& options) {
  constexpr std::size_t most = 1000;
  if (recipe.columns.empty()) refuse_without_features(recipe, table, options);
  std::size_t together = 0;
  const ColumnRule* largest = nullptr;
  for (const ColumnRule& rule : recipe.columns) {
    together += rule.levels.size();
    if (largest == nullptr || rule.levels.size() > largest->levels.size()) largest = &rule;
  }
  if (together > most) {
    throw DataError("its columns have " + std::to_string(together) +
                        " different words together, most of them in " + in_quotes(largest->column),
                    table.place(), "drop some of these columns, or group their words");
  }
}

const Column& target_in(const Table& table, const std::string& name) {
  const Column* target = table.find(name);
  if (target != nullptr) return *target;
  throw DataError(
      "there is no target column " + in_quotes(name) + ", only " + table.listed_columns(),
      table.place(), "name the target column");
}

}  // namespace

void check_roles(const RecipeOptions& options) {
  const std::string& task = options.task_column;
  const std::string& agent = options.agent_column;
  const std::string& target = options.target_column;
  if (target != task && target != agent && (task != agent || task.empty())) return;
  throw OptionError("two of the task, agent and target columns have the same name",
                    in_quotes(task) + ", " + in_quotes(agent) + ", " + in_quotes(target),
                    "name three different columns");
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::size_t> rows_with_target(const Table& table, const Column& target,
                                          std::span<const std::size_t> rows) {
  std::vector<std::size_t> kept;
  kept.reserve(rows.size());
  for (const std::size_t row : rows) {
    if (!target.is_missing(row)) kept.push_back(row);
  }
  if (!kept.empty()) return kept;
  throw DataError("no row has a target", table.place() + ", column " + in_quotes(target.name),
                  "fill it in, or name another target column");
}

Recipe learn_recipe(const Table& table, std::span<const std::size_t> rows,
                    const RecipeOptions& options) {
  check_options(table, options);
  const Column& target = target_in(table, options.target_column);
  const std::vector<std::size_t> kept = rows_with_target(table, target, rows);
  Recipe recipe;
  recipe.task_column = options.task_column;
  recipe.agent_column = options.agent_column;
  recipe.target_column = options.target_column;
  recipe.rows = kept.size();
  recipe.without_target = rows.size() - kept.size();
  recipe.target = learn_target(table, target, kept, options.problem);
  for (const Column& column : table.columns) {
    if (!may_be_feature(column.name, options)) continue;
    std::variant<ColumnRule, LeftOut> learned = learn_column(table, column, kept, options);
    if (auto* rule = std::get_if<ColumnRule>(&learned)) {
      recipe.columns.push_back(std::move(*rule));
    } else {
      recipe.left_out.push_back(std::get<LeftOut>(std::move(learned)));
    }
  }
  check_width(recipe, table, options);
  return recipe;
}

}  // namespace colla
