// SPDX-License-Identifier: Apache-2.0
// What a recipe makes of each kind of column.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <cmath>
#include <numeric>

namespace colla {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

// The column and one more, so that a column may be left out.
Recipe learned_with(Column column, const RecipeOptions& options = {}) {
  const std::size_t rows = column.has_words ? column.codes.size() : column.numbers.size();
  std::vector<double> other(rows);
  for (std::size_t row = 0; row < rows; ++row) other[row] = std::sin(static_cast<double>(row));
  std::vector<double> targets(rows);
  std::iota(targets.begin(), targets.end(), 0.5);
  return learned(table_of({std::move(column), numbers("other", other), numbers("y", targets)}),
                 options);
}

std::vector<double> counting(std::size_t rows, double first = 1.0) {
  std::vector<double> values(rows);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Learn, numbers_have_mean_spread_and_bounds) {
  const Recipe recipe = learned(table_with(numbers("x", {1, 2, 3, 4})));
  const NumberRule& rule = recipe.columns[0].number;
  EXPECT_DOUBLE_EQ(rule.mean, 2.5);
  EXPECT_DOUBLE_EQ(rule.spread, std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(rule.low, 2.5 - 20.0);  // the median deviation of 1.5, 0.5, 0.5, 1.5 is 1
  EXPECT_DOUBLE_EQ(rule.high, 2.5 + 20.0);
  EXPECT_EQ(feature_names(recipe), Texts{"x"});
}

TEST(Learn, one_enormous_value_hardly_changes_the_scale) {
  std::vector<double> values(200);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::sin(static_cast<double>(k));
  const double spread = learned(table_with(numbers("x", values))).columns[0].number.spread;
  values[7] = 1e9;
  const NumberRule rule = learned(table_with(numbers("x", values))).columns[0].number;
  EXPECT_LT(rule.spread, 3.0 * spread);
  EXPECT_LT(rule.high, 100.0);
}

TEST(Learn, an_enormous_value_among_zeros_is_drawn_in_too) {
  std::vector<double> values(100, 0.0);
  for (std::size_t k = 0; k < 10; ++k) values[10 * k] = 1.0 + static_cast<double>(k);
  values[3] = 1e9;
  EXPECT_LT(learned(table_with(numbers("x", values))).columns[0].number.high, 1000.0);
}

TEST(Learn, constants_are_left_out) {
  EXPECT_EQ(first_reason(learned_with(numbers("c", {3, 3, 3}))), "always 3");
  EXPECT_EQ(first_reason(learned_with(words("c", {"a", "a", "a"}))), "always 'a'");
  EXPECT_EQ(first_reason(learned_with(words("c", {"", "", ""}))), "every value is missing");
  EXPECT_EQ(first_reason(learned_with(numbers("c", {0.3, 0.1 + 0.2, 0.3}))), "always 0.3");
}

TEST(Learn, a_constant_with_gaps_is_an_indicator) {
  const Recipe recipe = learned(table_with(numbers("c", {1, std::nan(""), 1, std::nan("")})));
  EXPECT_EQ(feature_names(recipe), Texts{"c missing"});
}

TEST(Learn, identifiers_are_recognised_by_name) {
  for (const char* name : {"id", "ID", "rownames", "Index", "patient_id", "Unnamed: 0"}) {
    EXPECT_EQ(first_reason(learned_with(numbers(name, {4, 4, 7}))), "an identifier by its name");
  }
  EXPECT_EQ(first_reason(learned_with(words("id", {"a", "b", "b"}))), "an identifier by its name");
  EXPECT_EQ(first_reason(learned_with(numbers("index", {1.5, 2.5, 7.5}))), "");
}

TEST(Learn, identifiers_are_recognised_by_their_values) {
  const std::string reason = "an identifier: different in every row";
  EXPECT_EQ(first_reason(learned_with(numbers("n", counting(60)))), reason);
  EXPECT_EQ(first_reason(learned_with(numbers("n", counting(40)))), "");
  std::vector<double> sparse = counting(60);
  for (double& value : sparse) value *= 1000.0;
  EXPECT_EQ(first_reason(learned_with(numbers("n", sparse))), "");
  std::vector<double> repeated = counting(60);
  repeated[5] = repeated[6];
  EXPECT_EQ(first_reason(learned_with(numbers("n", repeated))), "");
  Texts names;
  for (int k = 0; k < 30; ++k) names.push_back("name " + std::to_string(k));
  EXPECT_EQ(first_reason(learned_with(words("n", names))), reason);
}

TEST(Learn, identifiers_are_numbers_if_asked_for) {
  EXPECT_EQ(
      learned_with(numbers("id", {4, 4, 7}), {.identifiers = Recognised::number}).columns.size(),
      2U);
  EXPECT_EQ(learned_with(numbers("id", {4, 4, 7}), {.columns = {"id"}}).columns[0].column, "id");
  EXPECT_EQ(learned_with(numbers("id", {4, 4, 7}), {.words = {"id"}}).columns[0].kind, Kind::words);
}

TEST(Learn, dates_are_left_out_or_days) {
  const Column dates = words("day", {"1970-01-02", "1970-01-03", "1970-01-05"});
  EXPECT_EQ(first_reason(learned_with(dates)), "a date");
  const Recipe recipe = learned_with(dates, {.dates = Recognised::number});
  EXPECT_EQ(recipe.columns[0].kind, Kind::date);
  EXPECT_DOUBLE_EQ(recipe.columns[0].number.mean, 7.0 / 3.0);
  EXPECT_EQ(learned_with(dates, {.columns = {"day"}}).columns[0].kind, Kind::date);
}

TEST(Learn, words_have_a_column_for_each_level_in_sorted_order) {
  const Recipe recipe = learned(table_with(words("c", {"b", "A", "10", "9", "b"})));
  EXPECT_EQ(feature_names(recipe), (Texts{"c=9", "c=10", "c=A", "c=b"}));
  EXPECT_DOUBLE_EQ(recipe.columns[0].levels[3].share, 0.4);
}

TEST(Learn, two_words_need_one_column) {
  EXPECT_EQ(feature_names(learned(table_with(words("sex", {"M", "F", "F"})))), Texts{"sex=M"});
}

TEST(Learn, missing_cells_give_an_indicator) {
  const Recipe recipe = learned(table_with(words("c", {"a", "b", "", "a"})));
  EXPECT_EQ(feature_names(recipe), (Texts{"c=b", "c missing"}));
  EXPECT_DOUBLE_EQ(recipe.columns[0].missing, 0.25);
  EXPECT_DOUBLE_EQ(recipe.columns[0].levels[1].share, 1.0 / 3.0);
}

TEST(Learn, splines_add_hinges_at_the_quartiles) {
  const Recipe recipe =
      learned(table_with(numbers("x", {0, 1.5, 2, 3, 4})), {.expand = Expansion::splines});
  EXPECT_EQ(feature_names(recipe), (Texts{"x", "x>1.5", "x>2", "x>3"}));
}

TEST(Learn, many_rows_have_hinges_at_the_octiles_and_few_only_if_asked) {
  const auto hinges = [](std::size_t rows, Expansion expand) {
    std::vector<double> values(rows);
    for (std::size_t k = 0; k < rows; ++k) values[k] = static_cast<double>(k * k);
    return feature_names(learned(table_with(numbers("x", values)), {.expand = expand})).size() - 1;
  };
  EXPECT_EQ(hinges(99, Expansion::automatic), 0U);
  EXPECT_EQ(hinges(99, Expansion::splines), 3U);
  EXPECT_EQ(hinges(100, Expansion::automatic), 3U);
  EXPECT_EQ(hinges(399, Expansion::automatic), 3U);
  EXPECT_EQ(hinges(400, Expansion::automatic), 7U);
}

TEST(Learn, numbers_of_two_values_have_no_hinges) {
  const Recipe recipe =
      learned(table_with(numbers("x", {0, 1, 0, 1, 1})), {.expand = Expansion::splines});
  EXPECT_EQ(feature_names(recipe), Texts{"x"});
}

TEST(Learn, task_agent_and_target_are_no_features) {
  const Table table = table_of({words("school", {"a", "b", "a"}), words("site", {"p", "q", "p"}),
                                numbers("x", {1, 2, 4}), numbers("score", {1.5, 2.5, 3.5})});
  const Recipe recipe =
      learned(table, {.task_column = "school", .agent_column = "site", .target_column = "score"});
  EXPECT_EQ(feature_names(recipe), Texts{"x"});
  EXPECT_EQ(recipe.task_column, "school");
}

TEST(Learn, columns_and_drop_choose_features) {
  const Table table = table_of({numbers("a", {1, 2, 4}), numbers("b", {1, 2, 5}),
                                numbers("c", {1, 2, 6}), numbers("y", {1.5, 2.5, 3.5})});
  EXPECT_EQ(feature_names(learned(table, {.columns = {"c", "a"}})), (Texts{"a", "c"}));
  EXPECT_EQ(feature_names(learned(table, {.drop = {"b"}})), (Texts{"a", "c"}));
}

TEST(Learn, rows_without_target_are_left_out) {
  const Table table =
      table_of({numbers("x", {1, 2, 1e6, 5}), numbers("y", {1.5, 2.5, std::nan(""), 3.5})});
  const Recipe recipe = learned(table);
  EXPECT_EQ(recipe.rows, 3U);
  EXPECT_EQ(recipe.without_target, 1U);
  EXPECT_DOUBLE_EQ(recipe.columns[0].number.mean, 8.0 / 3.0);
}

TEST(Learn, a_few_lines_say_what_was_learned) {
  const Table table =
      table_of({numbers("id", {1, 2, 3, 4}), numbers("ses", {0.1, 0.2, std::nan(""), 1}),
                words("sex", {"F", "M", "M", "F"}), numbers("y", {1, 2, 3.5, 4})});
  EXPECT_EQ(description(learned(table)),
            (Texts{"target y: a number, mean 2.625, spread 1.192",
                   "3 features from 2 columns of 4 rows", "numbers: ses", "words: sex (F, M)",
                   "missing values, each with an indicator: ses (25 %)",
                   "left out: id (an identifier by its name)"}));
}

}  // namespace
}  // namespace colla
