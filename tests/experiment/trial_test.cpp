// SPDX-License-Identifier: Apache-2.0
#include "experiment/trial.hpp"

#include "small_experiment.hpp"

#include <colla/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace colla {
namespace {

// Every agent gets floor(tasks/agents) tasks, none twice; fewer than `agents` tasks are left out.
RC_GTEST_PROP(Trial, tasks_are_dealt_evenly_and_each_at_most_once, (std::uint64_t seed)) {
  const Index agents = *rc::gen::inRange<Index>(1, 8);
  const Index count = *rc::gen::inRange<Index>(agents, 40);
  const auto tasks = deal_tasks(std::vector<Index>(static_cast<std::size_t>(count)), agents, seed);
  RC_ASSERT(std::ssize(tasks) == agents);
  std::set<Index> dealt;
  for (const auto& own : tasks) {
    RC_ASSERT(std::ssize(own) == count / agents);
    for (const Index task : own) {
      RC_ASSERT(task >= 0 && task < count);
      RC_ASSERT(dealt.insert(task).second);
    }
  }
}

// Land Mine: 15 and 14 tasks for two agents.
TEST(Trial, groups_stay_with_their_agents) {
  std::vector<Index> group(29, 0);
  std::fill(group.begin() + 15, group.end(), 1);
  const auto tasks = deal_tasks(group, 2, 5);
  ASSERT_EQ(tasks.size(), 2U);
  EXPECT_EQ(tasks[0].size(), 15U);
  EXPECT_EQ(tasks[1].size(), 14U);
  EXPECT_LT(*std::max_element(tasks[0].begin(), tasks[0].end()), 15);
  EXPECT_GE(*std::min_element(tasks[1].begin(), tasks[1].end()), 15);
  EXPECT_FALSE(std::is_sorted(tasks[0].begin(), tasks[0].end()));
}

TEST(Trial, agents_that_cannot_share_the_tasks_are_refused) {
  EXPECT_THROW(deal_tasks({0, 0, 1, 1}, 3, 1), OptionError);
  EXPECT_THROW(deal_tasks({0, 0, 0}, 4, 1), OptionError);
}

// London Schools: 139 tasks, 6 agents.
TEST(Trial, the_task_that_is_left_out_changes_from_trial_to_trial) {
  std::set<Index> left_out;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto tasks = deal_tasks(std::vector<Index>(139), 6, seed);
    Index rest = 138 * 139 / 2;
    for (const auto& own : tasks) rest -= std::accumulate(own.begin(), own.end(), Index{0});
    left_out.insert(rest);
  }
  EXPECT_GT(left_out.size(), 10U);
}

TEST(Trial, orders_and_splits_follow_from_seed_and_trial) {
  const PreparedData data = testing::small_data(Problem::regression);
  const Trial a = make_trial(data, 3, 0.5, 1, 4);
  const Trial same = make_trial(data, 3, 0.5, 1, 4);
  const Trial other = make_trial(data, 3, 0.5, 1, 5);
  EXPECT_EQ(a.tasks, same.tasks);
  EXPECT_NE(a.tasks, other.tasks);
  EXPECT_EQ(a.rows.train.agents[0].batches[0].X, same.rows.train.agents[0].batches[0].X);
  EXPECT_EQ(a.rows.train.agents[0].batches[0].X.rows(), 6);
  EXPECT_EQ(a.rows.test.agents[0].batches[0].X.rows(), 6);
}

TEST(Trial, validation_rows_are_training_rows) {
  const Trial trial = make_trial(testing::small_data(Problem::regression), 3, 0.5, 1, 0);
  std::set<double> training;
  for (const Stream& stream : trial.rows.train.agents) {
    for (const Batch& batch : stream.batches) training.insert(batch.y.begin(), batch.y.end());
  }
  std::set<double> first;
  for (Index n = 0; n < 3; ++n) {
    const SplitData inner = validation_split(trial.rows.train, 0.3, trial.seed, n);
    for (const DataSet* part : {&inner.train, &inner.test}) {
      for (const Stream& stream : part->agents) {
        for (const Batch& batch : stream.batches) {
          for (const double y : batch.y) EXPECT_EQ(training.count(y), 1U);
        }
      }
    }
    const Vector& y = inner.test.agents[0].batches[0].y;
    EXPECT_EQ(y.size(), 2);  // round(0.3 x 6)
    first.insert(y.sum());
  }
  EXPECT_GT(first.size(), 1U);  // not always the same rows
}

}  // namespace
}  // namespace colla
