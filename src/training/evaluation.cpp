// SPDX-License-Identifier: Apache-2.0
#include "training/evaluation.hpp"

#include <map>

namespace colla {
namespace {

void score_numbers_or_two_labels(Problem problem, const Vector& y, const Vector& scores,
                                 TaskScore& task) {
  task.first = main_measure(problem).of(y, scores);
  task.second = second_measure(problem).of(y, scores);
}

void score_many_labels(const Vector& y, const Samples& scores, TaskScore& task) {
  Index right = 0;
  for (Index i = 0; i < y.size(); ++i) {
    Index chosen = 0;
    scores.row(i).maxCoeff(&chosen);
    right += static_cast<double>(chosen) == y[i] ? 1 : 0;
  }
  task.first = mean_auc(y, scores);
  task.second = static_cast<double>(right) / static_cast<double>(y.size());
}

}  // namespace

double mean_auc(const VectorView& labels, const SamplesView& scores) {
  DefinedMean mean;
  for (Index k = 0; k < scores.cols(); ++k) {
    const auto position = static_cast<double>(k);
    const Vector signs = (labels.array() == position).select(Vector::Ones(labels.size()), -1.0);
    mean.add(auc(signs, Vector(scores.col(k))));
  }
  return mean.value();
}

std::vector<TaskScore> score_tasks(const Model& model, const Rows& rows,
                                   const Predictions& predictions) {
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
    TaskScore task{key.first, key.second, std::ssize(of_task)};
    const Vector y = rows.y(of_task);
    if (predictions.scores.cols() > 1) {
      score_many_labels(y, predictions.scores(of_task, Eigen::all), task);
    } else {
      score_numbers_or_two_labels(model.options.problem, y, predictions.scores(of_task, 0), task);
    }
    table.push_back(std::move(task));
  }
  return table;
}

}  // namespace colla
