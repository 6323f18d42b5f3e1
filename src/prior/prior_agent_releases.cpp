// SPDX-License-Identifier: Apache-2.0
// What an agent tells of its tasks: of released rows, and in released batches (released_batch.hpp).
#include "prior/moments.hpp"

#include <colla/lifelong_agent.hpp>
#include <colla/prior_agent.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace colla {
namespace {

constexpr double far_better = 10.0;  // in evidence

Vector column_of(const Prior& prior) {
  Vector all(2 * prior.mean.size() + 1);
  all << prior.mean, prior.variances(), prior.noise;
  return all;
}

Prior prior_in(const VectorView& column) {
  const Index d = column.size() / 2;
  return {column.head(d), column.segment(d, d).cwiseSqrt(), column[2 * d]};
}

}  // namespace

// What travels is computed from what was released.
const TaskStatistics& PriorAgent::seen_by(std::size_t prior, const TaskRecord& record) const {
  const bool is_network = prior < candidates_.size();
  return is_network && record.released != nullptr ? *record.released : *record.statistics;
}

// The agent alone compares its own prior with the network's, by the task's rows. What is added to
// an own prior's evidence makes its lead over the network's that of the rows, whatever was
// released.
Vector PriorAgent::hidden_evidence(const TaskRecord& record,
                                   const std::vector<Prior>& priors) const {
  Vector hidden = Vector::Zero(std::ssize(priors));
  if (record.released == nullptr) return hidden;
  for (std::size_t k = candidates_.size(); k < priors.size(); ++k) {
    const Prior& network = priors[k - candidates_.size()];
    hidden[static_cast<Index>(k)] =
        evidence_of(*record.released, network, k) - evidence_of(*record.statistics, network, k);
  }
  return hidden;
}

bool PriorAgent::releases_batches() const { return options_->prior->release_batch > 0; }

void PriorAgent::continue_releases(std::vector<ReleasedBatch> batches) {
  std::vector<std::string> waiting;
  for (const TaskRecord& record : records_) waiting.push_back(record.name);
  for (const ReleasedBatch& batch : batches) {
    for (const std::string& task : batch.tasks) std::erase(waiting, task);
  }
  releases_ =
      ReleasedBatches(options_->prior->release_batch, std::move(batches), std::move(waiting));
  tell_again();
}

void PriorAgent::release_with(const std::string& task) {
  releases_.learned(task);
  const std::vector<std::string> tasks = releases_.full();
  if (tasks.empty()) return;
  ReleasedBatch batch = batch_of(tasks);
  told_ += batch.sums;
  if (releases_.add(std::move(batch))) tell_again();
}

// Under which a batch is released. What is released stays, and a neighbour may say anything: if the
// prior from before the first task predicts these rows far better than the network's, it is that
// one.
Prior PriorAgent::prior_of_release(Index candidate, const std::vector<std::string>& tasks) const {
  const auto rows = [this](const std::string& task) { return seen_by(0, record(task)).rows; };
  const auto fewest = std::min_element(tasks.begin(), tasks.end(),
                                       [&](auto& a, auto& b) { return rows(a) < rows(b); });
  const auto evidence = [&](const Prior& prior) {
    double sum = 0.0;
    for (const std::string& task : tasks) {
      const auto column = static_cast<std::size_t>(candidate);
      sum += Posterior(options_->problem, seen_by(column, record(task)), prior).evidence();
    }
    return sum;
  };
  Prior network = prior_for_new(candidate, seen_by(0, record(*fewest)));
  Prior first = prior_before_tasks(candidate);
  return evidence(network) >= evidence(first) - far_better ? network : first;
}

// The only place where what travels is computed from rows. All tasks are estimated under one prior.
ReleasedBatch PriorAgent::batch_of(const std::vector<std::string>& tasks) const {
  ReleasedBatch batch;
  batch.tasks = tasks;
  batch.sums = Matrix::Zero(average_.rows(), average_.cols());
  batch.priors.resize(2 * features() + 1, average_.cols());
  for (Index c = 0; c < average_.cols(); ++c) {
    const Candidate& candidate = candidates_[static_cast<std::size_t>(c)];
    assert(!candidate.correlated);
    const Prior at = prior_of_release(c, tasks);
    batch.priors.col(c) = column_of(at);
    for (const std::string& task : tasks) {
      const TaskRecord& known = record(task);
      const TaskStatistics& seen = seen_by(static_cast<std::size_t>(c), known);
      const Posterior posterior(options_->problem, seen, at);
      Vector moments =
          moments_of(options_->problem, seen, posterior, at, candidate, average_.rows());
      if (known.contribution(moment::evidence, c) == 0.0) moments[moment::evidence] = 0.0;
      batch.sums.col(c) += moments;
    }
  }
  return batch;
}

void PriorAgent::tell_again() {
  if (!releases_batches()) return;
  told_.setZero();
  for (Index c = 0; c < told_.cols(); ++c) {
    const Prior now = prior(c);
    for (const ReleasedBatch& batch : releases_.batches()) {
      if (batch.is_withdrawn()) continue;
      told_.col(c) +=
          moments_under(options_->problem, batch.sums.col(c), prior_in(batch.priors.col(c)), now);
    }
  }
}

}  // namespace colla
