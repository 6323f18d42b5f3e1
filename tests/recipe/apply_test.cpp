// SPDX-License-Identifier: Apache-2.0
// Recipes on other tables than the one they were learned from.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <cmath>

namespace colla {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

constexpr char training_text[] =
    "sex,age,ward,y\nF,31,a,1.5\nM,40,b,2.5\nM,,c,3\nF,55,b,4\nF,61,a,5\n";

Table training() { return parse_table(training_text, "train.csv"); }
Recipe recipe_of_training(const RecipeOptions& options = {}) {
  return learned(training(), options);
}

Prepared applied(std::string_view text, const RecipeOptions& options = {}) {
  const Recipe recipe = recipe_of_training(options);
  return apply(recipe, parse_table(text, "new.csv", table_options(recipe)), Targets::ignored);
}

void expect_not_applied(std::string_view text, const Texts& parts,
                        const RecipeOptions& options = {}) {
  expect_failure<DataError>([&] { applied(text, options); }, parts);
}

// age missing in a fifth of the rows: its indicator is (0 - 0.2)/0.4 or (1 - 0.2)/0.4.
TEST(Apply, features_stand_in_the_order_of_the_recipe) {
  EXPECT_EQ(feature_names(recipe_of_training()),
            (Texts{"sex=M", "age", "age missing", "ward=a", "ward=b", "ward=c"}));
  const Prepared prepared = applied("sex,age,ward\nM,31,c\n");
  ASSERT_EQ(prepared.X.cols(), 6);
  EXPECT_DOUBLE_EQ(prepared.X(0, 0), (1.0 - 0.4) / std::sqrt(0.24));
  EXPECT_DOUBLE_EQ(
      prepared.X(0, 1),
      (31.0 - 46.75) /
          std::sqrt((15.75 * 15.75 + 6.75 * 6.75 + 8.25 * 8.25 + 14.25 * 14.25) / 4.0));
  EXPECT_DOUBLE_EQ(prepared.X(0, 2), -0.5);
  EXPECT_DOUBLE_EQ(prepared.X(0, 5), (1.0 - 0.2) / 0.4);
  EXPECT_EQ(prepared.Y.cols(), 0);
  EXPECT_TRUE(prepared.warnings.empty());
}

TEST(Apply, the_order_of_columns_and_other_columns_do_not_matter) {
  const Samples plain = applied("sex,age,ward\nM,31,c\nF,60,a\n").X;
  EXPECT_EQ(applied("extra,ward,age,sex\n1,c,31,M\n2,a,60,F\n").X, plain);
  EXPECT_EQ(applied("ward;age;sex\nc;31,0;M\na;60;F\n").X, plain);
}

TEST(Apply, a_missing_value_is_average_and_says_so) {
  const Prepared prepared = applied("sex,age,ward\n,?,a\n");
  EXPECT_EQ(prepared.X(0, 0), 0.0);
  EXPECT_EQ(prepared.X(0, 1), 0.0);
  EXPECT_DOUBLE_EQ(prepared.X(0, 2), 2.0);
  EXPECT_EQ(prepared.warnings,
            Texts{"column 'sex': 1 missing value, and training had none; taken as average"});
}

TEST(Apply, an_unknown_word_gives_zeros_and_is_counted) {
  const Prepared prepared = applied("sex,age,ward\nF,31,z\nF,31,q\nF,31,a\n");
  EXPECT_TRUE((prepared.X.block(0, 3, 2, 3).array() == 0.0).all());
  ASSERT_EQ(prepared.warnings.size(), 1U);
  EXPECT_EQ(
      prepared.warnings[0],
      "column 'ward': 2 rows with words that training did not have, such as 'z'; taken as average");
}

TEST(Apply, truth_values_may_be_written_in_any_case) {
  const Recipe recipe = learned(table_with(words("smoker", {"False", "True", "True", "False"})));
  const auto prepared = [&](const std::vector<std::string>& cells) {
    return apply(recipe, table_with(words("smoker", cells)), Targets::ignored);
  };
  for (const auto& cells : {Texts{"false", "true"}, Texts{"FALSE", "TRUE"}}) {
    EXPECT_EQ(prepared(cells).X, prepared({"False", "True"}).X);
    EXPECT_EQ(prepared(cells).warnings, Texts{});
  }
  EXPECT_EQ(prepared({"yes"}).warnings.size(), 1U);
}

TEST(Apply, values_far_outside_are_drawn_in_and_counted) {
  const Prepared prepared = applied("sex,age,ward\nF,1e9,a\n");
  EXPECT_LT(prepared.X(0, 1), 100.0);
  ASSERT_EQ(prepared.warnings.size(), 1U);
  EXPECT_TRUE(holds(prepared.warnings[0], "column 'age': 1 value beyond"));
}

TEST(Apply, missing_columns_are_named) {
  expect_not_applied("sex,age\nF,31\n",
                     {"new.csv", "no column 'ward'", "'sex', 'age'", "every column"});
  expect_failure<DataError>(
      [] {
        apply(recipe_of_training(), parse_table("sex,age,ward\nF,3,a\n", "n.csv"), Targets::wanted);
      },
      {"n.csv", "no column 'y'"});
}

TEST(Apply, a_word_in_a_column_of_numbers_is_named) {
  expect_not_applied("sex,age,ward\nF,31,a\nF,old,a\n",
                     {"new.csv, line 3, column 'age'", "'old' is not a number", "correct it"});
}

TEST(Apply, a_number_in_a_column_of_words_is_its_text) {
  const Table table = parse_table("code,y\n01,1.5\n1,2.5\nx,3.5\n", "train.csv");
  const Recipe recipe = learned(table);
  const Table other = parse_table("code\n01\n1\n", "new.csv", table_options(recipe));
  const Samples expected = apply(recipe, table, Targets::ignored).X.topRows(2);
  EXPECT_EQ(apply(recipe, other, Targets::ignored).X, expected);
  const Table in_memory = table_of({numbers("code", {1})});
  EXPECT_EQ(apply(recipe, in_memory, Targets::ignored).X, expected.row(1));
}

TEST(Apply, categories_keep_their_text_from_training_to_prediction) {
  const RecipeOptions options{.words = {"zip"}};
  const Table table =
      parse_table("zip,y\n010,1.5\n20,2.5\n010,3.5\n", "t.csv", table_options(options));
  const Recipe recipe = learned(table, options);
  EXPECT_EQ(recipe.columns[0].levels[0].name, "010");
  const Table other = parse_table("zip\n010\n20\n", "n.csv", table_options(recipe));
  EXPECT_TRUE(apply(recipe, other, Targets::ignored).warnings.empty());
}

TEST(Apply, what_is_no_date_is_named) {
  const Recipe recipe =
      learned(parse_table("d,y\n2001-01-01,1\n2001-01-03,2\n2001-01-09,3.5\n", "t.csv"),
              {.dates = Recognised::number});
  expect_failure<DataError>(
      [&] { apply(recipe, parse_table("d\n2001-01-01\nsoon\n", "n.csv"), Targets::ignored); },
      {"n.csv, line 3, column 'd'", "'soon' is not a date of the form year-month-day"});
  expect_failure<DataError>(
      [&] { apply(recipe, parse_table("d\n2001\n", "n.csv"), Targets::ignored); },
      {"n.csv, line 2, column 'd'", "'2001' is not a date"});
}

TEST(Apply, hinges_bend_at_their_knots) {
  const Table table = table_with(numbers("x", {0, 1, 2, 3, 4}));
  const Recipe recipe = learned(table, {.expand = Expansion::splines});
  const Samples X = apply(recipe, table, Targets::ignored).X;
  ASSERT_EQ(feature_names(recipe)[3], "x>3");
  const double step = X(4, 3) - X(3, 3);
  EXPECT_DOUBLE_EQ(X(1, 3), X(0, 3));
  EXPECT_DOUBLE_EQ(X(3, 3), X(0, 3));
  EXPECT_GT(step, 1.0);
}

}  // namespace
}  // namespace colla
