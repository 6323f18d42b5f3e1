// SPDX-License-Identifier: Apache-2.0
// A living agent on its own with a store, request by request.
#pragma once

#include "agent/store/living_store.hpp"
#include "agent_store/agents.hpp"

#include <map>
#include <string>

namespace colla::testing {

inline LivingIdentity living_identity(bool has_prior = false) {
  LivingIdentity identity{"plains", "north", network_options(Problem::regression, 3, 2)};
  identity.options.refresh = 1;
  if (has_prior) {
    identity.options.agent.prior = prior_of_network(make_graph("line", 2, 1), 3);
  }
  return identity;
}

inline LivingAgent living_agent(const LivingIdentity& identity, AgentState state,
                                const std::map<std::string, double>& neighbours = {}) {
  LivingAgent agent(identity.options, {}, 1, std::move(state));
  agent.set_neighbours(neighbours, 2);
  return agent;
}

/// The agent of a store with requests; the kept knowledge is the network's.
struct LivingHome {
  LivingHome(const std::string& folder, const LivingIdentity& identity,
             const std::map<std::string, double>& neighbours = {})
      : store(folder, identity), agent(living_agent(identity, store.load(), neighbours)) {}

  void learn(const std::vector<TaskRows>& tasks) {
    for (const TaskRows& task : tasks) agent.learn(task.task, task.X, task.y, task.revisit);
    agent.wake();
    store.save_learned(tasks, agent);
  }
  void forget(const std::string& task) {
    agent.forget(task);
    agent.wake();
    store.save_forgotten(task, agent);
  }

  LivingStore store;
  LivingAgent agent;
};

/// Tasks and knowledge; the numbers of steps and sums are the process's.
inline void expect_same_states(const AgentState& actual, const AgentState& expected) {
  expect_same_bits(actual.dictionary, expected.dictionary);
  ASSERT_EQ(actual.next_refresh, expected.next_refresh);
  ASSERT_EQ(actual.records.size(), expected.records.size());
  for (std::size_t k = 0; k < expected.records.size(); ++k) {
    expect_same_records(actual.records[k], expected.records[k]);
  }
}

}  // namespace colla::testing
