// SPDX-License-Identifier: Apache-2.0
// Any bytes as a recipe. What is accepted survives writing and reading, and gives finite features
// even for the largest numbers.
#include "recipe/recipe.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

colla::Column extreme_column(const colla::ColumnRule& rule) {
  colla::Column column;
  column.name = rule.column;
  column.has_words = rule.kind != colla::Kind::number;
  column.levels = {rule.levels.empty() ? "9999-12-31" : rule.levels.front().name, "other"};
  if (rule.kind == colla::Kind::date && rule.form != colla::DateForm::year_first) {
    column.levels[0] = "12/12/9999";
  }
  if (column.has_words) {
    column.codes = {0, -1, rule.kind == colla::Kind::words ? 1 : 0};
  } else {
    column.numbers = {colla::largest_row_value, std::numeric_limits<double>::quiet_NaN(),
                      -colla::largest_row_value};
  }
  return column;
}

void check_sound(const colla::Recipe& recipe) {
  const std::string text = colla::to_toml(recipe);
  require(colla::parse_recipe(text, "again.toml") == recipe);
  require(!colla::description(recipe).empty());
  colla::Table table;
  table.rows = 3;
  for (const colla::ColumnRule& rule : recipe.columns)
    table.columns.push_back(extreme_column(rule));
  const colla::Prepared prepared = colla::apply(recipe, table, colla::Targets::ignored);
  for (const double x : prepared.X.reshaped()) require(colla::is_row_value(x));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  colla::Recipe recipe;
  try {
    recipe = colla::parse_recipe(text, "fuzz.toml");
  } catch (const colla::Error& refusal) {
    require(std::string(refusal.what()).find('\n') == std::string::npos);
    return 0;
  }
  check_sound(recipe);
  return 0;
}
