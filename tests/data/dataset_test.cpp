// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include "expectations.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <map>
#include <set>

namespace colla {
namespace {

using testing::expect_failure;

Batch batch_of(const std::string& task, Index rows, double value) {
  return {{task, Samples::Constant(rows, 2, value), Vector::Constant(rows, value)},
          "f.csv, line 2"};
}

DataSet one_stream(const std::vector<std::string>& tasks) {
  DataSet data{"set", Problem::regression, {"a", "b"}, {{"only", {}}}};
  for (const std::string& task : tasks) {
    data.agents[0].batches.push_back(
        batch_of(task, 2, static_cast<double>(data.agents[0].batches.size())));
  }
  return data;
}

void expect_refused(const DataSet& data, const std::vector<std::string>& parts) {
  expect_failure<DataError>([&] { check(data); }, parts);
}

TEST(Check, a_sound_set_passes) { EXPECT_NO_THROW(check(one_stream({"t", "u", "t"}))); }

TEST(Check, a_set_without_tasks_is_refused) {
  expect_refused(one_stream({}), {"set", "no tasks", "at least one"});
}

TEST(Check, a_value_that_is_not_finite_is_named_by_row_and_feature) {
  DataSet data = one_stream({"t"});
  data.agents[0].batches[0].X(1, 1) = std::numeric_limits<double>::quiet_NaN();
  expect_refused(data, {"f.csv, line 2, row 2, feature 'b'", "finite", "fill it in"});
  data = one_stream({"t"});
  data.agents[0].batches[0].y(0) = std::numeric_limits<double>::infinity();
  expect_refused(data, {"row 1, target", "finite"});
}

TEST(Check, a_value_beyond_the_bound_is_named_by_row_and_feature) {
  DataSet data = one_stream({"t"});
  data.agents[0].batches[0].X(1, 1) = -1e200;
  expect_refused(data, {"f.csv, line 2, row 2, feature 'b'", "-1e+200 is beyond 1e30", "scale"});
  data = one_stream({"t"});
  data.agents[0].batches[0].y(0) = 1.5e30;
  expect_refused(data, {"row 1, target", "1.5e+30 is beyond 1e30"});
}

TEST(Check, tasks_must_have_the_same_features_and_a_target_per_row) {
  DataSet data = one_stream({"t", "u"});
  data.agents[0].batches[1].X.resize(2, 3);
  expect_refused(data, {"task 'u' has 3 features, the others have 2", "same features"});
  data = one_stream({"t"});
  data.agents[0].batches[0].y.resize(3);
  expect_refused(data, {"2 rows and 3 targets", "one target per row"});
}

TEST(Check, a_batch_needs_two_rows) {
  DataSet data = one_stream({"t"});
  data.agents[0].batches[0] = batch_of("t", 1, 0.0);
  expect_refused(data, {"'t' has 1 row", "two are needed"});
}

TEST(Check, classification_needs_both_signs_and_nothing_else) {
  DataSet data = one_stream({"t"});
  data.problem = Problem::classification;
  expect_refused(data, {"label 0", "-1 and +1"});
  data.agents[0].batches[0].y.setOnes();
  expect_refused(data, {"one class", "other class"});
  EXPECT_NO_THROW(check(data, TaskClasses::any));
  data.agents[0].batches[0].y(0) = -1.0;
  EXPECT_NO_THROW(check(data));
}

TEST(AddIntercept, every_batch_gets_a_last_column_of_ones) {
  DataSet data = one_stream({"t", "u"});
  add_intercept(data);
  EXPECT_EQ(data.features.back(), "(intercept)");
  EXPECT_EQ(data.agents[0].batches[1].X, (Samples(2, 3) << 1, 1, 1, 1, 1, 1).finished());
  EXPECT_EQ(data.agents[0].batches[0].X, (Samples(2, 3) << 0, 0, 1, 0, 0, 1).finished());
}

TEST(AddIntercept, a_set_that_has_one_gets_no_second) {
  DataSet data = one_stream({"t"});
  add_intercept(data);
  EXPECT_TRUE(data.has_intercept);
  add_intercept(data);
  EXPECT_EQ(data.features.size(), 3U);
  EXPECT_EQ(data.agents[0].batches[0].X.cols(), 3);
}

TEST(DropIntercept, takes_away_what_was_added_and_nothing_else) {
  DataSet data = one_stream({"t", "u"});
  add_intercept(data);
  drop_intercept(data);
  drop_intercept(data);
  EXPECT_FALSE(data.has_intercept);
  EXPECT_EQ(data.features, one_stream({"t", "u"}).features);
  EXPECT_EQ(data.agents[0].batches[1].X, one_stream({"t", "u"}).agents[0].batches[1].X);
}

TEST(Deal, tasks_go_round_and_a_revisit_goes_to_the_agent_that_has_the_task) {
  const DataSet data = deal(one_stream({"a", "b", "c", "b", "a", "d"}), 2);
  ASSERT_EQ(data.agents.size(), 2U);
  EXPECT_EQ(data.agents[0].agent, "agent-0");
  const auto tasks = [](const Stream& stream) {
    std::string names;
    for (const Batch& batch : stream.batches) names += batch.task;
    return names;
  };
  EXPECT_EQ(tasks(data.agents[0]), "aca");
  EXPECT_EQ(tasks(data.agents[1]), "bbd");
}

TEST(Deal, more_agents_than_tasks_are_refused) {
  expect_failure<OptionError>(
      [] {
        deal(one_stream({"a", "b", "a"}), 3);
      },
      {"set", "2 tasks to 3 agents", "1 to 2 agents"});
  expect_failure<OptionError>([] { deal(one_stream({"a"}), 0); }, {"0 agents"});
}

TEST(Deal, tasks_that_have_agents_are_not_dealt_again) {
  expect_failure<OptionError>(
      [] {
        deal(deal(one_stream({"a", "b"}), 2), 2);
      },
      {"2 agents already", "leave out"});
}

RC_GTEST_PROP(Deal, is_even_and_keeps_every_row, ()) {
  const auto letters =
      *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'l')));
  std::vector<std::string> tasks;
  for (const char letter : letters) tasks.emplace_back(1, letter);
  const std::size_t distinct = std::set<std::string>(tasks.begin(), tasks.end()).size();
  const auto agents = *rc::gen::inRange<std::size_t>(1, distinct + 1);
  const DataSet dealt = deal(one_stream(tasks), static_cast<Index>(agents));

  std::map<std::string, std::size_t> owner;
  std::vector<std::set<std::string>> owned(agents);
  std::multiset<double> rows;
  for (std::size_t i = 0; i < agents; ++i) {
    for (const Batch& batch : dealt.agents[i].batches) {
      RC_ASSERT(owner.try_emplace(batch.task, i).first->second == i);
      owned[i].insert(batch.task);
      rows.insert(batch.y(0));  // the number of the batch
    }
    RC_ASSERT(owned[i].size() >= distinct / agents);
    RC_ASSERT(owned[i].size() <= (distinct + agents - 1) / agents);
  }
  RC_ASSERT(rows.size() == tasks.size());
  RC_ASSERT(std::set<double>(rows.begin(), rows.end()).size() == tasks.size());
}

}  // namespace
}  // namespace colla
