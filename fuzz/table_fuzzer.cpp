// SPDX-License-Identifier: Apache-2.0
// Any bytes as a table as people have it. The first byte chooses the options; the last column is
// the target. What is read is valid, a recipe learned from it survives its file, and its features
// are finite.
#include "recipe/recipe.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void check_columns(const colla::Table& table) {
  for (const colla::Column& column : table.columns) {
    require((column.has_words ? column.codes.size() : column.numbers.size()) == table.rows);
    for (std::size_t row = 0; row < table.rows; ++row) {
      require(column.is_missing(row) || !column.text(row).empty());
    }
  }
  colla::table_of(table.columns);
}

void learn_and_apply(const colla::Table& table, unsigned choice) {
  colla::RecipeOptions options;
  options.target_column = table.columns.back().name;
  if ((choice & 2U) != 0) options.expand = colla::Expansion::splines;
  if ((choice & 4U) != 0) options.dates = colla::Recognised::number;
  if ((choice & 8U) != 0) options.problem = colla::Problem::classification;
  if ((choice & 16U) != 0) options.problem = colla::Problem::regression;
  const colla::Recipe recipe = colla::learn_recipe(table, colla::all_rows(table), options);
  require(colla::parse_recipe(colla::to_toml(recipe), "fuzz.toml") == recipe);
  const colla::Prepared prepared = colla::apply(recipe, table, colla::Targets::wanted);
  require(prepared.X.cols() == std::ssize(colla::feature_names(recipe)));
  for (const double x : prepared.X.reshaped()) require(colla::is_row_value(x));
  for (const double y : prepared.Y.reshaped()) require(colla::is_row_value(y));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string text(data + 1, data + size);
  try {
    colla::TableOptions options;
    if ((data[0] & 1U) != 0) options.words = {"a"};
    const colla::Table table = colla::parse_table(text, "fuzz.csv", options);
    check_columns(table);
    learn_and_apply(table, data[0]);
  } catch (const colla::Error& refusal) {
    require(std::string(refusal.what()).find('\n') == std::string::npos);
  }
  return 0;
}
