// SPDX-License-Identifier: Apache-2.0
#include "prior/moments.hpp"

#include <colla/error.hpp>
#include <colla/lifelong_agent.hpp>
#include <colla/prior_agent.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace colla {
namespace {

constexpr std::size_t block_size = 64;
constexpr double least_lead = 10.0;           // of evidence, for a candidate that is less simple
constexpr double largest_share = 1.0 - 1e-9;  // of tasks among tasks and agents
constexpr double tasks_of_the_network = 2.0;  // that the network's prior counts in an own one

const PriorOptions& described(const AgentOptions& options) {
  assert(options.prior.has_value());
  return *options.prior;
}

}  // namespace

std::pair<Index, Index> exchanged_size(const AgentOptions& options) {
  if (!options.prior) return {options.features, options.atoms};
  const std::vector<Candidate> candidates = candidates_of(*options.prior);
  return {moment_count(options.features, candidates), std::ssize(candidates)};
}

std::pair<Index, Index> contribution_size(const AgentOptions& options) {
  const auto [rows, columns] = exchanged_size(options);
  return {rows, described(options).agents == 1 ? columns : 2 * columns};
}

PriorAgent::PriorAgent(const AgentOptions& options)
    : options_(std::make_shared<const AgentOptions>(options)),
      candidates_(candidates_of(described(options))),
      average_(Matrix::Zero(exchanged_size(options).first, exchanged_size(options).second)),
      releases_(described(options).release_batch, {}, {}),
      told_(average_) {}

PriorAgent::PriorAgent(const AgentOptions& options, AgentState state) : PriorAgent(options) {
  average_ = std::move(state.dictionary);
  step_ = state.step;
  next_ = static_cast<std::size_t>(state.next_refresh);
  records_ = std::move(state.records);
  for (std::size_t k = 0; k < records_.size(); ++k) {
    position_.emplace(records_[k].name, k);
    changed(k);
  }
  if (releases_batches()) continue_releases(std::move(state.releases));
}

AgentState PriorAgent::state() const {
  AgentState state;
  state.step = step_;
  state.dictionary = average_;
  state.records = records_;
  state.next_refresh = next_;
  state.releases = releases_.batches();
  return state;
}

void PriorAgent::begin_step() {
  ++step_;
  numerics_ = {};
}

void PriorAgent::check_rows(const std::string& task, const SamplesView& X,
                            const VectorView& y) const {
  colla::check_rows(*options_, task, X, y);
}

const TaskRecord& PriorAgent::record(const std::string& task) const {
  const auto found = position_.find(task);
  if (found == position_.end()) {
    throw DataError("unknown to this agent", "task '" + task + "'", "learn it first");
  }
  return records_[found->second];
}

LearnSummary PriorAgent::absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                                Revisit revisit) {
  LearnSummary summary;
  const auto known = position_.find(task);
  summary.revisit = known != position_.end();
  const Problem problem = options_->problem;
  TaskRecord fresh;
  if (summary.revisit) {
    const TaskRecord& old = records_[known->second];
    fresh = old;
    fresh.statistics = std::make_shared<const TaskStatistics>(
        revisit == Revisit::append ? appended(problem, *old.statistics, X, y)
                                   : statistics_of(problem, X, y));
    // Whether rows are the same is nothing that the network may know.
    const bool is_private = fresh.released != nullptr || described(*options_).release;
    summary.unchanged = !is_private && *fresh.statistics == *old.statistics;
    if (summary.unchanged) return summary;
  } else {
    fresh.name = task;
    fresh.statistics = std::make_shared<const TaskStatistics>(statistics_of(problem, X, y));
  }
  release(fresh, X, y, revisit);
  if (summary.revisit) {
    estimate_again(fresh, all_priors());
    records_[known->second] = std::move(fresh);
    changed(known->second);
  } else {
    estimate_new(fresh, all_priors());
    position_.emplace(task, records_.size());
    records_.push_back(std::move(fresh));
    changed(records_.size() - 1);
  }
  if (releases_batches()) release_with(task);
  return summary;
}

void PriorAgent::remove(const std::string& task) {
  if (releases_.forgotten(record(task).name)) tell_again();
  const auto gone = static_cast<std::size_t>(&record(task) - records_.data());
  position_.erase(records_[gone].name);
  records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(gone));
  for (auto& [name, position] : position_) {
    if (position > gone) --position;
  }
  if (next_ > gone) --next_;
  blocks_.resize((records_.size() + block_size - 1) / block_size);
  is_stale_.resize(blocks_.size());
  for (std::size_t k = gone / block_size; k < blocks_.size(); ++k) is_stale_[k] = 1;
}

// The network's by candidate, then, in a network, the agent's own.
std::vector<Prior> PriorAgent::all_priors() const {
  std::vector<Prior> priors;
  for (Index c = 0; c < std::ssize(candidates_); ++c) priors.push_back(prior(c));
  if (described(*options_).agents == 1) return priors;
  for (Index c = 0; c < std::ssize(candidates_); ++c) priors.push_back(own_prior(c));
  return priors;
}

void PriorAgent::release(TaskRecord& record, const SamplesView& X, const VectorView& y,
                         Revisit revisit) const {
  const RowRelease& release = described(*options_).release;
  if (!release) return;
  TaskStatistics now = release(record.name, X, y);
  if (record.released != nullptr && revisit == Revisit::append) {
    now = sum_of(*record.released, now);
  }
  record.released = std::make_shared<const TaskStatistics>(std::move(now));
}

void PriorAgent::refresh_codes() {
  const std::size_t count = std::min<std::size_t>(most_at_once, records_.size());
  const std::vector<Prior> priors = all_priors();
  for (std::size_t k = 0; k < count; ++k) {
    next_ = next_ < records_.size() ? next_ : 0;
    estimate_again(records_[next_], priors);
    changed(next_++);
  }
  tell_again();
}

void PriorAgent::changed(std::size_t position) {
  const std::size_t block = position / block_size;
  if (block >= blocks_.size()) {
    blocks_.resize(block + 1);
    is_stale_.resize(block + 1);
  }
  is_stale_[block] = 1;
}

const Matrix& PriorAgent::sums() const {
  const Index columns = std::ssize(candidates_) * (described(*options_).agents == 1 ? 1 : 2);
  sums_ = Matrix::Zero(average_.rows(), columns);
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    if (is_stale_[b] != 0) {
      blocks_[b] = Matrix::Zero(average_.rows(), columns);
      const std::size_t end = std::min((b + 1) * block_size, records_.size());
      for (std::size_t k = b * block_size; k < end; ++k) blocks_[b] += records_[k].contribution;
      is_stale_[b] = 0;
    }
    sums_ += blocks_[b];
  }
  return sums_;
}

void PriorAgent::prepare(double shift) {
  shift_ = shift;
  b_ = releases_batches() ? told_ : sums().leftCols(average_.cols());
}

void PriorAgent::solve(const MatrixView& coupling) {
  if (!described(*options_).means_over_tasks) {
    average_ = (b_ + coupling) / (1.0 + shift_);
    return;
  }
  const double tasks = b_(moment::tasks, 0);
  average_ = (b_ + coupling) / (tasks + shift_);
  average_.row(moment::tasks) *= (tasks + shift_) / (tasks + 1.0 + shift_);
}

// An agent on its own that had been in a network counts its own tasks alone.
void PriorAgent::solve() {
  const auto agents = static_cast<double>(described(*options_).agents);
  average_ = b_ / agents;
  const double tasks = b_(moment::tasks, 0);
  if (!described(*options_).means_over_tasks || !(tasks > 0.0)) return;
  average_ = b_ / tasks;
  average_.row(moment::tasks).setConstant(tasks / (tasks + agents));
}

Share PriorAgent::share() const {
  if (!described(*options_).means_over_tasks) return {};
  const double tasks = releases_batches() ? told_(moment::tasks, 0) : sums()(moment::tasks, 0);
  if (!(tasks > 0.0)) return {};
  return {Matrix::Constant(1, 1, tasks), Matrix::Ones(1, 1)};
}

Matrix PriorAgent::mean_of_sums() const {
  Matrix mean(average_.rows(), average_.cols());
  for (Index c = 0; c < mean.cols(); ++c) {
    mean.col(c) = sums_of_network(c) / static_cast<double>(described(*options_).agents);
  }
  return mean;
}

void PriorAgent::set_agents(Index agents) {
  AgentOptions options = *options_;
  options.prior->agents = agents;
  options_ = std::make_shared<const AgentOptions>(std::move(options));
}

double PriorAgent::relative_size(const Matrix& difference) const {
  double largest = 0.0;
  for (Index c = 0; c < difference.cols(); ++c) {
    Vector x = average_.col(c);
    if (described(*options_).means_over_tasks) x[moment::tasks] = 1.0;
    const Vector units = units_of_moments(x, features(), candidates_[static_cast<std::size_t>(c)]);
    for (Index k = 0; k < difference.rows(); ++k) {
      if (difference(k, c) == 0.0) continue;
      const double ratio = units[k] > 0.0 ? std::abs(difference(k, c)) / units[k] : 1.0;
      largest = std::max(largest, ratio);
    }
  }
  return largest;
}

// As the agents agree so far.
Vector PriorAgent::sums_of_network(Index candidate) const {
  const auto agents = static_cast<double>(described(*options_).agents);
  const auto x = average_.col(candidate);
  if (!described(*options_).means_over_tasks) return agents * x;
  const double share = std::clamp(x[moment::tasks], 0.0, largest_share);  // n/(n + N)
  const double tasks = agents * share / (1.0 - share);
  Vector sums = tasks * x;
  sums[moment::tasks] = tasks;
  return sums;
}

double PriorAgent::tasks_of_network() const { return sums_of_network(0)[moment::tasks]; }

Prior PriorAgent::prior(Index candidate) const {
  return prior_of(sums_of_network(candidate), candidates_[static_cast<std::size_t>(candidate)],
                  options_->problem, features(), described(*options_));
}

double PriorAgent::own_tasks() const {
  return static_cast<double>(records_.size()) + tasks_of_the_network;
}

Prior PriorAgent::own_prior(Index candidate) const {
  if (records_.empty()) return prior(candidate);
  Vector all = sums().col(std::ssize(candidates_) + candidate);
  const Vector network = sums_of_network(candidate);
  if (knows_tasks(network)) all += tasks_of_the_network / network[moment::tasks] * network;
  return prior_of(all, candidates_[static_cast<std::size_t>(candidate)], options_->problem,
                  features(), described(*options_));
}

Index PriorAgent::chosen() const {
  Index best = 0;
  for (Index c = 1; c < std::ssize(candidates_); ++c) {
    const double lead =
        sums_of_network(c)[moment::evidence] - sums_of_network(best)[moment::evidence];
    if (lead > least_lead) best = c;
  }
  return best;
}

double PriorAgent::own_weight() const {
  if (described(*options_).agents == 1 || records_.empty()) return 0.0;
  const Index candidate = chosen();
  const Matrix& all = sums();
  const double lead =
      all(moment::evidence, std::ssize(candidates_) + candidate) - all(moment::evidence, candidate);
  return 1.0 / (1.0 + std::exp(-lead));
}

TaskPredictor PriorAgent::predictor(const TaskRecord& record) const {
  return predictor(record.statistics.get());
}

TaskPredictor PriorAgent::predictor() const { return predictor(nullptr); }

TaskPredictor PriorAgent::predictor(const TaskStatistics* task) const {
  TaskPredictor predictor;
  predictor.has_labels_ = has_labels(options_->problem);
  const double own = own_weight();
  const Index candidate = chosen();
  const auto add = [&](double weight, Prior prior, double tasks) {
    if (weight < 1e-3) return;
    std::shared_ptr<const Posterior> posterior;
    if (task != nullptr) {
      posterior = std::make_shared<const Posterior>(options_->problem, *task, prior);
    } else {
      prior = for_task_without_rows(std::move(prior), tasks,
                                    candidates_[static_cast<std::size_t>(candidate)],
                                    options_->problem, described(*options_));
    }
    predictor.parts_.push_back({weight, std::move(prior), std::move(posterior)});
  };
  add(own > 0.999 ? 0.0 : (own < 1e-3 ? 1.0 : 1.0 - own), prior(candidate), tasks_of_network());
  if (own >= 1e-3) add(own > 0.999 ? 1.0 : own, own_prior(candidate), own_tasks());
  return predictor;
}

Index PriorAgent::features() const { return options_->features; }

}  // namespace colla
