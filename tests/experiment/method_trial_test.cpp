// SPDX-License-Identifier: Apache-2.0
#include "experiment/method_trial.hpp"

#include "small_experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

using testing::small_data;

// The rows that the trial keeps for the test hold garbage. The class stays, because the split
// itself may look at it.
PreparedData poisoned(PreparedData data, const Trial& trial) {
  for (std::size_t i = 0; i < trial.tasks.size(); ++i) {
    for (std::size_t k = 0; k < trial.tasks[i].size(); ++k) {
      Batch& batch = data.data.agents[0].batches[static_cast<std::size_t>(trial.tasks[i][k])];
      const Samples& test = trial.rows.test.agents[i].batches[k].X;
      for (Index row = 0; row < batch.X.rows(); ++row) {
        for (Index t = 0; t < test.rows(); ++t) {
          if (batch.X.row(row) != test.row(t)) continue;
          batch.X.row(row).setConstant(1e9);
          if (data.data.problem == Problem::regression) batch.y[row] = -1e9;
          break;
        }
      }
    }
  }
  return data;
}

void expect_same_model(const TrainingResult& a, const TrainingResult& b) {
  for (std::size_t i = 0; i < a.model.agents.size(); ++i) {
    EXPECT_EQ(a.model.agents[i].state.dictionary, b.model.agents[i].state.dictionary);
    for (std::size_t k = 0; k < a.model.agents[i].state.records.size(); ++k) {
      EXPECT_EQ(a.model.agents[i].state.records[k].model.alpha,
                b.model.agents[i].state.records[k].model.alpha);
      EXPECT_EQ(a.model.agents[i].state.records[k].code, b.model.agents[i].state.records[k].code);
    }
  }
}

class Poison : public ::testing::TestWithParam<std::tuple<Problem, const char*>> {};

TEST_P(Poison, no_test_row_reaches_selection_or_training) {
  const auto [problem, name] = GetParam();
  const PreparedData data = small_data(problem);
  MethodSpec method = named_method(name, testing::small_search(), "");
  if (method.algorithm == Algorithm::offline_colla) {  // slow where rho is far off
    method.fixed["rho"] = 0.3;
    method.fixed["lambda"] = 1e-3;
    method.fixed["mu"] = 1e-3;
  }
  const Protocol protocol{{3}, 1};
  const Trial clean = make_trial(data, 3, 0.5, 1, 0);
  const Trial dirty = make_trial(poisoned(data, clean), 3, 0.5, 1, 0);
  ASSERT_EQ(dirty.rows.test.agents[0].batches[0].X.minCoeff(), 1e9);

  const MethodOutcome a = run_trial(method, protocol, clean, nullptr);
  const MethodOutcome b = run_trial(method, protocol, dirty, nullptr);
  EXPECT_EQ(a.selection.settings, b.selection.settings);
  EXPECT_TRUE(a.selection.score == b.selection.score || std::isnan(a.selection.score));
  EXPECT_EQ(a.selection.evaluations, b.selection.evaluations);
  EXPECT_NE(a.curve, b.curve);  // the poison was there
  expect_same_model(run_method(method, protocol, a.selection.settings, clean.rows, clean.seed),
                    run_method(method, protocol, a.selection.settings, dirty.rows, dirty.seed));
}

INSTANTIATE_TEST_SUITE_P(
    AllMethods, Poison,
    ::testing::Combine(::testing::Values(Problem::regression, Problem::classification),
                       ::testing::Values("stl", "stl-paper", "stl-untuned", "ella", "colla",
                                         "colla-refresh", "offline-colla", "go-mtl")));

// A training row, in contrast, does reach both: the tests above can fail.
TEST(MethodTrial, a_training_row_does_reach_selection) {
  const MethodSpec method = named_method("stl", testing::small_search(), "");
  Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  const MethodOutcome a = run_trial(method, {}, trial, nullptr);
  trial.rows.train.agents[0].batches[0].y[0] += 100.0;
  const MethodOutcome b = run_trial(method, {}, trial, nullptr);
  EXPECT_NE(a.selection.score, b.selection.score);
}

TEST(MethodTrial, the_winner_learns_all_training_rows_before_it_is_selected) {
  const MethodSpec method = named_method("ella", testing::small_search(), "");
  const Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  Index runs = 0;
  const Selection found =
      select_settings(method, {}, trial.rows.train, trial.seed, [&runs] { ++runs; });
  EXPECT_EQ(runs, found.evaluations + 1);
}

TEST(MethodTrial, methods_of_a_trial_meet_the_same_rows_in_the_same_order) {
  // The single-task models that each method builds on are functions of the training rows.
  const Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  const HyperParameters settings;
  std::vector<TrainingResult> results;
  for (const char* name : {"stl", "ella", "colla", "colla-refresh", "go-mtl"}) {
    const MethodSpec method = named_method(name, testing::small_search(), "");
    results.push_back(run_method(method, {{3}, 1}, settings, trial.rows, trial.seed));
  }
  for (const TrainingResult& result : results) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(result.model.agents[i].state.records[k].name,
                  results.front().model.agents[i].state.records[k].name);
        EXPECT_EQ(result.model.agents[i].state.records[k].model.alpha,
                  results.front().model.agents[i].state.records[k].model.alpha);
      }
    }
  }
}

// Targets around 50: a penalised intercept has to be paid for, a free one has not.
TEST(MethodTrial, single_task_learning_has_a_free_intercept_and_the_papers_a_penalised_one) {
  PreparedData data = small_data(Problem::regression);
  add_intercept(data.data);
  for (Batch& batch : data.data.agents[0].batches) batch.y.array() += 50.0;
  const Trial trial = make_trial(data, 3, 0.5, 1, 0);
  HyperParameters settings;
  settings["gamma"] = 1.0;
  const auto score = [&](const char* name) {
    const MethodSpec method = named_method(name, testing::small_search(), "");
    return run_method(method, {}, settings, trial.rows, trial.seed).final_score();
  };
  EXPECT_LT(score("stl"), 3.0);
  EXPECT_GT(score("stl-paper"), 20.0);
  EXPECT_EQ(score("stl-paper"), score("stl-untuned"));  // the settings are given
}

TEST(MethodTrial, arrival_scores_are_those_of_the_moment) {
  const Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  const MethodSpec method = named_method("ella", testing::small_search(), "");
  const MethodOutcome outcome = run_trial(method, {}, trial, nullptr);
  ASSERT_EQ(outcome.arrivals.size(), 12U);  // 3 agents x 4 tasks
  ASSERT_EQ(outcome.curve.size(), 4U);
  // At the first step all tasks are new: agents' first tasks are at 0, 4 and 8.
  EXPECT_NEAR((outcome.arrivals[0] + outcome.arrivals[4] + outcome.arrivals[8]) / 3.0,
              outcome.curve[0], 1e-12);
}

HyperParameters parameters(double rho) {
  HyperParameters all;
  all["gamma"] = 0.5;
  all["lambda"] = 0.25;
  all["mu"] = 0.125;
  all["rho"] = rho;
  all["atoms"] = 2;
  return all;
}

TEST(MethodTrial, settings_of_another_method_are_taken_over_apart_from_fixed_ones) {
  const Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  MethodSpec method = named_method("colla", testing::small_search(), "");
  method.fixed["rho"] = 2.0;
  const Selection given{parameters(99.0), 1.5, 40};
  const MethodOutcome outcome = run_trial(method, {{3}, 1}, trial, &given);
  EXPECT_EQ(outcome.selection.settings, parameters(2.0));
  EXPECT_EQ(outcome.selection.evaluations, 0);
}

TEST(MethodTrial, rho_alone_can_be_searched) {
  const Trial trial = make_trial(small_data(Problem::regression), 3, 0.5, 1, 0);
  MethodSpec method = named_method("colla", testing::small_search(), "");
  method.searches_rho = true;
  const Selection given{parameters(99.0), 1.5, 40};
  const Selection found = run_trial(method, {{3}, 1}, trial, &given).selection;
  EXPECT_EQ(found.evaluations, 6 + 2);
  EXPECT_NE(found.settings["rho"], 99.0);
  EXPECT_EQ(found.settings, parameters(found.settings["rho"]));
}

// About the best validation score on the paper's grid, from a sixth of its evaluations.
TEST(MethodTrial, the_search_reaches_the_grids_score_with_a_small_share_of_its_evaluations) {
  double grid_mean = 0.0;
  double search_mean = 0.0;
  const int trials = 3;
  for (int t = 0; t < trials; ++t) {
    const Trial trial = make_trial(small_data(Problem::regression, 25), 3, 0.5, 1, t);
    MethodSpec method = named_method("ella", {}, "");
    method.fixed["gamma"] = 1e-2;
    method.fixed["atoms"] = 2;
    method.search.source = Candidates::grid;
    method.search.splits = {4};
    const Selection grid = select_settings(method, {}, trial.rows.train, trial.seed);
    method.search.source = Candidates::random;
    method.search.candidates = 36;
    method.search.splits = {2, 2};
    const Selection found = select_settings(method, {}, trial.rows.train, trial.seed);
    EXPECT_EQ(grid.evaluations, 13 * 13 * 4);
    EXPECT_EQ(found.evaluations, 36 * 2 + 12 * 2);
    grid_mean += grid.score / trials;
    search_mean += found.score / trials;
  }
  EXPECT_LT(search_mean, 1.02 * grid_mean);
}

}  // namespace
}  // namespace colla
