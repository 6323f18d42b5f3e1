// SPDX-License-Identifier: Apache-2.0
// Prepared rows -> tasks of agents.
#pragma once

#include "data/dataset.hpp"
#include "recipe/recipe.hpp"

namespace colla {

/// The rows of each task as one arrival, in whatever order they stand in the table. Agents and
/// tasks are sorted by their names, numbers by value, so that the order of lines does not matter.
/// Without an agent column there is one agent, "agent-0". The targets are those of `model`, a
/// column of Y. The caller adds an intercept and checks the number of rows and classes. Throws
/// DataError if there is no task column, or if a task or agent is missing in a row.
DataSet tasks_of(const Recipe& recipe, const Table& table, const Prepared& prepared, Index model);

}  // namespace colla
