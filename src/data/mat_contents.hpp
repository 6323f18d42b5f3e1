// SPDX-License-Identifier: Apache-2.0
// The contents of a MAT file, and their encoding for the pipe from the process that reads the file.
//
// The message, integers and doubles as this machine has them (both ends are the same program):
//   "colla-mat"  kind: 1 byte
//   kind 'E': one string, the error's line
//   kind 'C': twice (inputs, targets): a string, the name; u64 cells; per cell u64 rows, u64 cols,
//             rows x cols doubles, column after column
//   a string is a u64 length and its bytes
#pragma once

#include <colla/matrix.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace colla {

struct MatCells {
  std::string name;  ///< of the variable
  std::vector<Matrix> cells;
};

struct MatContents {
  MatCells inputs;
  MatCells targets;
};

std::string encode(const MatContents& contents);
std::string encode_error(std::string_view line);

/// Decodes either. Trusts nothing: a truncated, overlong or malformed message is a DataError that
/// calls the file `path` damaged. An error that was sent is thrown as DataError.
MatContents decode(std::string_view message, const std::string& path);

[[noreturn]] void refuse_damaged(const std::string& path);

}  // namespace colla
