// SPDX-License-Identifier: Apache-2.0
// Tables for the tests of recipes.
#pragma once

#include "recipe/recipe.hpp"

#include <string>
#include <vector>

namespace colla::testing {

inline Column numbers(const std::string& name, std::vector<double> values) {
  return {.name = name, .numbers = std::move(values)};
}

/// An empty word is a missing cell.
inline Column words(const std::string& name, const std::vector<std::string>& cells) {
  Column column{.name = name, .has_words = true};
  for (const std::string& cell : cells) {
    if (cell.empty()) {
      column.codes.push_back(Column::missing);
      continue;
    }
    std::size_t code = 0;
    while (code < column.levels.size() && column.levels[code] != cell) ++code;
    if (code == column.levels.size()) column.levels.push_back(cell);
    column.codes.push_back(static_cast<std::int32_t>(code));
  }
  return column;
}

/// With a target 0.5, 1.5, 2.5, ...
inline Table table_with(Column column) {
  const std::size_t rows = column.has_words ? column.codes.size() : column.numbers.size();
  std::vector<double> targets;
  for (std::size_t row = 0; row < rows; ++row) targets.push_back(0.5 + static_cast<double>(row));
  return table_of({std::move(column), numbers("y", targets)});
}

inline Recipe learned(const Table& table, const RecipeOptions& options = {}) {
  return learn_recipe(table, all_rows(table), options);
}

inline std::string first_reason(const Recipe& recipe) {
  return recipe.left_out.empty() ? "" : recipe.left_out.front().reason;
}

}  // namespace colla::testing
