// SPDX-License-Identifier: Apache-2.0
// The rows that `colla train` learns from: a table that a recipe prepares, or numbers as they are.
#pragma once

#include "training/table_tasks.hpp"
#include "training/training.hpp"

namespace colla::cli {

/// Tasks with a share of the rows held out.
class Lesson {
 public:
  Lesson(PreparedTable table, bool with_intercept)
      : table_(std::move(table)), with_intercept_(with_intercept) {}
  explicit Lesson(SplitData rows) : rows_(std::move(rows)) {}

  /// Null: numbers as they are.
  const Recipe* recipe() const { return table_ ? &table_->recipe : nullptr; }
  /// Features, the intercept included.
  Index features() const;
  /// What is learned; of several labels, for the first.
  SplitData tasks() const;
  /// What may choose settings: the training rows, for each label of several.
  std::vector<DataSet> training_rows() const;
  /// What all ranks must have read the same.
  std::string fingerprint() const;

  TrainingResult learn(const TrainingOptions& options, const TrainingObserver& observer) const;

 private:
  std::optional<PreparedTable> table_;
  bool with_intercept_ = false;
  SplitData rows_;
};

class TrainData {
 public:
  TrainData(TableTasks table, bool with_intercept)
      : table_(std::move(table)), with_intercept_(with_intercept) {}
  /// With its intercept, if it has one.
  explicit TrainData(DataSet data) : data_(std::move(data)), with_intercept_(data_.has_intercept) {}

  std::string name() const;
  bool has_intercept() const { return with_intercept_; }
  TaskCounts counts() const { return table_ ? table_->counts() : counts_of(data_); }
  /// What was recognised in the file; empty if nothing.
  std::string form() const { return table_ ? table_->table().form : ""; }
  Lesson lesson(double test_fraction, std::uint64_t seed) const;

 private:
  std::optional<TableTasks> table_;
  DataSet data_;
  bool with_intercept_ = false;
};

}  // namespace colla::cli
