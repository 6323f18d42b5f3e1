// SPDX-License-Identifier: Apache-2.0
// Names, files that are missing or wrong, synthetic sets, dealing. The real files: real_sets_test.
#include "data/registry.hpp"

#include "data/load_data.hpp"
#include "expectations.hpp"

#include <Eigen/SVD>

#include <cstdlib>
#include <set>

namespace colla {
namespace {

using namespace testing;

// Changes or unsets COLLA_DATA while it lives.
class Environment {
 public:
  explicit Environment(const char* value) {
    if (const char* before = std::getenv("COLLA_DATA")) before_ = before;
    set(value);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static void set(const char* value) {
    if (value == nullptr) {
      unsetenv("COLLA_DATA");
    } else {
      setenv("COLLA_DATA", value, 1);
    }
  }
  std::optional<std::string> before_;
};

TEST(Registry, every_set_says_what_it_is_and_where_its_file_comes_from) {
  std::set<std::string> names;
  for (const RegisteredSet& set : registered_sets()) {
    EXPECT_TRUE(names.insert(set.name).second) << set.name;
    EXPECT_FALSE(set.title.empty() || set.summary.empty() || set.preparation.empty()) << set.name;
    EXPECT_EQ(set.file.empty(), set.is_synthetic) << set.name;
    EXPECT_EQ(set.published.empty(), set.is_synthetic) << set.name;
    EXPECT_EQ(set.bytes == 0, set.is_synthetic) << set.name;
    EXPECT_EQ(set.sha256.size(), set.is_synthetic ? 0U : 64U) << set.name;
    EXPECT_EQ(set.sha256.find_first_not_of("0123456789abcdef"), std::string::npos) << set.name;
    EXPECT_TRUE(set.address.empty() || set.address.starts_with("https://")) << set.name;
  }
  for (const char* name : {"landmine", "london-schools", "computer-survey",
                           "facial-expression-synthetic", "synthetic-regression"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Registry, an_unknown_name_is_refused_with_the_known_ones) {
  EXPECT_EQ(find_registered("london"), nullptr);
  expect_failure<OptionError>([] { load_registered("london", "", 1); },
                              {"london", "no data set", "london-schools", "landmine"});
}

TEST(Registry, without_a_folder_the_message_says_how_to_name_one) {
  const Environment nothing(nullptr);
  for (const RegisteredSet& set : registered_sets()) {
    if (set.is_synthetic) continue;
    expect_failure<SettingError>([&] { load_registered(set.name, "", 1); },
                                 {set.name, set.file, "data_dir: ", "COLLA_DATA", set.published});
  }
}

TEST(Registry, a_missing_file_is_named_with_where_it_is_published) {
  const TemporaryDirectory folder;
  for (const RegisteredSet& set : registered_sets()) {
    if (set.is_synthetic) continue;
    expect_failure<DataError>([&] { load_registered(set.name, folder.file(""), 1); },
                              {folder.file(set.file), "is not there", "by hand", set.published});
  }
  expect_failure<DataError>([&] { load_registered("london-schools", folder.file(""), 1); },
                            {"colla data get london-schools"});
}

TEST(Registry, the_variable_names_the_folder_unless_one_is_given) {
  const TemporaryDirectory variable;
  const TemporaryDirectory given;
  const Environment environment(variable.file("").c_str());
  expect_failure<DataError>([&] { load_registered("landmine", "", 1); },
                            {variable.file("LandmineData.mat")});
  expect_failure<DataError>([&] { load_registered("landmine", given.file(""), 1); },
                            {given.file("LandmineData.mat")});
}

TEST(Registry, a_file_of_another_size_is_refused) {
  const TemporaryDirectory folder;
  for (const std::string& bytes : {std::string(), std::string(44758, 'x')}) {
    const std::string path = folder.write("school.mat", bytes);
    expect_failure<DataError>([&] { load_registered("london-schools", folder.file(""), 1); },
                              {path, "has " + std::to_string(bytes.size()) + " bytes", "44759",
                               "colla data get london-schools"});
  }
}

TEST(Registry, a_file_of_the_same_size_with_other_bytes_is_refused) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("school.mat", std::string(44759, 'x'));
  expect_failure<DataError>([&] { load_registered("london-schools", folder.file(""), 1); },
                            {path, "not the published file", "SHA-256",
                             "57fb3238fdd03a9aa17276e2ce18d9bbb5d128c3261e794fe6233b58b6909068"});
}

TEST(Registry, a_folder_in_the_files_place_is_refused) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder.file("school.mat"));
  expect_failure<DataError>([&] { load_registered("london-schools", folder.file(""), 1); },
                            {folder.file("school.mat"), "is not a file"});
}

const Batch& task(const PreparedData& prepared, std::size_t number) {
  return prepared.data.agents.front().batches[number];
}

TEST(SyntheticSets, are_prepared_like_real_ones_and_follow_from_the_seed) {
  for (const RegisteredSet& set : registered_sets()) {
    if (!set.is_synthetic) continue;
    const PreparedData first = load_registered(set.name, "", 7);
    const PreparedData again = load_registered(set.name, "/nowhere", 7);
    const PreparedData other = load_registered(set.name, "", 8);
    EXPECT_EQ(first.data.name, set.name);
    EXPECT_EQ(first.data.agents.size(), 1U);
    EXPECT_EQ(first.group.size(), first.data.agents.front().batches.size());
    EXPECT_TRUE(first.data.has_intercept);
    EXPECT_EQ(first.data.features.back(), intercept_name);
    EXPECT_TRUE((task(first, 3).X.rightCols(1).array() == 1.0).all());
    EXPECT_EQ(task(first, 3).X, task(again, 3).X);
    EXPECT_EQ(task(first, 3).y, task(again, 3).y);
    EXPECT_NE(task(first, 3).X(0, 0), task(other, 3).X(0, 0));
  }
}

TEST(FacialExpression, has_the_papers_shape) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const PreparedData prepared = load_registered("facial-expression-synthetic", "", seed);
    EXPECT_EQ(prepared.agents, 3);
    EXPECT_EQ(prepared.group, std::vector<Index>(21, 0));
    EXPECT_EQ(prepared.data.features.size(), 101U);
    EXPECT_EQ(prepared.data.problem, Problem::classification);
    std::set<std::string> names;
    for (const Batch& batch : prepared.data.agents.front().batches) {
      names.insert(batch.task);
      EXPECT_GE(batch.X.rows(), 450);
      EXPECT_LE(batch.X.rows(), 999);
      const double positive = (batch.y.array() > 0.0).cast<double>().mean();
      EXPECT_GT(positive, 0.03) << batch.task;
      EXPECT_LT(positive, 0.40) << batch.task;
    }
    EXPECT_EQ(names.size(), 21U);
    EXPECT_TRUE(names.contains("subject-7-unit-3"));
  }
}

// The seed fixes the numbers: other rows would be another experiment.
TEST(FacialExpression, seed_1_makes_these_rows) {
  const PreparedData prepared = load_registered("facial-expression-synthetic", "", 1);
  Index rows = 0;
  Index positive = 0;
  for (const Batch& batch : prepared.data.agents.front().batches) {
    rows += batch.X.rows();
    positive += (batch.y.array() > 0.0).count();
  }
  EXPECT_EQ(rows, 15955);
  EXPECT_EQ(positive, 3052);
}

// The difference of a task's class means, each feature divided by its variance, points along theta
// up to noise. Six directions of 21 would hold some 40 % of it if the tasks had nothing in common.
TEST(FacialExpression, the_models_of_all_tasks_lie_near_six_dimensions) {
  const PreparedData prepared = load_registered("facial-expression-synthetic", "", 1);
  const std::vector<Batch>& batches = prepared.data.agents.front().batches;
  Matrix directions(100, static_cast<Index>(batches.size()));
  for (std::size_t k = 0; k < batches.size(); ++k) {
    const Samples X = batches[k].X.leftCols(100);
    const Vector positive = (batches[k].y.array() > 0.0).cast<double>();
    const Vector negative = Vector::Ones(positive.size()) - positive;
    const Vector difference =
        X.transpose() * positive / positive.sum() - X.transpose() * negative / negative.sum();
    const Vector deviations = X.colwise().norm() / std::sqrt(static_cast<double>(X.rows()));
    directions.col(static_cast<Index>(k)) = difference.cwiseQuotient(deviations).normalized();
  }
  const Vector energy = Eigen::JacobiSVD<Matrix>(directions).singularValues().array().square();
  EXPECT_GT(energy.head(6).sum() / energy.sum(), 0.6);
}

PreparedData grouped(const std::vector<Index>& group, Index agents) {
  PreparedData prepared;
  prepared.data.name = "set";
  prepared.data.features = {"x"};
  prepared.data.agents.push_back({"agent-0", {}});
  for (std::size_t k = 0; k < group.size(); ++k) {
    prepared.data.agents.front().batches.push_back(
        {{std::string(1, static_cast<char>('a' + k)), Samples::Zero(2, 1), Vector::Zero(2)}, ""});
  }
  prepared.agents = agents;
  prepared.group = group;
  return prepared;
}

std::vector<std::string> dealt(PreparedData prepared) {
  std::vector<std::string> result;
  for (const Stream& stream : deal(std::move(prepared)).agents) {
    std::string tasks = stream.agent + ":";
    for (const Batch& batch : stream.batches) tasks += batch.task;
    result.push_back(tasks);
  }
  return result;
}

TEST(DealPrepared, tasks_of_one_group_go_round_among_all_agents) {
  EXPECT_EQ(dealt(grouped({0, 0, 0, 0, 0}, 2)),
            (std::vector<std::string>{"agent-0:ace", "agent-1:bd"}));
}

TEST(DealPrepared, each_group_has_agents_of_its_own) {
  EXPECT_EQ(dealt(grouped({0, 0, 1, 0, 1}, 2)),
            (std::vector<std::string>{"agent-0:abd", "agent-1:ce"}));
  EXPECT_EQ(dealt(grouped({0, 0, 1, 0, 1}, 3)),
            (std::vector<std::string>{"agent-0:ad", "agent-1:ce", "agent-2:b"}));
}

TEST(DealPrepared, fewer_agents_than_groups_or_more_than_tasks_are_refused) {
  expect_failure<OptionError>(
      [] {
        deal(grouped({0, 1, 1}, 1));
      },
      {"set", "2 kinds", "2 agents or more"});
  expect_failure<OptionError>([] { deal(grouped({0, 1, 1}, 4)); }, {"1 task to 2 agents"});
}

TEST(LoadData, a_registered_name_is_prepared_and_dealt_to_its_agents) {
  const DataSet data = load_data("facial-expression-synthetic", {}, 1);
  EXPECT_EQ(data.agents.size(), 3U);
  EXPECT_EQ(data.agents[2].batches.size(), 7U);
  EXPECT_TRUE(data.has_intercept);
  ReadOptions options;
  options.agents = 7;
  EXPECT_EQ(load_data("facial-expression-synthetic", options, 1).agents.size(), 7U);
  options.problem = Problem::regression;
  expect_failure<OptionError>([&] { load_data("facial-expression-synthetic", options, 1); },
                              {"another problem", "problem: "});
}

TEST(LoadData, a_registered_name_looks_in_the_folder_that_is_given) {
  const TemporaryDirectory folder;
  ReadOptions options;
  options.data_folder = folder.file("");
  expect_failure<DataError>([&] { load_data("landmine", options, 1); },
                            {folder.file("LandmineData.mat"), "is not there"});
}

}  // namespace
}  // namespace colla
