// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

const Column& required(const Table& table, const std::string& name, const std::string& remedy) {
  const Column* column = table.find(name);
  if (column != nullptr) return *column;
  throw DataError("there is no column " + in_quotes(name) + ", only " + table.listed_columns(),
                  table.place(), remedy);
}

std::vector<std::unique_ptr<Encoder>> encoders_of(const Recipe& recipe, const Table& table,
                                                  std::span<const std::size_t> rows) {
  std::vector<std::unique_ptr<Encoder>> encoders;
  for (const ColumnRule& rule : recipe.columns) {
    const Column& column = required(table, rule.column, "give every column that the recipe has");
    encoders.push_back(make_encoder(rule, table, column, rows));
  }
  return encoders;
}

// A block of rows at a time, so that it stays in the cache while the columns fill it.
void encode_rows(const Recipe& recipe, std::span<const std::size_t> rows,
                 const std::vector<std::unique_ptr<Encoder>>& encoders, Samples& X) {
  constexpr std::size_t block = 256;
  for (std::size_t first = 0; first < rows.size(); first += block) {
    const auto part = rows.subspan(first, std::min(block, rows.size() - first));
    double* out = X.data() + static_cast<Index>(first) * X.cols();
    for (std::size_t j = 0; j < encoders.size(); ++j) {
      encoders[j]->encode(part, out, X.cols());
      out += width_of(recipe.columns[j]);
    }
  }
}

}  // namespace

Prepared apply(const Recipe& recipe, const Table& table, Targets targets) {
  const Column* target = nullptr;
  if (targets == Targets::wanted) {
    target = &required(table, recipe.target_column, "give the targets");
  }
  Prepared prepared;
  prepared.rows = all_rows(table);
  if (target != nullptr) prepared.rows = rows_with_target(table, *target, prepared.rows);
  const std::size_t lost = table.rows - prepared.rows.size();
  if (lost > 0) prepared.warnings.push_back(counted(lost, "row") + " without a target left out");
  Index width = 0;
  for (const ColumnRule& rule : recipe.columns) width += width_of(rule);
  const auto encoders = encoders_of(recipe, table, prepared.rows);
  const auto count = static_cast<Index>(prepared.rows.size());
  prepared.X.resize(count, width);
  encode_rows(recipe, prepared.rows, encoders, prepared.X);
  for (const auto& encoder : encoders) encoder->warn(prepared.warnings);
  prepared.Y.resize(count, 0);
  if (target != nullptr) {
    prepared.Y = encoded_targets(recipe.target, table, *target, prepared.rows);
  }
  return prepared;
}

TableOptions table_options(const RecipeOptions& options) {
  TableOptions reading;
  reading.words = options.words;
  reading.words.insert(reading.words.end(), {options.task_column, options.agent_column});
  return reading;
}

TableOptions table_options(const Recipe& recipe) {
  TableOptions options;
  options.words = {recipe.task_column, recipe.agent_column};
  for (const ColumnRule& rule : recipe.columns) {
    if (rule.kind == Kind::words) options.words.push_back(rule.column);
  }
  return options;
}

}  // namespace colla
