// SPDX-License-Identifier: Apache-2.0
#include "recipe/recipe.hpp"

#include <gtest/gtest.h>

namespace colla {
namespace {

std::vector<std::string> disclosed(const std::string& text, const RecipeOptions& options) {
  const Table table = parse_table(text, "t.csv", table_options(options));
  return disclosures(learn_recipe(table, all_rows(table), options));
}

TEST(Disclosures, name_every_number_and_word_that_the_recipe_holds) {
  EXPECT_EQ(disclosed("dose,unit,y\n1,er,0\n3,icu,2\n,er,4\n1,er,6\n3,er,8\n", {}),
            (std::vector<std::string>{
                "y: mean 4, spread 2.828",
                "dose: mean 2, spread 1, bounds -18 and 22, missing in 20 % of the rows",
                "unit: er 80 %, icu 20 %"}));
}

TEST(Disclosures, labels_and_quantiles_are_among_them) {
  RecipeOptions options;
  options.expand = Expansion::splines;
  const auto lines =
      disclosed("x,y\n1,no\n2,yes\n3,no\n4,yes\n5,no\n6,yes\n7,no\n8,yes\n", options);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "y: labels no, yes");
  EXPECT_NE(lines[1].find(", quantiles "), std::string::npos) << lines[1];
}

}  // namespace
}  // namespace colla
