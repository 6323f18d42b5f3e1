// SPDX-License-Identifier: Apache-2.0
// Two matrices by name, as the Computer Survey's file has them.
#include "data/mat_reading.hpp"
#include "data/mat_writer.hpp"
#include "expectations.hpp"

namespace colla {
namespace {

using namespace testing;

TEST(MatMatrices, are_found_by_name_in_every_format) {
  const Matrix design = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  for (const MatFormat& format : {plain_format, compressed_format, hdf5_format, old_format}) {
    const TemporaryDirectory folder;
    const std::string path = folder.file("f.mat");
    {
      MatWriter writer(path, format);
      writer.matrix("other", Matrix::Ones(2, 2));
      writer.matrix("ratings", Matrix::Identity(4, 2));
      writer.matrix("design", design);
    }
    const MatContents contents = read_mat_matrices(path, "design", "ratings");
    EXPECT_EQ(contents.inputs.cells.front(), design) << format.name;
    EXPECT_EQ(contents.targets.cells.front(), Matrix(Matrix::Identity(4, 2))) << format.name;
  }
}

TEST(MatMatrices, a_missing_variable_a_cell_array_and_a_damaged_file_are_refused) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("f.mat");
  {
    MatWriter writer(path);
    writer.matrix("design", Matrix::Ones(2, 2));
    writer.cells("ratings", {double_cell(Matrix::Ones(2, 2))});
  }
  expect_failure<DataError>([&] { read_mat_matrices(path, "design", "likes"); },
                            {path, "no variable likes"});
  expect_failure<DataError>([&] { read_mat_matrices(path, "design", "ratings"); },
                            {path, "ratings", "a cell array"});
  expect_failure<DataError>([&] { read_mat_matrices(folder.file("none"), "a", "b"); },
                            {"does not exist"});
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  expect_failure<DataError>([&] { read_mat_matrices(path, "design", "ratings"); }, {path});
}

}  // namespace
}  // namespace colla
