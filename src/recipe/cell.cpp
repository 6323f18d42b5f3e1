// SPDX-License-Identifier: Apache-2.0
#include "recipe/cell.hpp"

#include "files/text.hpp"

#include <colla/row_value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace colla {
namespace {

// Infinity if no double can hold it.
std::optional<double> with_point(std::string_view text) {
  double value = std::numeric_limits<double>::infinity();
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || parsed != end || std::isnan(value)) {
    return std::nullopt;
  }
  return value;
}

std::optional<double> with_comma(std::string_view text) {
  std::array<char, 64> copy{};
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || text.size() > copy.size()) return std::nullopt;
  if (text.find('.') != std::string_view::npos) return std::nullopt;
  std::copy(text.begin(), text.end(), copy.begin());
  copy[comma] = '.';
  return with_point({copy.data(), text.size()});
}

// Of any size.
std::optional<double> any_number_in(std::string_view cell, DecimalMarks marks) {
  if (cell.size() > 1 && cell.front() == '+' && cell[1] != '-') cell.remove_prefix(1);
  if (cell.empty()) return std::nullopt;
  const std::optional<double> value = with_point(cell);
  return value || marks == DecimalMarks::point ? value : with_comma(cell);
}

}  // namespace

bool is_missing(std::string_view cell) {
  if (cell.empty()) return true;
  if (cell.size() > 4) return false;
  std::array<char, 4> lower{};
  std::transform(cell.begin(), cell.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string_view word(lower.data(), cell.size());
  return word == "?" || word == "na" || word == "n/a" || word == "nan" || word == "null";
}

std::optional<double> number_in(std::string_view cell, DecimalMarks marks) {
  const std::optional<double> value = any_number_in(cell, marks);
  return value && is_row_value(*value) ? value : std::nullopt;
}

bool is_out_of_range(std::string_view cell, DecimalMarks marks) {
  const std::optional<double> value = any_number_in(cell, marks);
  return value && !is_row_value(*value);
}

std::string shortest_text(double number) {
  std::array<char, 32> digits{};
  if (number == 0.0) return "0";
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string rounded_text(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", number);
  return text.data();
}

bool comes_before(const std::string& a, const std::string& b) {
  const std::optional<double> a_number = number_in(a);
  const std::optional<double> b_number = number_in(b);
  if (a_number.has_value() != b_number.has_value()) return a_number.has_value();
  if (a_number && *a_number != *b_number) return *a_number < *b_number;
  const std::string a_lower = in_lower_case(a);
  const std::string b_lower = in_lower_case(b);
  return a_lower != b_lower ? a_lower < b_lower : a < b;
}

}  // namespace colla
