// SPDX-License-Identifier: Apache-2.0
// Predictions of models that have a group of agents for each of three labels.
#include "store/models.hpp"
#include "training/model_predictions.hpp"

#include <limits>

namespace colla {
namespace {

using testing::random_model;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Labels p, q and r; the models of q do not know tuesday.
Model three_label_model() {
  Model model = random_model(
      {.problem = Problem::classification, .rows = 6, .agents = {"a", "b", "a", "b", "a", "b"}});
  Recipe recipe;
  recipe.target.problem = Problem::classification;
  recipe.target.labels = {"p", "q", "r"};
  model.recipe = recipe;
  for (const std::size_t agent : {std::size_t{2}, std::size_t{3}})
    model.agents[agent].state.records.pop_back();
  return model;
}

Rows rows_of_tasks(const std::vector<std::string>& tasks) {
  Rows rows;
  rows.X = Samples::Random(std::ssize(tasks), 4);
  rows.tasks = tasks;
  rows.agents.assign(tasks.size(), "b");
  rows.lines.assign(tasks.size(), 0);
  return rows;
}

TEST(LabelModels, a_label_that_a_task_never_had_has_probability_0) {
  const Predictions found = predict(three_label_model(), rows_of_tasks({"monday", "tuesday"}));
  EXPECT_GT(found.probabilities.row(0).minCoeff(), 0.0);
  EXPECT_EQ(found.scores(1, 1), -infinity);
  EXPECT_EQ(found.probabilities(1, 1), 0.0);
  for (Index i = 0; i < 2; ++i) EXPECT_NEAR(found.probabilities.row(i).sum(), 1.0, 1e-15);
  EXPECT_NE(found.labels[1], 1);
}

TEST(LabelModels, probabilities_that_are_tiny_for_every_label_still_add_up_to_1) {
  Samples scores(2, 3);
  scores << -900.0, -901.0, -902.0, 900.0, 0.0, -infinity;
  const Samples found = label_probabilities(scores);
  EXPECT_NEAR(found(0, 0), 1.0 / (1.0 + std::exp(-1.0) + std::exp(-2.0)), 1e-12);
  EXPECT_NEAR(found(1, 0), 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(found(1, 1), 1.0 / 3.0, 1e-15);
  EXPECT_EQ(found(1, 2), 0.0);
}

}  // namespace
}  // namespace colla
