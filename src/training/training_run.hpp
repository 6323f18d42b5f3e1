// SPDX-License-Identifier: Apache-2.0
// One run of `train`: what the methods share. The methods themselves are in training_network.cpp
// (agents in an engine) and training_models.cpp (models without one).
#pragma once

#include "training/test_scores.hpp"
#include "training/training.hpp"

#include <unordered_set>

namespace colla {

/// The engine's agent k is the data's agent order_[k].
class TrainingRun {
 public:
  /// `rows` must outlive the run.
  TrainingRun(const SplitData& rows, const TrainingOptions& options,
              const TrainingObserver& observer);

  TrainingResult run();

 private:
  std::size_t agents() const { return rows_.train.agents.size(); }
  std::size_t data_agent(std::size_t k) const { return static_cast<std::size_t>(order_[k]); }
  void arrived(std::size_t agent, std::size_t batch);
  // Keeps the score of a task that has just arrived.
  void note_score(std::size_t agent, const std::string& task, double score);
  void add_report(StepReport report, const DefinedMean& mean);
  void make_result_model();
  // The penalty of single-task learning.
  Ridge ridge_alone() const;
  // The test score of a task on its own; NaN if nobody asks or no test row can tell.
  double score_alone(std::size_t agent, const std::string& task) const;

  // training_network.cpp
  void learn_online();
  void learn_offline_network();
  std::unique_ptr<Engine> make_engine();
  Arrival arrival(std::size_t k, std::size_t batch);
  void add_step(const Engine& engine, StepReport report);
  void finish(const Engine& engine);
  void score_single_tasks(const Engine& engine);
  void keep_states(const Engine& engine);
  void renumber_edges(std::size_t k, AgentState& state) const;
  void complete_models(std::size_t agent, AgentState& state) const;
  void diagnose_network(const Engine& engine);
  std::vector<double> scores_of(const Participant& participant) const;
  TaskStatistics statistics_at(std::size_t agent, const std::string& task) const;

  // training_models.cpp
  void learn_go_mtl();
  void learn_single_tasks();
  TaskRecord& fit_single_task(std::size_t agent, std::size_t batch, const Ridge& ridge,
                              Numerics& numerics);
  void add_model_step(StepReport report);
  void score_single_tasks();

  TrainingOptions options_;
  const SplitData& rows_;
  const TrainingObserver& observer_;
  TestScores scores_;
  std::vector<std::vector<std::string>> tasks_;         // per agent, in order of first arrival
  std::vector<std::unordered_set<std::string>> fresh_;  // per agent: tasks of this step
  std::vector<Index> order_;
  AgentOptions learned_with_;       // what the model says
  std::vector<AgentState> states_;  // of the data's agents, as far as they are kept
  TrainingResult result_;
};

/// What the agents of a collective prior agree on beforehand, from the training rows; and, unless
/// they are given, how many times a step estimates tasks again.
void complete_prior(TrainingOptions& options, const DataSet& rows);

/// The number of time steps.
std::size_t longest_stream(const DataSet& data);

/// The last batch of every task, in order of first arrival.
std::vector<std::size_t> newest_batches(const Stream& stream);

}  // namespace colla
