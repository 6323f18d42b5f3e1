// SPDX-License-Identifier: Apache-2.0
// What is forgotten is gone from the agent and from its files, and stays so after a restart.
#include "agent_store/agents.hpp"

namespace colla {
namespace {

using namespace testing;

// The step, too, is that of an agent in memory.
TEST(ForgettingStore, a_forgotten_task_leaves_no_trace_but_its_name) {
  const TemporaryDirectory home;
  Random random(3);
  AgentStore store(home.file(""), lone_identity());
  NetworkedAgent agent = store.load();
  for (const char* name : {"monday", "tuesday", "wednesday"}) {
    store.enqueue(random_task(random, name));
    make_step(store, agent);
  }
  const Vector alpha = agent.participant().agent().record("monday").model.alpha;
  EXPECT_TRUE(is_in_a_file(home, alpha.data(), 3));
  store.close();
  EXPECT_EQ(store.enqueue_forgetting("monday"), 4);
  expect_failure<DataError>([&] { store.enqueue_forgetting("monday"); }, {"unknown"});
  make_step(store, agent);
  EXPECT_FALSE(is_in_a_file(home, alpha.data(), 3));
  EXPECT_FALSE(agent.participant().agent().knows("monday"));
  EXPECT_EQ(store.learned_in(4), 4U);
  EXPECT_TRUE(store.tasks()[3].forgets());
  expect_same_agents(AgentStore::look(home.file(""), lone_identity()), agent);
  for (const char* name : {"tuesday", "wednesday"}) {
    store.enqueue_forgetting(name);
    make_step(store, agent);
    expect_same_agents(AgentStore::look(home.file(""), lone_identity()), agent);
  }
  EXPECT_TRUE(agent.participant().agent().records().empty());
}

TEST(ForgettingStore, rows_that_wait_are_not_learned_when_their_task_is_forgotten) {
  const TemporaryDirectory home;
  Random random(3);
  const TaskRows monday = random_task(random, "monday");
  AgentStore store(home.file(""), lone_identity());
  NetworkedAgent agent = store.load();
  store.enqueue(monday);
  store.enqueue(random_task(random, "tuesday"));
  EXPECT_EQ(store.enqueue_forgetting("monday"), 1);
  EXPECT_FALSE(is_in_a_file(home, monday));
  EXPECT_EQ(store.tasks().size(), 2U);
  make_step(store, agent);
  make_step(store, agent);
  EXPECT_FALSE(agent.participant().agent().knows("monday"));
  EXPECT_TRUE(agent.participant().agent().knows("tuesday"));
}

// A restart must choose the same task.
TEST(ForgettingStore, a_step_that_has_begun_keeps_its_task_and_forgets_it_in_the_next) {
  const TemporaryDirectory home;
  Random random(3);
  AgentStore store(home.file(""), lone_identity());
  NetworkedAgent agent = store.load();
  store.enqueue(random_task(random, "monday"));
  ASSERT_TRUE(store.begin_step(1).has_value());
  EXPECT_EQ(store.enqueue_forgetting("monday"), 2);
  EXPECT_EQ(store.begin_step(1)->X.rows(), 5);
  make_step(store, agent);
  EXPECT_TRUE(agent.participant().agent().knows("monday"));
  make_step(store, agent);
  EXPECT_FALSE(agent.participant().agent().knows("monday"));
}

TEST(ForgettingStore, an_unknown_task_cannot_be_forgotten) {
  const TemporaryDirectory home;
  AgentStore store(home.file(""), lone_identity());
  expect_failure<DataError>([&] { store.enqueue_forgetting("monday"); },
                            {"task 'monday'", "unknown to this agent", "colla agent tasks"});
  EXPECT_TRUE(store.tasks().empty());
}

}  // namespace
}  // namespace colla
