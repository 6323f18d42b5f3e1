// SPDX-License-Identifier: Apache-2.0
#include "training/training.hpp"

#include "training/training_run.hpp"

#include <algorithm>
#include <limits>

namespace colla {
namespace {

TrainingOptions completed(TrainingOptions options, const DataSet& data) {
  options.network.agent.problem = data.problem;
  options.network.agent.features = static_cast<Index>(data.features.size());
  check(options.network.agent);
  if (!uses_graph(options.algorithm)) options.edges.clear();
  if (options.algorithm == Algorithm::bayes) complete_prior(options, data);
  return options;
}

}  // namespace

std::size_t longest_stream(const DataSet& data) {
  std::size_t longest = 0;
  for (const Stream& stream : data.agents) longest = std::max(longest, stream.batches.size());
  return longest;
}

std::vector<std::size_t> newest_batches(const Stream& stream) {
  std::vector<std::string> names;
  std::vector<std::size_t> newest;
  for (std::size_t k = 0; k < stream.batches.size(); ++k) {
    const auto known = std::find(names.begin(), names.end(), stream.batches[k].task);
    if (known == names.end()) {
      names.push_back(stream.batches[k].task);
      newest.push_back(k);
    } else {
      newest[static_cast<std::size_t>(known - names.begin())] = k;
    }
  }
  return newest;
}

Numerics TrainingResult::numerics() const {
  Numerics all;
  for (const StepReport& step : steps) all += step.exchange.numerics;
  return all;
}

TrainingRun::TrainingRun(const SplitData& rows, const TrainingOptions& options,
                         const TrainingObserver& observer)
    : options_(completed(options, rows.train)),
      rows_(rows),
      observer_(observer),
      scores_(rows.test),
      tasks_(rows.train.agents.size()),
      fresh_(rows.train.agents.size()),
      learned_with_(options_.network.agent) {
  result_.problem = rows.train.problem;
}

TrainingResult TrainingRun::run() {
  switch (options_.algorithm) {
    case Algorithm::bayes:
    case Algorithm::colla:
    case Algorithm::ella:
      learn_online();
      break;
    case Algorithm::offline_colla:
      learn_offline_network();
      break;
    case Algorithm::go_mtl:
      learn_go_mtl();
      break;
    case Algorithm::stl:
      learn_single_tasks();
      break;
  }
  for (const auto& tasks : tasks_) result_.tasks += std::ssize(tasks);
  if (options_.released != nullptr) {
    result_.released_rows = options_.released->all;
    result_.shortened_rows = options_.released->shortened;
  }
  make_result_model();
  return std::move(result_);
}

void TrainingRun::make_result_model() {
  std::vector<ModelAgent> learned;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    learned.push_back({rows_.train.agents[i].agent, std::move(states_[i])});
  }
  result_.model = make_model(name_of(options_.algorithm), learned_with_, rows_.train.features,
                             std::move(learned));
}

Ridge TrainingRun::ridge_alone() const {
  const double gamma = options_.network.agent.gamma;
  const bool is_alone = options_.algorithm == Algorithm::stl;
  return {is_alone ? gamma : options_.gamma_alone.value_or(gamma),
          rows_.train.has_intercept && !options_.penalise_intercept};
}

double TrainingRun::score_alone(std::size_t agent, const std::string& task) const {
  const std::size_t batch = scores_.batch(agent, task);
  const bool has_test_rows = rows_.test.agents[agent].batches[batch].y.size() > 0;
  constexpr double no_score = std::numeric_limits<double>::quiet_NaN();
  if (!options_.compare_alone || !has_test_rows) return no_score;
  const Batch& rows = rows_.train.agents[agent].batches[batch];
  const Problem problem = options_.network.agent.problem;
  if (has_labels(problem) && rows.y.minCoeff() == rows.y.maxCoeff()) return no_score;
  const std::vector<Index>& linear = options_.linear_features;
  if (options_.algorithm != Algorithm::bayes || linear.empty()) {
    return scores_.score(agent, task, fit_coefficients(problem, rows.X, rows.y, ridge_alone()));
  }
  // Without the hinges that bayes chooses by evidence: a task's own rows seldom carry them.
  Vector theta = Vector::Zero(rows.X.cols());
  theta(linear) =
      fit_coefficients(problem, Samples(rows.X(Eigen::all, linear)), rows.y, ridge_alone());
  return scores_.score(agent, task, theta);
}

void TrainingRun::arrived(std::size_t agent, std::size_t batch) {
  const std::string& task = rows_.train.agents[agent].batches[batch].task;
  if (!scores_.knows(agent, task)) tasks_[agent].push_back(task);
  scores_.arrived(agent, batch);
  fresh_[agent].insert(task);
}

void TrainingRun::note_score(std::size_t agent, const std::string& task, double score) {
  if (fresh_[agent].count(task) > 0) {
    result_.arrivals.push_back({agent, scores_.batch(agent, task), score});
  }
}

void TrainingRun::add_report(StepReport report, const DefinedMean& mean) {
  report.score = mean.value();
  result_.steps.push_back(report);
  for (auto& tasks : fresh_) tasks.clear();
  if (observer_) observer_(report);
}

TrainingResult train(const SplitData& rows, const TrainingOptions& options,
                     const TrainingObserver& observer) {
  return TrainingRun(rows, options, observer).run();
}

TrainingResult train(const DataSet& data, const TrainingOptions& options,
                     const TrainingObserver& observer) {
  return train(split(data, options.test_fraction, options.network.agent.seed), options, observer);
}

}  // namespace colla
