// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include "data/text.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace colla {
namespace {

void check_shape(const Batch& batch, const DataSet& data) {
  if (batch.X.rows() != batch.y.size()) {
    throw DataError("task " + quoted(batch.task) + " has " + std::to_string(batch.X.rows()) +
                        " rows and " + std::to_string(batch.y.size()) + " targets",
                    batch.origin, "give one target per row");
  }
  if (batch.X.cols() != static_cast<Index>(data.features.size())) {
    throw DataError("task " + quoted(batch.task) + " has " + std::to_string(batch.X.cols()) +
                        " features, the others have " + std::to_string(data.features.size()),
                    batch.origin, "give every task the same features");
  }
}

void check_two_rows(const Batch& batch, const Stream& stream) {
  if (batch.X.rows() >= 2) return;
  const auto same_task = [&batch](const Batch& other) { return other.task == batch.task; };
  const bool more_elsewhere =
      std::count_if(stream.batches.begin(), stream.batches.end(), same_task) > 1;
  throw DataError("task " + quoted(batch.task) + " has " +
                      counted(static_cast<std::size_t>(batch.X.rows()), "row") +
                      (more_elsewhere ? " here and others elsewhere" : ", and two are needed"),
                  batch.origin,
                  more_elsewhere ? "the rows of a task must stand together: sort them by task"
                                 : "add rows or remove the task");
}

void check_finite(const Batch& batch, const DataSet& data) {
  const auto refuse = [&batch](const std::string& place) {
    throw DataError("task " + quoted(batch.task) + " has a value that is not a finite number",
                    batch.origin + ", " + place, "fill it in or remove the row");
  };
  for (Index row = 0; row < batch.X.rows(); ++row) {
    if (!std::isfinite(batch.y(row))) refuse("row " + std::to_string(row + 1) + ", target");
    for (Index k = 0; k < batch.X.cols(); ++k) {
      if (std::isfinite(batch.X(row, k))) continue;
      refuse("row " + std::to_string(row + 1) + ", feature " +
             quoted(data.features[static_cast<std::size_t>(k)]));
    }
  }
}

void check_signs(const Batch& batch) {
  for (const double label : batch.y) {
    if (label == 1.0 || label == -1.0) continue;
    throw DataError("task " + quoted(batch.task) + " has the label " + std::to_string(label),
                    batch.origin, "labels inside a data set are -1 and +1");
  }
}

void check_two_classes(const Batch& batch) {
  if (batch.y.minCoeff() != batch.y.maxCoeff()) return;
  throw DataError("task " + quoted(batch.task) + " has rows of one class only", batch.origin,
                  "add rows of the other class or remove the task");
}

// Numbers the distinct tasks of a stream in order of first appearance.
std::unordered_map<std::string, Index> numbered_tasks(const Stream& stream) {
  std::unordered_map<std::string, Index> numbers;
  for (const Batch& batch : stream.batches) {
    numbers.try_emplace(batch.task, static_cast<Index>(numbers.size()));
  }
  return numbers;
}

}  // namespace

void check(const DataSet& data) {
  bool any_batch = false;
  for (const Stream& stream : data.agents) {
    for (const Batch& batch : stream.batches) {
      any_batch = true;
      check_shape(batch, data);
      check_two_rows(batch, stream);
      check_finite(batch, data);
      if (data.problem == Problem::classification) {
        check_signs(batch);
        check_two_classes(batch);
      }
    }
  }
  if (!any_batch) throw DataError("has no tasks", data.name, "give at least one");
}

void add_intercept(DataSet& data) {
  if (data.has_intercept) return;
  data.has_intercept = true;
  data.features.emplace_back(intercept_name);
  for (Stream& stream : data.agents) {
    for (Batch& batch : stream.batches) {
      batch.X.conservativeResize(Eigen::NoChange, batch.X.cols() + 1);
      batch.X.rightCols(1).setOnes();
    }
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

DataSet deal(DataSet data, Index agents) {
  if (data.agents.size() != 1) {
    throw OptionError(
        "the tasks belong to " + std::to_string(data.agents.size()) + " agents already", data.name,
        "leave out the number of agents");
  }
  Stream source = std::move(data.agents.front());
  const std::unordered_map<std::string, Index> numbers = numbered_tasks(source);
  if (agents < 1 || agents > static_cast<Index>(numbers.size())) {
    throw OptionError("cannot deal " + counted(numbers.size(), "task") + " to " +
                          std::to_string(agents) + " agents",
                      data.name, "ask for 1 to " + std::to_string(numbers.size()) + " agents");
  }
  data.agents.clear();
  for (Index i = 0; i < agents; ++i) data.agents.push_back({"agent-" + std::to_string(i), {}});
  for (Batch& batch : source.batches) {
    const auto agent = static_cast<std::size_t>(numbers.at(batch.task) % agents);
    data.agents[agent].batches.push_back(std::move(batch));
  }
  return data;
}

}  // namespace colla
