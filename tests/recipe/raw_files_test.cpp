// SPDX-License-Identifier: Apache-2.0
// Public tables as they were published, where the user has them.
#include "expectations.hpp"
#include "recipe_tables.hpp"

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
    return read_table(folder_ + file, {.words = {"school"}});
  }

  std::string folder_;
};

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
