// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "network_simulation.hpp"

namespace colla::testing {

/// Keeps everything in memory: one task per step, as long as they last.
class MemoryHome : public Home {
 public:
  MemoryHome(const SimulatedNetwork& network, Index position, std::vector<TaskRows> tasks)
      : network_(network), position_(position), tasks_(std::move(tasks)) {}

  NetworkedAgent restart() override {
    const NetworkOptions& options = network_.options;
    if (step_ == 0) {
      return {Participant(LifelongAgent(options.agent), network_.graph, position_, options.rho),
              network_.graph,
              network_.plan(),
              {{}, has_begun_step()}};
    }
    LifelongAgent agent(options.agent, dictionary_, step_, records_, knowledge_);
    return {Participant(std::move(agent), edge_states_, position_, options.rho),
            network_.graph,
            network_.plan(),
            {sent_, has_begun_step()}};
  }

  bool wants_step() const override { return !is_done(); }
  bool has_begun_step() const override { return begun_ > step_; }
  bool is_done() const override { return step_ >= tasks_.size(); }

  std::optional<TaskRows> begin_step(std::uint64_t step) override {
    begun_ = step;
    if (step > tasks_.size()) return {};
    return tasks_[step - 1];
  }

  /// From now on.
  void learn(std::vector<TaskRows> tasks) { tasks_ = std::move(tasks); }

  void end_step(const NetworkedAgent& agent) override {
    const Participant& p = agent.participant();
    step_ = p.agent().step();
    dictionary_ = p.dictionary();
    records_ = p.agent().records();
    knowledge_ = p.agent().knowledge().state();
    edge_states_ = p.edge_states();
    sent_.clear();
    for (const auto& message : agent.sent()) {
      if (message->position.step == step_) sent_.push_back(message);
    }
  }

 private:
  const SimulatedNetwork& network_;
  Index position_;
  std::vector<TaskRows> tasks_;
  std::uint64_t step_ = 0;
  std::uint64_t begun_ = 0;
  Matrix dictionary_;
  std::vector<TaskRecord> records_;
  KnowledgeState knowledge_;
  std::vector<EdgeState> edge_states_;
  std::vector<std::shared_ptr<const Message>> sent_;
};

}  // namespace colla::testing
