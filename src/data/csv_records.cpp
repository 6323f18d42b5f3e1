// SPDX-License-Identifier: Apache-2.0
#include "data/csv_records.hpp"

#include "files/text.hpp"

#include <colla/row_value.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace colla {

std::string CsvPlace::text() const {
  std::string place = file + ", line " + std::to_string(line);
  if (!column.empty()) place += ", column " + in_quotes(column);
  return place;
}

CsvReader::CsvReader(std::string_view text, const std::string& name, char separator)
    : text_(text), name_(name), separator_(separator) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text_.starts_with(byte_order_mark)) text_.remove_prefix(byte_order_mark.size());
}

bool CsvReader::next(CsvRecord& record) {
  skip_blank_lines();
  record.fields.clear();
  unescaped_.clear();
  record.line = line_;
  if (position_ == text_.size()) return false;
  for (;;) {
    const bool opens_quote = position_ < text_.size() && text_[position_] == '"';
    record.fields.push_back(opens_quote ? quoted_field() : bare_field());
    if (at_line_end()) break;
    ++position_;  // the separator
  }
  skip_line_end();
  return true;
}

CsvField CsvReader::bare_field() {
  const std::string_view rest = text_.substr(position_);
  const auto ends = [separator = separator_](char c) {
    return c == separator || c == '\n' || c == '\r';
  };
  const auto length =
      static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), ends) - rest.begin());
  position_ += length;
  return {rest.substr(0, length), false};
}

CsvField CsvReader::quoted_field() {
  const std::size_t first_line = line_;
  std::size_t begin = ++position_;
  std::string* copy = nullptr;  // made at the first doubled quote
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '\n' || c == '\r') {
      skip_line_end();
      continue;
    }
    ++position_;
    if (c != '"') continue;
    const std::string_view part = text_.substr(begin, position_ - 1 - begin);
    if (position_ < text_.size() && text_[position_] == '"') {
      if (copy == nullptr) copy = &unescaped_.emplace_back();
      copy->append(part).push_back('"');
      begin = ++position_;
      continue;
    }
    if (!at_line_end() && text_[position_] != separator_) {
      throw DataError("text follows a closing quote", CsvPlace{name_, line_}.text(),
                      "write a quote inside a quoted field twice");
    }
    if (copy == nullptr) return {part, true};
    return {copy->append(part), true};
  }
  throw DataError("a quote is opened and never closed", CsvPlace{name_, first_line}.text(),
                  "close it, or write a quote inside a quoted field twice");
}

bool CsvReader::at_line_end() const {
  return position_ == text_.size() || text_[position_] == '\n' || text_[position_] == '\r';
}

void CsvReader::skip_line_end() {
  if (position_ == text_.size()) return;
  const bool two_characters = text_.substr(position_, 2) == "\r\n";
  position_ += two_characters ? 2 : 1;
  ++line_;
}

void CsvReader::skip_blank_lines() {
  const std::size_t blank_line = line_;
  std::size_t line_begin = position_;
  const auto is_blank = [this](char c) { return (c == ' ' || c == '\t') && c != separator_; };
  for (;;) {
    while (position_ < text_.size() && is_blank(text_[position_])) ++position_;
    if (!at_line_end()) break;
    if (position_ == text_.size()) return;
    skip_line_end();
    line_begin = position_;
  }
  if (line_ != blank_line) {
    throw DataError("is blank, and rows follow it", CsvPlace{name_, blank_line}.text(),
                    "remove the blank line");
  }
  position_ = line_begin;
}

std::optional<double> number_or_text(const CsvField& field, const CsvPlace& place) {
  std::string_view text = trimmed(field.text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error == std::errc::invalid_argument || end != text.data() + text.size()) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    throw DataError(in_quotes(text) + " is outside the range of numbers", place.text(),
                    "write a value that a double can hold");
  }
  if (!std::isfinite(value)) {
    throw DataError(in_quotes(text) + " is not a finite number", place.text(),
                    "fill it in or remove the row");
  }
  return value;
}

double finite_number(const CsvField& field, const CsvPlace& place, const std::string& remedy) {
  const std::optional<double> value = number_or_text(field, place);
  if (value) return *value;
  if (trimmed(field.text).empty()) {
    throw DataError("the value is missing", place.text(), "fill it in or remove the row");
  }
  throw DataError(in_quotes(field.text) + " is not a number", place.text(), remedy);
}

double checked_row_value(double value, const CsvPlace& place) {
  if (!is_row_value(value)) throw beyond_row_values(value, place.text());
  return value;
}

double row_value(const CsvField& field, const CsvPlace& place, const std::string& remedy) {
  return checked_row_value(finite_number(field, place, remedy), place);
}

std::string_view name_in(const CsvField& field) {
  return field.was_quoted ? field.text : trimmed(field.text);
}

}  // namespace colla
