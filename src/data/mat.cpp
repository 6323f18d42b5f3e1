// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"
#include "data/labels.hpp"
#include "data/mat_contents.hpp"
#include "data/mat_reading.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>

#include <new>

namespace colla {
namespace {

// X{t} is M x d and Y{t} has M entries, or every X{t} is d x M.
class TaskCells {
 public:
  TaskCells(const MatContents& contents, const std::string& path)
      : inputs_(contents.inputs), targets_(contents.targets), path_(path) {
    if (inputs_.cells.size() != targets_.cells.size()) {
      throw DataError(counted(inputs_.cells.size(), "cell") + " in " + inputs_.name + " and " +
                          std::to_string(targets_.cells.size()) + " in " + targets_.name,
                      path_, "give both one cell per task");
    }
    const auto first_unlike = [this](bool columns) {
      std::size_t task = 0;
      while (task < size() && samples(task, columns) == targets_.cells[task].size()) ++task;
      return task;
    };
    if (first_unlike(false) == size()) return;
    transposed_ = first_unlike(true) == size();
    if (!transposed_) refuse_lengths(first_unlike(false));
  }

  [[nodiscard]] std::size_t size() const { return inputs_.cells.size(); }
  [[nodiscard]] Index features() const {
    return transposed_ ? inputs_.cells.front().rows() : inputs_.cells.front().cols();
  }
  [[nodiscard]] Batch batch(std::size_t task) const;

 private:
  [[nodiscard]] Index samples(std::size_t task, bool columns) const {
    const Matrix& cell = inputs_.cells[task];
    return columns ? cell.cols() : cell.rows();
  }
  [[nodiscard]] std::string place(const MatCells& variable, std::size_t task) const {
    return path_ + ", " + variable.name + "{" + std::to_string(task + 1) + "}";
  }
  [[noreturn]] void refuse_lengths(std::size_t task) const;

  const MatCells& inputs_;
  const MatCells& targets_;
  const std::string& path_;
  bool transposed_ = false;
};

void TaskCells::refuse_lengths(std::size_t task) const {
  const auto shape = [](const Matrix& cell) {
    return std::to_string(cell.rows()) + " x " + std::to_string(cell.cols());
  };
  throw DataError("is " + shape(inputs_.cells[task]) + ", and " + targets_.name + "{" +
                      std::to_string(task + 1) + "} is " + shape(targets_.cells[task]),
                  place(inputs_, task), "give one row per target");
}

Batch TaskCells::batch(std::size_t task) const {
  const Matrix& targets = targets_.cells[task];
  if (targets.rows() != 1 && targets.cols() != 1) {
    throw DataError("is " + std::to_string(targets.rows()) + " x " +
                        std::to_string(targets.cols()) + " and not a vector",
                    place(targets_, task), "give one target per row");
  }
  const Matrix& inputs = inputs_.cells[task];
  Batch batch;
  batch.task = std::to_string(task + 1);
  batch.X = transposed_ ? Samples(inputs.transpose()) : Samples(inputs);
  batch.y = targets.reshaped();
  batch.origin = place(inputs_, task);
  return batch;
}

void settle_problem(DataSet& data, const ReadOptions& options, const std::string& where) {
  LabelCensus census;
  for (const Batch& batch : data.agents.front().batches) {
    for (const double target : batch.y) census.see_number(target);
  }
  data.problem = census.problem(options.problem, where);
  if (!has_labels(data.problem)) return;
  for (Batch& batch : data.agents.front().batches) to_signs(batch.y);
}

}  // namespace

DataSet read_mat(const std::string& path, const ReadOptions& options) try {
  const MatContents contents = read_mat_cells(path);
  if (contents.inputs.cells.empty()) refuse_damaged(path);
  const TaskCells tasks(contents, path);
  DataSet data;
  data.name = stem(path);
  for (Index k = 1; k <= tasks.features(); ++k) data.features.push_back("x" + std::to_string(k));
  Stream& stream = data.agents.emplace_back();
  stream.agent = "agent-0";
  for (std::size_t task = 0; task < tasks.size(); ++task) {
    stream.batches.push_back(tasks.batch(task));
  }
  settle_problem(data, options, path + ", " + contents.targets.name);
  check(data, options.classes);
  return data;
} catch (const std::bad_alloc&) {
  throw DataError("does not fit into memory", path, "split the file or use a larger machine");
}

}  // namespace colla
