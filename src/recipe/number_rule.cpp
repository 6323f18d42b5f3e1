// SPDX-License-Identifier: Apache-2.0
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <limits>

namespace colla {
namespace {

// Sums in long double, so that the order of the rows does not show in the result.
struct Moments {
  double mean = 0.0;
  double spread = 0.0;
};

template <typename Transform>
Moments moments_of(std::span<const double> values, Transform transform) {
  const auto count = static_cast<long double>(values.size());
  const double origin = transform(values.front());
  long double sum = 0.0L;
  for (const double value : values) sum += static_cast<long double>(transform(value)) - origin;
  const long double mean = origin + sum / count;
  long double squares = 0.0L;
  for (const double value : values) {
    const long double deviation = transform(value) - mean;
    squares += deviation * deviation;
  }
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(squares / count))};
}

double median_deviation(std::span<const double> values, double median) {
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) {
    if (value != median) deviations.push_back(std::abs(value - median));
  }
  return quantile(deviations, 0.5);
}

constexpr std::size_t enough_values = 100;  // for hinges that nobody has asked for
constexpr std::size_t many_values = 400;

// Only hinges that bend well inside of the values and away from each other: at the quartiles, or
// the octiles of many values. Two values have no bend, though a quantile may lie between them.
std::vector<Hinge> hinges_of(std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  double before = *least;
  const double end = *most;
  const double apart = 1e-4 * (end - before);
  std::vector<Hinge> hinges;
  const auto is_inside = [before, end](double value) { return before < value && value < end; };
  if (std::none_of(values.begin(), values.end(), is_inside)) return hinges;
  const double step = values.size() < many_values ? 0.25 : 0.125;
  for (double share = step; share < 1.0; share += step) {
    const double knot = quantile(values, share);
    if (knot - before < apart || end - knot < apart) continue;
    const Moments moments =
        moments_of(values, [knot](double value) { return std::max(0.0, value - knot); });
    hinges.push_back({knot, moments.mean, moments.spread});
    before = knot;
  }
  return hinges;
}

constexpr char a_number[] = "a number";
constexpr char number_in_range[] = "a number within 1e30";

[[noreturn]] void refuse_cell(const Table& table, const Column& column, std::size_t row,
                              const std::string& wanted) {
  const std::string word = column.text(row);
  const bool is_large = wanted == a_number && is_out_of_range(word, table.marks);
  throw DataError(in_quotes(word) + " is not " + (is_large ? number_in_range : wanted),
                  table.place(row, column.name), "correct it, or leave the cell empty");
}

// Whether the values differ by no more than rounding.
bool are_constant(std::span<const double> values) {
  constexpr double rounding = 1e-13;
  constexpr double smallest = 1e-300;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double size = std::max(std::abs(*least), std::abs(*most));
  return *most - *least <= std::max(rounding * size, smallest);
}

}  // namespace

NumberCells::NumberCells(const Table& table, const Column& column,
                         std::span<const std::size_t> rows, const std::string& wanted,
                         const Reading& reading)
    : column_(column) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& level : column.levels) {
    by_level_.push_back(reading(level).value_or(none));
  }
  if (!column.has_words) return;
  for (const std::size_t row : rows) {
    if (!column.is_missing(row) && std::isnan((*this)[row])) {
      refuse_cell(table, column, row, wanted);
    }
  }
}

double NumberCells::operator[](std::size_t row) const {
  if (!column_.has_words) return column_.numbers[row];
  const std::int32_t code = column_.codes[row];
  return code == Column::missing ? std::numeric_limits<double>::quiet_NaN()
                                 : by_level_[static_cast<std::size_t>(code)];
}

NumberCells plain_numbers(const Table& table, const Column& column,
                          std::span<const std::size_t> rows) {
  return {table, column, rows, a_number,
          [&table](const std::string& word) { return number_in(word, table.marks); }};
}

NumberCells dates_as_numbers(const Table& table, const Column& column,
                             std::span<const std::size_t> rows, DateForm form) {
  const std::string wanted = "a date of the form " + name_of(form);
  if (!column.has_words) {
    for (const std::size_t row : rows) {
      if (!column.is_missing(row)) refuse_cell(table, column, row, wanted);
    }
  }
  return {table, column, rows, wanted,
          [form](const std::string& word) { return days_in(word, form); }};
}

std::optional<std::size_t> first_word(const Table& table, const Column& column,
                                      std::span<const std::size_t> rows) {
  if (!column.has_words) return std::nullopt;
  std::vector<bool> is_number;
  for (const std::string& level : column.levels) {
    is_number.push_back(number_in(level, table.marks).has_value());
  }
  for (const std::size_t row : rows) {
    const std::int32_t code = column.codes[row];
    if (code != Column::missing && !is_number[static_cast<std::size_t>(code)]) return row;
  }
  return std::nullopt;
}

void check_range(const Table& table, const Column& column, std::span<const std::size_t> rows) {
  if (!column.has_words) return;
  std::optional<std::size_t> first;
  for (const std::size_t row : rows) {
    if (column.is_missing(row)) continue;
    const std::string& word = column.levels[static_cast<std::size_t>(column.codes[row])];
    if (is_out_of_range(word, table.marks)) {
      if (!first) first = row;
    } else if (!number_in(word, table.marks)) {
      return;
    }
  }
  if (first) refuse_cell(table, column, *first, a_number);
}

double quantile(std::span<double> values, double share) {
  const double position = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  const double weight = position - static_cast<double>(below);
  if (weight == 0.0) return *nth;
  const double above = *std::min_element(nth + 1, values.end());
  return *nth + weight * (above - *nth);
}

std::optional<NumberRule> learn_number(std::vector<double>& values, Expansion expand) {
  constexpr double reach = 20.0;
  if (are_constant(values)) return std::nullopt;
  const double median = quantile(values, 0.5);
  const double deviation = median_deviation(values, median);
  NumberRule rule;
  rule.low = median - reach * deviation;
  rule.high = median + reach * deviation;
  for (double& value : values) value = std::clamp(value, rule.low, rule.high);
  const Moments moments = moments_of(values, [](double value) { return value; });
  rule.mean = moments.mean;
  rule.spread = moments.spread;
  const bool has_hinges = expand == Expansion::splines ||
                          (expand == Expansion::automatic && values.size() >= enough_values);
  if (has_hinges) rule.hinges = hinges_of(values);
  return rule;
}

}  // namespace colla
