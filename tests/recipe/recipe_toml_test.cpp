// SPDX-License-Identifier: Apache-2.0
// Recipes as files: every bad line is named.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <cmath>

namespace colla {
namespace {

using namespace testing;

Recipe full_recipe() {
  const Table table =
      table_of({numbers("id", {1, 2, 3, 4, 5}), numbers("x", {0.1, 0.2, std::nan(""), 1, 7}),
                words("odd \"name\"\n", {"F", "M\t", "", "F", "\\"}),
                words("day", {"2001-01-01", "2001-01-02", "2001-01-03", "2001-02-01", ""}),
                words("y", {"a", "b", "c", "a", "b"})});
  return learned(table, {.dates = Recognised::number, .expand = Expansion::splines});
}

std::string replaced(const std::string& part, const std::string& by) {
  std::string text = to_toml(full_recipe());
  const std::size_t found = text.find(part);
  EXPECT_NE(found, std::string::npos) << part << " is not in\n" << text;
  return text.replace(found, part.size(), by);
}

void expect_no_recipe_file(const std::string& text, const std::vector<std::string>& parts) {
  expect_failure<DataError>([&] { parse_recipe(text, "r.toml"); }, parts);
}

TEST(RecipeToml, every_kind_of_column_survives) {
  const Recipe recipe = full_recipe();
  EXPECT_EQ(recipe.columns.size(), 3U);
  EXPECT_EQ(recipe.left_out.size(), 1U);
  EXPECT_EQ(parse_recipe(to_toml(recipe), "r.toml"), recipe);
}

TEST(RecipeToml, a_file_can_be_written_by_hand) {
  const Recipe recipe = parse_recipe(
      "format = 1\ntarget_column = \"score\"\n[target]\nproblem = \"regression\"\nmean = 10\n"
      "spread = 2\n[[column]]\nname = \"ward\"\nkind = \"words\"\nlevels = [\"a\", \"b\"]\n"
      "shares = [0.5, 0.5]\n",
      "r.toml");
  const Prepared prepared =
      apply(recipe, parse_table("ward,score\na,10\nb,14\n", "f.csv"), Targets::wanted);
  EXPECT_EQ(prepared.X, (Samples(2, 1) << -1, 1).finished());
  EXPECT_EQ(prepared.Y, (Samples(2, 1) << 0, 2).finished());
}

TEST(RecipeToml, the_file_itself) {
  expect_no_recipe_file("format = ", {"r.toml, line 1", "is not TOML"});
  expect_no_recipe_file("", {"r.toml", "'format'", "is missing"});
  expect_no_recipe_file("format = 2\n", {"line 1", "'format'", "is 2", "newer version"});
  expect_no_recipe_file(replaced("rows = 5", "rows = -5"), {"'rows'", "whole number"});
  expect_no_recipe_file(replaced("rows = 5", "row = 5"), {"'row'", "no such key"});
  expect_failure<DataError>([] { read_recipe("/no/such.toml"); }, {"/no/such.toml"});
}

TEST(RecipeToml, targets) {
  expect_no_recipe_file(replaced("[target]", "[other]"), {"'target'", "is missing"});
  expect_no_recipe_file(replaced("\"classification\"", "\"guess\""),
                        {"'target.problem'", "'guess'", "regression|classification"});
  expect_no_recipe_file(replaced("[\"a\", \"b\", \"c\"]", "[\"a\"]"),
                        {"'target.labels'", "two or more"});
  expect_no_recipe_file(replaced("[\"a\", \"b\", \"c\"]", "[\"a\", \"a\"]"), {"'a' appears twice"});
  expect_no_recipe_file(replaced("[\"a\", \"b\", \"c\"]", "[1, 2]"), {"is not a text", "quotes"});
}

TEST(RecipeToml, columns) {
  expect_no_recipe_file(replaced("name = \"x\"", "name = \"day\""), {"'day' appears twice"});
  expect_no_recipe_file(replaced("name = \"x\"", "name = \"y\""),
                        {"'y' appears twice, or is the task"});
  expect_no_recipe_file(replaced("kind = \"number\"", "kind = \"text\""),
                        {"'column.kind'", "number|words|date"});
  expect_no_recipe_file(replaced("kind = \"number\"", "kind = \"words\""),
                        {"'column.levels'", "is missing"});
  expect_no_recipe_file(replaced("mean = ", "mean = 1e40 #"), {"'column.mean'", "is not a number"});
  expect_no_recipe_file(replaced("spread = ", "spread = 0.0 #"), {"'column.spread'", "above 0"});
  expect_no_recipe_file(replaced("spread = ", "spread = 1e-20 #"),
                        {"'column.low'", "1e12 spreads"});
  expect_no_recipe_file(replaced("low = ", "low = 1e9 #"), {"'column.low'", "low below high"});
  expect_no_recipe_file(replaced("missing = 0.2", "missing = 1.5"),
                        {"'column.missing'", "no share"});
  expect_no_recipe_file(replaced("hinge_means = [", "hinge_means = [1.0, "),
                        {"hinge_means", "give"});
  expect_no_recipe_file(replaced("hinge_spreads = [", "hinge_spreads = [-"),
                        {"hinge_spreads", "above 0"});
  expect_no_recipe_file(replaced("shares = [0.25", "shares = [1.25"),
                        {"'column.shares'", "no share"});
}

TEST(RecipeToml, a_recipe_has_features) {
  const std::string start =
      "format = 1\ntarget_column = \"y\"\n[target]\nproblem = \"regression\"\nmean = 0\nspread = "
      "1\n";
  expect_no_recipe_file(start, {"'column'", "[[column]]"});
  expect_no_recipe_file(
      start + "[[column]]\nname = \"a\"\nkind = \"words\"\nlevels = [\"b\"]\nshares = [1.0]\n",
      {"'column.levels'", "gives no feature"});
}

}  // namespace
}  // namespace colla
