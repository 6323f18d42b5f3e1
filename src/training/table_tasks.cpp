// SPDX-License-Identifier: Apache-2.0
#include "training/table_tasks.hpp"

#include "files/text.hpp"
#include "recipe/rules.hpp"

#include <colla/error.hpp>

#include <algorithm>

namespace colla {
namespace {

std::vector<std::size_t> rows_of(const std::vector<RowStream>& streams) {
  std::vector<std::size_t> rows;
  for (const RowStream& stream : streams) {
    for (const RowBatch& batch : stream.batches) {
      rows.insert(rows.end(), batch.train.begin(), batch.train.end());
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// The class of each of the rows, for every row of the table.
std::vector<Index> classes_of(const TargetRule& target, const Table& table, const Column& column,
                              const std::vector<std::size_t>& rows) {
  std::vector<Index> classes(table.rows, 0);
  if (!has_labels(target.problem)) return classes;
  const Samples Y = encoded_targets(target, table, column, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto row = static_cast<Index>(k);
    Index position = 0;
    if (Y.cols() > 1) {
      Y.row(row).maxCoeff(&position);
    } else {
      position = Y(row, 0) > 0.0 ? 1 : 0;
    }
    classes[rows[k]] = position;
  }
  return classes;
}

void check_agent_column(const Table& table, const TableTasksOptions& options) {
  const std::string& name = options.recipe.agent_column;
  if (!options.agent_column_required || table.find(name) != nullptr) return;
  throw DataError(
      "there is no agent column " + in_quotes(name) + ", only " + table.listed_columns(),
      table.place(), "add it, or give the name with --agent-column");
}

std::vector<RowStream> dealt_arrivals(const Table& table, const TableTasksOptions& options) {
  check_roles(options.recipe);
  check_agent_column(table, options);
  std::vector<RowStream> streams = arrivals_in(table, options.recipe, options.arrivals);
  if (!options.agents) return streams;
  const auto present = std::ssize(streams);
  if (present > 1 && *options.agents != present) {
    throw SettingError("agents",
                       std::to_string(*options.agents) + " given, and the data has " +
                           std::to_string(present) + " agents",
                       "leave it out");
  }
  if (present == 1 && *options.agents > 1) {
    return deal(std::move(streams), *options.agents, stem(table.name));
  }
  return streams;
}

// Positions of the table's rows among the prepared ones.
std::vector<std::size_t> positions_of(const Table& table, const Prepared& prepared) {
  std::vector<std::size_t> positions(table.rows, 0);
  for (std::size_t k = 0; k < prepared.rows.size(); ++k) positions[prepared.rows[k]] = k;
  return positions;
}

Batch batch_of(const PreparedTable& table, const RowBatch& batch,
               const std::vector<std::size_t>& rows, Index model, bool with_intercept) {
  const std::vector<Index> chosen(rows.begin(), rows.end());
  const Index features = table.rows.X.cols();
  Batch result{{batch.task, Samples(std::ssize(chosen), features + (with_intercept ? 1 : 0)),
                table.rows.Y(chosen, model)},
               table.name};
  result.X.leftCols(features) = table.rows.X(chosen, Eigen::all);
  if (with_intercept && !chosen.empty()) result.X.rightCols(1).setOnes();
  return result;
}

bool has_one_class(const PreparedTable& table, const RowBatch& batch, Index model) {
  const auto target = [&](std::size_t row) { return table.rows.Y(static_cast<Index>(row), model); };
  return std::all_of(batch.train.begin(), batch.train.end(),
                     [&](std::size_t row) { return target(row) == target(batch.train.front()); });
}

}  // namespace

SplitData PreparedTable::tasks(Index model, bool with_intercept) const {
  DataSet train{name, recipe.target.problem, feature_names(recipe), {}, with_intercept};
  if (with_intercept) train.features.emplace_back(intercept_name);
  DataSet test = train;
  for (const RowStream& stream : agents) {
    train.agents.push_back({stream.agent, {}});
    test.agents.push_back({stream.agent, {}});
    for (const RowBatch& batch : stream.batches) {
      if (models() > 1 && classes == TaskClasses::both && has_one_class(*this, batch, model))
        continue;
      train.agents.back().batches.push_back(
          batch_of(*this, batch, batch.train, model, with_intercept));
      test.agents.back().batches.push_back(
          batch_of(*this, batch, batch.test, model, with_intercept));
    }
  }
  return {std::move(train), std::move(test)};
}

TableTasks::TableTasks(Table table, TableTasksOptions options)
    : table_(std::move(table)),
      options_(std::move(options)),
      streams_(dealt_arrivals(table_, options_)) {
  const std::vector<std::size_t> rows = rows_of(streams_);
  const Column& target = *table_.find(options_.recipe.target_column);
  target_ = options_.given ? options_.given->target
                           : learn_target(table_, target, rows, options_.recipe.problem);
  classes_ = classes_of(target_, table_, target, rows);
  const std::string& task_column = options_.recipe.task_column;
  check_row_counts(table_, task_column, streams_);
  if (has_labels(target_.problem) && options_.classes == TaskClasses::both) {
    check_classes(table_, task_column, streams_, classes_);
  }
}

TaskCounts TableTasks::counts() const {
  TaskCounts counts;
  for (const std::string& label : target_.labels) counts.classes.emplace_back(label, 0);
  TaskSizes sizes;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    for (const RowBatch& batch : streams_[i].batches) {
      sizes.add(i, batch.task, batch.train.size());
      if (counts.classes.empty()) continue;
      for (const std::size_t row : batch.train) {
        ++counts.classes[static_cast<std::size_t>(classes_[row])].second;
      }
    }
  }
  counts.agents = streams_.size();
  sizes.fill(counts);
  return counts;
}

Recipe TableTasks::recipe_from(const std::vector<RowStream>& streams) const {
  if (options_.given) return *options_.given;
  RecipeOptions options = options_.recipe;
  options.problem = target_.problem;  // half of the rows may look different
  Recipe recipe = learn_recipe(table_, rows_of(streams), options);
  recipe.without_target = table_.rows - rows_of(streams_).size();
  return recipe;
}

PreparedTable TableTasks::prepared(double test_fraction, std::uint64_t seed) const {
  PreparedTable result;
  result.name = stem(table_.name);
  result.agents = streams_;
  result.classes = options_.classes;
  hold_out(result.agents, classes_, test_fraction, seed);
  result.recipe = recipe_from(result.agents);
  result.rows = apply(result.recipe, table_, Targets::wanted);
  if (options_.arrivals.revisit == Revisit::append) append_arrivals(result.agents);
  const std::vector<std::size_t> positions = positions_of(table_, result.rows);
  for (RowStream& stream : result.agents) {
    for (RowBatch& batch : stream.batches) {
      for (std::size_t& row : batch.train) row = positions[row];
      for (std::size_t& row : batch.test) row = positions[row];
    }
  }
  return result;
}

}  // namespace colla
