// SPDX-License-Identifier: Apache-2.0
// The prepared sets of the paper, where the user has the files.
#include "data/load_data.hpp"
#include "data/registry.hpp"
#include "expectations.hpp"

#include <cstdlib>

namespace colla {
namespace {

using namespace testing;

class RealSets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("COLLA_DATA") == nullptr) {
      GTEST_SKIP() << "COLLA_DATA names no folder with the paper's data";
    }
  }

  static PreparedData load(const std::string& name) { return load_registered(name, "", 1); }
  static bool absent(const std::string& name) {
    return !std::filesystem::exists(file_of(registered_set(name), ""));
  }
};

void expect_intercept_last(const DataSet& data) {
  EXPECT_TRUE(data.has_intercept);
  EXPECT_EQ(data.features.back(), intercept_name);
  for (const Batch& batch : data.agents.front().batches) {
    EXPECT_TRUE((batch.X.rightCols(1).array() == 1.0).all()) << batch.origin;
  }
}

TEST_F(RealSets, land_mine_has_a_bias_and_two_kinds_of_field) {
  if (absent("landmine")) GTEST_SKIP() << "its file is absent";
  const PreparedData prepared = load("landmine");
  EXPECT_EQ(prepared.data.problem, Problem::classification);
  EXPECT_EQ(prepared.data.features.size(), 10U);
  EXPECT_EQ(prepared.agents, 2);
  EXPECT_EQ(std::count(prepared.group.begin(), prepared.group.end(), 0), 15);
  EXPECT_EQ(prepared.group[14], 0);
  EXPECT_EQ(prepared.group[15], 1);
  EXPECT_EQ(prepared.data.agents.front().batches[15].task, "field-16");
  expect_intercept_last(prepared.data);
  const DataSet dealt = deal(prepared);
  EXPECT_EQ(dealt.agents[0].batches.size(), 15U);
  EXPECT_EQ(dealt.agents[1].batches.front().task, "field-16");
  EXPECT_EQ(dealt.agents[1].batches.size(), 14U);
}

TEST_F(RealSets, london_schools_have_shares_instead_of_percentages_and_one_bias) {
  if (absent("london-schools")) GTEST_SKIP() << "its file is absent";
  const PreparedData prepared = load("london-schools");
  const DataSet raw = read_mat(file_of(registered_set("london-schools"), ""), {});
  EXPECT_EQ(prepared.agents, 6);
  EXPECT_EQ(prepared.group, std::vector<Index>(139, 0));
  EXPECT_EQ(prepared.data.features.size(), 28U);
  EXPECT_EQ(prepared.data.features[3], "share_free_meals");
  expect_intercept_last(prepared.data);
  for (std::size_t k = 0; k < 139; ++k) {
    const Batch& batch = prepared.data.agents.front().batches[k];
    Samples expected = raw.agents.front().batches[k].X;
    expected.col(3) /= 100.0;
    expected.col(4) /= 100.0;
    EXPECT_EQ(batch.X, expected);
    EXPECT_LE(batch.X.maxCoeff(), 1.0);
    EXPECT_EQ(batch.y, raw.agents.front().batches[k].y);
    // Of one category at most one indicator is set: the features have the right names.
    for (const auto& [first, count] :
         {std::pair{0, 3}, {5, 2}, {7, 3}, {10, 11}, {21, 3}, {24, 3}}) {
      const Vector sums = batch.X.middleCols(first, count).rowwise().sum();
      EXPECT_TRUE((sums.array() == 1.0 || sums.array() == 0.0).all()) << batch.task << first;
    }
  }
}

TEST_F(RealSets, each_subject_of_the_survey_is_a_task_with_its_ratings) {
  if (absent("computer-survey")) GTEST_SKIP() << "its file is absent";
  const PreparedData prepared = load("computer-survey");
  EXPECT_EQ(prepared.agents, 19);
  EXPECT_EQ(prepared.data.problem, Problem::regression);
  EXPECT_EQ(prepared.data.features.size(), 14U);
  ASSERT_EQ(prepared.data.agents.front().batches.size(), 190U);
  expect_intercept_last(prepared.data);
  const Batch& third = prepared.data.agents.front().batches[2];
  EXPECT_EQ(third.task, "subject-3");
  EXPECT_EQ(third.y.head(5), (Vector(5) << 10, 7, 2, 10, 3).finished());
  EXPECT_EQ(third.X.row(1),
            (Samples(1, 14) << 1, 1, 1, -1, 1, -1, 1, 1, -1, -1, -1, 1, 1, 1).finished());
  EXPECT_EQ(third.X, prepared.data.agents.front().batches[189].X);
}

TEST_F(RealSets, a_cut_file_is_refused_before_it_is_read) {
  if (absent("landmine")) GTEST_SKIP() << "its file is absent";
  const TemporaryDirectory folder;
  std::filesystem::copy_file(file_of(registered_set("landmine"), ""),
                             folder.file("LandmineData.mat"));
  std::filesystem::permissions(folder.file("LandmineData.mat"), std::filesystem::perms(0600));
  std::filesystem::resize_file(folder.file("LandmineData.mat"), 1'000'000);
  expect_failure<DataError>([&] { load_registered("landmine", folder.file(""), 1); },
                            {"has 1000000 bytes", "1085456"});
}

}  // namespace
}  // namespace colla
