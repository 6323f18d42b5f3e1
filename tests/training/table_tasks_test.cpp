// SPDX-License-Identifier: Apache-2.0
// Tables -> tasks: rows held out, arrivals, labels.
#include "expectations.hpp"
#include "training/table_training.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::expect_failure;

// Two tasks of `rows` rows each, one row after the other in turn; the targets are given by a
// function of the row.
template <typename Target>
std::string table_text(std::size_t rows, const Target& target) {
  std::string text = "task,week,x,word,y\n";
  for (std::size_t k = 0; k < 2 * rows; ++k) {
    text += std::string(k % 2 == 0 ? "b" : "a") + "," + std::to_string(1 + k / 2 % 3) + "," +
            std::to_string(k * k % 17) + "," + (k % 3 == 0 ? "red" : "blue") + "," + target(k) +
            "\n";
  }
  return text;
}

std::string number_target(std::size_t k) { return std::to_string(k * k % 11) + ".5"; }

TableTasks tasks_of(const std::string& text, TableTasksOptions options = {}) {
  Table table = parse_table(text, "rows.csv", table_options(options.recipe));
  return {std::move(table), std::move(options)};
}

void expect_same_rows(const DataSet& a, const DataSet& b) {
  ASSERT_EQ(a.agents.size(), b.agents.size());
  for (std::size_t i = 0; i < a.agents.size(); ++i) {
    ASSERT_EQ(a.agents[i].batches.size(), b.agents[i].batches.size());
    for (std::size_t k = 0; k < a.agents[i].batches.size(); ++k) {
      EXPECT_EQ(a.agents[i].batches[k].task, b.agents[i].batches[k].task);
      EXPECT_EQ(a.agents[i].batches[k].X, b.agents[i].batches[k].X);
      EXPECT_EQ(a.agents[i].batches[k].y, b.agents[i].batches[k].y);
    }
  }
}

TEST(TableTasks, rows_of_a_task_are_together_and_tasks_sorted) {
  const PreparedTable prepared = tasks_of(table_text(6, number_target)).prepared(0.0, 1);
  const DataSet train = prepared.tasks(0, true).train;
  ASSERT_EQ(train.agents.size(), 1U);
  ASSERT_EQ(train.agents[0].batches.size(), 2U);
  EXPECT_EQ(train.agents[0].batches[0].task, "a");
  EXPECT_EQ(train.agents[0].batches[0].X.rows(), 6);
  EXPECT_EQ(train.features.back(), "(intercept)");
}

TEST(TableTasks, poisoned_test_rows_change_neither_recipe_nor_training_rows) {
  const auto clean = tasks_of(table_text(20, number_target)).prepared(0.5, 3);
  std::vector<bool> is_test(40, false);
  for (const RowStream& stream : clean.agents) {
    for (const RowBatch& batch : stream.batches) {
      EXPECT_EQ(batch.test.size(), 10U);
      for (const std::size_t row : batch.test) is_test[row] = true;
    }
  }
  const auto poisoned = tasks_of(table_text(20, [&](std::size_t k) {
                          return is_test[k] ? std::string("1e9") : number_target(k);
                        })).prepared(0.5, 3);
  EXPECT_EQ(poisoned.recipe, clean.recipe);
  expect_same_rows(poisoned.tasks(0, true).train, clean.tasks(0, true).train);
  EXPECT_NE(poisoned.tasks(0, true).test.agents[0].batches[0].y,
            clean.tasks(0, true).test.agents[0].batches[0].y);
}

TEST(TableTasks, arrivals_follow_a_column_and_may_append) {
  TableTasksOptions options;
  options.arrivals.batches = "week";
  options.recipe.drop = {"week"};
  const std::string text = table_text(9, number_target);
  const auto replaced = tasks_of(text, options).prepared(0.0, 1).tasks(0, false).train;
  ASSERT_EQ(replaced.agents[0].batches.size(), 6U);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(replaced.agents[0].batches[k].task, k % 2 == 0 ? "a" : "b");
    EXPECT_EQ(replaced.agents[0].batches[k].X.rows(), 3);
  }
  options.arrivals.revisit = Revisit::append;
  const auto appended = tasks_of(text, options).prepared(0.34, 1).tasks(0, false);
  EXPECT_EQ(appended.train.agents[0].batches[4].X.rows(), 6);
  EXPECT_EQ(appended.test.agents[0].batches[4].X.rows(), 3);
}

TEST(TableTasks, runs_are_arrivals_in_the_order_of_the_table) {
  TableTasksOptions options;
  options.arrivals.batches = "runs";
  const std::string text = "task,x,y\nb,1,1.5\nb,2,2.5\na,3,1.0\na,1,4.0\nb,5,2.0\nb,4,0.5\n";
  const auto train = tasks_of(text, options).prepared(0.0, 1).tasks(0, false).train;
  ASSERT_EQ(train.agents[0].batches.size(), 3U);
  EXPECT_EQ(train.agents[0].batches[0].task, "b");
  EXPECT_EQ(train.agents[0].batches[2].task, "b");
  const std::string single = "task,x,y\nb,1,1.5\na,3,1.0\na,1,4.0\nb,5,2.0\n";
  expect_failure<DataError>([&] { tasks_of(single, options); },
                            {"rows.csv, line 2", "'b'", "1 row", "--batches"});
}

TEST(TableTasks, every_label_keeps_a_training_row_in_every_task_that_has_it) {
  const auto label = [](std::size_t k) {
    return std::string(k < 4 ? "low" : k % 3 == 0 ? "mid" : "top");
  };
  const auto prepared = tasks_of(table_text(20, label)).prepared(0.9, 1);
  EXPECT_EQ(prepared.models(), 3);
  for (Index model = 0; model < 3; ++model) {
    const SplitData rows = prepared.tasks(model, false);
    for (const Batch& batch : rows.train.agents[0].batches) {
      EXPECT_EQ(batch.y.maxCoeff(), 1.0);
      EXPECT_EQ(batch.y.minCoeff(), -1.0);
    }
  }
}

TEST(TableTasks, a_task_is_left_out_of_the_models_of_labels_that_it_never_has) {
  const auto label = [](std::size_t k) {
    return std::string(k % 2 == 0 ? (k % 4 == 0 ? "low" : "mid") : k % 3 == 0 ? "mid" : "top");
  };
  TableTasksOptions options;
  const auto names = [&](Index model) {
    std::string all;
    const SplitData rows =
        tasks_of(table_text(20, label), options).prepared(0.0, 1).tasks(model, false);
    for (const Batch& batch : rows.train.agents[0].batches) all += batch.task;
    return all;
  };
  EXPECT_EQ(names(0), "b");  // low
  EXPECT_EQ(names(1), "ab");
  EXPECT_EQ(names(2), "a");  // top
  options.classes = TaskClasses::any;
  for (const Index model : {0, 1, 2}) EXPECT_EQ(names(model), "ab");
}

TEST(TableTasks, a_task_of_one_class_is_refused_unless_there_is_a_prior) {
  const auto label = [](std::size_t k) { return std::string(k % 3 == 0 ? "yes" : "no"); };
  const std::string text = table_text(20, label) + "sure,1,3,red,yes\nsure,2,4,blue,yes\n";
  expect_failure<DataError>([&] { tasks_of(text); }, {"task 'sure'", "rows of one class only"});
  TableTasksOptions options;
  options.classes = TaskClasses::any;
  TrainingOptions training;
  training.algorithm = Algorithm::bayes;
  const auto result = train(tasks_of(text, options).prepared(0.0, 1), true, training, {});
  EXPECT_EQ(result.tasks, 3);
  EXPECT_TRUE(std::isnan(result.stl));  // no test rows
}

// No row of "a" is low and no row of "b" top: their probabilities are those of the prior.
TEST(TableTraining, with_a_prior_a_label_that_a_task_never_had_is_possible) {
  const auto label = [](std::size_t k) {
    return std::string(k % 2 == 0 ? (k % 4 == 0 ? "low" : "mid") : k % 3 == 0 ? "mid" : "top");
  };
  TableTasksOptions options;
  options.classes = TaskClasses::any;
  TrainingOptions training;
  training.algorithm = Algorithm::bayes;
  training.keep = Keep::models;
  const auto prepared = tasks_of(table_text(40, label), options).prepared(0.0, 1);
  const Model model = train(prepared, true, training, {}).model;
  EXPECT_EQ(model.agents[0].state.records.size(), 2U);
  Rows rows;
  rows.X = prepared.rows.X;
  append_intercept(rows.X);
  for (Index i = 0; i < rows.X.rows(); ++i) {
    rows.tasks.push_back(i % 2 == 0 ? "a" : "b");
    rows.agents.emplace_back();
    rows.lines.push_back(0);
  }
  const Samples found = predict(model, rows).probabilities;
  EXPECT_GT(found.minCoeff(), 1e-6);
  EXPECT_LT(found(0, 0), found(1, 0));
}

TEST(TableTraining, predictions_and_scores_are_in_the_targets_units) {
  TrainingOptions options;
  options.algorithm = Algorithm::stl;
  const auto plain =
      train(tasks_of(table_text(12, number_target)).prepared(0.5, 1), true, options, {});
  const auto scaled =
      train(tasks_of(table_text(12, [](std::size_t k) { return number_target(k) + "e4"; }))
                .prepared(0.5, 1),
            true, options, {});
  EXPECT_NEAR(scaled.final_score(), 1e4 * plain.final_score(), 1e-6 * scaled.final_score());
  ASSERT_TRUE(plain.model.recipe.has_value());
  EXPECT_EQ(plain.model.target_column, "y");
}

TEST(TableTraining, several_labels_have_their_agents_one_after_another) {
  const auto label = [](std::size_t k) {
    return std::string(k % 5 < 2 ? "p" : k % 3 == 0 ? "q" : "r");
  };
  TableTasksOptions options;
  options.agents = 2;
  const auto result =
      train(tasks_of(table_text(20, label), options).prepared(0.5, 1), true, {}, {});
  ASSERT_EQ(result.model.agents.size(), 6U);
  EXPECT_EQ(result.model.agents[0].name, "agent-0");
  EXPECT_EQ(result.model.agents[3].name, "agent-1");
  EXPECT_EQ(group_count(result.model), 3U);
  ASSERT_TRUE(result.accuracy.has_value());
  EXPECT_GE(*result.accuracy, 0.0);
  TrainingOptions diagnosed;
  diagnosed.diagnose = true;
  expect_failure<SettingError>(
      [&] { train(tasks_of(table_text(20, label)).prepared(0.5, 1), true, diagnosed, {}); },
      {"3 labels"});
}

}  // namespace
}  // namespace colla
