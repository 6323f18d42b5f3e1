// SPDX-License-Identifier: Apache-2.0
// One agent that learns what tasks have in common as a prior (the collective prior, `bayes`).
// The fixed points are those of EM over all tasks of all agents:
//
//     E-step    theta_t, V_t of every task under N(m, D), sigma^2          (posterior.hpp)
//     M-step    m, D, sigma^2 from sums over tasks                         (src/prior/moments.hpp)
//
// The M-step needs sums over tasks and nothing else. Agent i of a network of N has the sums s_i
// over its own tasks, one of which is their number. The network wants their average over the
// agents, the minimiser of sum_i |x - s_i|^2, which `Participant` finds by the exchanges that CoLLA
// has for dictionaries, with A_i = I and b_i = s_i. So the pace does not depend on numbers of
// tasks, and every row of x has gone through the same linear operator: x divided by its row `tasks`
// is a weighted average of tasks, with the same weights in all rows, even before the agents agree.
//
// Agents that live estimate their tasks again while they come to agree. What such an agent tells of
// a task must not count for more before others have heard of it than afterwards: it would hear its
// own echo, louder each time. There A_i = n_i I, with n_i its number of tasks, so that x is a mean
// over tasks from its first word on, and in the row `tasks` A_i = n_i + 1: n/(n + N) is agreed on.
//
// Several candidates are learned side by side, a column each: which one predicts is decided by the
// evidence of arriving tasks under the prior of the step before. So is whether an agent believes
// the network's prior or its own, learned from its own tasks with the network's prior as two more.
#pragma once

#include <colla/agent_state.hpp>
#include <colla/metric.hpp>
#include <colla/numerics.hpp>
#include <colla/posterior.hpp>
#include <colla/prior_options.hpp>
#include <colla/released_batch.hpp>
#include <colla/task_rows.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace colla {

struct AgentOptions;
struct LearnSummary;

/// Rows and columns of what agents exchange: dictionaries, d x u, or the averages of a collective
/// prior.
std::pair<Index, Index> exchanged_size(const AgentOptions& options);
/// Of a task's contribution: in a network, an agent learns a prior of its own too.
std::pair<Index, Index> contribution_size(const AgentOptions& options);

/// A prediction of one row. In classification the mean is a score: the log-odds of +1, drawn in as
/// far as the coefficients are uncertain.
struct Predicted {
  double mean = 0.0;
  double deviation = 0.0;  ///< of a new observation; 0 in classification
};

/// What predicts one task, or a task that has no rows yet.
class TaskPredictor {
 public:
  Predicted predict(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
  /// Mean coefficients.
  Vector theta() const;
  /// Of the coefficients, around theta.
  Vector variances() const;

 private:
  friend class PriorAgent;
  struct Part {
    double weight = 1.0;
    Prior prior;
    std::shared_ptr<const Posterior> posterior;  // null: no rows

    double mean(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
    double variance(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
  };
  Predicted observation(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;
  double score(const Eigen::Ref<const Eigen::RowVectorXd>& x) const;

  bool has_labels_ = false;
  std::vector<Part> parts_;  // the network's prior and the agent's own
};

class PriorAgent {
 public:
  /// `options.prior` must be set.
  explicit PriorAgent(const AgentOptions& options);
  /// Continues from the state of an earlier agent, bit for bit.
  PriorAgent(const AgentOptions& options, AgentState state);

  void begin_step();
  /// Estimates a task and adds it to the sums; the rows have passed `check_rows`.
  LearnSummary absorb(const std::string& task, const SamplesView& X, const VectorView& y,
                      Revisit revisit = Revisit::replace);
  /// Takes a task out of the sums.
  void remove(const std::string& task);
  /// Estimates old tasks again under the newest prior: at most `most_at_once`, the oldest estimates
  /// first.
  void refresh_codes();
  static constexpr Index most_at_once = 32;
  /// The record whose turn is next, or their number.
  std::size_t next_refresh() const { return next_; }

  /// Prepares for updates with A + shift I.
  void prepare(double shift);
  /// x <- (A + shift I)^-1 (b + coupling)
  void solve(const MatrixView& coupling);
  /// x of an agent on its own.
  void solve();

  /// x, one column per candidate: what agents exchange.
  const Matrix& dictionary() const { return average_; }
  const std::vector<TaskRecord>& records() const { return records_; }
  const TaskRecord& record(const std::string& task) const;
  bool knows(const std::string& task) const { return position_.count(task) > 0; }
  const AgentOptions& options() const { return *options_; }
  std::uint64_t step() const { return step_; }
  const Numerics& numerics() const { return numerics_; }
  void check_rows(const std::string& task, const SamplesView& X, const VectorView& y) const;
  AgentState state() const;

  /// In a network whose agents come and go; two or more.
  void set_agents(Index agents);
  /// A_i, about, for a metric; unknown without tasks, or where all have the same.
  Share share() const;
  /// What was told of the tasks, batch by batch.
  const std::vector<ReleasedBatch>& releases() const { return releases_.batches(); }
  /// Tasks that neighbours have not heard of yet: their batch is not full.
  std::size_t unreleased() const { return releases_.waiting(); }
  /// x as the mean over agents of their sums, whatever it is that agents agree on.
  Matrix mean_of_sums() const;
  /// The largest entry of a difference of x, each in units of its own: numbers of tasks and rows,
  /// root mean squares of coefficients.
  double relative_size(const Matrix& difference) const;

  /// The candidate that predicts: the one with the most evidence in the network.
  Index chosen() const;
  /// What the network has learned, by a candidate.
  Prior prior(Index candidate) const;
  /// The agent's own prior.
  Prior own_prior(Index candidate) const;
  /// The weight of the own prior in predictions: its odds by the evidence of the agent's tasks.
  double own_weight() const;

  TaskPredictor predictor(const TaskRecord& record) const;
  /// Of a task without rows.
  TaskPredictor predictor() const;

 private:
  TaskPredictor predictor(const TaskStatistics* task) const;
  Index features() const;
  Vector sums_of_network(Index candidate) const;
  double tasks_of_network() const;
  double own_tasks() const;
  std::vector<Prior> all_priors() const;
  void release(TaskRecord& record, const SamplesView& X, const VectorView& y,
               Revisit revisit) const;
  const TaskStatistics& seen_by(std::size_t prior, const TaskRecord& record) const;
  Vector hidden_evidence(const TaskRecord& record, const std::vector<Prior>& priors) const;
  Matrix estimates(const TaskRecord& record, const std::vector<Prior>& priors);
  void estimate_new(TaskRecord& record, std::vector<Prior> priors);
  void estimate_again(TaskRecord& record, const std::vector<Prior>& priors);
  void changed(std::size_t position);
  const Matrix& sums() const;
  double limited(double evidence, const TaskStatistics& task, std::size_t prior) const;
  double evidence_of(const TaskStatistics& task, const Prior& prior, std::size_t position) const;
  Prior prior_before_tasks(Index candidate) const;
  Prior prior_for_new(Index candidate, const TaskStatistics& task) const;
  Prior prior_of_release(Index candidate, const std::vector<std::string>& tasks) const;
  bool releases_batches() const;
  void continue_releases(std::vector<ReleasedBatch> batches);
  void release_with(const std::string& task);
  ReleasedBatch batch_of(const std::vector<std::string>& tasks) const;
  void tell_again();

  std::shared_ptr<const AgentOptions> options_;
  std::vector<Candidate> candidates_;
  Matrix average_;  // x
  std::vector<TaskRecord> records_;
  std::unordered_map<std::string, std::size_t> position_;
  std::uint64_t step_ = 0;
  std::size_t next_ = 0;  // the next task to estimate again
  Numerics numerics_;
  double shift_ = 0.0;
  Matrix b_;
  // Sums over records in blocks, so that a change costs little however many there are. Derived.
  mutable std::vector<Matrix> blocks_;
  mutable std::vector<char> is_stale_;
  mutable Matrix sums_;
  ReleasedBatches releases_;
  Matrix told_;  // the sums of what was released, under the newest prior
};

}  // namespace colla
