// SPDX-License-Identifier: Apache-2.0
// What the targets are, and in which order labels stand.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <cmath>

namespace colla {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

Table with_target(Column target) {
  const std::size_t rows = target.has_words ? target.codes.size() : target.numbers.size();
  std::vector<double> x;
  for (std::size_t row = 0; row < rows; ++row) x.push_back(std::sin(static_cast<double>(row)));
  return table_of({numbers("x", x), std::move(target)});
}

Texts labels_of(Column target) { return learned(with_target(std::move(target))).target.labels; }

TEST(Target, any_two_values_are_classes) {
  EXPECT_EQ(labels_of(numbers("y", {2, 1, 2})), (Texts{"1", "2"}));
  EXPECT_EQ(labels_of(numbers("y", {0.5, -1, -1})), (Texts{"-1", "0.5"}));
  EXPECT_EQ(labels_of(words("y", {"pear", "apple", "pear"})), (Texts{"apple", "pear"}));
}

TEST(Target, no_comes_before_yes_however_it_is_written) {
  EXPECT_EQ(labels_of(words("y", {"Yes", "no"})), (Texts{"no", "Yes"}));
  EXPECT_EQ(labels_of(words("y", {"TRUE", "FALSE"})), (Texts{"FALSE", "TRUE"}));
  EXPECT_EQ(labels_of(words("y", {"+", "-"})), (Texts{"-", "+"}));
  EXPECT_EQ(labels_of(words("y", {"with", "without"})), (Texts{"without", "with"}));
  EXPECT_EQ(labels_of(words("y", {"case", "control"})), (Texts{"control", "case"}));
  EXPECT_EQ(labels_of(words("y", {"disease", "No disease"})), (Texts{"No disease", "disease"}));
}

TEST(Target, the_second_label_is_plus_one) {
  const Table table = with_target(words("y", {"yes", "no", "yes"}));
  const Prepared prepared = apply(learned(table), table, Targets::wanted);
  EXPECT_EQ(prepared.Y, (Samples(3, 1) << 1, -1, 1).finished());
}

TEST(Target, three_words_are_three_models) {
  const Table table = with_target(words("y", {"b", "c", "a"}));
  const Recipe recipe = learned(table);
  EXPECT_EQ(recipe.target.problem, Problem::classification);
  EXPECT_EQ(model_count(recipe.target), 3U);
  EXPECT_EQ(apply(recipe, table, Targets::wanted).Y,
            (Samples(3, 3) << -1, 1, -1, -1, -1, 1, 1, -1, -1).finished());
}

TEST(Target, few_whole_numbers_with_many_rows_are_labels) {
  std::vector<double> values;
  for (int row = 0; row < 30; ++row) values.push_back(row % 3);
  EXPECT_EQ(labels_of(numbers("y", values)), (Texts{"0", "1", "2"}));
  values.resize(29);  // fewer than ten rows a label
  EXPECT_TRUE(labels_of(numbers("y", values)).empty());
}

TEST(Target, many_whole_numbers_and_fractions_are_a_regression) {
  std::vector<double> counts;
  std::vector<double> halves;
  for (int row = 0; row < 100; ++row) {
    counts.push_back(row % 6);
    halves.push_back(0.5 * (row % 3));
  }
  EXPECT_TRUE(labels_of(numbers("y", counts)).empty());
  EXPECT_TRUE(labels_of(numbers("y", halves)).empty());
}

TEST(Target, the_problem_that_is_asked_for_overrules) {
  const Table two = with_target(numbers("y", {0, 1, 0}));
  EXPECT_EQ(learned(two, {.problem = Problem::regression}).target.problem, Problem::regression);
  const Table many = with_target(numbers("y", {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(learned(many, {.problem = Problem::classification}).target.labels.size(), 6U);
}

TEST(Target, predictions_return_to_its_units) {
  const Table table = with_target(numbers("y", {10, 20, 60}));
  const Recipe recipe = learned(table);
  const Prepared prepared = apply(recipe, table, Targets::wanted);
  EXPECT_NEAR(prepared.Y.col(0).sum(), 0.0, 1e-12);
  EXPECT_NEAR(prepared.Y.squaredNorm(), 3.0, 1e-12);
  EXPECT_NEAR(in_units(recipe.target, prepared.Y(2, 0)), 60.0, 1e-12);
}

TEST(Target, an_enormous_target_does_not_set_the_scale) {
  std::vector<double> values;
  for (int row = 0; row < 200; ++row) values.push_back(std::cos(row));
  values[3] = 1e9;
  EXPECT_LT(learned(with_target(numbers("y", values))).target.spread, 3.0);
}

TEST(Target, a_target_beyond_all_bounds_is_named) {
  const Table table = parse_table("x,y\n1,1e-9\n2,2e-9\n3,4e-9\n4,8e-9\n5,1e30\n", "f.csv");
  expect_failure<DataError>([&] { apply(learned(table), table, Targets::wanted); },
                            {"f.csv, line 6, column 'y'", "1e+30 is more than 1e30 times"});
}

TEST(Target, a_label_that_training_did_not_have_is_refused) {
  const Recipe recipe = learned(with_target(words("y", {"yes", "no"})));
  const Table other = parse_table("x,y\n1,no\n2,perhaps\n", "f.csv");
  expect_failure<DataError>([&] { apply(recipe, other, Targets::wanted); },
                            {"f.csv, line 3, column 'y'", "'perhaps'", "labels are no, yes"});
}

TEST(Target, numbers_are_one_label_however_they_are_written) {
  const Recipe recipe = learned(with_target(numbers("y", {1, 2})));
  const Table other = parse_table("x,y\n1,1.0\n2,+2\n3,\n", "f.csv", {.words = {"y"}});
  const Prepared prepared = apply(recipe, other, Targets::wanted);
  EXPECT_EQ(prepared.Y, (Samples(2, 1) << -1, 1).finished());
  EXPECT_EQ(prepared.warnings, Texts{"1 row without a target left out"});
}

}  // namespace
}  // namespace colla
