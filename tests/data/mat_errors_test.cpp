// SPDX-License-Identifier: Apache-2.0
// Well-formed files with wrong contents: each is refused with what, where and what to do.
#include "data/dataset.hpp"
#include "data/mat_writer.hpp"
#include "expectations.hpp"

#include <functional>
#include <limits>

namespace colla {
namespace {

using namespace testing;

Cell some_inputs() { return double_cell(Matrix::Random(3, 2)); }
Cell some_targets() { return double_cell((Matrix(3, 1) << 0.5, 1.5, 2.5).finished()); }

class MatErrors : public ::testing::Test {
 protected:
  void expect_refused(const std::vector<std::string>& parts, const ReadOptions& options = {}) {
    expect_failure<DataError>([&] { read_mat(path_, options); }, parts);
  }
  void expect_refused(const std::vector<Cell>& inputs, const std::vector<Cell>& targets,
                      const std::vector<std::string>& parts) {
    {
      MatWriter writer(path_);
      writer.cells("X", inputs);
      writer.cells("Y", targets);
    }
    expect_refused(parts);
  }

  TemporaryDirectory directory_;
  std::string path_ = directory_.file("f.mat");
};

TEST_F(MatErrors, a_missing_file_is_named) { expect_refused({"f.mat", "does not exist", "check"}); }

TEST_F(MatErrors, a_directory_is_no_file) {
  expect_failure<DataError>([&] { read_mat(directory_.file(""), {}); }, {"is not a file", "give"});
}

TEST_F(MatErrors, an_empty_file_is_refused) {
  path_ = directory_.write("f.mat", "");
  expect_refused({"f.mat", "is empty", "give a MAT file"});
}

TEST_F(MatErrors, text_is_not_a_mat_file) {
  std::string text = "task,x,y\n";
  for (int k = 0; k < 50; ++k) text += "a,1,2\n";
  path_ = directory_.write("f.mat", text);
  expect_refused({"f.mat", "MAT file"});
}

TEST_F(MatErrors, missing_variables_are_reported_with_the_existing_ones) {
  {
    MatWriter writer(path_);
    writer.matrix("designMatrix", Matrix::Ones(2, 2));
    writer.matrix("X", Matrix::Ones(2, 2));
  }
  expect_refused({"f.mat", "neither X and Y nor feature and label", "only designMatrix, X",
                  "give cell arrays"});
}

TEST_F(MatErrors, a_matrix_is_not_a_cell_array) {
  for (const MatFormat& format : {plain_format, hdf5_format, old_format}) {
    {
      MatWriter writer(path_, format);
      writer.matrix("X", Matrix::Ones(2, 2));
      writer.matrix("Y", Matrix::Ones(2, 1));
    }
    expect_refused({"f.mat, X", "a numeric array and not a cell array", "one cell per task"});
  }
}

TEST_F(MatErrors, an_empty_cell_is_named) {
  expect_refused({some_inputs(), double_cell(Matrix(0, 0))}, {some_targets(), some_targets()},
                 {"f.mat, X{2}", "is empty", "remove its cell"});
}

TEST_F(MatErrors, complex_numbers_are_refused) {
  double real[4] = {1, 2, 3, 4};
  mat_complex_split_t parts{real, real};
  std::size_t dims[2] = {2, 2};
  Cell complex = Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, &parts, MAT_F_COMPLEX);
  expect_refused({complex}, {some_targets()}, {"f.mat, X{1}", "is complex", "real numbers"});
}

TEST_F(MatErrors, text_in_a_cell_is_refused) {
  char text[] = "abc";
  std::size_t dims[2] = {1, 3};
  Cell cell = Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, dims, text, 0);
  expect_refused({some_inputs()}, {cell}, {"f.mat, Y{1}", "is text", "numeric matrix"});
}

TEST_F(MatErrors, sparse_matrices_are_refused) {
  double values[2] = {1, 2};
  mat_uint32_t rows[2] = {0, 1};
  mat_uint32_t columns[3] = {0, 1, 2};
  mat_sparse_t sparse{2, rows, 2, columns, 3, 2, values};
  std::size_t dims[2] = {2, 2};
  Cell cell =
      Mat_VarCreate(nullptr, MAT_C_SPARSE, MAT_T_DOUBLE, 2, dims, &sparse, MAT_F_DONT_COPY_DATA);
  expect_refused({cell}, {some_targets()}, {"f.mat, X{1}", "is sparse", "full()"});
}

TEST_F(MatErrors, an_array_of_three_dimensions_is_refused) {
  double values[8] = {};
  std::size_t dims[3] = {2, 2, 2};
  Cell cell = Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 3, dims, values, 0);
  expect_refused({cell}, {some_targets()}, {"f.mat, X{1}", "has 3 dimensions", "give a matrix"});
}

TEST_F(MatErrors, both_variables_must_have_the_same_number_of_cells) {
  expect_refused({some_inputs(), some_inputs()}, {some_targets()},
                 {"f.mat", "2 cells in X and 1 in Y", "one cell per task"});
}

TEST_F(MatErrors, rows_and_targets_must_match) {
  expect_refused({some_inputs(), double_cell(Matrix::Ones(5, 2))}, {some_targets(), some_targets()},
                 {"f.mat, X{2}", "is 5 x 2, and Y{2} is 3 x 1", "one row per target"});
}

TEST_F(MatErrors, targets_must_be_a_vector) {
  expect_refused({double_cell(Matrix::Ones(4, 2))}, {double_cell(Matrix::Ones(2, 2))},
                 {"f.mat, Y{1}", "is 2 x 2 and not a vector", "one target per row"});
}

TEST_F(MatErrors, tasks_must_have_the_same_features) {
  expect_refused({some_inputs(), double_cell(Matrix::Ones(3, 4))}, {some_targets(), some_targets()},
                 {"f.mat, X{2}", "has 4 features, the others have 2", "same features"});
}

TEST_F(MatErrors, a_task_with_a_single_row_is_named) {
  expect_refused({double_cell(Matrix::Ones(1, 2))}, {double_cell(Matrix::Constant(1, 1, 0.5))},
                 {"f.mat, X{1}", "has 1 row", "add rows"});
}

TEST_F(MatErrors, values_that_are_not_finite_are_refused) {
  Matrix values = Matrix::Ones(3, 2);
  values(1, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_refused({double_cell(values)}, {some_targets()},
                 {"f.mat, X{1}, row 2, feature 'x1'", "finite", "fill it in"});
}

TEST_F(MatErrors, labels_other_than_two_are_named) {
  {
    MatWriter writer(path_);
    writer.cells("X", {some_inputs()});
    writer.cells("Y", {some_targets()});
  }
  ReadOptions options;
  options.problem = Problem::classification;
  expect_refused({"f.mat, Y", "two labels", "0.5, 1.5, 2.5", "0 and 1"}, options);
}

}  // namespace
}  // namespace colla
