// SPDX-License-Identifier: Apache-2.0
// Which rows of a table arrive at which agent as which task, before they are features.
#pragma once

#include "recipe/recipe.hpp"

#include <colla/task_rows.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace colla {

/// How the rows of a task arrive.
struct ArrivalOptions {
  /// "none": all together, wherever they stand. "runs": a run of consecutive rows is an arrival.
  /// Otherwise a column: rows with the same value arrive together, in the order of the values.
  std::string batches = "none";
  Revisit revisit = Revisit::replace;  ///< what later arrivals do to earlier ones
};

/// One arrival of a task: rows of the table, in order.
struct RowBatch {
  std::string task;
  std::vector<std::size_t> train;
  std::vector<std::size_t> test;
};

struct RowStream {
  std::string agent;
  std::vector<RowBatch> batches;
};

/// The arrivals of all rows that have a target, none of them held out. Agents and tasks are sorted
/// by their names, numbers by value; with runs they have the order of the table. Without an agent
/// column there is one agent, "agent-0". Throws DataError or SettingError.
std::vector<RowStream> arrivals_in(const Table& table, const RecipeOptions& columns,
                                   const ArrivalOptions& options);

/// As `deal` of dataset.hpp.
std::vector<RowStream> deal(std::vector<RowStream> streams, Index agents, const std::string& where);

/// Throws DataError, naming the tasks, unless every arrival has two rows or more...
void check_row_counts(const Table& table, const std::string& task_column,
                      const std::vector<RowStream>& streams);
/// ... and two classes or more. `classes` has the class of each row of the table.
void check_classes(const Table& table, const std::string& task_column,
                   const std::vector<RowStream>& streams, const std::vector<Index>& classes);

/// Moves a share of every arrival's rows to its test rows, the classes alike, as `split` does.
void hold_out(std::vector<RowStream>& streams, const std::vector<Index>& classes, double fraction,
              std::uint64_t seed);

/// Each arrival of a task also has the rows of those before.
void append_arrivals(std::vector<RowStream>& streams);

}  // namespace colla
