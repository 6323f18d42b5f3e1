// SPDX-License-Identifier: Apache-2.0
#include "cli/model_use.hpp"

#include "cli/terminal.hpp"
#include "files/text.hpp"
#include "training/measures.hpp"

#include <colla/error.hpp>
#include <colla/prediction.hpp>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace colla::cli {
namespace {

// Finds theta by agent and task. The agent may be left out if the task's name is unique.
class ModelIndex {
 public:
  explicit ModelIndex(const Model& model) {
    for (const ModelAgent& agent : model.agents) {
      const std::vector<Vector> thetas = task_models(model.options, agent.state);
      for (std::size_t k = 0; k < thetas.size(); ++k) {
        const std::string& task = agent.state.records[k].name;
        by_both_[{agent.name, task}] = thetas[k];
        ++agents_with_[task];
        by_task_[task] = thetas[k];
      }
    }
  }

  const Vector& find(const Rows& rows, std::size_t row) const {
    const std::string where = rows.file + ", line " + std::to_string(rows.lines[row]);
    const std::string& task = rows.tasks[row];
    const std::string& agent = rows.agents[row];
    if (agents_with_.count(task) == 0) {
      throw DataError("the model has no task '" + task + "'", where,
                      "train on it first, or remove the row");
    }
    if (agent.empty()) {
      if (agents_with_.at(task) == 1) return by_task_.at(task);
      throw DataError("several agents have a task '" + task + "'", where,
                      "add an agent column or use --agent");
    }
    const auto found = by_both_.find({agent, task});
    if (found == by_both_.end()) {
      throw DataError("agent '" + agent + "' has no task '" + task + "'", where,
                      "check the agent's name");
    }
    return found->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, Vector> by_both_;
  std::map<std::string, Vector> by_task_;
  std::map<std::string, int> agents_with_;
};

Vector all_scores(const Model& model, const Rows& rows) {
  const ModelIndex index(model);
  Vector result(rows.X.rows());
  for (Index i = 0; i < rows.X.rows(); ++i) {
    result[i] = score(rows.X.row(i), index.find(rows, static_cast<std::size_t>(i)));
  }
  return result;
}

}  // namespace

void RowsOptions::add(CLI::App& command, bool with_target, bool with_agent) {
  app = &command;
  command.add_option("ROWS", rows_file, "A CSV file with the feature columns, in any order")
      ->required()
      ->type_name("");
  command.add_option("--task", task, "The task of all rows (instead of a task column)")
      ->type_name("NAME");
  if (with_agent) {
    command.add_option("--agent", agent, "The agent of all rows (instead of an agent column)")
        ->type_name("NAME");
  }
  command
      .add_option("--task-column", task_column,
                  "The column with the task's name (default: as in training)")
      ->type_name("NAME");
  if (with_agent) {
    command
        .add_option("--agent-column", agent_column,
                    "The column with the agent's name (default: as in training)")
        ->type_name("NAME");
  }
  if (with_target) {
    command
        .add_option("--target-column", target_column,
                    "The column with the targets (default: as in training)")
        ->type_name("NAME");
    command.add_flag("--json", json, "Print one JSON object instead of a table");
  }
}

Rows RowsOptions::read(const Model& model, bool with_target) const {
  const auto given = [](const std::string& name, const std::string& otherwise) {
    return name.empty() ? otherwise : name;
  };
  RowColumns columns;
  columns.features = model.features;
  columns.problem = model.options.problem;
  columns.task_column = given(task_column, model.task_column);
  columns.agent_column = given(agent_column, model.agent_column);
  if (with_target) columns.target_column = given(target_column, model.target_column);
  if (app->count("--task") > 0) columns.task = task;
  if (!agent.empty()) columns.agent = agent;
  return read_rows(rows_file, columns);
}

void print_predictions(const Model& model, const RowsOptions& options) {
  const Rows rows = options.read(model, false);
  const Vector predicted = all_scores(model, rows);
  if (!has_labels(model.options.problem)) {
    fmt::print("prediction\n");
    for (const double value : predicted) fmt::print("{:.17g}\n", value);
    return;
  }
  fmt::print("score,probability,label\n");
  for (const double value : predicted) {
    fmt::print("{:.17g},{:.17g},{}\n", value, probability(value), label(value) > 0.0 ? 1 : 0);
  }
}

namespace {

struct TaskScore {
  std::string agent;
  std::string task;
  Index rows = 0;
  double first = 0.0;  // by the problem's main measure
  double second = 0.0;
};

std::vector<TaskScore> score_tasks(const Model& model, const Rows& rows, const Vector& predicted) {
  std::map<std::pair<std::string, std::string>, std::vector<Index>> members;
  std::vector<std::pair<std::string, std::string>> order;
  for (std::size_t i = 0; i < rows.tasks.size(); ++i) {
    const auto key = std::pair(rows.agents[i], rows.tasks[i]);
    if (members.count(key) == 0) order.push_back(key);
    members[key].push_back(static_cast<Index>(i));
  }
  std::vector<TaskScore> table;
  for (const auto& key : order) {
    const std::vector<Index>& of_task = members[key];
    const Vector y = rows.y(of_task);
    const Vector values = predicted(of_task);
    table.push_back({key.first, key.second, y.size(),
                     main_measure(model.options.problem).of(y, values),
                     second_measure(model.options.problem).of(y, values)});
  }
  return table;
}

}  // namespace

void print_evaluation(const Model& model, const RowsOptions& options) {
  const Rows rows = options.read(model, true);
  const std::vector<TaskScore> table = score_tasks(model, rows, all_scores(model, rows));
  const std::string first = main_measure(model.options.problem).key;
  const std::string second = second_measure(model.options.problem).key;
  DefinedMean first_mean;
  DefinedMean second_mean;
  for (const TaskScore& task : table) {
    first_mean.add(task.first);
    second_mean.add(task.second);
  }
  if (options.json) {
    const auto value = [](double x) {
      return std::isnan(x) ? nlohmann::json() : nlohmann::json(x);
    };
    nlohmann::ordered_json object = {{"rows", rows.X.rows()},
                                     {"tasks", nlohmann::json::array()},
                                     {first, value(first_mean.value())},
                                     {second, value(second_mean.value())}};
    for (const TaskScore& task : table) {
      nlohmann::ordered_json entry;
      if (!task.agent.empty()) entry["agent"] = task.agent;
      entry["task"] = task.task;
      entry["rows"] = task.rows;
      entry[first] = value(task.first);
      entry[second] = value(task.second);
      object["tasks"].push_back(entry);
    }
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return;
  }
  fmt::print("{:<28} {:>6} {:>10} {:>19}\n", "task", "rows", first, second);
  for (const TaskScore& task : table) {
    const std::string name = task.agent.empty() ? task.task : task.agent + "/" + task.task;
    fmt::print("{:<28} {:>6} {:>10} {:>19}\n", printable(name), task.rows, readable(task.first),
               readable(task.second));
  }
  fmt::print("{:<28} {:>6} {:>10} {:>19}\n", "mean over tasks", rows.X.rows(),
             readable(first_mean.value()), readable(second_mean.value()));
}

}  // namespace colla::cli
