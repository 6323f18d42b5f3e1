// SPDX-License-Identifier: Apache-2.0
// What holds for any table.
#include "recipe_tables.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace colla {
namespace {

using namespace testing;

constexpr double not_there = std::numeric_limits<double>::quiet_NaN();

// Skewed numbers with gaps and outliers, numbers on few values, words with gaps, targets.
Table any_table(std::size_t rows) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::normal_distribution<double> normal;
  std::vector<double> skewed;
  std::vector<double> few;
  std::vector<double> targets;
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < rows; ++row) {
    skewed.push_back(random() % 7 == 0 ? not_there : std::exp(normal(random)));
    few.push_back(static_cast<double>(random() % 4));
    targets.push_back(normal(random));
    cells.push_back(random() % 9 == 0 ? "" : std::string(1, static_cast<char>('a' + random() % 4)));
  }
  skewed[random() % rows] = 1e9;
  return table_of({numbers("skewed", skewed), numbers("few", few), words("words", cells),
                   numbers("y", targets)});
}

RecipeOptions any_options() {
  return {.expand = *rc::gen::element(Expansion::none, Expansion::splines)};
}

Column& column_of(Table& table, const std::string& name) {
  return *std::find_if(table.columns.begin(), table.columns.end(),
                       [&](const Column& each) { return each.name == name; });
}

double largest_difference(const Samples& a, const Samples& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

RC_GTEST_PROP(RecipeProperty, multiplying_or_shifting_a_column_changes_no_feature, ()) {
  const Table table = any_table(60);
  const RecipeOptions options = any_options();
  Table other = table;
  const double factor = std::pow(10.0, *rc::gen::inRange(-6, 7));
  const double shift = factor * *rc::gen::inRange(-1000, 1000);
  for (const char* name : {"skewed", "few", "y"}) {
    for (double& value : column_of(other, name).numbers) value = factor * value + shift;
  }
  const Prepared before = apply(learned(table, options), table, Targets::wanted);
  const Prepared after = apply(learned(other, options), other, Targets::wanted);
  RC_ASSERT(largest_difference(before.X, after.X) < 1e-7);
  RC_ASSERT(largest_difference(before.Y, after.Y) < 1e-7);
}

RC_GTEST_PROP(RecipeProperty, turning_a_column_around_turns_its_feature_around, ()) {
  const Table table = any_table(60);
  Table other = table;
  for (double& value : column_of(other, "skewed").numbers) value = -value;
  const Samples before = apply(learned(table), table, Targets::ignored).X;
  const Samples after = apply(learned(other), other, Targets::ignored).X;
  RC_ASSERT((before.col(0) + after.col(0)).cwiseAbs().maxCoeff() < 1e-9);
  RC_ASSERT(largest_difference(before.rightCols(before.cols() - 1),
                               after.rightCols(after.cols() - 1)) == 0.0);
}

// (x - mean)/spread of the rows in which the column is not missing.
RC_GTEST_PROP(RecipeProperty, features_have_mean_0_and_spread_1_where_they_are_not_missing, ()) {
  const Table table = any_table(80);
  const Recipe recipe = learned(table, any_options());
  const Samples X = apply(recipe, table, Targets::wanted).X;
  const std::vector<std::string> names = feature_names(recipe);
  for (Index j = 0; j < X.cols(); ++j) {
    const std::string& name = names[static_cast<std::size_t>(j)];
    const bool indicator = name.ends_with(" missing");
    const Column& column = *table.find(name.substr(0, name.find_first_of("=> ")));
    double count = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t row = 0; row < table.rows; ++row) {
      const double x = X(static_cast<Index>(row), j);
      if (!indicator && column.is_missing(row)) {
        RC_ASSERT(x == 0.0);
        continue;
      }
      count += 1.0;
      sum += x;
      squares += x * x;
    }
    RC_ASSERT(std::abs(sum / count) < 1e-9);
    RC_ASSERT(std::abs(squares / count - 1.0) < 1e-9);
  }
}

void expect_close(double a, double b) { RC_ASSERT(std::abs(a - b) <= 1e-12 * std::abs(b)); }

RC_GTEST_PROP(RecipeProperty, the_order_of_rows_does_not_matter, ()) {
  const Table table = any_table(70);
  const RecipeOptions options = any_options();
  std::vector<std::size_t> rows = all_rows(table);
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  std::shuffle(rows.begin(), rows.end(), random);
  Recipe shuffled = learn_recipe(table, rows, options);
  const Recipe recipe = learned(table, options);
  expect_close(shuffled.target.mean, recipe.target.mean);
  for (std::size_t k = 0; k < recipe.columns.size(); ++k) {
    NumberRule& rule = shuffled.columns[k].number;
    const NumberRule& expected = recipe.columns[k].number;
    expect_close(rule.mean, expected.mean);
    expect_close(rule.spread, expected.spread);
    RC_ASSERT(rule.hinges.size() == expected.hinges.size());
    for (std::size_t j = 0; j < rule.hinges.size(); ++j) {
      RC_ASSERT(rule.hinges[j].knot == expected.hinges[j].knot);
      expect_close(rule.hinges[j].mean, expected.hinges[j].mean);
    }
    RC_ASSERT(rule.low == expected.low && rule.high == expected.high);
    rule = expected;
  }
  shuffled.target = recipe.target;
  RC_ASSERT(shuffled == recipe);
}

// Levels by first appearance must not show either.
TEST(Recipe, the_order_of_lines_in_a_file_does_not_change_its_levels) {
  const Recipe one = learned(parse_table("c,y\nb,1\na,2\nc,3.5\n", "f.csv"));
  const Recipe other = learned(parse_table("c,y\nc,3.5\na,2\nb,1\n", "f.csv"));
  EXPECT_EQ(one.columns, other.columns);
}

RC_GTEST_PROP(RecipeProperty, rows_outside_of_training_do_not_change_a_recipe, ()) {
  const Table table = any_table(60);
  const RecipeOptions options = any_options();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows; row += 2) rows.push_back(row);
  Table poisoned = table;
  column_of(poisoned, "words").levels.emplace_back("poison");
  for (std::size_t row = 1; row < table.rows; row += 2) {
    column_of(poisoned, "skewed").numbers[row] = not_there;
    column_of(poisoned, "few").numbers[row] = -1e30;
    column_of(poisoned, "y").numbers[row] = 1e30;
    column_of(poisoned, "words").codes[row] =
        static_cast<std::int32_t>(column_of(poisoned, "words").levels.size() - 1);
  }
  RC_ASSERT(learn_recipe(poisoned, rows, options) == learn_recipe(table, rows, options));
}

// A word in a test row makes the whole column words in the table, and numbers for the recipe.
TEST(Recipe, a_word_in_a_row_outside_of_training_does_not_change_a_recipe) {
  const std::string text = "x,y\n1,1.5\n2,2.5\n4,1\n";
  const Table clean = parse_table(text + "8,3\n", "f.csv");
  const Table poisoned = parse_table(text + "poison,yes\n", "f.csv");
  const std::vector<std::size_t> rows = {0, 1, 2};
  EXPECT_EQ(learn_recipe(poisoned, rows, {}), learn_recipe(clean, rows, {}));
}

RC_GTEST_PROP(RecipeProperty, files_give_the_same_recipe_bit_for_bit, ()) {
  const Recipe recipe = learned(any_table(50), any_options());
  const std::string text = to_toml(recipe);
  const Recipe again = parse_recipe(text, "r.toml");
  RC_ASSERT(again == recipe);
  RC_ASSERT(to_toml(again) == text);
}

}  // namespace
}  // namespace colla
