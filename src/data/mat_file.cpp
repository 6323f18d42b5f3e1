// SPDX-License-Identifier: Apache-2.0
#include "data/mat_file.hpp"

#include "files/text.hpp"

#include <colla/error.hpp>

#include <matio.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <system_error>

namespace colla {
namespace {

using MatFile = std::unique_ptr<mat_t, int (*)(mat_t*)>;
using MatVariable = std::unique_ptr<matvar_t, void (*)(matvar_t*)>;

constexpr char expected[] =
    "give cell arrays X and Y, or feature and label, with one cell per task";

// matio continues after an error and returns what it has, so the error must be caught here.
bool matio_complained = false;

void notice(int level, char* /*message*/) {
  const int harmless = (MATIO_LOG_LEVEL_MESSAGE) | (MATIO_LOG_LEVEL_DEBUG);
  if ((level & harmless) == 0) matio_complained = true;
}

std::string printable(const char* name) {
  constexpr std::size_t longest = 63;  // MATLAB's own limit
  std::string result(name == nullptr ? "" : name);
  result.resize(std::min(result.size(), longest));
  for (char& c : result) {
    if (c < 0x20 || c > 0x7e) c = '?';
  }
  return result;
}

std::vector<std::string> variable_names(mat_t* file) {
  std::size_t count = 0;
  char* const* names = Mat_GetDir(file, &count);
  std::vector<std::string> result;
  for (std::size_t k = 0; names != nullptr && k < count; ++k) {
    result.push_back(printable(names[k]));
  }
  return result;
}

std::string class_name(const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_CELL:
      return "a cell array";
    case MAT_C_STRUCT:
      return "a struct";
    case MAT_C_CHAR:
      return "text";
    case MAT_C_SPARSE:
      return "a sparse matrix";
    case MAT_C_FUNCTION:
      return "a function";
    case MAT_C_OBJECT:
    case MAT_C_OPAQUE:
      return "an object";
    case MAT_C_EMPTY:
      return "empty";
    default:
      return "a numeric array";
  }
}

template <typename Number>
Matrix as_doubles(const matvar_t& cell, Index rows, Index cols) {
  using Numbers = Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic>;
  return Eigen::Map<const Numbers>(static_cast<const Number*>(cell.data), rows, cols)
      .template cast<double>();
}

Matrix numbers_in(const matvar_t& cell) {
  const auto rows = static_cast<Index>(cell.dims[0]);
  const auto cols = static_cast<Index>(cell.dims[1]);
  switch (cell.class_type) {
    case MAT_C_DOUBLE:
      return as_doubles<double>(cell, rows, cols);
    case MAT_C_SINGLE:
      return as_doubles<float>(cell, rows, cols);
    case MAT_C_INT8:
      return as_doubles<std::int8_t>(cell, rows, cols);
    case MAT_C_UINT8:
      return as_doubles<std::uint8_t>(cell, rows, cols);
    case MAT_C_INT16:
      return as_doubles<std::int16_t>(cell, rows, cols);
    case MAT_C_UINT16:
      return as_doubles<std::uint16_t>(cell, rows, cols);
    case MAT_C_INT32:
      return as_doubles<std::int32_t>(cell, rows, cols);
    case MAT_C_UINT32:
      return as_doubles<std::uint32_t>(cell, rows, cols);
    case MAT_C_INT64:
      return as_doubles<std::int64_t>(cell, rows, cols);
    default:
      return as_doubles<std::uint64_t>(cell, rows, cols);
  }
}

// An entry takes at least a byte before compression, and deflate saves at most a factor of 1032.
std::size_t most_entries_in(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : 1032 * size;
}

// Checks what headers claim before matio allocates it.
class Claims {
 public:
  explicit Claims(const std::string& path) : path_(path), left_(most_entries_in(path)) {}

  /// Throws DataError unless it is a real matrix of numbers for which the file has room.
  void check(const matvar_t* cell, const std::string& where) {
    const bool empty = cell == nullptr || cell->class_type == MAT_C_EMPTY || cell->rank < 1 ||
                       cell->dims == nullptr ||
                       std::count(cell->dims, cell->dims + cell->rank, 0U) > 0;
    if (empty) throw DataError("is empty", where, "give the task rows or remove its cell");
    if (cell->rank != 2) {
      throw DataError("has " + std::to_string(cell->rank) + " dimensions", where, "give a matrix");
    }
    if (cell->isComplex != 0) throw DataError("is complex", where, "give real numbers");
    if (cell->class_type == MAT_C_SPARSE) {
      throw DataError("is sparse", where, "store it with full()");
    }
    if (cell->class_type < MAT_C_DOUBLE || cell->class_type > MAT_C_UINT64) {
      throw DataError("is " + class_name(*cell), where, "give a numeric matrix");
    }
    take(cell->dims[0], cell->dims[1]);
  }

 private:
  void take(std::size_t rows, std::size_t cols) {
    if (cols > left_ / rows) refuse_damaged(path_);
    left_ -= rows * cols;
  }

  const std::string& path_;
  std::size_t left_;
};

void read_data(mat_t* file, matvar_t* variable, const std::string& path) {
  if (Mat_VarReadDataAll(file, variable) != 0 || matio_complained) refuse_damaged(path);
}

// Of a cell whose claim was checked. matio reads what the file has, without errors.
Matrix matrix_in(const matvar_t& cell, const std::string& path) {
  const std::size_t width = std::max<std::size_t>(1, Mat_SizeOfClass(cell.class_type));
  const bool is_whole = cell.data != nullptr && cell.dims[1] <= cell.nbytes / width / cell.dims[0];
  if (!is_whole) refuse_damaged(path);
  return numbers_in(cell);
}

MatVariable header_of(mat_t* file, const std::string& name, const std::string& path) {
  MatVariable variable(Mat_VarReadInfo(file, name.c_str()), &Mat_VarFree);
  if (!variable || matio_complained) refuse_damaged(path);
  return variable;
}

MatCells cells_of(mat_t* file, const std::string& name, const std::string& path) {
  const MatVariable variable = header_of(file, name, path);
  const std::string where = path + ", " + name;
  if (variable->class_type != MAT_C_CELL) {
    throw DataError("is " + class_name(*variable) + " and not a cell array", where, expected);
  }
  const std::size_t count = variable->nbytes / sizeof(matvar_t*);
  if (count == 0 || variable->data == nullptr) throw DataError("has no cells", where, expected);
  const auto* const* cells = static_cast<matvar_t* const*>(variable->data);
  Claims claims(path);
  for (std::size_t k = 0; k < count; ++k) {
    claims.check(cells[k], where + "{" + std::to_string(k + 1) + "}");
  }
  read_data(file, variable.get(), path);
  MatCells result{name, {}};
  for (std::size_t k = 0; k < count; ++k) result.cells.push_back(matrix_in(*cells[k], path));
  return result;
}

MatCells matrix_as_cell(mat_t* file, const std::string& name, const std::string& path) {
  const MatVariable variable = header_of(file, name, path);
  Claims(path).check(variable.get(), path + ", " + name);
  read_data(file, variable.get(), path);
  return {name, {matrix_in(*variable, path)}};
}

// Calls `contents` with the open file and the names of its variables.
template <typename Contents>
MatContents with_file(const std::string& path, const Contents& contents) {
  matio_complained = false;
  Mat_LogInitFunc("colla", &notice);
  const MatFile file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), &Mat_Close);
  if (!file) throw DataError("is not a MAT file", path, "give a file that MATLAB's save wrote");
  const std::vector<std::string> names = variable_names(file.get());
  if (matio_complained) refuse_damaged(path);
  return contents(file.get(), names);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse_variables(const std::vector<std::string>& names, const std::string& path) {
  throw DataError("has neither X and Y nor feature and label, " +
                      (names.empty() ? "but no variables" : "only " + listed(names)),
                  path, expected);
}

}  // namespace

MatContents load_mat_file(const std::string& path) {
  return with_file(path, [&path](mat_t* file, const std::vector<std::string>& names) {
    const bool letters = has(names, "X") && has(names, "Y");
    if (!letters && !(has(names, "feature") && has(names, "label"))) refuse_variables(names, path);
    return MatContents{cells_of(file, letters ? "X" : "feature", path),
                       cells_of(file, letters ? "Y" : "label", path)};
  });
}

MatContents load_mat_matrices(const std::string& path, const std::string& inputs,
                              const std::string& targets) {
  return with_file(path, [&](mat_t* file, const std::vector<std::string>& names) {
    for (const std::string& name : {inputs, targets}) {
      if (!has(names, name)) {
        throw DataError("has no variable " + name, path, "give the file that was published");
      }
    }
    return MatContents{matrix_as_cell(file, inputs, path), matrix_as_cell(file, targets, path)};
  });
}

}  // namespace colla
