// SPDX-License-Identifier: Apache-2.0
// MAT files for the tests, written by matio itself.
#pragma once

#include <colla/matrix.hpp>

#include <gtest/gtest.h>
#include <matio.h>

#include <memory>
#include <string>
#include <vector>

namespace colla::testing {

struct MatFormat {
  const char* name;
  mat_ft version;
  matio_compression compression;
};

inline constexpr MatFormat plain_format{"v5", MAT_FT_MAT5, MAT_COMPRESSION_NONE};
inline constexpr MatFormat compressed_format{"v7", MAT_FT_MAT5, MAT_COMPRESSION_ZLIB};
inline constexpr MatFormat hdf5_format{"v7.3", MAT_FT_MAT73, MAT_COMPRESSION_NONE};
inline constexpr MatFormat old_format{"v4", MAT_FT_MAT4, MAT_COMPRESSION_NONE};

/// A variable without a name, for a cell; null for an empty one. A cell array owns its cells.
using Cell = matvar_t*;

template <typename Number>
Cell numeric_cell(const Matrix& values, matio_classes type, matio_types storage, int flags = 0) {
  using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  Numbers numbers = values.cast<Number>();
  std::size_t dims[2] = {static_cast<std::size_t>(values.rows()),
                         static_cast<std::size_t>(values.cols())};
  return Mat_VarCreate(nullptr, type, storage, 2, dims, numbers.data(), flags);
}

inline Cell double_cell(const Matrix& values) {
  return numeric_cell<double>(values, MAT_C_DOUBLE, MAT_T_DOUBLE);
}

class MatWriter {
 public:
  explicit MatWriter(const std::string& path, const MatFormat& format = plain_format)
      : file_(Mat_CreateVer(path.c_str(), nullptr, format.version), &Mat_Close),
        compression_(format.compression) {}

  void cells(const std::string& name, const std::vector<Cell>& cells) {
    std::size_t dims[2] = {1, cells.size()};
    matvar_t* array = Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, dims, nullptr, 0);
    for (std::size_t k = 0; k < cells.size(); ++k) {
      Mat_VarSetCell(array, static_cast<int>(k), cells[k]);
    }
    write(array);
  }

  void matrix(const std::string& name, Matrix values) {
    std::size_t dims[2] = {static_cast<std::size_t>(values.rows()),
                           static_cast<std::size_t>(values.cols())};
    write(Mat_VarCreate(name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0));
  }

 private:
  void write(matvar_t* variable) {
    EXPECT_EQ(Mat_VarWrite(file_.get(), variable, compression_), 0);
    Mat_VarFree(variable);
  }

  std::unique_ptr<mat_t, int (*)(mat_t*)> file_;
  matio_compression compression_;
};

/// Two tasks of 3 and 4 rows, two features, real targets.
inline void write_two_tasks(const std::string& path, const MatFormat& format = plain_format) {
  MatWriter writer(path, format);
  writer.cells("X", {double_cell((Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished()),
                     double_cell((Matrix(4, 2) << 7, 8, 9, 10, 11, 12, 13, 14).finished())});
  writer.cells("Y", {double_cell((Matrix(3, 1) << 0.5, 1.5, 2.5).finished()),
                     double_cell((Matrix(1, 4) << 3.5, 4.5, 5.5, 6.5).finished())});
}

}  // namespace colla::testing
