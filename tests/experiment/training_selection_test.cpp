// SPDX-License-Identifier: Apache-2.0
#include "experiment/training_selection.hpp"

#include "experiment/search_ranges.hpp"
#include "small_experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace colla {
namespace {

DataSet tasks_of(Problem problem, Index agents = 2) {
  DataSet data = make_tasks({.problem = problem,
                             .agents = agents,
                             .tasks_per_agent = 8,
                             .rows = 40,
                             .features = 6,
                             .atoms = 2,
                             .noise = 0.5,
                             .seed = 3})
                     .data;
  add_intercept(data);
  return data;
}

// Features times a, targets times b.
DataSet scaled(DataSet data, double a, double b) {
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) {
      batch.X *= a;
      batch.y *= b;
    }
  }
  return data;
}

SearchSpec few_candidates(const DataSet& rows) {
  SearchSpec search = search_for(rows, 12);
  search.splits = {1, 2};
  return search;
}

TrainingOptions options_for(Algorithm algorithm) {
  TrainingOptions options;
  options.algorithm = algorithm;
  options.edges = make_graph("line", 2, 1).edges();
  options.network.exchanges.constant = 5;
  return options;
}

void expect_times(const SearchRange& range, double factor, const SearchRange& unit) {
  EXPECT_NEAR(range.low / unit.low / factor, 1.0, 1e-12);
  EXPECT_NEAR(range.high / unit.high / factor, 1.0, 1e-12);
}

TEST(SearchRangesForData, follow_the_units_of_features_and_targets) {
  const DataSet rows = tasks_of(Problem::regression);
  const SearchRanges plain = ranges_for(rows);
  const SearchRanges other = ranges_for(scaled(rows, 10.0, 7.0));
  expect_times(other["gamma"], 100.0, plain["gamma"]);
  expect_times(other["lambda"], 49.0, plain["lambda"]);
  expect_times(other["rho"], 49.0, plain["rho"]);
  expect_times(other["mu"], 70.0, plain["mu"]);
}

// Half the second derivative of the logistic loss is at most 1/8, and the loss at 0 is log 2.
TEST(SearchRangesForData, know_the_loss) {
  const DataSet rows = tasks_of(Problem::classification);
  const DataScale scale = scale_of(rows);
  DataSet as_numbers = rows;
  as_numbers.problem = Problem::regression;
  EXPECT_DOUBLE_EQ(scale.curvature, scale_of(as_numbers).curvature / 8.0);
  EXPECT_DOUBLE_EQ(scale.loss, std::log(2.0));
  EXPECT_DOUBLE_EQ(scale_of(as_numbers).loss, 1.0);
}

TEST(SearchRangesForData, have_no_more_atoms_than_features_or_tasks) {
  EXPECT_EQ(ranges_for(tasks_of(Problem::regression))["atoms"].high, 7.0);
  DataSet three = tasks_of(Problem::regression, 1);
  three.agents[0].batches.resize(3);
  EXPECT_EQ(ranges_for(three)["atoms"].high, 3.0);
}

TEST(SearchRangesForData, are_those_that_are_given) {
  GivenRanges given;
  given["mu"] = SearchRange{0.5, 0.75};
  const DataSet rows = tasks_of(Problem::regression);
  EXPECT_EQ(ranges_for(given, rows)["mu"].low, 0.5);
  EXPECT_EQ(ranges_for(given, rows)["gamma"].low, ranges_for(rows)["gamma"].low);
}

// Without a scale there is still a range to draw from.
TEST(SearchRangesForData, are_positive_for_targets_of_zeros) {
  const SearchRanges ranges = ranges_for(scaled(tasks_of(Problem::regression), 1.0, 0.0));
  for (const SearchedSetting& searched : searched_settings()) {
    EXPECT_GT(ranges[searched.key()].low, 0.0) << searched.key();
    EXPECT_LE(ranges[searched.key()].low, ranges[searched.key()].high) << searched.key();
  }
}

TEST(TrainingSelection, validates_on_few_rows_where_a_task_has_few) {
  DataSet rows = tasks_of(Problem::regression);
  EXPECT_EQ(search_for(rows, 9).validation_fraction, 0.3);
  EXPECT_EQ(search_for(rows, 9).candidates, 9);
  EXPECT_EQ(search_for(split(rows, 0.75, 1).train, 9).validation_fraction, 0.1);
  rows = tasks_of(Problem::classification);
  EXPECT_EQ(search_for(split(rows, 0.75, 1).train, 9).validation_fraction, 0.3);
}

TEST(TrainingSelection, validates_on_a_row_of_the_smallest_tasks) {
  for (const double away : {0.9, 0.925, 0.95}) {  // 4, 3 and 2 rows stay
    const DataSet rows = split(tasks_of(Problem::regression), away, 1).train;
    const double fraction = search_for(rows, 9).validation_fraction;
    for (const Stream& stream : validation_split(rows, fraction, 1, 0).test.agents) {
      for (const Batch& batch : stream.batches) EXPECT_EQ(batch.y.size(), 1) << batch.task;
    }
  }
}

class SelectionOf : public ::testing::TestWithParam<Algorithm> {};

// The same candidates in other units: the same choice, and scores in the target's unit.
TEST_P(SelectionOf, settings_does_not_depend_on_units) {
  const DataSet rows = tasks_of(Problem::regression);
  const DataSet other = scaled(rows, 1.0, 1000.0);
  const TrainingOptions options = options_for(GetParam());
  const Selection a = select_settings({rows}, options, {}, few_candidates(rows));
  const Selection b = select_settings({other}, options, {}, few_candidates(other));
  EXPECT_NEAR(b.score / a.score, 1000.0, 1.0);
  // Its exchanges stop at a tolerance: near ties may be decided differently.
  if (GetParam() == Algorithm::offline_colla) return;
  EXPECT_EQ(a.settings["atoms"], b.settings["atoms"]);
  EXPECT_NEAR(b.settings["mu"] / a.settings["mu"], 1e3, 1e-6);
  EXPECT_NEAR(b.settings["gamma"] / a.settings["gamma"], 1.0, 1e-9);
}

TEST_P(SelectionOf, settings_learns_as_often_as_planned_and_keeps_what_is_given) {
  const DataSet rows = tasks_of(Problem::classification);
  FixedParameters fixed;
  fixed["gamma"] = 0.02;
  fixed["atoms"] = 2;
  Index runs = 0;
  const SearchSpec search = few_candidates(rows);
  const Selection found =
      select_settings({rows}, options_for(GetParam()), fixed, search, [&runs] { ++runs; });
  EXPECT_EQ(found.settings["gamma"], 0.02);
  EXPECT_EQ(found.settings["atoms"], 2);
  if (GetParam() == Algorithm::stl) {
    EXPECT_EQ(runs, 0);  // nothing is left to choose
  } else {
    EXPECT_EQ(found.evaluations, planned_evaluations(search));
    EXPECT_GT(runs, found.evaluations);
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, SelectionOf,
                         ::testing::Values(Algorithm::colla, Algorithm::ella, Algorithm::stl,
                                           Algorithm::go_mtl, Algorithm::offline_colla));

// Targets in units in which the defaults are lost: selected settings are not behind tasks on their
// own with their best ridge.
TEST(TrainingSelection, keeps_up_with_single_task_learning) {
  const SplitData rows = split(scaled(tasks_of(Problem::regression), 1.0, 1e-3), 0.5, 1);
  const auto score = [&](Algorithm algorithm, bool selects) {
    TrainingOptions options = options_for(algorithm);
    const SearchSpec search = search_for(rows.train, 36);
    if (selects) {
      select_settings({rows.train}, options, {}, search).settings.apply_to(options.network);
    }
    return train(rows, options, nullptr).final_score();
  };
  const double alone = score(Algorithm::stl, true);
  EXPECT_GT(score(Algorithm::colla, false), 1.5 * alone);
  EXPECT_LT(score(Algorithm::colla, true), 1.03 * alone);
  EXPECT_LT(score(Algorithm::ella, true), 1.03 * alone);
}

}  // namespace
}  // namespace colla
