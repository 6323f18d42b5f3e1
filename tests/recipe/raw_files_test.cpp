// SPDX-License-Identifier: Apache-2.0
// Public tables as they were published, where the user has them.
#include "expectations.hpp"
#include "recipe_tables.hpp"

#include <Eigen/Cholesky>

#include <cstdlib>

namespace colla {
namespace {

using namespace testing;
using Texts = std::vector<std::string>;

class RawFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("COLLA_DATA");
    folder_ = folder == nullptr ? "" : std::string(folder) + "/raw/";
    if (!std::filesystem::exists(folder_)) GTEST_SKIP() << "COLLA_DATA names no folder with raw/";
  }

  [[nodiscard]] Table table(const std::string& file) const {
    return read_table(folder_ + file, table_options(RecipeOptions{.task_column = "school"}));
  }

  std::string folder_;
};

// Every second row of the file is for the test.
double pooled_ridge_error(const Table& table, const RecipeOptions& options) {
  std::vector<std::size_t> training;
  for (std::size_t row = 0; row < table.rows; row += 2) training.push_back(row);
  const Recipe recipe = learn_recipe(table, training, options);
  const Prepared prepared = apply(recipe, table, Targets::wanted);
  const Column& task = *table.find(options.task_column);
  const Index features = prepared.X.cols();
  Samples X = Samples::Zero(prepared.X.rows(), features + std::ssize(task.levels));
  X.leftCols(features) = prepared.X;
  for (Index row = 0; row < X.rows(); ++row) {
    X(row, features + task.codes[static_cast<std::size_t>(row)]) = 1.0;  // an intercept per task
  }
  const auto half = [&X](Index first) { return Eigen::seq(first, X.rows() - 1, 2); };
  const Samples seen = X(half(0), Eigen::all);
  const Samples rest = X(half(1), Eigen::all);
  const Vector seen_targets = prepared.Y(half(0), 0);
  const Vector rest_targets = prepared.Y(half(1), 0);
  Matrix gram = seen.transpose() * seen;
  gram.diagonal().array() += 5.0;
  const Vector theta = gram.llt().solve(seen.transpose() * seen_targets);
  const double error = (rest_targets - rest * theta).norm();
  return recipe.target.spread * error / std::sqrt(static_cast<double>(rest.rows()));
}

// With other preparations of the same columns it has 6.012 and 0.734 over random halves.
TEST_F(RawFiles, a_pooled_ridge_regression_is_as_good_as_on_columns_prepared_by_hand) {
  EXPECT_LT(
      pooled_ridge_error(table("Hsb82.csv"), {.task_column = "school", .target_column = "mAch"}),
      1.02 * 6.012);
  EXPECT_LT(
      pooled_ridge_error(table("Exam.csv"), {.task_column = "school", .target_column = "normexam"}),
      1.02 * 0.734);
}

TEST_F(RawFiles, high_school_and_beyond_needs_only_the_names_of_task_and_target) {
  const Table pupils = table("Hsb82.csv");
  EXPECT_EQ(pupils.rows, 7185U);
  const Recipe recipe = learned(pupils, {.task_column = "school", .target_column = "mAch"});
  EXPECT_EQ(feature_names(recipe),
            (Texts{"minrty=Yes", "sx=Male", "ses", "meanses", "sector=Public", "cses"}));
  EXPECT_EQ(first_reason(recipe), "an identifier by its name");
  const Prepared prepared = apply(recipe, pupils, Targets::wanted);
  EXPECT_TRUE(prepared.warnings.empty());
  EXPECT_NEAR(prepared.X.colwise().sum().cwiseAbs().maxCoeff(), 0.0, 1e-8);
  EXPECT_NEAR(recipe.target.mean, 12.7479, 1e-4);
}

TEST_F(RawFiles, exam_needs_only_the_names_of_task_and_target) {
  const Table pupils = table("Exam.csv");
  const Recipe recipe = learned(pupils, {.task_column = "school", .target_column = "normexam"});
  EXPECT_EQ(recipe.rows, 4059U);
  EXPECT_EQ(recipe.target.problem, Problem::regression);
  EXPECT_EQ(feature_names(recipe).size(), 14U);
  EXPECT_TRUE(apply(recipe, pupils, Targets::wanted).warnings.empty());
}

}  // namespace
}  // namespace colla
