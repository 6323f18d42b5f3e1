// SPDX-License-Identifier: Apache-2.0
#include "recipe/table.hpp"

#include "data/csv_columns.hpp"
#include "data/dataset.hpp"
#include "files/text.hpp"

#include <colla/row_value.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace colla {
namespace {

void check_numbers(const Column& column, const Table& table) {
  for (std::size_t row = 0; row < column.numbers.size(); ++row) {
    const double value = column.numbers[row];
    if (!std::isnan(value) && !is_row_value(value)) {
      throw beyond_row_values(value, table.place(row, column.name));
    }
  }
}

void check_codes(const Column& column, const Table& table) {
  const std::unordered_set<std::string_view> different(column.levels.begin(), column.levels.end());
  if (different.size() != column.levels.size() || different.contains("")) {
    throw DataError("a level is empty or appears twice", "column " + in_quotes(column.name),
                    "give different words");
  }
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const std::int32_t code = column.codes[row];
    if (code >= Column::missing && code < std::ssize(column.levels)) continue;
    throw DataError("there is no level " + std::to_string(code), table.place(row, column.name),
                    "give codes from 0 to the number of levels, or -1 where missing");
  }
}

}  // namespace

std::string Column::text(std::size_t row) const {
  if (is_missing(row)) return "";
  return has_words ? levels[static_cast<std::size_t>(codes[row])] : shortest_text(numbers[row]);
}

const Column* Table::find(std::string_view column) const {
  for (const Column& each : columns) {
    if (each.name == column) return &each;
  }
  return nullptr;
}

std::string Table::listed_columns() const {
  std::vector<std::string> names;
  for (const Column& each : columns) names.push_back(in_quotes(each.name));
  return listed(names);
}

std::size_t Table::line_of(std::size_t row) const {
  if (lines.empty()) return 0;
  const auto next =
      std::upper_bound(lines.begin(), lines.end(), row,
                       [](std::size_t r, const RowLine& each) { return r < each.row; });
  const RowLine& start = *(next - 1);
  return start.line + row - start.row;
}

std::string Table::place(std::size_t row, const std::string& column) const {
  const std::string of_column = ", column " + in_quotes(column);
  if (lines.empty()) return "row " + std::to_string(row) + of_column;
  return name + ", line " + std::to_string(line_of(row)) + of_column;
}

std::string Table::place() const { return lines.empty() ? "the table" : name; }

Table table_of(std::vector<Column> columns) {
  Table table;
  table.columns = std::move(columns);
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    const std::size_t rows = column.has_words ? column.codes.size() : column.numbers.size();
    if (names.empty()) table.rows = rows;
    names.push_back(column.name);
    if (rows != table.rows) {
      throw DataError(
          "has " + counted(rows, "row") + ", the first column " + std::to_string(table.rows),
          "column " + in_quotes(column.name), "give columns of one length");
    }
    check_numbers(column, table);
    check_codes(column, table);
  }
  check_column_names(names, table.place());
  return table;
}

std::vector<std::size_t> all_rows(const Table& table) {
  std::vector<std::size_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

}  // namespace colla
