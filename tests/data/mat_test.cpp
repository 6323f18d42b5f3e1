// SPDX-License-Identifier: Apache-2.0
// Valid files.
#include "data/dataset.hpp"
#include "data/mat_writer.hpp"
#include "expectations.hpp"

#include <cstdlib>

namespace colla {
namespace {

using namespace testing;

class MatFormats : public ::testing::TestWithParam<MatFormat> {};

TEST_P(MatFormats, cell_arrays_become_tasks) {
  const TemporaryDirectory directory;
  write_two_tasks(directory.file("tasks.mat"), GetParam());
  const DataSet data = read_mat(directory.file("tasks.mat"), {});
  EXPECT_EQ(data.name, "tasks");
  EXPECT_EQ(data.problem, Problem::regression);
  EXPECT_EQ(data.features, (std::vector<std::string>{"x1", "x2"}));
  ASSERT_EQ(data.agents.size(), 1U);
  ASSERT_EQ(data.agents[0].batches.size(), 2U);
  const Batch& first = data.agents[0].batches[0];
  const Batch& second = data.agents[0].batches[1];
  EXPECT_EQ(first.task, "1");
  EXPECT_EQ(second.task, "2");
  EXPECT_EQ(second.origin, directory.file("tasks.mat") + ", X{2}");
  EXPECT_EQ(first.X, (Samples(3, 2) << 1, 2, 3, 4, 5, 6).finished());
  EXPECT_EQ(first.y, (Vector(3) << 0.5, 1.5, 2.5).finished());
  EXPECT_EQ(second.y, (Vector(4) << 3.5, 4.5, 5.5, 6.5).finished());
}

INSTANTIATE_TEST_SUITE_P(Mat, MatFormats,
                         ::testing::Values(plain_format, compressed_format, hdf5_format));

TEST(Mat, every_numeric_class_is_read) {
  const Matrix values = (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished();
  const std::vector<Cell> cells = {double_cell(values),
                                   numeric_cell<float>(values, MAT_C_SINGLE, MAT_T_SINGLE),
                                   numeric_cell<std::int8_t>(values, MAT_C_INT8, MAT_T_INT8),
                                   numeric_cell<std::uint8_t>(values, MAT_C_UINT8, MAT_T_UINT8),
                                   numeric_cell<std::int16_t>(values, MAT_C_INT16, MAT_T_INT16),
                                   numeric_cell<std::uint16_t>(values, MAT_C_UINT16, MAT_T_UINT16),
                                   numeric_cell<std::int32_t>(values, MAT_C_INT32, MAT_T_INT32),
                                   numeric_cell<std::uint32_t>(values, MAT_C_UINT32, MAT_T_UINT32),
                                   numeric_cell<std::int64_t>(values, MAT_C_INT64, MAT_T_INT64),
                                   numeric_cell<std::uint64_t>(values, MAT_C_UINT64, MAT_T_UINT64)};
  std::vector<Cell> targets;
  for (std::size_t k = 0; k < cells.size(); ++k) targets.push_back(double_cell(values.col(0)));
  const TemporaryDirectory directory;
  const std::string path = directory.file("classes.mat");
  {
    MatWriter writer(path);
    writer.cells("X", cells);
    writer.cells("Y", targets);
  }
  const DataSet data = read_mat(path, {});
  for (const Batch& batch : data.agents[0].batches) {
    EXPECT_EQ(batch.X, Samples(values)) << batch.origin;
  }
}

TEST(Mat, logical_labels_are_classification) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("mines.mat");
  {
    MatWriter writer(path);
    writer.cells("feature", {double_cell(Matrix::Identity(3, 2))});
    writer.cells("label", {numeric_cell<std::uint8_t>((Matrix(3, 1) << 1, 0, 1).finished(),
                                                      MAT_C_UINT8, MAT_T_UINT8, MAT_F_LOGICAL)});
  }
  const DataSet data = read_mat(path, {});
  EXPECT_EQ(data.problem, Problem::classification);
  EXPECT_EQ(data.agents[0].batches[0].y, (Vector(3) << 1, -1, 1).finished());
  EXPECT_EQ(data.agents[0].batches[0].origin, path + ", feature{1}");
}

TEST(Mat, zeros_and_ones_stay_numbers_if_regression_is_asked_for) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("t.mat");
  {
    MatWriter writer(path);
    writer.cells("X", {double_cell(Matrix::Identity(3, 2))});
    writer.cells("Y", {double_cell((Matrix(3, 1) << 1, 0, 1).finished())});
  }
  ReadOptions options;
  options.problem = Problem::regression;
  EXPECT_EQ(read_mat(path, options).agents[0].batches[0].y, (Vector(3) << 1, 0, 1).finished());
}

TEST(Mat, samples_in_columns_are_turned_if_the_targets_leave_no_doubt) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("columns.mat");
  {
    MatWriter writer(path);  // the first cell alone could be read either way
    writer.cells("X", {double_cell((Matrix(2, 2) << 1, 3, 2, 4).finished()),
                       double_cell((Matrix(2, 3) << 1, 3, 5, 2, 4, 6).finished())});
    writer.cells("Y", {double_cell((Matrix(1, 2) << 7, 8).finished()),
                       double_cell((Matrix(1, 3) << 7, 8, 9).finished())});
  }
  const DataSet data = read_mat(path, {});
  EXPECT_EQ(data.agents[0].batches[0].X, (Samples(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(data.agents[0].batches[1].X, (Samples(3, 2) << 1, 2, 3, 4, 5, 6).finished());
}

// The public benchmark files, where the user has them.
class RealMatFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* directory = std::getenv("COLLA_DATA");
    if (directory == nullptr) GTEST_SKIP() << "COLLA_DATA names no folder with the paper's data";
    directory_ = directory;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (std::filesystem::path(directory_) / name).string();
  }
  [[nodiscard]] bool absent(const std::string& name) const {
    return !std::filesystem::exists(path(name));
  }

 private:
  std::string directory_;
};

Index rows_of(const DataSet& data) {
  Index rows = 0;
  for (const Batch& batch : data.agents[0].batches) rows += batch.X.rows();
  return rows;
}

TEST_F(RealMatFiles, london_schools_are_139_regression_tasks) {
  if (absent("school.mat")) GTEST_SKIP() << path("school.mat") << " is absent";
  const DataSet data = read_mat(path("school.mat"), {});
  EXPECT_EQ(data.problem, Problem::regression);
  EXPECT_EQ(data.agents[0].batches.size(), 139U);
  EXPECT_EQ(data.features.size(), 28U);
  EXPECT_EQ(rows_of(data), 15362);
}

TEST_F(RealMatFiles, land_mines_are_29_classification_tasks) {
  if (absent("LandmineData.mat")) GTEST_SKIP() << path("LandmineData.mat") << " is absent";
  const DataSet data = read_mat(path("LandmineData.mat"), {});
  EXPECT_EQ(data.problem, Problem::classification);
  EXPECT_EQ(data.agents[0].batches.size(), 29U);
  EXPECT_EQ(rows_of(data), 14820);
}

TEST_F(RealMatFiles, the_computer_survey_is_refused_with_its_variables) {
  const std::string name = "conjointAnalysisComputerBuyers.mat";
  if (absent(name)) GTEST_SKIP() << path(name) << " is absent";
  expect_failure<DataError>([&] { read_mat(path(name), {}); },
                            {name, "neither X and Y nor feature and label", "designMarix",
                             "likeBuy", "give cell arrays"});
}

}  // namespace
}  // namespace colla
