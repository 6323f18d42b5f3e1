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
    return {state_.step == 0 ? Participant(options, network_.graph, position_)
                             : Participant(options, state_, position_),
            network_.graph,
            network_.plan(),
            {sent_, has_begun_step()}};
  }

  bool wants_step() const override { return !is_done(); }
  bool has_begun_step() const override { return begun_ > state_.step; }
  bool is_done() const override { return state_.step >= tasks_.size(); }

  std::optional<TaskRows> begin_step(std::uint64_t step) override {
    begun_ = step;
    if (step > tasks_.size()) return {};
    return tasks_[step - 1];
  }

  /// From now on.
  void learn(std::vector<TaskRows> tasks) { tasks_ = std::move(tasks); }

  void end_step(const NetworkedAgent& agent) override {
    state_ = agent.participant().state();
    sent_.clear();
    for (const auto& message : agent.sent()) {
      if (message->position.step == state_.step) sent_.push_back(message);
    }
  }

 private:
  const SimulatedNetwork& network_;
  Index position_;
  std::vector<TaskRows> tasks_;
  std::uint64_t begun_ = 0;
  AgentState state_;
  std::vector<std::shared_ptr<const Message>> sent_;
};

}  // namespace colla::testing
