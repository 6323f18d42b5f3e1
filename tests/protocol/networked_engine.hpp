// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/wire/wire.hpp"

#include <colla/engine.hpp>

#include <gtest/gtest.h>

namespace colla::testing {

/// A network of agents that share only what the wire carries, in one thread. They plan whole steps:
/// the exchanges of a step must be those of the options, codes are refreshed when the plan says so,
/// and an agent learns one task in a step.
class NetworkedEngine final : public Engine {
 public:
  NetworkedEngine(Graph graph, const NetworkOptions& options,
                  const std::optional<Matrix>& dictionary)
      : Engine(std::move(graph), options) {
    check(options, graph_);
    const StepPlan plan = plan_of(options, !graph_.edges().empty());
    for (Index i = 0; i < graph_.agents(); ++i) {
      agents_.emplace_back(Participant(options, graph_, i, dictionary), graph_, plan);
    }
  }

  void begin_step(std::span<const Arrival> arrivals) override {
    for (const Arrival& arrival : arrivals) {
      participant(arrival.agent).check_rows(arrival.task, arrival.X, arrival.y);
    }
    tasks_.assign(agents_.size(), {});
    for (const Arrival& arrival : arrivals) {
      std::optional<TaskRows>& task = tasks_[static_cast<std::size_t>(arrival.agent)];
      ASSERT_FALSE(task) << "two tasks of one agent in one step";
      task = TaskRows{arrival.task, arrival.X, arrival.y, arrival.revisit};
    }
    allowed_ = 0;
  }

  // An agent's first exchange may begin as soon as its step does, so the step begins here.
  void exchange(Index count) override {
    if (allowed_ == 0) begin_all();
    allowed_ += static_cast<std::uint32_t>(count);
    while (deliver_all()) {
    }
    const auto step = agents_.front().participant().step();
    if (allowed_ < agents_.front().plan().last_exchange(step)) return;
    for (NetworkedAgent& agent : agents_) {
      ASSERT_TRUE(agent.is_step_over());
      agent.end_step();
    }
  }

  void refresh_codes() override {}

  std::vector<Numbers> collect(
      const std::function<Numbers(const Participant&)>& of) const override {
    std::vector<Numbers> all;
    for (const NetworkedAgent& agent : agents_) all.push_back(of(agent.participant()));
    return all;
  }
  std::vector<AgentState> states() const override {
    std::vector<AgentState> all;
    for (const NetworkedAgent& agent : agents_) all.push_back(agent.participant().state());
    return all;
  }

  bool is_local(Index /*agent*/) const override { return true; }
  const Participant& participant(Index agent) const override { return at(agent).participant(); }

 private:
  const NetworkedAgent& at(Index agent) const { return agents_[static_cast<std::size_t>(agent)]; }

  void begin_all() {
    for (std::size_t i = 0; i < agents_.size(); ++i) {
      agents_[i].begin_step(tasks_[i] ? &*tasks_[i] : nullptr);
    }
  }

  // Carries each agent's next message to each neighbour, as bytes; false if there was none.
  bool deliver_all() {
    bool moved = false;
    for (Index i = 0; i < graph_.agents(); ++i) {
      const auto links = graph_.links(i);
      for (std::size_t n = 0; n < links.size(); ++n) moved = deliver(i, n) || moved;
    }
    return moved;
  }

  bool deliver(Index agent, std::size_t n) {
    NetworkedAgent& to = agents_[static_cast<std::size_t>(agent)];
    const Index sender = graph_.links(agent)[n].neighbour;
    const auto message = at(sender).sent(to.plan().after(to.received(n)));
    if (message == nullptr) return false;
    // A larger neighbour's dictionary would begin the next exchange.
    const Position& position = message->position;
    const bool is_early = sender > agent && position.exchange == allowed_ &&
                          position != to.plan().end_of(position.step);
    if (is_early) return false;
    to.receive(n, std::make_shared<const Message>(std::get<Message>(decode(encode(*message)))));
    return true;
  }

  std::vector<NetworkedAgent> agents_;
  std::vector<std::optional<TaskRows>> tasks_;  // of this step, per agent
  std::uint32_t allowed_ = 0;                   // exchanges in this step
};

}  // namespace colla::testing
