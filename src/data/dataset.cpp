// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include "files/text.hpp"

#include <colla/row_value.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace colla {
namespace {

void check_shape(const Batch& batch, const DataSet& data) {
  if (batch.X.rows() != batch.y.size()) {
    throw DataError("task " + in_quotes(batch.task) + " has " + std::to_string(batch.X.rows()) +
                        " rows and " + std::to_string(batch.y.size()) + " targets",
                    batch.origin, "give one target per row");
  }
  if (batch.X.cols() != static_cast<Index>(data.features.size())) {
    throw DataError("task " + in_quotes(batch.task) + " has " + std::to_string(batch.X.cols()) +
                        " features, the others have " + std::to_string(data.features.size()),
                    batch.origin, "give every task the same features");
  }
}

void check_two_rows(const Batch& batch, const Stream& stream) {
  if (batch.X.rows() >= 2) return;
  const auto same_task = [&batch](const Batch& other) { return other.task == batch.task; };
  const bool more_elsewhere =
      std::count_if(stream.batches.begin(), stream.batches.end(), same_task) > 1;
  check_row_count(batch.task, batch.X.rows(), more_elsewhere, batch.origin);
}

[[noreturn]] void refuse_value(double value, const Batch& batch, Index row,
                               const std::string& column) {
  const std::string where = batch.origin + ", row " + std::to_string(row + 1) + ", " + column;
  if (std::isfinite(value)) throw beyond_row_values(value, where);
  throw DataError("task " + in_quotes(batch.task) + " has a value that is not a finite number",
                  where, "fill it in or remove the row");
}

void check_values(const Batch& batch, const DataSet& data) {
  for (Index row = 0; row < batch.X.rows(); ++row) {
    if (!is_row_value(batch.y(row))) refuse_value(batch.y(row), batch, row, "target");
    for (Index k = 0; k < batch.X.cols(); ++k) {
      if (is_row_value(batch.X(row, k))) continue;
      refuse_value(batch.X(row, k), batch, row,
                   "feature " + in_quotes(data.features[static_cast<std::size_t>(k)]));
    }
  }
}

void check_signs(const Batch& batch) {
  for (const double label : batch.y) {
    if (label == 1.0 || label == -1.0) continue;
    throw DataError("task " + in_quotes(batch.task) + " has the label " + std::to_string(label),
                    batch.origin, "labels inside a data set are -1 and +1");
  }
}

void check_two_classes(const Batch& batch) {
  if (batch.y.minCoeff() != batch.y.maxCoeff()) return;
  throw DataError("task " + in_quotes(batch.task) + " has rows of one class only", batch.origin,
                  "add rows of the other class or remove the task");
}

}  // namespace

void check_row_count(const std::string& task, Index rows, bool more_elsewhere,
                     const std::string& origin) {
  if (rows >= 2) return;
  throw DataError("task " + in_quotes(task) + " has " +
                      counted(static_cast<std::size_t>(rows), "row") +
                      (more_elsewhere ? " here and others elsewhere" : ", and two are needed"),
                  origin,
                  more_elsewhere ? "the rows of a task must be consecutive: sort them by task"
                                 : "add rows or remove the task");
}

void check(const DataSet& data, TaskClasses classes) {
  bool any_batch = false;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      any_batch = true;
      check_shape(batch, data);
      check_two_rows(batch, stream);
      check_values(batch, data);
      if (has_labels(data.problem)) {
        check_signs(batch);
        if (classes == TaskClasses::both) check_two_classes(batch);
      }
    }
  }
  if (!any_batch) throw DataError("has no tasks", data.name, "give at least one");
}

void append_intercept(Samples& X) {
  X.conservativeResize(Eigen::NoChange, X.cols() + 1);
  if (X.rows() > 0) X.rightCols(1).setOnes();
}

void add_intercept(DataSet& data) {
  if (data.has_intercept) return;
  data.has_intercept = true;
  data.features.emplace_back(intercept_name);
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) append_intercept(batch.X);
  }
}

void drop_intercept(DataSet& data) {
  if (!data.has_intercept) return;
  data.has_intercept = false;
  data.features.pop_back();
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) {
      batch.X.conservativeResize(Eigen::NoChange, batch.X.cols() - 1);
    }
  }
}

std::vector<Index> dealt(const std::vector<std::string>& arrivals, Index agents,
                         const std::string& where) {
  std::unordered_map<std::string, Index> numbers;  // of tasks, in order of first appearance
  for (const std::string& task : arrivals) {
    numbers.try_emplace(task, static_cast<Index>(numbers.size()));
  }
  if (agents < 1 || agents > static_cast<Index>(numbers.size())) {
    throw OptionError("cannot deal " + counted(numbers.size(), "task") + " to " +
                          std::to_string(agents) + " agents",
                      where, "ask for 1 to " + std::to_string(numbers.size()) + " agents");
  }
  std::vector<Index> owners;
  owners.reserve(arrivals.size());
  for (const std::string& task : arrivals) owners.push_back(numbers.at(task) % agents);
  return owners;
}

DataSet deal(DataSet data, Index agents) {
  if (data.agents.size() != 1) {
    throw OptionError(
        "the tasks belong to " + std::to_string(data.agents.size()) + " agents already", data.name,
        "leave out the number of agents");
  }
  std::vector<Batch> batches = std::move(data.agents.front().batches);
  std::vector<std::string> tasks;
  tasks.reserve(batches.size());
  for (const Batch& batch : batches) tasks.push_back(batch.task);
  const std::vector<Index> owners = dealt(tasks, agents, data.name);
  data.agents.clear();
  for (Index i = 0; i < agents; ++i) data.agents.push_back({"agent-" + std::to_string(i), {}});
  for (std::size_t k = 0; k < batches.size(); ++k) {
    data.agents[static_cast<std::size_t>(owners[k])].batches.push_back(std::move(batches[k]));
  }
  return data;
}

}  // namespace colla
