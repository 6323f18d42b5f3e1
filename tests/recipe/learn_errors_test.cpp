// SPDX-License-Identifier: Apache-2.0
// Tables from which no recipe can be learned.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <cmath>

namespace colla {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

void expect_no_recipe(const Table& table, const Texts& parts, const RecipeOptions& options = {}) {
  expect_failure<DataError>([&] { learned(table, options); }, parts);
}

Table small_table() { return table_with(numbers("x", {1, 2, 4, 8})); }

TEST(LearnErrors, options_that_name_no_column) {
  for (const RecipeOptions& options :
       {RecipeOptions{.columns = {"z"}}, RecipeOptions{.drop = {"z"}},
        RecipeOptions{.words = {"z"}}}) {
    expect_failure<SettingError>([&] { learned(small_table(), options); },
                                 {"there is no column 'z'", "'x', 'y'"});
  }
  expect_failure<SettingError>([&] { learned(small_table(), {.columns = {"y"}}); },
                               {"columns", "'y' is the task, agent or target column"});
  expect_failure<SettingError>([&] { learned(small_table(), {.columns = {"x"}, .drop = {"x"}}); },
                               {"drop", "'x' is also asked for"});
}

TEST(LearnErrors, one_name_for_two_columns) {
  expect_failure<OptionError>([&] { learned(small_table(), {.task_column = "y"}); },
                              {"two of the task, agent and target columns", "three different"});
}

TEST(LearnErrors, no_target) {
  expect_no_recipe(small_table(), {"no target column 'z'", "'x', 'y'"}, {.target_column = "z"});
  expect_no_recipe(table_of({numbers("x", {1, 2}), numbers("y", {std::nan(""), std::nan("")})}),
                   {"column 'y'", "no row has a target"});
}

TEST(LearnErrors, a_target_that_does_not_vary) {
  expect_no_recipe(table_of({numbers("x", {1, 2}), numbers("y", {3, 3})}),
                   {"column 'y'", "all targets are", "3", "varies"});
  expect_no_recipe(table_of({numbers("x", {1, 2}), words("y", {"a", "a"})}),
                   {"all targets are 'a'", "varies"});
}

TEST(LearnErrors, a_target_that_does_not_vary_in_the_training_rows) {
  const Table table = table_of({numbers("x", {1, 2, 4, 8}), numbers("y", {3, 3, 7, 8})});
  const std::vector<std::size_t> rows = {0, 1};
  expect_failure<DataError>(
      [&] { learn_recipe(table, rows, {}); },
      {"column 'y'", "the targets of the 2 training rows are 3", "hold out fewer"});
}

TEST(LearnErrors, words_as_numbers) {
  expect_no_recipe(parse_table("x,y\n1,2\n2,yes\n4,3\n", "f.csv"),
                   {"f.csv, line 3, column 'y'", "'yes' is not a number"},
                   {.problem = Problem::regression});
}

TEST(LearnErrors, numbers_out_of_range) {
  for (const std::string cell : {"1e31", "-1e31", "1e400", "1e-400", "inf", "-Infinity"}) {
    const Texts message = {"f.csv, line 3", "'" + cell + "' is not a number within 1e30"};
    expect_no_recipe(parse_table("x,y\n1,2\n" + cell + ",5\n4,3\n", "f.csv"), message);
    expect_no_recipe(parse_table("x,y\n1,2\n2," + cell + "\n4,3\n", "f.csv"), message);
  }
  expect_no_recipe(parse_table("x;y\n1;2\n1,5e30;5\n4;3\n", "f.csv"), {"f.csv, line 3", "1,5e30"});
}

TEST(LearnErrors, words_that_only_look_like_numbers_out_of_range_are_words) {
  const Table table = parse_table("x,y\ninf,2\nsup,5\ninf,3\n", "f.csv");
  EXPECT_EQ(learned(table).columns[0].levels.size(), 2U);
  const Table codes = parse_table("x,y\n12e345,2\n7,5\n7,3\n", "f.csv", {.words = {"x"}});
  EXPECT_EQ(learned(codes, {.words = {"x"}}).columns[0].levels.size(), 2U);
}

TEST(LearnErrors, too_many_labels) {
  Texts labels;
  std::vector<double> x;
  for (int k = 0; k < 150; ++k) {
    labels.push_back("label " + std::to_string(k));
    x.push_back(std::sqrt(k));
  }
  expect_no_recipe(table_of({numbers("x", x), words("y", labels)}),
                   {"column 'y'", "more than 100 different labels, such as '", "units", "group"});
}

TEST(LearnErrors, more_words_than_rows_can_carry) {
  Texts cells;
  for (int k = 0; k < 60; ++k) cells.push_back("word " + std::to_string(k / 2));
  expect_no_recipe(
      table_with(words("c", cells)),
      {"column 'c'", "30 different words in 60 rows, such as '", "units", "group", "drop"});
}

TEST(LearnErrors, more_words_than_a_thousand_together) {
  std::vector<Column> columns;
  for (const char* name : {"a", "b"}) {
    Texts cells;
    for (int k = 0; k < 6000; ++k)
      cells.push_back("w" + std::to_string(k % (*name == 'a' ? 550 : 500)));
    columns.push_back(words(name, cells));
  }
  std::vector<double> targets;
  for (int k = 0; k < 6000; ++k) targets.push_back(std::sqrt(k));
  columns.push_back(numbers("y", targets));
  expect_no_recipe(table_of(columns), {"1050 different words", "'a'", "drop"});
}

TEST(LearnErrors, a_word_among_many_numbers_is_named) {
  std::string text = "x,y\n";
  for (int k = 0; k < 40; ++k) text += std::to_string(k * k) + ".5," + std::to_string(k) + "\n";
  expect_no_recipe(parse_table(text + "12o,7\n", "f.csv"),
                   {"f.csv, line 42, column 'x'", "'12o' stands in a column of numbers"});
}

TEST(LearnErrors, dates_that_may_be_read_in_two_ways) {
  expect_no_recipe(table_with(words("day", {"01/02/2003", "03/04/2003", "05/06/2003"})),
                   {"column 'day'", "day-month-year or month-day-year", "2024-12-31"},
                   {.dates = Recognised::number});
}

TEST(LearnErrors, no_feature_is_left) {
  expect_no_recipe(table_with(numbers("x", {3, 3, 3})),
                   {"no column is left", "x: always 3", "add columns that vary"});
  expect_no_recipe(table_with(numbers("x", {3, 3, 3})),
                   {"no column is left", "x: always 3", "ask for columns that vary"},
                   {.columns = {"x"}});
}

}  // namespace
}  // namespace colla
