// SPDX-License-Identifier: Apache-2.0
// RFC 4180: text -> records of fields.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colla {

/// The position of a field, for messages.
struct CsvPlace {
  const std::string& file;
  std::size_t line;
  std::string_view column = {};  ///< empty: the whole line

  [[nodiscard]] std::string text() const;
};

struct CsvField {
  std::string_view text;  ///< quotes removed
  bool was_quoted = false;
};

struct CsvRecord {
  std::size_t line = 0;  ///< its first line, from 1
  std::vector<CsvField> fields;
};

/// Gives the records one by one. Fields view `text`, or the reader's own copy of a field with
/// doubled quotes; they are valid until the next call.
class CsvReader {
 public:
  /// `name` names the file in messages; both must outlive the reader.
  CsvReader(std::string_view text, const std::string& name, char separator = ',');

  /// False at the end. Blank lines at the end of the file are skipped; elsewhere they are an error.
  bool next(CsvRecord& record);

 private:
  CsvField quoted_field();
  CsvField bare_field();
  bool at_line_end() const;
  void skip_line_end();
  void skip_blank_lines();

  std::string_view text_;
  const std::string& name_;
  char separator_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
  std::deque<std::string> unescaped_;  // a deque, because fields point into its elements
};

/// The whole field as a finite number; spaces around it and a leading '+' are allowed. Throws
/// DataError; `remedy` is for text that is not a number.
double finite_number(const CsvField& field, const CsvPlace& place, const std::string& remedy);
/// The same for a number in a row, which must be within `largest_row_value`.
double row_value(const CsvField& field, const CsvPlace& place, const std::string& remedy);
/// The value itself. Throws DataError if it is beyond the bound.
double checked_row_value(double value, const CsvPlace& place);
/// Nothing if the field is not a number. Throws DataError for NaN, infinity and overflow.
std::optional<double> number_or_text(const CsvField& field, const CsvPlace& place);
/// The field as a name: spaces around it are dropped unless it is quoted.
std::string_view name_in(const CsvField& field);

}  // namespace colla
