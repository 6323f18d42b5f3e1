// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "data/dataset.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace colla {

/// What a user wants to know of data before anything is learned.
struct TaskCounts {
  std::size_t agents = 0;
  std::size_t tasks = 0;
  std::size_t arrivals = 0;  ///< of tasks; more than there are tasks if some come again
  std::size_t rows = 0;
  // Rows of a task:
  std::size_t least = 0;
  double median = 0.0;
  std::size_t most = 0;
  /// Labels with their numbers of rows; empty in regression.
  std::vector<std::pair<std::string, std::size_t>> classes;
};

TaskCounts counts_of(const DataSet& data);

/// "200 to 310 rows a task, median 250".
std::string rows_per_task(const TaskCounts& counts);

/// Sums up the rows of tasks that may arrive several times.
class TaskSizes {
 public:
  void add(std::size_t agent, const std::string& task, std::size_t rows);
  /// All but the agents and classes.
  void fill(TaskCounts& counts) const;

 private:
  std::map<std::pair<std::size_t, std::string>, std::size_t> rows_;
  std::size_t arrivals_ = 0;
};

}  // namespace colla
