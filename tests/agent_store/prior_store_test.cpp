// SPDX-License-Identifier: Apache-2.0
// The store of an agent with a collective prior: what it keeps of rows, what a step writes.
#include "agent_store/agents.hpp"

namespace colla {
namespace {

using namespace testing;

AgentIdentity identity_for(Problem problem) {
  AgentIdentity identity = lone_identity_with_prior();
  identity.options.agent.problem = problem;
  return identity;
}

// 32 of 40 tasks are estimated again in a step: its records are as new, and so are the others.
TEST(PriorStore, a_step_writes_the_records_that_it_has_changed) {
  const TemporaryDirectory home;
  Random random(3);
  AgentStore store(home.file(""), lone_identity_with_prior());
  NetworkedAgent agent = store.load();
  for (int k = 0; k < 40; ++k) {
    store.enqueue(random_task(random, "task " + std::to_string(k)));
    make_step(store, agent);
    expect_same_agents(AgentStore::look(home.file(""), lone_identity_with_prior()), agent);
  }
  for (int k = 0; k < 4; ++k) {
    if (k == 2) store.enqueue_forgetting("task 7");
    make_step(store, agent);
    expect_same_agents(AgentStore::look(home.file(""), lone_identity_with_prior()), agent);
  }
}

// X'X and X'y where they say everything in less room, otherwise the rows.
TEST(PriorStore, rows_stay_where_nothing_smaller_says_the_same_until_they_are_forgotten) {
  for (const Problem problem : {Problem::regression, Problem::classification}) {
    for (const Index rows : {2, 5}) {
      const TemporaryDirectory home;
      Random random(3);
      TaskRows monday = random_task(random, "monday", 3, rows);
      if (has_labels(problem))
        monday.y = monday.y.unaryExpr([](double y) { return y > 0 ? 1.0 : -1.0; });
      AgentStore store(home.file(""), identity_for(problem));
      NetworkedAgent agent = store.load();
      store.enqueue(monday);
      make_step(store, agent);
      EXPECT_EQ(is_in_a_file(home, monday), has_labels(problem) || rows < 3);
      const TaskStatistics& kept = *agent.participant().record("monday").statistics;
      const Matrix contribution = agent.participant().record("monday").contribution;
      EXPECT_TRUE(is_in_a_file(home, contribution.data(), 4));
      EXPECT_EQ(kept.has_rows(), has_labels(problem) || rows < 3);
      store.enqueue_forgetting("monday");
      make_step(store, agent);
      EXPECT_FALSE(is_in_a_file(home, monday));
      EXPECT_FALSE(is_in_a_file(home, contribution.data(), 4));
    }
  }
}

TEST(PriorStore, another_algorithm_or_prior_is_refused) {
  const TemporaryDirectory home;
  { const AgentStore store(home.file(""), lone_identity_with_prior()); }
  AgentIdentity other = lone_identity_with_prior();
  other.options.agent.prior->correlated = 0;
  expect_failure<StoreError>([&] { AgentStore(home.file(""), other); },
                             {"state of another agent or network", "its prior is"});
  other = lone_identity();
  other.options.refresh = 1;
  expect_failure<StoreError>([&] { AgentStore(home.file(""), other); },
                             {"state of another agent or network", "its prior is", "none"});
}

// Agents of format 2 exchanged means of other weights.
TEST(PriorStore, older_formats_are_refused_by_name) {
  const TemporaryDirectory home;
  { const AgentStore store(home.file(""), lone_identity_with_prior()); }
  for (const char* format : {"1", "2", "3", "4"}) {
    run_sql(home, std::string("PRAGMA user_version = ") + format);
    const std::vector<std::string> parts = {
        std::string("is of format ") + format + ", and this version of colla reads format 5",
        "learn the tasks again in a new home"};
    expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity_with_prior()); },
                               parts);
    expect_failure<StoreError>([&] { AgentStore::look(home.file(""), lone_identity_with_prior()); },
                               parts);
  }
}

}  // namespace
}  // namespace colla
