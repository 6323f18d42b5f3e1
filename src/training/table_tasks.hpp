// SPDX-License-Identifier: Apache-2.0
// A table as people have it -> recipe and tasks to learn.
//
//     const TableTasks tasks(read_table(path, table_options(options.recipe)), options);
//     const PreparedTable measured = tasks.prepared(0.5, seed);   // half of the rows held out
//     const PreparedTable all = tasks.prepared(0.0, seed);
//     for (Index m = 0; m < all.models(); ++m) train(all.tasks(m), ...);
#pragma once

#include "training/row_streams.hpp"
#include "training/split.hpp"
#include "training/task_counts.hpp"

namespace colla {

struct TableTasksOptions {
  RecipeOptions recipe;
  /// A recipe to use instead of learning one. Its columns are those of the options.
  std::optional<Recipe> given = {};
  ArrivalOptions arrivals;
  bool agent_column_required = false;
  std::optional<Index> agents = {};  ///< deal the tasks to so many, if there is no agent column
  TaskClasses classes = TaskClasses::both;  ///< of every arrival, in classification
};

/// Rows as features, and who learns them.
struct PreparedTable {
  std::string name;
  Recipe recipe;  ///< learned from the training rows alone, unless it was given
  Prepared rows;
  std::vector<RowStream> agents;            ///< their rows are positions in `rows`
  TaskClasses classes = TaskClasses::both;  ///< of every task of a model

  Index models() const { return rows.Y.cols(); }
  /// What the model learns. Of several models, each leaves out tasks whose training rows never have
  /// its label, or no other, if its tasks must have both classes.
  SplitData tasks(Index model, bool with_intercept) const;
};

/// The tasks of a table.
class TableTasks {
 public:
  /// Throws DataError, OptionError or SettingError.
  TableTasks(Table table, TableTasksOptions options);

  const Table& table() const { return table_; }
  Problem problem() const { return target_.problem; }
  TaskCounts counts() const;
  /// With this share of every arrival's rows held out.
  PreparedTable prepared(double test_fraction, std::uint64_t seed) const;

 private:
  Recipe recipe_from(const std::vector<RowStream>& streams) const;

  Table table_;
  TableTasksOptions options_;
  TargetRule target_;           // of all rows: the kind of problem and the labels
  std::vector<Index> classes_;  // of every row of the table; 0 in regression
  std::vector<RowStream> streams_;
};

}  // namespace colla
