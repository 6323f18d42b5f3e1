// SPDX-License-Identifier: Apache-2.0
#include "training/model_predictions.hpp"

#include "data/dataset.hpp"
#include "files/text.hpp"

#include <colla/error.hpp>
#include <colla/prediction.hpp>
#include <colla/prior_agent.hpp>

#include <limits>
#include <map>
#include <optional>

namespace colla {
namespace {

// What predicts a row: theta, or a posterior of the collective prior.
struct TaskModel {
  Vector theta;
  std::optional<TaskPredictor> predictor;

  bool is_known() const { return theta.size() > 0 || predictor; }
  Predicted predict(const Eigen::Ref<const Eigen::RowVectorXd>& x) const {
    if (predictor) return predictor->predict(x);
    return {score(x, theta), 0.0};
  }
};

// Of every label; unknown where a label's model does not know the task.
using TaskModels = std::vector<TaskModel>;

std::vector<TaskModel> models_of(const Model& model, const PriorAgent* prior,
                                 const AgentState& state) {
  std::vector<TaskModel> models;
  if (prior == nullptr) {
    for (Vector& theta : task_models(model.options, state))
      models.push_back({std::move(theta), {}});
    return models;
  }
  for (const TaskRecord& record : state.records) models.push_back({{}, prior->predictor(record)});
  return models;
}

// Finds them by agent and task. The agent may be left out if the task's name is unique.
class ModelIndex {
 public:
  explicit ModelIndex(const Model& model) : groups_(group_count(model)) {
    const std::size_t agents = model.agents.size() / groups_;
    for (std::size_t i = 0; i < model.agents.size(); ++i) {
      const ModelAgent& agent = model.agents[i];
      std::optional<PriorAgent> prior;
      if (model.options.prior) prior.emplace(model.options, agent.state);
      if (prior) without_rows_[agent.name].push_back({{}, prior->predictor()});
      std::vector<TaskModel> models = models_of(model, prior ? &*prior : nullptr, agent.state);
      for (std::size_t k = 0; k < models.size(); ++k) {
        const std::string& task = agent.state.records[k].name;
        TaskModels& all = by_both_[{agent.name, task}];
        if (all.empty()) agents_with_[task].push_back(agent.name);
        all.resize(groups_);
        all[i / agents] = std::move(models[k]);
      }
    }
  }

  /// Of a row. With a collective prior, a task without rows has its prior.
  const TaskModels& find(const Rows& rows, std::size_t row, bool& is_new) const {
    const std::string& task = rows.tasks[row];
    const std::string& agent = rows.agents[row];
    const auto owners = agents_with_.find(task);
    is_new = owners == agents_with_.end() && !without_rows_.empty();
    if (is_new) return prior_at(agent, rows, row);
    if (owners == agents_with_.end()) {
      throw DataError("the model has no task '" + task + "'", rows.place(row),
                      "train on it first, or remove the row");
    }
    if (agent.empty() && owners->second.size() > 1) {
      throw DataError("several agents have a task '" + task + "'", rows.place(row),
                      "add an agent column or use --agent");
    }
    const auto found = by_both_.find({agent.empty() ? owners->second.front() : agent, task});
    if (found == by_both_.end()) {
      throw DataError("agent '" + agent + "' has no task '" + task + "'", rows.place(row),
                      "check the agent's name");
    }
    return found->second;
  }

 private:
  // Agents agree, so any will do if none is named.
  const TaskModels& prior_at(const std::string& agent, const Rows& rows, std::size_t row) const {
    const auto found = agent.empty() ? without_rows_.begin() : without_rows_.find(agent);
    if (found == without_rows_.end()) {
      throw DataError("the model has no agent '" + agent + "'", rows.place(row),
                      "check the agent's name");
    }
    return found->second;
  }

  std::size_t groups_;
  std::map<std::pair<std::string, std::string>, TaskModels> by_both_;
  std::map<std::string, std::vector<std::string>> agents_with_;
  std::map<std::string, TaskModels> without_rows_;  // by agent
};

void fill_scores(const Model& model, const Rows& rows, Predictions& predictions) {
  const ModelIndex index(model);
  const auto models = static_cast<Index>(group_count(model));
  const bool has_deviations = model.options.prior && !has_labels(model.options.problem);
  predictions.scores.resize(rows.X.rows(), models);
  predictions.deviations.resize(rows.X.rows(), has_deviations ? models : 0);
  for (Index i = 0; i < rows.X.rows(); ++i) {
    bool is_new = false;
    const TaskModels& all = index.find(rows, static_cast<std::size_t>(i), is_new);
    if (is_new) predictions.new_tasks.insert(rows.tasks[static_cast<std::size_t>(i)]);
    for (Index k = 0; k < models; ++k) {
      const TaskModel& task = all[static_cast<std::size_t>(k)];
      const Predicted predicted = task.is_known()
                                      ? task.predict(rows.X.row(i))
                                      : Predicted{-std::numeric_limits<double>::infinity(), 0.0};
      predictions.scores(i, k) = predicted.mean;
      if (has_deviations) predictions.deviations(i, k) = predicted.deviation;
    }
  }
}

void fill_probabilities(const Samples& scores, Predictions& predictions) {
  predictions.probabilities = label_probabilities(scores);
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    scores.row(i).maxCoeff(&best);
    predictions.labels.push_back(best);
  }
}

void fill_two_probabilities(const Samples& scores, Predictions& predictions) {
  predictions.probabilities.resize(scores.rows(), 2);
  for (Index i = 0; i < scores.rows(); ++i) {
    predictions.probabilities(i, 0) = probability(-scores(i, 0));
    predictions.probabilities(i, 1) = probability(scores(i, 0));
    predictions.labels.push_back(label(scores(i, 0)) > 0.0 ? 1 : 0);
  }
}

// In the form that `Rows::y` has.
Vector targets_of(const TargetRule& target, const Samples& Y) {
  Vector y(Y.rows());
  for (Index i = 0; i < Y.rows(); ++i) {
    Index position = 0;
    if (Y.cols() > 1) {
      Y.row(i).maxCoeff(&position);
      y[i] = static_cast<double>(position);
    } else {
      y[i] = has_labels(target.problem) ? Y(i, 0) : in_units(target, Y(i, 0));
    }
  }
  return y;
}

std::string cell_name(const Table& table, const Column& column, std::size_t row) {
  if (column.is_missing(row)) {
    throw DataError("the name is missing", table.place(row, column.name),
                    "name it or remove the row");
  }
  return column.text(row);
}

const Column& task_column(const Table& table, const std::string& name) {
  const Column* column = table.find(name);
  if (column != nullptr) return *column;
  throw DataError("there is no task column " + in_quotes(name) + ", only " + table.listed_columns(),
                  table.place(), "add it or use --task");
}

void name_rows(const Table& table, const std::vector<std::size_t>& chosen,
               const RowColumns& columns, Rows& rows) {
  const Column* task = columns.task ? nullptr : &task_column(table, columns.task_column);
  const Column* agent = columns.agent ? nullptr : table.find(columns.agent_column);
  for (const std::size_t row : chosen) {
    rows.tasks.push_back(columns.task ? *columns.task : cell_name(table, *task, row));
    rows.agents.push_back(agent == nullptr ? columns.agent.value_or("")
                                           : cell_name(table, *agent, row));
    rows.lines.push_back(table.lines.empty() ? row : table.line_of(row));
  }
}

}  // namespace

RowColumns row_columns(const Model& model, Targets targets) {
  RowColumns columns;
  columns.features = model.features;
  columns.problem = model.options.problem;
  columns.task_column = model.task_column;
  columns.agent_column = model.agent_column;
  if (targets == Targets::wanted) columns.target_column = model.target_column;
  return columns;
}

Rows read_rows(const std::string& path, const Model& model, const RowColumns& columns) {
  if (!model.recipe) return read_rows(path, columns);
  TableOptions reading = table_options(*model.recipe);
  reading.words.insert(reading.words.end(), {columns.task_column, columns.agent_column});
  return rows_of(read_table(path, reading), model, columns);
}

Rows rows_of(const Table& table, const Model& model, const RowColumns& columns) {
  Recipe recipe = *model.recipe;
  if (columns.target_column) recipe.target_column = *columns.target_column;
  Prepared prepared =
      apply(recipe, table, columns.target_column ? Targets::wanted : Targets::ignored);
  Rows rows;
  rows.file = table.name;
  name_rows(table, prepared.rows, columns, rows);
  rows.X = std::move(prepared.X);
  if (std::ssize(model.features) > rows.X.cols()) append_intercept(rows.X);
  if (columns.target_column) rows.y = targets_of(recipe.target, prepared.Y);
  rows.warnings = std::move(prepared.warnings);
  return rows;
}

std::vector<std::string> labels_of(const Model& model) {
  if (!has_labels(model.options.problem)) return {};
  return model.recipe ? model.recipe->target.labels : std::vector<std::string>{"0", "1"};
}

// The models each tell one label from all others: their probabilities, made to add up to 1.
// Logarithms keep those that are tiny for every label.
Samples label_probabilities(const Samples& scores) {
  const auto log_probability = [](double score) {
    return std::min(score, 0.0) - std::log1p(std::exp(-std::abs(score)));
  };
  Samples probabilities(scores.rows(), scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    const double best = log_probability(scores.row(i).maxCoeff());
    double sum = 0.0;
    for (Index k = 0; k < scores.cols(); ++k) {
      probabilities(i, k) = std::exp(log_probability(scores(i, k)) - best);
      sum += probabilities(i, k);
    }
    probabilities.row(i) /= sum;
  }
  return probabilities;
}

Predictions predict(const Model& model, const Rows& rows) {
  Predictions predictions;
  fill_scores(model, rows, predictions);
  if (predictions.scores.cols() > 1) {
    fill_probabilities(predictions.scores, predictions);
  } else if (has_labels(model.options.problem)) {
    fill_two_probabilities(predictions.scores, predictions);
  } else if (model.recipe) {
    for (double& value : predictions.scores.reshaped()) {
      value = in_units(model.recipe->target, value);
    }
    predictions.deviations *= model.recipe->target.spread;
  }
  return predictions;
}

}  // namespace colla
