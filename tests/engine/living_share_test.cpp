// SPDX-License-Identifier: Apache-2.0
#include "network_problems.hpp"

#include <colla/healing.hpp>
#include <colla/living_agent.hpp>

#include <gtest/gtest.h>

namespace colla {
namespace {

using testing::network_options;
using testing::relative_difference;
using testing::TaskStream;

// Two neighbours that tell each other everything at once, as a connection does.
class Pair {
 public:
  explicit Pair(MetricKind metric) : options_(network_options(Problem::regression, 4, 2)) {
    options_.metric = metric;
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) start(i, {});
  }

  LivingAgent& operator[](std::size_t i) { return *agents_[i]; }

  void start(std::size_t i, std::optional<AgentState> state) {
    const LivingOptions living{1e-9, 1e-4};
    ++session_;
    if (state) {
      agents_[i].emplace(options_, living, session_, std::move(*state));
    } else {
      agents_[i].emplace(options_, living, session_);
    }
    agents_[i]->set_neighbours({{names[1 - i], 1.0}}, 2);
  }

  void learn(std::size_t i, const Arrival& arrival) {
    agents_[i]->learn(arrival.task, arrival.X, arrival.y);
  }

  void settle() {
    for (int turn = 0; turn < 1000; ++turn) {
      if (agents_[0]->is_settled() && agents_[1]->is_settled()) return;
      for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        if (agents_[i]->has_reason_to_wake()) agents_[i]->wake();
        const auto message = agents_[i]->next_message(names[1 - i]);
        if (message) deliver(i, *message);
      }
    }
    FAIL() << "they do not settle";
  }

 private:
  static constexpr const char* names[] = {"a", "b"};

  void deliver(std::size_t from, const LivingMessage& message) {
    ASSERT_TRUE(!message.share || message.share->is_known());  // the wire has no empty share
    ASSERT_NE(agents_[1 - from]->receive(names[from], message), Verdict::refused);
  }

  NetworkOptions options_;
  std::uint64_t session_ = 0;
  std::optional<LivingAgent> agents_[2];
};

class LivingShare : public ::testing::TestWithParam<MetricKind> {};

TEST_P(LivingShare, is_told_again_by_an_agent_that_continues_from_its_tasks) {
  const TaskStream tasks(3, 2, 2, 4, 2);
  Pair agents(GetParam());
  agents.learn(0, tasks.arrivals(0)[0]);
  agents.learn(1, tasks.arrivals(0)[1]);
  agents.settle();
  const Matrix before = agents[1].dictionary();
  agents.start(0, agents[0].state());
  agents.settle();
  EXPECT_LT(relative_difference(agents[0].dictionary(), before), 1e-6);
  EXPECT_LT(relative_difference(agents[1].dictionary(), before), 1e-6);
}

TEST_P(LivingShare, goes_with_the_agents_last_task) {
  const TaskStream tasks(3, 2, 2, 4, 2);
  Pair agents(GetParam());
  agents.learn(0, tasks.arrivals(0)[0]);
  agents.settle();
  agents[0].forget(tasks.arrivals(0)[0].task);
  agents.settle();
  agents.learn(1, tasks.arrivals(0)[1]);
  agents.settle();
  EXPECT_LT(relative_difference(agents[0].dictionary(), agents[1].dictionary()), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Metrics, LivingShare,
                         ::testing::Values(MetricKind::kronecker, MetricKind::scale),
                         [](const auto& metric) { return std::string(name_of(metric.param)); });

}  // namespace
}  // namespace colla
