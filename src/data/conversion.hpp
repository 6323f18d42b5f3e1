// SPDX-License-Identifier: Apache-2.0
// Data sets -> files that the readers of dataset.hpp read back bit for bit. An intercept is left
// out: `colla train` appends it again. The files appear whole or not at all.
#pragma once

#include "data/dataset.hpp"

namespace colla {

/// Long CSV with a task, an agent and a target column, named as in `columns`; numbers have 17
/// significant digits. Agent by agent, each in the order of arrival. An existing file is refused
/// unless `replace`. Throws StoreError, and OptionError if a feature has the name of one of the
/// three columns.
void write_csv(const DataSet& data, const std::string& path, const ReadOptions& columns,
               bool replace);

/// A MAT file (version 7) of cell arrays X and Y with one cell per task, agent after agent. Names
/// go into further cell arrays of text: tasks, agents (one per task) and features; read_mat does
/// not read those. Throws StoreError, and DataError if a task arrives more than once: a cell array
/// holds each task once.
void write_mat(DataSet data, const std::string& path, bool replace);

}  // namespace colla
