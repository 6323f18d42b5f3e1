// SPDX-License-Identifier: Apache-2.0
// Model files with recipes, and those of the format before recipes.
#include "expectations.hpp"
#include "store/models.hpp"
#include "store/sealing.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::expect_same;
using testing::random_model;
using testing::run_sql_and_seal;
using testing::TemporaryDirectory;

// Four features: age, city=Ulm, city=Bonn, city=Köln; perhaps an intercept.
Model model_with_recipe(const std::vector<std::string>& labels, bool with_intercept,
                        const std::vector<std::string>& agents) {
  Recipe recipe;
  recipe.task_column = "school";
  recipe.agent_column = "site";
  recipe.target_column = "passed \"it\"";
  recipe.rows = 7;
  ColumnRule age;
  age.column = "age";
  age.number = {0.1, 1.0 / 3.0, -9.0, 9.0, {}};
  ColumnRule city;
  city.column = "city";
  city.kind = Kind::words;
  city.levels = {{"Bonn", 0.25}, {"K\xc3\xb6ln", 0.25}, {"Ulm", 0.5}};
  recipe.columns = {age, city};
  recipe.left_out = {{"rownames", "an identifier by its name"}};
  if (!labels.empty()) {
    recipe.target.problem = Problem::classification;
    recipe.target.labels = labels;
  }
  Model model = random_model({.problem = recipe.target.problem,
                              .features = with_intercept ? 5 : 4,
                              .rows = 6,
                              .agents = agents});
  model.features = feature_names(recipe);
  if (with_intercept) model.features.emplace_back("(intercept)");
  model.recipe = recipe;
  return model;
}

void expect_kept(const Model& model) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), model);
  expect_same(read_model(folder.file("m")), model);
}

TEST(RecipeInModel, is_kept_to_the_bit) {
  expect_kept(model_with_recipe({}, true, {"a", "b"}));
  expect_kept(model_with_recipe({"no", "yes"}, false, {"a"}));
}

TEST(RecipeInModel, three_labels_have_a_group_of_agents_each) {
  const Model model = model_with_recipe({"p", "q", "r"}, true, {"a", "b", "a", "b", "a", "b"});
  EXPECT_EQ(group_count(model), 3U);
  expect_kept(model);
}

TEST(RecipeInModel, that_does_not_fit_the_model_is_refused) {
  std::vector<Model> wrong;
  wrong.push_back(model_with_recipe({"p", "q", "r"}, true, {"a", "b", "a", "b"}));
  wrong.push_back(model_with_recipe({"p", "q", "r"}, true, {"a", "b", "c"}));
  wrong.push_back(model_with_recipe({}, true, {"a"}));
  wrong.back().features.front() = "weight";
  wrong.push_back(model_with_recipe({}, true, {"a"}));
  wrong.back().recipe->target.problem = Problem::classification;
  wrong.back().recipe->target.labels = {"no", "yes"};
  for (const Model& model : wrong) {
    const TemporaryDirectory folder;
    write_model(folder.file("m"), model);
    expect_failure<StoreError>([&] { read_model(folder.file("m")); },
                               {folder.file("m"), "is damaged", "the recipe does not fit"});
  }
}

TEST(RecipeInModel, that_is_no_recipe_is_refused) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), model_with_recipe({}, true, {"a"}));
  run_sql_and_seal(folder.file("m"),
                   "UPDATE settings SET value = 'rows = 3' WHERE name = 'recipe'");
  expect_failure<StoreError>([&] { read_model(folder.file("m")); }, {"is damaged", "its recipe"});
}

TEST(ModelOfFormat2, is_read_and_has_no_recipe) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  run_sql_and_seal(folder.file("m"),
                   "DELETE FROM settings WHERE name = 'recipe'; PRAGMA user_version = 2");
  expect_same(read_model(folder.file("m")), random_model());
}

}  // namespace
}  // namespace colla
