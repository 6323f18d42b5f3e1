// SPDX-License-Identifier: Apache-2.0
// What a column is, from its cells in the training rows.
#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <array>

namespace colla {
namespace {

using Learned = std::variant<ColumnRule, LeftOut>;

constexpr char differs_in_every_row[] = "an identifier: different in every row";
constexpr char named_as_identifier[] = "an identifier by its name";

// One column on its way into the recipe.
class ColumnLearner {
 public:
  ColumnLearner(const Table& table, const Column& column, std::span<const std::size_t> rows,
                const RecipeOptions& options)
      : table_(table), column_(column), rows_(rows), options_(options) {
    for (const std::size_t row : rows) present_ += column.is_missing(row) ? 0U : 1U;
    rule_.column = column.name;
    const auto count = static_cast<double>(rows.size());
    rule_.missing = static_cast<double>(rows.size() - present_) / count;
  }

  Learned learn();

 private:
  Learned numbers();
  Learned dates(const std::vector<DateForm>& forms);
  Learned words();
  Learned number_rule(std::vector<double> values);
  [[nodiscard]] std::vector<double> present_values(const NumberCells& cells) const;
  // The levels that occur in the rows.
  [[nodiscard]] std::vector<Level> used_levels() const;
  void refuse_nearly_numbers(const std::vector<Level>& levels) const;
  void refuse_too_many(const std::vector<Level>& levels) const;
  [[nodiscard]] LeftOut left_out(const std::string& reason) const { return {column_.name, reason}; }
  // A column that the user asks for by name is used, whatever it looks like.
  [[nodiscard]] bool may_be_identifier() const {
    return options_.identifiers == Recognised::leave_out &&
           !contains(options_.columns, column_.name) && !contains(options_.words, column_.name);
  }

  const Table& table_;
  const Column& column_;
  std::span<const std::size_t> rows_;
  const RecipeOptions& options_;
  std::size_t present_ = 0;
  ColumnRule rule_;
};

bool is_named_as_identifier(const std::string& column) {
  constexpr std::array names{"id", "rownames", "row.names", "row_names", "index", "unnamed: 0"};
  const std::string name = in_lower_case(column);
  const bool ends_so = name.ends_with("_id") || name.ends_with(".id") || name.ends_with(" id");
  return ends_so || std::find(names.begin(), names.end(), name) != names.end();
}

bool are_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value == std::floor(value); });
}

// Whether whole numbers, all different, are more likely to number the rows than to measure
// something: they lie close together, or there are so many that measurements would have repeated.
bool number_the_rows(std::vector<double> values) {
  constexpr std::size_t few = 50;
  constexpr std::size_t many = 1000;
  constexpr double close = 4.0;
  const auto count = static_cast<double>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double range = *most - *least + 1.0;
  const bool is_dense = values.size() >= few && range <= close * count;
  if (range < count || !(is_dense || values.size() >= many)) return false;
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

Learned ColumnLearner::learn() {
  if (present_ == 0) return left_out("every value is missing");
  if (contains(options_.words, column_.name)) return words();
  if (!first_word(table_, column_, rows_)) return numbers();
  check_range(table_, column_, rows_);
  std::vector<std::string> names;
  for (const Level& level : used_levels()) names.push_back(level.name);
  const std::vector<DateForm> forms = date_forms(names);
  return forms.empty() ? words() : dates(forms);
}

std::vector<double> ColumnLearner::present_values(const NumberCells& cells) const {
  std::vector<double> values;
  values.reserve(present_);
  for (const std::size_t row : rows_) {
    if (!column_.is_missing(row)) values.push_back(cells[row]);
  }
  return values;
}

Learned ColumnLearner::number_rule(std::vector<double> values) {
  const std::string first = shortest_text(values.front());
  const std::optional<NumberRule> rule = learn_number(values, options_.expand);
  if (!rule && present_ == rows_.size()) return left_out("always " + first);
  if (!rule) return words();  // what varies is whether there is a value at all
  rule_.number = *rule;
  return rule_;
}

Learned ColumnLearner::numbers() {
  std::vector<double> values = present_values(plain_numbers(table_, column_, rows_));
  if (may_be_identifier() && are_whole(values)) {
    if (is_named_as_identifier(column_.name)) return left_out(named_as_identifier);
    if (number_the_rows(values)) return left_out(differs_in_every_row);
  }
  return number_rule(std::move(values));
}

Learned ColumnLearner::dates(const std::vector<DateForm>& forms) {
  const bool asked_for = contains(options_.columns, column_.name);
  if (options_.dates == Recognised::leave_out && !asked_for) return left_out("a date");
  if (forms.size() > 1) {
    throw DataError("its dates may be day-month-year or month-day-year",
                    table_.place() + ", column " + in_quotes(column_.name),
                    "write them as 2024-12-31, or drop the column");
  }
  rule_.kind = Kind::date;
  rule_.form = forms.front();
  return number_rule(present_values(dates_as_numbers(table_, column_, rows_, rule_.form)));
}

std::vector<Level> ColumnLearner::used_levels() const {
  std::vector<Level> levels;
  if (column_.has_words) {
    std::vector<std::size_t> counts(column_.levels.size(), 0);
    for (const std::size_t row : rows_) {
      if (!column_.is_missing(row)) ++counts[static_cast<std::size_t>(column_.codes[row])];
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const double share = static_cast<double>(counts[k]) / static_cast<double>(present_);
      if (counts[k] > 0) levels.push_back({column_.levels[k], share});
    }
  } else {
    std::vector<double> values = present_values(plain_numbers(table_, column_, rows_));
    std::sort(values.begin(), values.end());
    for (auto first = values.begin(); first != values.end();) {
      const auto last = std::upper_bound(first, values.end(), *first);
      const double share = static_cast<double>(last - first) / static_cast<double>(present_);
      levels.push_back({shortest_text(*first), share});
      first = last;
    }
  }
  return levels;
}

// A column of measurements with a few words in it.
void ColumnLearner::refuse_nearly_numbers(const std::vector<Level>& levels) const {
  constexpr std::size_t few = 20;
  constexpr double nearly = 0.9;
  const auto numbers = std::count_if(levels.begin(), levels.end(), [this](const Level& level) {
    return number_in(level.name, table_.marks).has_value();
  });
  const auto count = static_cast<double>(levels.size());
  if (levels.size() <= few || static_cast<double>(numbers) < nearly * count) return;
  const std::optional<std::size_t> word = first_word(table_, column_, rows_);
  if (!word) return;
  throw DataError(in_quotes(column_.text(*word)) + " stands in a column of numbers",
                  table_.place(*word, column_.name), "correct it, or leave the cell empty");
}

void ColumnLearner::refuse_too_many(const std::vector<Level>& levels) const {
  constexpr std::size_t always_fine = 10;
  constexpr std::size_t rows_per_level = 5;
  if (levels.size() <= std::max(always_fine, rows_.size() / rows_per_level)) return;
  throw DataError("has " + std::to_string(levels.size()) + " different words in " +
                      counted(rows_.size(), "row") + ", such as " + in_quotes(levels.front().name),
                  table_.place() + ", column " + in_quotes(column_.name),
                  "write numbers without units, group words into fewer, or drop the column");
}

Learned ColumnLearner::words() {
  constexpr std::size_t few = 20;
  rule_.kind = Kind::words;
  std::vector<Level> levels = used_levels();
  if (!contains(options_.words, column_.name)) refuse_nearly_numbers(levels);
  if (may_be_identifier()) {
    if (is_named_as_identifier(column_.name)) return left_out(named_as_identifier);
    if (levels.size() == present_ && present_ >= few) return left_out(differs_in_every_row);
  }
  refuse_too_many(levels);
  if (levels.size() == 1 && present_ == rows_.size()) {
    return left_out("always " + in_quotes(levels.front().name));
  }
  std::sort(levels.begin(), levels.end(),
            [](const Level& a, const Level& b) { return comes_before(a.name, b.name); });
  rule_.levels = std::move(levels);
  return rule_;
}

}  // namespace

std::variant<ColumnRule, LeftOut> learn_column(const Table& table, const Column& column,
                                               std::span<const std::size_t> rows,
                                               const RecipeOptions& options) {
  return ColumnLearner(table, column, rows, options).learn();
}

}  // namespace colla
