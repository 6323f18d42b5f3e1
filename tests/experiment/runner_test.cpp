// SPDX-License-Identifier: Apache-2.0
#include "experiment/runner.hpp"

#include "experiment/results_store.hpp"
#include "experiment/summary.hpp"
#include "small_experiment.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>

namespace colla {
namespace {

using testing::expect_same;
using testing::Folder;
using testing::small_experiment_data;
using testing::small_spec;

ExperimentResults run(const ExperimentSpec& spec, const std::string& database, Index threads = 1,
                      const std::function<bool()>& stop = {}) {
  const ExperimentData data = small_experiment_data();
  return run_experiment(spec, make_plan(spec, data), data, {database, threads, {}, stop});
}

TEST(Runner, the_number_of_threads_does_not_matter) {
  const Folder folder;
  expect_same(run(small_spec(), folder / "one", 1), run(small_spec(), folder / "three", 3));
}

TEST(Runner, a_run_interrupted_in_its_evaluations_goes_on_and_ends_with_the_same_numbers) {
  const Folder folder;
  const ExperimentResults whole = run(small_spec(), folder / "whole");
  Index before = -1;
  ExperimentResults part;
  int runs = 0;
  do {
    int asked = 0;
    part = run(small_spec(), folder / "parts", 1, [&asked] { return ++asked > 60; });
    ASSERT_GT(part.done, before);
    before = part.done;
    ++runs;
  } while (!part.is_complete);
  EXPECT_GT(runs, 2);
  expect_same(whole, part);
}

// When one thread has found the last result, the other is anywhere in its evaluation.
TEST(Runner, a_run_of_two_threads_stops_after_some_results_and_goes_on) {
  const Folder folder;
  const ExperimentSpec spec = small_spec();
  const ExperimentData data = small_experiment_data();
  ExperimentResults part;
  int runs = 0;
  do {
    const Index before = part.done;
    std::atomic<int> found = 0;
    part = run_experiment(spec, make_plan(spec, data), data,
                          {folder / "parts", 2, [&found](const Progress&) { ++found; },
                           [&found] { return found >= 4; }});
    ++runs;
    ASSERT_GE(part.done, std::min(before + 4, part.total));
  } while (!part.is_complete);
  EXPECT_GT(runs, 2);
  expect_same(run(spec, folder / "whole"), part);
}

TEST(Runner, more_trials_can_be_added_later) {
  const Folder folder;
  ExperimentSpec spec = small_spec();
  spec.trials = 1;
  run(spec, folder / "results");
  spec.trials = 3;
  Index heard = 0;
  const ExperimentData data = small_experiment_data();
  const ExperimentResults grown =
      run_experiment(spec, make_plan(spec, data), data,
                     {folder / "results", 1, [&heard](const Progress&) { ++heard; }, {}});
  EXPECT_EQ(heard, 2 * 7);  // 7 distinct units
  expect_same(grown, run(small_spec(), folder / "whole"));
}

TEST(Runner, what_two_studies_share_is_computed_once) {
  const ExperimentSpec spec = small_spec();
  const ExperimentPlan plan = make_plan(spec, small_experiment_data());
  EXPECT_EQ(plan.units.size(), 7U);  // 6 methods and 2 graphs, of which the line is CoLLA
  EXPECT_EQ(plan.groups.size(), 1U);
  const StudySpec& curves = spec.figures[0].studies[0];
  const StudySpec& graphs = spec.figures[1].studies[0];
  EXPECT_EQ(plan.unit_of(curves, curves.methods[3]), plan.unit_of(graphs, graphs.methods[0]));
}

TEST(Runner, results_of_another_specification_seed_or_data_are_refused) {
  const Folder folder;
  ExperimentSpec spec = small_spec();
  spec.trials = 1;
  run(spec, folder / "results");
  const auto refused = [&](const ExperimentSpec& other, const ExperimentData& data) {
    EXPECT_THROW(
        run_experiment(other, make_plan(other, data), data, {folder / "results", 1, {}, {}}),
        StoreError);
  };
  ExperimentSpec other = spec;
  other.seed = 2;
  refused(other, small_experiment_data());
  other = spec;
  other.figures[0].studies[0].methods[2].search.candidates = 7;
  refused(other, small_experiment_data());
  other = spec;
  other.figures[0].studies[0].exchanges.constant = 4;
  refused(other, small_experiment_data());
  ExperimentData data = small_experiment_data();
  data["small"].prepared.data.agents[0].batches[0].y[0] += 1e-9;
  refused(spec, data);
  other = spec;  // labels are not part of it
  other.figures[0].studies[0].methods[2].label = "another";
  EXPECT_TRUE(run(other, folder / "results").is_complete);
}

TEST(Runner, a_file_that_is_no_results_database_is_left_alone) {
  const Folder folder;
  { std::ofstream(folder / "text") << std::string(5000, 'x'); }
  EXPECT_THROW(run(small_spec(), folder / "text"), StoreError);
  Database other(folder / "other", Database::Mode::create, "other", "");
  other.run("CREATE TABLE t (x)");
  EXPECT_THROW(run(small_spec(), folder / "other"), StoreError);
}

TEST(Runner, a_database_in_use_is_refused) {
  const Folder folder;
  const ResultsStore first(folder / "results", "a", {});
  EXPECT_THROW(ResultsStore(folder / "results", "a", {}), StoreError);
}

TEST(Runner, a_database_of_another_version_is_refused) {
  const Folder folder;
  { const ResultsStore store(folder / "results", "a", {}); }
  Database(folder / "results", Database::Mode::update, "results", "")
      .run("PRAGMA user_version = 1");
  try {
    ResultsStore(folder / "results", "a", {});
    FAIL() << "took results without numerics";
  } catch (const StoreError& error) {
    EXPECT_NE(std::string(error.what()).find("results: was written by another version of colla"),
              std::string::npos)
        << error.what();
  }
}

TEST(Runner, numerics_are_stored) {
  const Folder folder;
  ResultsStore store(folder / "results", "a", {});
  MethodOutcome outcome;
  outcome.numerics = {1, 2, 3};
  store.add("unit", 0, outcome);
  EXPECT_EQ(store.find("unit", 0)->numerics, outcome.numerics);
}

TEST(Runner, an_error_in_a_thread_ends_the_run_with_that_error) {
  const Folder folder;
  ExperimentData data = small_experiment_data();
  for (Batch& batch : data["small"].prepared.data.agents[0].batches) {
    batch.y.setConstant(std::nan(""));
  }
  const ExperimentSpec spec = small_spec();
  EXPECT_THROW(run_experiment(spec, make_plan(spec, data), data, {folder / "results", 2, {}, {}}),
               DataError);
}

TEST(Summary, curves_jumpstarts_and_differences_come_from_the_outcomes) {
  const Folder folder;
  const ExperimentSpec spec = small_spec();
  const ExperimentData data = small_experiment_data();
  const ExperimentPlan plan = make_plan(spec, data);
  const ExperimentResults results = run(spec, folder / "results");
  const Report report = summarise(spec, plan, data, results);
  ASSERT_EQ(report.figures.size(), 2U);
  const Study& study = report.figures[0].studies[0];
  EXPECT_EQ(study.metric, "rmse");
  EXPECT_EQ(study.tasks, 12);
  EXPECT_EQ(study.steps, 4);
  EXPECT_EQ(study.trials, 3);
  ASSERT_EQ(study.methods.size(), 6U);
  EXPECT_EQ(study.methods[0].jumpstart.mean, 0.0);             // untuned STL over itself
  EXPECT_EQ(study.methods[1].jumpstart_over_tuned.mean, 0.0);  // tuned STL over itself
  const auto& colla = results.outcomes[plan.unit_of(spec.figures[0].studies[0],
                                                    spec.figures[0].studies[0].methods[3])];
  EXPECT_DOUBLE_EQ(study.methods[3].curve[1].mean,
                   (colla[0].curve[1] + colla[1].curve[1] + colla[2].curve[1]) / 3.0);
  EXPECT_TRUE(study.methods[4].is_ours);
  EXPECT_TRUE(study.methods[5].is_offline);
  EXPECT_EQ(study.differences.size(), 6U);  // three pairs, two quantities
  EXPECT_EQ(study.differences[0].a, "colla");
  EXPECT_NEAR(study.differences[0].mean,
              study.methods[3].curve_mean.mean - study.methods[2].curve_mean.mean, 1e-12);
  const Study& graphs = report.figures[1].studies[0];
  EXPECT_EQ(graphs.graphs.size(), 2U);
  EXPECT_EQ(graphs.graphs[1].edges.size(), 3U);
  EXPECT_EQ(graphs.differences.size(), 2U);
}

// RMSE: sum (STL - ours) / sum STL; AUC: sum (ours - STL) / sum STL; tasks without a score are left
// out.
TEST(Summary, a_jumpstart_is_the_relative_improvement_over_all_tasks) {
  EXPECT_DOUBLE_EQ(jumpstart({1.0, 3.0}, {2.0, 4.0}, false), 2.0 / 6.0);
  EXPECT_DOUBLE_EQ(jumpstart({0.9, 0.6}, {0.6, 0.5}, true), 0.4 / 1.1);
  EXPECT_DOUBLE_EQ(jumpstart({std::nan(""), 3.0}, {2.0, 4.0}, false), 0.25);
  // A subject with the same rating for everything, which single-task learning fits exactly.
  EXPECT_NEAR(jumpstart({0.1, 2.0}, {1e-9, 4.0}, false), 0.475, 1e-9);
  EXPECT_TRUE(std::isnan(jumpstart({}, {}, false)));
}

}  // namespace
}  // namespace colla
