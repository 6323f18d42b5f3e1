// SPDX-License-Identifier: Apache-2.0
#include "data/conversion.hpp"

#include "data/synthetic.hpp"
#include "expectations.hpp"

#include <colla/row_value.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <iterator>

namespace colla {
namespace {

using namespace testing;

bool same_bits(const Eigen::Ref<const Samples>& a, const Eigen::Ref<const Samples>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

// The first stream whose rows differ, if any does.
void expect_same(const DataSet& a, const DataSet& b) {
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.features, b.features);
  ASSERT_EQ(a.agents.size(), b.agents.size());
  for (std::size_t i = 0; i < a.agents.size(); ++i) {
    EXPECT_EQ(a.agents[i].agent, b.agents[i].agent);
    ASSERT_EQ(a.agents[i].batches.size(), b.agents[i].batches.size());
    for (std::size_t k = 0; k < a.agents[i].batches.size(); ++k) {
      EXPECT_EQ(a.agents[i].batches[k].task, b.agents[i].batches[k].task);
      EXPECT_TRUE(same_bits(a.agents[i].batches[k].X, b.agents[i].batches[k].X));
      EXPECT_EQ(a.agents[i].batches[k].y, b.agents[i].batches[k].y);
    }
  }
}

DataSet sample(Problem problem) {
  SyntheticOptions options;
  options.problem = problem;
  options.agents = 2;
  options.tasks_per_agent = 3;
  return make_tasks(options).data;
}

TEST(WriteCsv, what_is_read_again_has_the_same_bits) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const TemporaryDirectory folder;
    const DataSet data = sample(problem);
    write_csv(data, folder.file("t.csv"), {}, false);
    expect_same(read_csv(folder.file("t.csv"), {}), data);
  }
}

RC_GTEST_PROP(WriteCsv, any_number_that_a_row_may_hold_survives, ()) {
  const auto bits =
      *rc::gen::container<std::vector<std::uint64_t>>(4, rc::gen::arbitrary<std::uint64_t>());
  DataSet data = sample(Problem::regression);
  for (std::size_t k = 0; k < bits.size(); ++k) {
    double value = 0.0;
    std::memcpy(&value, &bits[k], sizeof value);
    if (is_row_value(value)) data.agents[1].batches[2].X(static_cast<Index>(k), 1) = value;
  }
  const TemporaryDirectory folder;
  write_csv(data, folder.file("t.csv"), {}, false);
  const DataSet again = read_csv(folder.file("t.csv"), {});
  RC_ASSERT(same_bits(again.agents[1].batches[2].X, data.agents[1].batches[2].X));
}

TEST(WriteCsv, odd_names_and_revisits_survive) {
  DataSet data = sample(Problem::regression);
  data.features.front() = "a, \"b\"";
  data.agents[0].agent = " north ";
  data.agents[0].batches[0].task = "two\nlines";
  data.agents[0].batches[2].task = "two\nlines";
  const TemporaryDirectory folder;
  write_csv(data, folder.file("t.csv"), {}, false);
  expect_same(read_csv(folder.file("t.csv"), {}), data);
}

TEST(WriteCsv, columns_have_the_asked_names) {
  ReadOptions columns;
  columns.task_column = "who";
  columns.agent_column = "where";
  columns.target_column = "what";
  const TemporaryDirectory folder;
  write_csv(sample(Problem::regression), folder.file("t.csv"), columns, false);
  EXPECT_TRUE(bytes_of(folder.file("t.csv")).starts_with("who,where,x1,"));
  expect_same(read_csv(folder.file("t.csv"), columns), sample(Problem::regression));
  columns.target_column = "x3";
  expect_failure<OptionError>(
      [&] { write_csv(sample(Problem::regression), folder.file("u.csv"), columns, false); },
      {"'x3'", "feature"});
}

TEST(WriteCsv, an_intercept_is_left_out_because_train_adds_it_again) {
  DataSet data = sample(Problem::regression);
  add_intercept(data);
  const TemporaryDirectory folder;
  write_csv(data, folder.file("t.csv"), {}, false);
  DataSet again = read_csv(folder.file("t.csv"), {});
  expect_same(again, sample(Problem::regression));
  add_intercept(again);
  expect_same(again, data);
}

TEST(WriteMat, what_is_read_again_has_the_same_bits_and_numbered_tasks) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    const TemporaryDirectory folder;
    DataSet data = sample(problem);
    data.agents.resize(1);
    DataSet with_intercept = data;
    add_intercept(with_intercept);
    write_mat(with_intercept, folder.file("t.mat"), false);
    for (std::size_t k = 0; k < data.agents[0].batches.size(); ++k) {
      data.agents[0].batches[k].task = std::to_string(k + 1);
    }
    expect_same(read_mat(folder.file("t.mat"), {}), data);
  }
}

TEST(WriteMat, agents_follow_each_other) {
  const TemporaryDirectory folder;
  const DataSet data = sample(Problem::regression);
  write_mat(data, folder.file("t.mat"), false);
  const DataSet again = read_mat(folder.file("t.mat"), {});
  ASSERT_EQ(again.agents.size(), 1U);
  ASSERT_EQ(again.agents[0].batches.size(), 6U);
  EXPECT_TRUE(same_bits(again.agents[0].batches[3].X, data.agents[1].batches[0].X));
}

TEST(WriteMat, a_task_that_arrives_again_is_refused) {
  DataSet data = sample(Problem::regression);
  data.agents[1].batches[2].task = data.agents[1].batches[0].task;
  const TemporaryDirectory folder;
  expect_failure<DataError>([&] { write_mat(data, folder.file("t.mat"), false); },
                            {"'task-0'", "again", "CSV"});
  EXPECT_FALSE(std::filesystem::exists(folder.file("t.mat")));
}

TEST(Conversion, a_file_that_exists_is_replaced_only_if_that_is_asked_for) {
  const TemporaryDirectory folder;
  for (const std::string& path : {folder.file("t.csv"), folder.file("t.mat")}) {
    const auto write = [&path](bool replace) {
      if (path.ends_with("csv")) return write_csv(sample(Problem::regression), path, {}, replace);
      write_mat(sample(Problem::regression), path, replace);
    };
    std::ofstream(path) << "ten years of work";
    expect_failure<StoreError>([&] { write(false); }, {path, "exists already", "--force"});
    EXPECT_EQ(bytes_of(path), "ten years of work");
    write(true);
    EXPECT_NE(bytes_of(path), "ten years of work");
  }
}

TEST(Conversion, a_missing_folder_and_a_folder_in_the_way_are_named) {
  const TemporaryDirectory folder;
  const DataSet data = sample(Problem::regression);
  expect_failure<StoreError>([&] { write_csv(data, folder.file("no/t.csv"), {}, false); },
                             {folder.file("no"), "no such folder"});
  std::filesystem::create_directory(folder.file("t.mat"));
  expect_failure<StoreError>([&] { write_mat(data, folder.file("t.mat"), true); },
                             {folder.file("t.mat"), "not a file"});
}

}  // namespace
}  // namespace colla
