// SPDX-License-Identifier: Apache-2.0
#include "cli/model_use.hpp"

#include "cli/options.hpp"
#include "cli/terminal.hpp"
#include "files/text.hpp"
#include "training/evaluation.hpp"
#include "training/measures.hpp"

#include <colla/error.hpp>

#include <boost/math/distributions/normal.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace colla::cli {
namespace {

void print_number_predictions(const Predictions& predictions) {
  fmt::print("prediction\n");
  for (const double value : predictions.scores.reshaped()) fmt::print("{:.17g}\n", value);
}

// A new observation lies between low and high with probability `share`.
void print_intervals(const Predictions& predictions, double share) {
  const double width = boost::math::quantile(boost::math::normal(), 0.5 + 0.5 * share);
  fmt::print("prediction,low,high\n");
  for (Index i = 0; i < predictions.scores.rows(); ++i) {
    const double mean = predictions.scores(i, 0);
    const double half = width * predictions.deviations(i, 0);
    fmt::print("{:.17g},{:.17g},{:.17g}\n", mean, mean - half, mean + half);
  }
}

void check_interval(const Model& model) {
  const std::string option = "--interval";
  if (!model.options.prior) {
    throw OptionError("models of " + model.algorithm + " have no intervals", option,
                      "only those of bayes have; leave it out");
  }
  if (has_labels(model.options.problem)) {
    throw OptionError("classes have probabilities instead of intervals", option, "leave it out");
  }
}

// Warns of tasks without rows.
Predictions checked_predictions(const Model& model, const Rows& rows) {
  Predictions predictions = predict(model, rows);
  const std::set<std::string>& tasks = predictions.new_tasks;
  if (!tasks.empty()) {
    warn("no rows of " + listed({tasks.begin(), tasks.end()}) +
         " in training: predicted by what tasks have in common");
  }
  return predictions;
}

void print_two_labels(const Predictions& predictions, const std::vector<std::string>& labels) {
  fmt::print("score,probability,label\n");
  for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
    const auto row = static_cast<Index>(i);
    fmt::print("{:.17g},{:.17g},{}\n", predictions.scores(row, 0),
               predictions.probabilities(row, 1),
               csv_field(labels[static_cast<std::size_t>(predictions.labels[i])]));
  }
}

void print_labels(const Predictions& predictions, const std::vector<std::string>& labels) {
  fmt::print("label");
  for (const std::string& label : labels) fmt::print(",{}", csv_field("probability of " + label));
  fmt::print("\n");
  for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
    fmt::print("{}", csv_field(labels[static_cast<std::size_t>(predictions.labels[i])]));
    for (const double value : predictions.probabilities.row(static_cast<Index>(i))) {
      fmt::print(",{:.17g}", value);
    }
    fmt::print("\n");
  }
}

}  // namespace

void RowsOptions::add(CLI::App& command, bool with_target, bool with_agent) {
  app = &command;
  command.add_option("ROWS", rows_file, "A CSV file with the feature columns, in any order")
      ->required()
      ->type_name("");
  add_text(command, "--task", task, "The task of all rows (instead of a task column)");
  if (with_agent) {
    add_text(command, "--agent", agent, "The agent of all rows (instead of an agent column)");
  }
  add_text(command, "--task-column", task_column,
           "The column with the task's name (default: as in training)");
  if (with_agent) {
    add_text(command, "--agent-column", agent_column,
             "The column with the agent's name (default: as in training)");
  }
  if (with_target) {
    add_text(command, "--target-column", target_column,
             "The column with the targets (default: as in training)");
    command.add_flag("--json", json, "Print one JSON object instead of a table");
  }
}

void RowsOptions::add_interval() {
  add_fraction(*app, "--interval", interval,
               "Also print low and high: a new observation lies between them with this probability "
               "(bayes)");
}

Rows RowsOptions::read(const Model& model, Targets targets) const {
  RowColumns columns = row_columns(model, targets);
  if (!task_column.empty()) columns.task_column = task_column;
  if (!agent_column.empty()) columns.agent_column = agent_column;
  if (!target_column.empty()) columns.target_column = target_column;
  if (!task.empty()) columns.task = task;
  if (!agent.empty()) columns.agent = agent;
  Rows rows = read_rows(rows_file, model, columns);
  for (const std::string& warning : rows.warnings) warn(rows_file + ": " + warning);
  return rows;
}

void print_predictions(const Model& model, const RowsOptions& options) {
  const bool has_interval = options.interval > 0.0;
  if (has_interval) check_interval(model);
  const Predictions predictions = checked_predictions(model, options.read(model, Targets::ignored));
  const std::vector<std::string> labels = labels_of(model);
  if (has_interval) {
    print_intervals(predictions, options.interval);
  } else if (labels.empty()) {
    print_number_predictions(predictions);
  } else if (labels.size() == 2) {
    print_two_labels(predictions, labels);
  } else {
    print_labels(predictions, labels);
  }
}

namespace {

struct Means {
  double first = 0.0;  // by the problem's main measure
  double second = 0.0;
};

Means means_of(const std::vector<TaskScore>& table) {
  DefinedMean first;
  DefinedMean second;
  for (const TaskScore& task : table) {
    first.add(task.first);
    second.add(task.second);
  }
  return {first.value(), second.value()};
}

struct Evaluation {
  Problem problem = Problem::regression;
  Index rows = 0;
  std::vector<TaskScore> tasks;
  std::set<std::string> new_tasks;  // without rows in the model
  Means means;
  std::optional<Means> alone = {};  // of the single-task models on the same rows
};

Evaluation evaluation_of(const Model& model, const Rows& rows) {
  const Predictions predictions = checked_predictions(model, rows);
  const std::vector<TaskScore> tasks = score_tasks(model, rows, predictions);
  return {model.options.problem, rows.X.rows(), tasks, predictions.new_tasks, means_of(tasks)};
}

// Without atoms a task's model is its own, and so it is under a prior that no other has shaped.
Means means_alone(Model model, const Rows& rows) {
  for (ModelAgent& agent : model.agents) {
    Matrix& shared = agent.state.dictionary;
    shared =
        model.options.prior ? Matrix::Zero(shared.rows(), shared.cols()) : Matrix(shared.rows(), 0);
  }
  if (model.options.prior) model.options.prior->agents = 1;
  return means_of(score_tasks(model, rows, predict(model, rows)));
}

nlohmann::json score_in_json(double x) {
  return std::isnan(x) ? nlohmann::json() : nlohmann::json(x);
}

void print_as_json(const Evaluation& evaluation) {
  const std::string first = main_measure(evaluation.problem).key;
  const std::string second = second_measure(evaluation.problem).key;
  const auto add = [&](nlohmann::ordered_json& object, double one, double other) {
    object[first] = score_in_json(one);
    object[second] = score_in_json(other);
  };
  nlohmann::ordered_json object = {{"rows", evaluation.rows}, {"tasks", nlohmann::json::array()}};
  object["new_tasks"] = evaluation.new_tasks.size();
  add(object, evaluation.means.first, evaluation.means.second);
  for (const TaskScore& task : evaluation.tasks) {
    nlohmann::ordered_json entry;
    if (!task.agent.empty()) entry["agent"] = task.agent;
    entry["task"] = task.task;
    entry["rows"] = task.rows;
    add(entry, task.first, task.second);
    object["tasks"].push_back(entry);
  }
  if (evaluation.alone) add(object["alone"], evaluation.alone->first, evaluation.alone->second);
  fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_as_table(const Evaluation& evaluation) {
  const auto print_line = [](const std::string& name, Index rows, double one, double other) {
    fmt::print("{:<28} {:>6} {:>10} {:>19}\n", printable(name), rows, readable(one),
               readable(other));
  };
  fmt::print("{:<28} {:>6} {:>10} {:>19}\n", "task", "rows", main_measure(evaluation.problem).key,
             second_measure(evaluation.problem).key);
  for (const TaskScore& task : evaluation.tasks) {
    const std::string name = task.agent.empty() ? task.task : task.agent + "/" + task.task;
    print_line(name, task.rows, task.first, task.second);
  }
  const Index rows = evaluation.rows;
  print_line("mean over tasks", rows, evaluation.means.first, evaluation.means.second);
  if (evaluation.alone) {
    print_line("each task for itself", rows, evaluation.alone->first, evaluation.alone->second);
  }
  const auto is_undefined = [](const TaskScore& task) {
    return std::isnan(task.first) || std::isnan(task.second);
  };
  if (std::any_of(evaluation.tasks.begin(), evaluation.tasks.end(), is_undefined)) {
    fmt::print("-: not defined, as all targets of these rows are the same\n");
  }
}

void print(const Evaluation& evaluation, bool json) {
  if (json) {
    print_as_json(evaluation);
  } else {
    print_as_table(evaluation);
  }
}

void warn_if_alone_is_better(const Evaluation& evaluation, bool has_prior) {
  constexpr double rounding = 1e-9;
  const Measure& measure = main_measure(evaluation.problem);
  const double ours = evaluation.means.first;
  const double theirs = evaluation.alone->first;
  if (!(measure.gain(ours, theirs) < -rounding * std::abs(theirs))) return;
  warn(
      fmt::format("each task for itself is better on these rows ({} {} instead of {}); unless they "
                  "are those that it learned from{}",
                  measure.title, readable(theirs), readable(ours),
                  has_prior ? "" : ", try more atoms or a smaller mu in a new network"));
}

}  // namespace

void print_evaluation(const Model& model, const RowsOptions& options) {
  print(evaluation_of(model, options.read(model, Targets::wanted)), options.json);
}

void print_comparison(const Model& model, const RowsOptions& options) {
  const Rows rows = options.read(model, Targets::wanted);
  Evaluation evaluation = evaluation_of(model, rows);
  evaluation.alone = means_alone(model, rows);
  print(evaluation, options.json);
  warn_if_alone_is_better(evaluation, model.options.prior.has_value());
}

}  // namespace colla::cli
