// SPDX-License-Identifier: Apache-2.0
// What is predicted: a number, or one of some labels.
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>
#include <colla/row_value.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>
#include <utility>

namespace colla {
namespace {

constexpr std::size_t most_labels = 100;

// "1", "1.0" and "+1" are one label.
std::string label_of(const std::string& text, DecimalMarks marks) {
  const std::optional<double> number = number_in(text, marks);
  return number ? shortest_text(*number) : text;
}

// The different values, of which at most one more than `most_labels` is needed.
std::set<std::string> different_values(const Table& table, const Column& column,
                                       std::span<const std::size_t> rows) {
  std::set<std::string> values;
  std::set<double> numbers;
  std::set<std::int32_t> codes;
  for (const std::size_t row : rows) {
    const bool is_new = column.has_words ? codes.insert(column.codes[row]).second
                                         : numbers.insert(column.numbers[row]).second;
    if (is_new) values.insert(label_of(column.text(row), table.marks));
    if (values.size() > most_labels) break;
  }
  return values;
}

bool are_few_whole_numbers(const std::set<std::string>& values, std::size_t rows) {
  constexpr std::size_t most = 5;
  constexpr std::size_t rows_per_label = 10;
  const bool are_few = values.size() <= most && rows >= rows_per_label * values.size();
  return are_few && std::all_of(values.begin(), values.end(), [](const std::string& value) {
           const double number = *number_in(value);
           return number == std::floor(number);
         });
}

// Words that deny the other one, where the alphabet would have them second.
bool denies(const std::string& word, const std::string& other) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array pairs{Pair{"-", "+"},          Pair{"without", "with"},
                             Pair{"control", "case"}, Pair{"inactive", "active"},
                             Pair{"low", "high"},     Pair{"normal", "abnormal"}};
  const std::string a = in_lower_case(word);
  const std::string b = in_lower_case(other);
  for (const char* no : {"no ", "not ", "non-", "non "}) {
    if (a == no + b) return true;
  }
  return std::find(pairs.begin(), pairs.end(), Pair{a, b}) != pairs.end();
}

std::vector<std::string> ordered_labels(const std::set<std::string>& values) {
  std::vector<std::string> labels(values.begin(), values.end());
  std::sort(labels.begin(), labels.end(), comes_before);
  if (labels.size() == 2 && denies(labels[1], labels[0])) std::swap(labels[0], labels[1]);
  return labels;
}

// They may be the training rows only.
[[noreturn]] void refuse_constant(const std::string& value, const Table& table,
                                  const Column& column, std::span<const std::size_t> rows) {
  const std::size_t present = rows_with_target(table, column, all_rows(table)).size();
  const bool are_all = rows.size() == present;
  const std::string these =
      are_all ? "all targets" : "the targets of the " + counted(rows.size(), "training row");
  throw DataError(these + " are " + value, table.place() + ", column " + in_quotes(column.name),
                  are_all ? "give a target that varies"
                          : "hold out fewer rows, or give a target that varies more");
}

TargetRule regression_of(const Table& table, const Column& column,
                         std::span<const std::size_t> rows) {
  const NumberCells cells = plain_numbers(table, column, rows);
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(cells[row]);
  TargetRule target;
  if (const auto rule = learn_number(values, Expansion::none)) {
    target.mean = rule->mean;
    target.spread = rule->spread;
    return target;
  }
  refuse_constant(shortest_text(values.front()), table, column, rows);
}

TargetRule classification_of(const std::set<std::string>& values, const Table& table,
                             const Column& column, std::span<const std::size_t> rows) {
  if (values.size() < 2) refuse_constant(in_quotes(*values.begin()), table, column, rows);
  if (values.size() > most_labels) {
    throw DataError(
        "has more than " + std::to_string(most_labels) + " different labels, such as " +
            in_quotes(*values.begin()),
        table.place() + ", column " + in_quotes(column.name),
        "write numbers without units, group labels into fewer, or name another target column");
  }
  TargetRule target;
  target.problem = Problem::classification;
  target.labels = ordered_labels(values);
  return target;
}

// The place of each label that the column may hold.
std::unordered_map<std::string, std::size_t> label_positions(const TargetRule& target) {
  std::unordered_map<std::string, std::size_t> positions;
  for (const std::string& label : target.labels) positions.emplace(label, positions.size());
  return positions;
}

Samples encoded_labels(const TargetRule& target, const Table& table, const Column& column,
                       std::span<const std::size_t> rows) {
  const auto positions = label_positions(target);
  const auto models = static_cast<Index>(model_count(target));
  Samples encoded = Samples::Constant(static_cast<Index>(rows.size()), models, -1.0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string label = label_of(column.text(rows[k]), table.marks);
    const auto found = positions.find(label);
    if (found == positions.end()) {
      throw DataError(in_quotes(label) + " is no label that training had",
                      table.place(rows[k], column.name),
                      "labels are " + listed(target.labels) + "; correct it or remove the row");
    }
    const auto position = static_cast<Index>(found->second);
    if (models > 1) {
      encoded(static_cast<Index>(k), position) = 1.0;
    } else if (position == 1) {
      encoded(static_cast<Index>(k), 0) = 1.0;
    }
  }
  return encoded;
}

// A column of measurements with a word in it is no column of labels.
void refuse_word_among_numbers(const std::set<std::string>& values, const Table& table,
                               const Column& column, std::span<const std::size_t> rows) {
  constexpr std::size_t few = 5;
  const std::optional<std::size_t> word = first_word(table, column, rows);
  const auto numbers =
      static_cast<std::size_t>(std::count_if(values.begin(), values.end(), [](const auto& value) {
        return number_in(value).has_value();
      }));
  if (!word || numbers <= few || 2 * numbers < values.size()) return;
  throw DataError(in_quotes(column.text(*word)) + " stands among numbers",
                  table.place(*word, column.name),
                  "correct it, or leave the cell empty: the row is then left out");
}

}  // namespace

std::size_t model_count(const TargetRule& target) {
  return target.labels.size() > 2 ? target.labels.size() : 1;
}

TargetRule learn_target(const Table& table, const Column& column, std::span<const std::size_t> rows,
                        std::optional<Problem> problem) {
  check_range(table, column, rows);
  const bool has_numbers = !first_word(table, column, rows);
  if (problem && !has_labels(*problem)) return regression_of(table, column, rows);
  const std::set<std::string> values = different_values(table, column, rows);
  const bool looks_like_labels =
      !has_numbers || values.size() == 2 || are_few_whole_numbers(values, rows.size());
  if (!problem) refuse_word_among_numbers(values, table, column, rows);
  return problem || looks_like_labels ? classification_of(values, table, column, rows)
                                      : regression_of(table, column, rows);
}

Samples encoded_targets(const TargetRule& target, const Table& table, const Column& column,
                        std::span<const std::size_t> rows) {
  if (has_labels(target.problem)) return encoded_labels(target, table, column, rows);
  const NumberCells cells = plain_numbers(table, column, rows);
  Samples encoded(static_cast<Index>(rows.size()), 1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double value = (cells[rows[k]] - target.mean) / target.spread;
    if (!is_row_value(value)) {
      throw DataError(column.text(rows[k]) + " is more than 1e30 times as far out as the others",
                      table.place(rows[k], column.name), "correct it, or remove the row");
    }
    encoded(static_cast<Index>(k), 0) = value;
  }
  return encoded;
}

}  // namespace colla
