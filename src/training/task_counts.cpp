// SPDX-License-Identifier: Apache-2.0
#include "training/task_counts.hpp"

#include "files/text.hpp"
#include "recipe/cell.hpp"

#include <algorithm>

namespace colla {

void TaskSizes::add(std::size_t agent, const std::string& task, std::size_t rows) {
  rows_[{agent, task}] += rows;
  ++arrivals_;
}

void TaskSizes::fill(TaskCounts& counts) const {
  std::vector<std::size_t> sizes;
  for (const auto& [task, rows] : rows_) {
    sizes.push_back(rows);
    counts.rows += rows;
  }
  std::sort(sizes.begin(), sizes.end());
  counts.arrivals = arrivals_;
  counts.tasks = sizes.size();
  counts.least = sizes.front();
  counts.most = sizes.back();
  const std::size_t middle = sizes[sizes.size() / 2] + sizes[(sizes.size() - 1) / 2];
  counts.median = 0.5 * static_cast<double>(middle);
}

TaskCounts counts_of(const DataSet& data) {
  TaskCounts counts;
  TaskSizes sizes;
  std::size_t positive = 0;
  for (std::size_t i = 0; i < data.agents.size(); ++i) {
    for (const Batch& batch : data.agents[i].batches) {
      sizes.add(i, batch.task, static_cast<std::size_t>(batch.X.rows()));
      positive += static_cast<std::size_t>((batch.y.array() > 0.0).count());
    }
  }
  counts.agents = data.agents.size();
  sizes.fill(counts);
  if (has_labels(data.problem)) counts.classes = {{"0", counts.rows - positive}, {"1", positive}};
  return counts;
}

std::string rows_per_task(const TaskCounts& counts) {
  if (counts.least == counts.most) return counted(counts.least, "row") + " a task";
  return std::to_string(counts.least) + " to " + counted(counts.most, "row") + " a task, median " +
         shortest_text(counts.median);
}

}  // namespace colla
