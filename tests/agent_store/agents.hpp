// SPDX-License-Identifier: Apache-2.0
// An agent on its own with a store, step by step.
#pragma once

#include "agent/store/agent_store.hpp"
#include "expectations.hpp"
#include "network_simulation.hpp"
#include "store/models.hpp"

#include <sys/wait.h>

namespace colla::testing {

inline AgentIdentity lone_identity(Index features = 3, Index atoms = 2) {
  AgentIdentity identity{"plains",
                         "0123abcd",
                         "north",
                         0,
                         make_graph("none", 1, 1),
                         network_options(Problem::regression, features, atoms)};
  return identity;
}

inline AgentIdentity lone_identity_with_prior() {
  AgentIdentity identity = lone_identity();
  identity.options.agent.prior = prior_of_network(identity.graph, 3);
  identity.options.refresh = 1;
  return identity;
}

inline TaskRows random_task(Random& random, const std::string& name, Index features = 3,
                            Index rows = 5) {
  return {name, random_rows(random, rows, features), random_vector(random, rows)};
}

/// One whole step of an agent without neighbours.
inline void make_step(AgentStore& store, NetworkedAgent& agent) {
  const std::optional<TaskRows> task = store.begin_step(agent.steps() + 1);
  agent.begin_step(task ? &*task : nullptr);
  store.end_step(agent);
  agent.end_step();
}

inline void expect_same_agents(const NetworkedAgent& actual, const NetworkedAgent& expected) {
  ASSERT_EQ(actual.steps(), expected.steps());
  expect_same_participants(actual.participant(), expected.participant());
  if (!expected.participant().has_prior()) {
    const KnowledgeBase& a = actual.participant().agent().knowledge();
    const KnowledgeBase& b = expected.participant().agent().knowledge();
    ASSERT_EQ(a.solver(), b.solver());
    expect_same_bits(a.b(), b.b());
    if (a.solver() == Solver::dense) expect_same_bits(a.a(), b.a());
  }
  const std::uint64_t step = expected.steps();
  for (std::uint32_t k = 0; step > 0 && k <= expected.plan().last_exchange(step); ++k) {
    const auto x = actual.sent({step, k});
    const auto y = expected.sent({step, k});
    ASSERT_TRUE(x != nullptr && y != nullptr);
    ASSERT_EQ(x->checksum, y->checksum);
    expect_same_bits(x->dictionary, y->dictionary);
  }
}

inline void run_sql(const TemporaryDirectory& home, const std::string& sql) {
  Database(home.file("agent.db"), Database::Mode::update, "", "").run(sql);
}

/// Rows are 8 bytes per number, so that a page cannot split them all.
inline bool is_in_a_file(const TemporaryDirectory& home, const double* numbers, std::size_t count) {
  const std::string needle(reinterpret_cast<const char*>(numbers), count * sizeof(double));
  for (const auto& entry : std::filesystem::directory_iterator(home.file(""))) {
    std::stringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    if (bytes.str().find(needle) != std::string::npos) return true;
  }
  return false;
}

inline bool is_in_a_file(const TemporaryDirectory& home, const TaskRows& task) {
  return is_in_a_file(home, task.X.data(), 4);
}

inline int run_in_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    action();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace colla::testing
