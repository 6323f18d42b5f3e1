// SPDX-License-Identifier: Apache-2.0
// How an agent with a collective prior estimates its tasks.
#include "prior/moments.hpp"

#include <colla/lifelong_agent.hpp>
#include <colla/prior_agent.hpp>

#include <utility>

namespace colla {
namespace {

constexpr double least_for_evidence = 3.5;  // tasks that have shaped a prior whose evidence counts
constexpr double few_tasks = 7.5;           // a new task begins with a first look (moments.hpp)

}  // namespace

// What a task adds to the sums, a column per prior. Made-up knowledge may be beyond what can be
// computed with: then the task is estimated as the first one.
Matrix PriorAgent::estimates(const TaskRecord& record, const std::vector<Prior>& priors) {
  const bool is_new = record.contribution.size() == 0;
  Matrix moments(average_.rows(), std::ssize(priors));
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const auto column = static_cast<Index>(k);
    Vector start;
    if (!is_new) start = record.contribution.col(column).segment(moment::theta, features());
    const Candidate& candidate = candidates_[k % candidates_.size()];
    const TaskStatistics& task = seen_by(k, record);
    const auto estimate = [&](const Prior& prior, const Vector* from) {
      const Posterior posterior(options_->problem, task, prior, from);
      if (!posterior.converged()) ++numerics_.fits_stalled;
      moments.col(column) =
          moments_of(options_->problem, task, posterior, prior, candidate, average_.rows());
    };
    estimate(priors[k], is_new ? nullptr : &start);
    if (moments.col(column).allFinite()) continue;
    estimate(prior_before_tasks(static_cast<Index>(k % candidates_.size())), nullptr);
  }
  return moments;
}

// The evidence of a task counts once, and only under a prior that some tasks have shaped: that of
// the first ones is about the hyper-prior.
void PriorAgent::estimate_new(TaskRecord& record, std::vector<Prior> priors) {
  const double known = tasks_of_network();
  if (known >= few_tasks) {
    const Vector hidden = hidden_evidence(record, priors);
    record.contribution = estimates(record, priors);
    for (std::size_t k = 0; k < priors.size(); ++k) {
      double& evidence = record.contribution(moment::evidence, static_cast<Index>(k));
      evidence = limited(evidence, seen_by(k, record), k) + hidden[static_cast<Index>(k)];
    }
    return;
  }
  Vector evidence = Vector::Zero(std::ssize(priors));
  if (known >= least_for_evidence) evidence = hidden_evidence(record, priors);
  for (std::size_t k = 0; k < priors.size(); ++k) {
    const TaskStatistics& task = seen_by(k, record);
    if (known >= least_for_evidence) {
      evidence[static_cast<Index>(k)] += evidence_of(task, priors[k], k);
    }
    priors[k] = first_look(priors[k], task, candidates_[k % candidates_.size()], options_->problem,
                           *options_->prior);
  }
  record.contribution = estimates(record, priors);
  record.contribution.row(moment::evidence) = evidence.transpose();
}

// Evidence stays, and neighbours of an agent that lives may say anything: a prior that predicts
// worse than the one from before the first task counts as that one.
double PriorAgent::limited(double evidence, const TaskStatistics& task, std::size_t prior) const {
  if (!options_->prior->means_over_tasks) return evidence;
  const Prior first = prior_before_tasks(static_cast<Index>(prior % candidates_.size()));
  const double least = Posterior(options_->problem, task, first).evidence();
  return evidence > least ? evidence : least;
}

double PriorAgent::evidence_of(const TaskStatistics& task, const Prior& prior,
                               std::size_t position) const {
  return limited(Posterior(options_->problem, task, prior).evidence(), task, position);
}

Prior PriorAgent::prior_before_tasks(Index candidate) const {
  return prior_of(Vector::Zero(average_.rows()), candidates_[static_cast<std::size_t>(candidate)],
                  options_->problem, features(), *options_->prior);
}

Prior PriorAgent::prior_for_new(Index candidate, const TaskStatistics& task) const {
  if (tasks_of_network() >= few_tasks) return prior(candidate);
  return first_look(prior(candidate), task, candidates_[static_cast<std::size_t>(candidate)],
                    options_->problem, *options_->prior);
}

void PriorAgent::estimate_again(TaskRecord& record, const std::vector<Prior>& priors) {
  Matrix moments = estimates(record, priors);
  moments.row(moment::evidence) = record.contribution.row(moment::evidence);
  record.contribution = std::move(moments);
}

}  // namespace colla
