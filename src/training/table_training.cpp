// SPDX-License-Identifier: Apache-2.0
#include "training/table_training.hpp"

#include "training/evaluation.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <unordered_map>

namespace colla {
namespace {

void to_units(TrainingResult& result, double spread) {
  for (StepReport& step : result.steps) step.score *= spread;
  for (ArrivalScore& arrival : result.arrivals) arrival.score *= spread;
  result.stl *= spread;
}

// The test rows of every task's newest arrival, with the labels' positions.
Rows test_rows(const PreparedTable& table, bool with_intercept) {
  std::vector<Index> chosen;
  Rows rows;
  for (const RowStream& stream : table.agents) {
    std::unordered_map<std::string, const RowBatch*> newest;
    for (const RowBatch& batch : stream.batches) newest[batch.task] = &batch;
    for (const RowBatch& batch : stream.batches) {
      if (newest[batch.task] != &batch) continue;
      chosen.insert(chosen.end(), batch.test.begin(), batch.test.end());
      rows.tasks.insert(rows.tasks.end(), batch.test.size(), batch.task);
      rows.agents.insert(rows.agents.end(), batch.test.size(), stream.agent);
    }
  }
  rows.X = table.rows.X(chosen, Eigen::all);
  if (with_intercept) append_intercept(rows.X);
  rows.y.resize(std::ssize(chosen));
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    Index position = 0;
    table.rows.Y.row(chosen[k]).maxCoeff(&position);
    rows.y[static_cast<Index>(k)] = static_cast<double>(position);
    rows.lines.push_back(static_cast<std::size_t>(chosen[k]));
  }
  return rows;
}

std::optional<double> accuracy_of(const Model& model, const Rows& rows) {
  if (rows.y.size() == 0 || model.agents.empty()) return std::nullopt;
  const Predictions predictions = predict(model, rows);
  Index right = 0;
  for (Index i = 0; i < rows.y.size(); ++i) {
    const Index chosen = predictions.labels[static_cast<std::size_t>(i)];
    right += static_cast<double>(chosen) == rows.y[i] ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(rows.y.size());
}

// Step t of all labels; the run of a label that has fewer steps stays at its last one.
StepReport joined_step(const std::vector<TrainingResult>& results, std::size_t t) {
  StepReport joined;
  DefinedMean mean;
  for (const TrainingResult& result : results) {
    const StepReport& step = result.steps[std::min(t, result.steps.size() - 1)];
    mean.add(step.score);
    joined.tasks = std::max(joined.tasks, step.tasks);
    joined.change = std::max(joined.change, step.change);
    joined.exchange.gap = std::max(joined.exchange.gap, step.exchange.gap);
    if (t >= result.steps.size()) continue;
    joined.exchange.exchanges += step.exchange.exchanges;
    joined.exchange.bytes += step.exchange.bytes;
    joined.exchange.numerics += step.exchange.numerics;
  }
  joined.score = mean.value();
  return joined;
}

TrainingResult joined(std::vector<TrainingResult> results) {
  TrainingResult all;
  all.problem = results.front().problem;
  std::size_t steps = 0;
  DefinedMean alone;
  for (TrainingResult& result : results) {
    steps = std::max(steps, result.steps.size());
    alone.add(result.stl);
    all.tasks = std::max(all.tasks, result.tasks);
    all.consensus_gap = std::max(all.consensus_gap, result.consensus_gap);
    all.exchanges += result.exchanges;
    all.bytes += result.bytes;
    all.converged = all.converged && result.converged;
    std::vector<ModelAgent> agents = std::move(all.model.agents);
    for (ModelAgent& agent : result.model.agents) agents.push_back(std::move(agent));
    all.model = std::move(result.model);
    all.model.agents = std::move(agents);
  }
  all.stl = alone.value();
  for (std::size_t t = 0; t < steps; ++t) {
    all.steps.push_back(joined_step(results, t));
    all.steps.back().step = static_cast<Index>(t + 1);
    all.steps.back().steps = static_cast<Index>(steps);
  }
  return all;
}

// Every label's run would release the same rows again.
void check_label_options(const TrainingOptions& options, Index labels) {
  if (options.privacy) {
    throw SettingError("privacy", "is for two labels, and there are " + std::to_string(labels),
                       "group the labels");
  }
  if (!options.diagnose) return;
  throw SettingError("diagnose",
                     "looks at one model, and there are " + std::to_string(labels) + " labels",
                     "leave it out");
}

TrainingResult train_labels(const PreparedTable& table, bool with_intercept,
                            TrainingOptions options, const TrainingObserver& observer) {
  check_label_options(options, table.models());
  const Keep asked_for = options.keep;
  options.keep = Keep::models;  // to predict labels
  std::vector<TrainingResult> results;
  for (Index model = 0; model < table.models(); ++model) {
    results.push_back(train(table.tasks(model, with_intercept), options, observer));
  }
  TrainingResult result = joined(std::move(results));
  result.model.recipe = table.recipe;
  result.accuracy = accuracy_of(result.model, test_rows(table, with_intercept));
  if (asked_for == Keep::scores) result.model.agents.clear();
  return result;
}

}  // namespace

TrainingResult train(const PreparedTable& table, bool with_intercept, const TrainingOptions& given,
                     const TrainingObserver& observer) {
  TrainingOptions options = given;
  options.linear_features = linear_features(table.recipe, with_intercept);
  options.has_unit_sizes = true;
  const bool has_runs_per_label = table.models() > 1;
  TrainingResult result = has_runs_per_label
                              ? train_labels(table, with_intercept, options, observer)
                              : train(table.tasks(0, with_intercept), options, observer);
  if (!has_labels(result.problem)) to_units(result, table.recipe.target.spread);
  result.model.recipe = table.recipe;
  result.model.task_column = table.recipe.task_column;
  result.model.agent_column = table.recipe.agent_column;
  result.model.target_column = table.recipe.target_column;
  return result;
}

}  // namespace colla
