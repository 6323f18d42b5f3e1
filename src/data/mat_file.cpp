// SPDX-License-Identifier: Apache-2.0
#include "data/mat_file.hpp"

#include "data/text.hpp"

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

// matio goes on after an error and returns what it has, so an error must be noticed here.
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

Matrix numbers_in(const matvar_t& cell, const std::string& where) {
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
    case MAT_C_UINT64:
      return as_doubles<std::uint64_t>(cell, rows, cols);
    case MAT_C_SPARSE:
      throw DataError("is sparse", where, "store it with full()");
    default:
      throw DataError("is " + class_name(cell), where, "give a numeric matrix");
  }
}

// Whether the entries that the dimensions claim can be there: matio allocates them, reads what the
// file has and does not complain.
bool can_hold(const matvar_t& cell, std::size_t most_entries) {
  const std::size_t width = std::max<std::size_t>(1, Mat_SizeOfClass(cell.class_type));
  const std::size_t room = std::min(cell.nbytes / width, most_entries);
  return cell.data != nullptr && cell.dims[0] <= room && cell.dims[1] <= room / cell.dims[0];
}

// An entry takes a byte or more before compression, and deflate saves at most a factor of 1032.
std::size_t most_entries_in(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  return ignored ? 0 : 1032 * size;
}

Matrix matrix_in(const matvar_t* cell, const std::string& where, const std::string& path) {
  const bool empty = cell == nullptr || cell->class_type == MAT_C_EMPTY || cell->rank < 1 ||
                     cell->dims == nullptr ||
                     std::find(cell->dims, cell->dims + cell->rank, 0U) != cell->dims + cell->rank;
  if (empty) throw DataError("is empty", where, "give the task rows or remove its cell");
  if (cell->rank != 2) {
    throw DataError("has " + std::to_string(cell->rank) + " dimensions", where, "give a matrix");
  }
  if (cell->isComplex != 0) throw DataError("is complex", where, "give real numbers");
  const bool dense = cell->class_type >= MAT_C_DOUBLE && cell->class_type <= MAT_C_UINT64;
  if (dense && !can_hold(*cell, most_entries_in(path))) refuse_damaged(path);
  return numbers_in(*cell, where);
}

MatCells cells_of(mat_t* file, const std::string& name, const std::string& path) {
  const MatVariable variable(Mat_VarRead(file, name.c_str()), &Mat_VarFree);
  if (!variable || matio_complained) refuse_damaged(path);
  const std::string where = path + ", " + name;
  if (variable->class_type != MAT_C_CELL) {
    throw DataError("is " + class_name(*variable) + " and not a cell array", where, expected);
  }
  const std::size_t count = variable->nbytes / sizeof(matvar_t*);
  if (count == 0 || variable->data == nullptr) throw DataError("has no cells", where, expected);
  MatCells result{name, {}};
  const auto* const* cells = static_cast<matvar_t* const*>(variable->data);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string cell_name = where + "{" + std::to_string(k + 1) + "}";
    result.cells.push_back(matrix_in(cells[k], cell_name, path));
  }
  return result;
}

MatCells matrix_as_cell(mat_t* file, const std::string& name, const std::string& path) {
  const MatVariable variable(Mat_VarRead(file, name.c_str()), &Mat_VarFree);
  if (!variable || matio_complained) refuse_damaged(path);
  return {name, {matrix_in(variable.get(), path + ", " + name, path)}};
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
