// SPDX-License-Identifier: Apache-2.0
// A table as people have it: columns of numbers or words, with missing cells.
#pragma once

#include "recipe/cell.hpp"

#include <colla/matrix.hpp>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// Numbers or words, one entry per row.
struct Column {
  static constexpr std::int32_t missing = -1;

  std::string name = {};
  bool has_words = false;
  std::vector<double> numbers = {};      ///< NaN where missing; empty if the column has words
  std::vector<std::int32_t> codes = {};  ///< into `levels`, or `missing`; empty if it has numbers
  std::vector<std::string> levels = {};  ///< the different words

  [[nodiscard]] bool is_missing(std::size_t row) const {
    return has_words ? codes[row] == missing : std::isnan(numbers[row]);
  }
  /// The word or the number's shortest text; empty where missing.
  [[nodiscard]] std::string text(std::size_t row) const;
};

/// From `row` on, rows stand in consecutive lines that begin with `line`.
struct RowLine {
  std::size_t row = 0;
  std::size_t line = 0;
};

struct Table {
  std::string name;  ///< of the file, for messages; empty: rows from memory
  std::string form;  ///< what was recognised: "semicolons, decimal commas"
  std::size_t rows = 0;
  std::vector<Column> columns;
  std::vector<RowLine> lines;  ///< by rising row; empty for rows from memory
  DecimalMarks marks = DecimalMarks::point;

  /// Null if there is none.
  [[nodiscard]] const Column* find(std::string_view column) const;
  [[nodiscard]] std::string listed_columns() const;
  /// Of a file, from 1; 0 for rows from memory.
  [[nodiscard]] std::size_t line_of(std::size_t row) const;
  /// "f.csv, line 12, column 'x'", or "row 11, column 'x'".
  [[nodiscard]] std::string place(std::size_t row, const std::string& column) const;
  /// The file and its header, or "the table".
  [[nodiscard]] std::string place() const;
};

struct TableOptions {
  /// Columns that are words whatever they hold, such as the task's: "007" stays "007".
  std::vector<std::string> words;
};

/// Reads a CSV file: a header, then one row per line. Separators (comma, semicolon, tab), decimal
/// commas where they separate nothing, quotes, line ends and a byte order mark are recognised. A
/// column has numbers if all of its cells are numbers or missing. A first column without name is
/// called "rownames". Throws DataError.
Table read_table(const std::string& path, const TableOptions& options = {});
/// The same from memory; `name` names the file in messages.
Table parse_table(std::string_view text, const std::string& name, const TableOptions& options = {});

/// A table of columns in memory. Throws DataError if they differ in length, if a name is empty or
/// appears twice, a number is infinite or beyond `largest_row_value`, or a code has no level.
Table table_of(std::vector<Column> columns);

/// All rows of the table: 0, 1, 2, ...
std::vector<std::size_t> all_rows(const Table& table);

}  // namespace colla
