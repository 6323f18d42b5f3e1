// SPDX-License-Identifier: Apache-2.0
// Rows to predict or to evaluate on: columns are found by name, in any order.
#pragma once

#include <colla/matrix.hpp>
#include <colla/problem.hpp>

#include <optional>
#include <string>
#include <vector>

namespace colla {

struct RowColumns {
  std::vector<std::string> features;  ///< d names; "(intercept)" needs no column: it is 1
  std::string task_column;
  std::string agent_column;
  std::optional<std::string> target_column;  ///< nothing: no targets are wanted
  Problem problem = Problem::regression;     ///< how targets are read
  /// One task or agent for all rows: no column is needed.
  std::optional<std::string> task;
  std::optional<std::string> agent;
};

struct Rows {
  std::string file;
  Samples X;
  std::vector<std::string> tasks;   ///< per row
  std::vector<std::string> agents;  ///< per row; empty where no agent is named
  /// Numbers in their own units; -1/+1 for two labels, the label's position (0, 1, ...) for more.
  /// No entries if none are wanted.
  Vector y;
  std::vector<std::size_t> lines;  ///< the line of each row; its number if there is no file
  std::vector<std::string> warnings;

  /// "f.csv, line 12", or "row 11".
  std::string place(std::size_t row) const;
};

/// The columns of a file's header other than those named, in the file's order. Throws DataError.
std::vector<std::string> other_columns(const std::string& path,
                                       const std::vector<std::string>& named);

/// Throws DataError.
Rows read_rows(const std::string& path, const RowColumns& columns);

}  // namespace colla
