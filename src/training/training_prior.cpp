// SPDX-License-Identifier: Apache-2.0
// What is different with a collective prior.
#include "training/training_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace colla {
namespace {

constexpr double least_variance = 1e-12;  // of y, in units of the mean of y^2

template <typename Visit>
void for_each_batch(const DataSet& rows, const Visit& visit) {
  for (const Stream& stream : rows.agents) {
    for (const Batch& batch : stream.batches) visit(batch);
  }
}

// The first column that is a constant other than 0 in all rows: an intercept. -1: none.
Index constant_feature(const DataSet& rows) {
  const auto d = std::ssize(rows.features);
  Vector least = Vector::Constant(d, std::numeric_limits<double>::infinity());
  Vector most = -least;
  for_each_batch(rows, [&](const Batch& batch) {
    if (batch.X.rows() == 0) return;
    least = least.cwiseMin(batch.X.colwise().minCoeff().transpose());
    most = most.cwiseMax(batch.X.colwise().maxCoeff().transpose());
  });
  for (Index j = 0; j < d; ++j) {
    if (least[j] == most[j] && most[j] != 0.0) return j;
  }
  return -1;
}

// The units of the hyper-prior, from all rows. A feature that is 0 in them may not stay so. Targets
// count from their mean, if an intercept can have it: their zero is arbitrary.
void measure_sizes(const DataSet& rows, PriorOptions& prior) {
  const auto d = std::ssize(rows.features);
  prior.feature_squares = Vector::Zero(d);
  double count = 0.0;
  double sum = 0.0;
  double squares = 0.0;
  for_each_batch(rows, [&](const Batch& batch) {
    prior.feature_squares += batch.X.colwise().squaredNorm().transpose();
    sum += batch.y.sum();
    squares += batch.y.squaredNorm();
    count += static_cast<double>(batch.y.size());
  });
  prior.feature_squares /= count;
  const Index intercept = has_labels(rows.problem) ? -1 : constant_feature(rows);
  const double mean = intercept < 0 ? 0.0 : sum / count;
  double variance = 0.0;
  for_each_batch(rows, [&](const Batch& batch) {
    variance += (batch.y.array() - mean).matrix().squaredNorm() / count;
  });
  if (intercept >= 0) {
    prior.first_mean = Vector::Zero(d);
    prior.first_mean[intercept] = mean / std::sqrt(prior.feature_squares[intercept]);
  }
  prior.feature_squares = (prior.feature_squares.array() > 0.0).select(prior.feature_squares, 1.0);
  prior.target_variance =
      squares > 0.0 ? std::max(variance, least_variance * squares / count) : 1.0;
}

}  // namespace

void complete_prior(TrainingOptions& options, const DataSet& rows) {
  PriorOptions prior = prior_of_network({std::ssize(rows.agents), options.edges},
                                        std::ssize(rows.features), options.linear_features);
  if (options.privacy) {
    auto count = std::make_shared<ReleasedRows>();
    options.released = count;
    prior.is_private = true;
    prior.release = release_with(*options.privacy, rows.problem, std::move(count));
  } else if (!options.has_unit_sizes) {
    measure_sizes(rows, prior);
  }
  options.network.agent.prior = std::move(prior);
  if (options.network.refresh == 0 && !options.has_given_refresh) {
    options.network.refresh = refresh_of_prior;
  }
}

// The tasks' test scores, in the order of the records.
std::vector<double> TrainingRun::scores_of(const Participant& participant) const {
  const std::size_t i = data_agent(static_cast<std::size_t>(participant.position()));
  std::vector<double> own;
  for (const TaskRecord& task : participant.records()) {
    if (participant.has_prior()) {
      const TaskPredictor predictor = participant.prior_agent().predictor(task);
      own.push_back(scores_.score(i, task.name, predictor));
    } else {
      const LifelongAgent& agent = participant.agent();
      own.push_back(scores_.score(i, task.name, agent.dictionary() * agent.code(task)));
    }
  }
  return own;
}

// Of all rows that an agent has seen of a task.
TaskStatistics TrainingRun::statistics_at(std::size_t agent, const std::string& task) const {
  const Problem problem = options_.network.agent.problem;
  TaskStatistics statistics;
  for (const Batch& batch : rows_.train.agents[agent].batches) {
    if (batch.task != task) continue;
    statistics = statistics.rows > 0 && batch.revisit == Revisit::append
                     ? appended(problem, statistics, batch.X, batch.y)
                     : statistics_of(problem, batch.X, batch.y);
  }
  return statistics;
}

}  // namespace colla
