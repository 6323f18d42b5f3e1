// SPDX-License-Identifier: Apache-2.0
// CSV text -> columns, in one pass; a second one reads columns that began with numbers and turned
// out to have words.
#include "data/csv_columns.hpp"
#include "data/csv_records.hpp"
#include "files/text.hpp"
#include "recipe/table.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace colla {
namespace {

constexpr char one_decimal_mark[] = "write all numbers of the file with the same decimal mark";

// Finds a std::string by a view of it.
struct WordHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view word) const {
    return std::hash<std::string_view>()(word);
  }
};

// Takes the cells of a column one by one.
class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, bool words, DecimalMarks marks, std::size_t rows)
      : kind_(words ? Kind::words : Kind::undecided), marks_(marks), rows_(rows) {
    column_.name = std::move(name);
    if (words) {
      column_.codes.reserve(rows);
    } else {
      column_.numbers.reserve(rows);
    }
  }

  void add(const CsvField& field, std::size_t line) {
    if (kind_ == Kind::words) {
      add_word(name_in(field));
    } else if (kind_ == Kind::undecided || kind_ == Kind::numbers) {
      add_number(field, line);
    }
  }

  [[nodiscard]] bool must_read_again() const { return kind_ == Kind::mixed; }
  // Before the second pass.
  void read_again();
  // A line with a number that has this decimal mark, 0 if there is none.
  [[nodiscard]] std::size_t point_line() const { return has_numbers() ? point_line_ : 0; }
  [[nodiscard]] std::size_t comma_line() const { return has_numbers() ? comma_line_ : 0; }
  [[nodiscard]] const std::string& name() const { return column_.name; }
  Column finish() {
    column_.has_words = !has_numbers();
    return std::move(column_);
  }

 private:
  enum class Kind { undecided, numbers, words, mixed, complete };

  [[nodiscard]] bool has_numbers() const { return column_.codes.empty(); }
  void add_word(std::string_view cell);
  void add_number(const CsvField& field, std::size_t line);
  void add_first_word(const CsvField& field);
  void note_decimal_mark(std::string_view cell, std::size_t line);

  Kind kind_;
  DecimalMarks marks_;
  std::size_t rows_;
  Column column_;
  std::unordered_map<std::string, std::int32_t, WordHash, std::equal_to<>> codes_;
  std::size_t point_line_ = 0;
  std::size_t comma_line_ = 0;
};

void ColumnBuilder::read_again() {
  if (kind_ != Kind::mixed) {
    kind_ = Kind::complete;
    return;
  }
  kind_ = Kind::words;
  column_.codes.reserve(rows_);
}

void ColumnBuilder::add_word(std::string_view cell) {
  if (is_missing(trimmed(cell))) {
    column_.codes.push_back(Column::missing);
    return;
  }
  const auto known = codes_.find(cell);
  if (known != codes_.end()) {
    column_.codes.push_back(known->second);
    return;
  }
  const auto code = static_cast<std::int32_t>(column_.levels.size());
  column_.levels.emplace_back(cell);
  codes_.emplace(cell, code);
  column_.codes.push_back(code);
}

void ColumnBuilder::add_number(const CsvField& field, std::size_t line) {
  const std::string_view cell = trimmed(field.text);
  if (const std::optional<double> number = number_in(cell, marks_)) {
    kind_ = Kind::numbers;
    column_.numbers.push_back(*number);
    if (marks_ == DecimalMarks::point_or_comma) note_decimal_mark(cell, line);
  } else if (is_missing(cell)) {
    column_.numbers.push_back(std::numeric_limits<double>::quiet_NaN());
  } else {
    add_first_word(field);
  }
}

// All cells before it are missing, or the column must be read again.
void ColumnBuilder::add_first_word(const CsvField& field) {
  const std::size_t missing_rows = column_.numbers.size();
  column_.numbers = {};
  if (kind_ == Kind::numbers) {
    kind_ = Kind::mixed;
    return;
  }
  kind_ = Kind::words;
  column_.codes.reserve(rows_);
  column_.codes.assign(missing_rows, Column::missing);
  add_word(name_in(field));
}

void ColumnBuilder::note_decimal_mark(std::string_view cell, std::size_t line) {
  if (point_line_ == 0 && cell.find('.') != std::string_view::npos) point_line_ = line;
  if (comma_line_ == 0 && cell.find(',') != std::string_view::npos) comma_line_ = line;
}

// The number of fields of the first records if they all have as many, otherwise 0.
std::size_t common_width(std::string_view text, const std::string& name, char separator) {
  constexpr int enough = 20;
  CsvReader reader(text, name, separator);
  CsvRecord record;
  std::size_t width = 0;
  try {
    for (int k = 0; k < enough && reader.next(record); ++k) {
      if (width != 0 && record.fields.size() != width) return 0;
      width = record.fields.size();
    }
  } catch (const DataError&) {
    return 0;  // its quotes fit another separator
  }
  return width;
}

// The separator that gives the most columns. If none gives rows of one length, the one that the
// header has most of, so that the refusal of the first ragged row makes sense.
char separator_in(std::string_view text, const std::string& name) {
  constexpr std::string_view separators = ",;\t";
  const std::string_view header = text.substr(0, text.find_first_of("\r\n"));
  char best = ',';
  std::size_t width = 1;
  char frequent = ',';
  std::ptrdiff_t most = 0;
  for (const char separator : separators) {
    const std::ptrdiff_t count = std::count(header.begin(), header.end(), separator);
    if (count > most) {
      most = count;
      frequent = separator;
    }
    const std::size_t found = count == 0 ? 0 : common_width(text, name, separator);
    if (found > width) {
      width = found;
      best = separator;
    }
  }
  return width > 1 ? best : frequent;
}

std::vector<std::string> column_names(const CsvRecord& header, const std::string& file) {
  constexpr char unnamed[] = "rownames";
  std::vector<std::string> names;
  for (const CsvField& field : header.fields) names.emplace_back(name_in(field));
  const bool is_taken = std::find(names.begin(), names.end(), unnamed) != names.end();
  if (names.size() > 1 && trimmed(names.front()).empty() && !is_taken) names.front() = unnamed;
  const std::string where = CsvPlace{file, header.line}.text();
  check_column_names(names, where);
  if (std::all_of(names.begin(), names.end(), [](const std::string& each) {
        return number_in(trimmed(each), DecimalMarks::point_or_comma);
      })) {
    throw DataError("has numbers where the names of the columns should be", where,
                    "begin the file with a line of names");
  }
  return names;
}

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& name, const TableOptions& options)
      : text_(text), separator_(separator_in(text, name)) {
    table_.name = name;
    table_.marks = separator_ == ',' ? DecimalMarks::point : DecimalMarks::point_or_comma;
    make_builders(options);
  }

  Table read();

 private:
  void make_builders(const TableOptions& options);
  // Gives every row to the builders, and returns how many there are.
  std::size_t pass();
  void note_line(std::size_t row, std::size_t line);
  void check_decimal_marks() const;
  [[nodiscard]] std::string form() const;

  std::string_view text_;
  char separator_;
  Table table_;
  std::vector<ColumnBuilder> builders_;
};

void TableReader::make_builders(const TableOptions& options) {
  CsvReader reader(text_, table_.name, separator_);
  CsvRecord header;
  if (!reader.next(header)) {
    throw DataError("is empty", table_.name, "give a header and one row per sample");
  }
  const std::vector<std::string> names = column_names(header, table_.name);
  // A row ends a line, and a cell takes a byte or more.
  const auto line_ends =
      std::count_if(text_.begin(), text_.end(), [](char c) { return c == '\n' || c == '\r'; });
  const std::size_t most_rows =
      std::min(static_cast<std::size_t>(line_ends) + 1, text_.size() / names.size() + 1);
  for (const std::string& name : names) {
    const auto& words = options.words;
    const bool as_words = std::find(words.begin(), words.end(), name) != words.end();
    builders_.emplace_back(name, as_words, table_.marks, most_rows);
  }
}

void TableReader::note_line(std::size_t row, std::size_t line) {
  const bool goes_on =
      !table_.lines.empty() && line - table_.lines.back().line == row - table_.lines.back().row;
  if (!goes_on) table_.lines.push_back({row, line});
}

std::size_t TableReader::pass() {
  CsvReader reader(text_, table_.name, separator_);
  CsvRecord record;
  reader.next(record);  // the header
  table_.lines.clear();
  std::size_t rows = 0;
  for (; reader.next(record); ++rows) {
    if (record.fields.size() != builders_.size()) {
      throw DataError("has " + counted(record.fields.size(), "field") + ", the header has " +
                          std::to_string(builders_.size()),
                      CsvPlace{table_.name, record.line}.text(),
                      "make every row as long as the header");
    }
    note_line(rows, record.line);
    for (std::size_t j = 0; j < builders_.size(); ++j) {
      builders_[j].add(record.fields[j], record.line);
    }
  }
  return rows;
}

Table TableReader::read() {
  table_.rows = pass();
  if (table_.rows == 0) {
    throw DataError("has a header and no rows", table_.name, "add one row per sample");
  }
  if (std::any_of(builders_.begin(), builders_.end(),
                  [](const ColumnBuilder& each) { return each.must_read_again(); })) {
    for (ColumnBuilder& builder : builders_) builder.read_again();
    pass();
  }
  check_decimal_marks();
  table_.form = form();
  for (ColumnBuilder& builder : builders_) table_.columns.push_back(builder.finish());
  return std::move(table_);
}

void TableReader::check_decimal_marks() const {
  const ColumnBuilder* point = nullptr;
  const ColumnBuilder* comma = nullptr;
  for (const ColumnBuilder& builder : builders_) {
    if (builder.point_line() != 0) point = &builder;
    if (builder.comma_line() != 0) comma = &builder;
  }
  if (point == nullptr || comma == nullptr) return;
  throw DataError(
      "a number has a decimal comma, and one in line " + std::to_string(point->point_line()) +
          ", column " + in_quotes(point->name()) + " a decimal point",
      CsvPlace{table_.name, comma->comma_line(), comma->name()}.text(), one_decimal_mark);
}

std::string TableReader::form() const {
  std::string form = separator_ == ',' ? "commas" : separator_ == ';' ? "semicolons" : "tabs";
  const bool commas = std::any_of(builders_.begin(), builders_.end(),
                                  [](const ColumnBuilder& b) { return b.comma_line() != 0; });
  if (commas) form += ", decimal commas";
  if (text_.find('"') != std::string_view::npos) form += ", quotes";
  if (text_.find("\r\n") != std::string_view::npos) form += ", CRLF";
  if (text_.starts_with("\xef\xbb\xbf")) form += ", byte order mark";
  return form;
}

}  // namespace

Table read_table(const std::string& path, const TableOptions& options) {
  return parse_table(read_text_file(path, save_as_csv), path, options);
}

Table parse_table(std::string_view text, const std::string& name, const TableOptions& options) {
  check_text(text, name, save_as_csv);
  return TableReader(text, name, options).read();
}

}  // namespace colla
