// SPDX-License-Identifier: Apache-2.0
// The store of an agent that lives: what it keeps, what it says of requests, whom it refuses.
#include "agent_store/living_agents.hpp"
#include "store/full_disk.hpp"

namespace colla {
namespace {

using namespace testing;

class LivingHomes : public ::testing::TestWithParam<bool> {
 protected:
  static LivingIdentity identity() { return living_identity(GetParam()); }

  TaskRows task(const std::string& name, Index rows = 5) {
    return random_task(random_, name, 3, rows);
  }

  // By the agent that runs next, with its knowledge, or by another program.
  void expect_stored(const AgentState& expected) {
    expect_same_states(LivingStore(home_.file(""), identity()).load(), expected);
  }

  TemporaryDirectory home_;
  Random random_{3};
};

TEST_P(LivingHomes, what_was_saved_is_there_bit_for_bit) {
  AgentState last;
  {
    LivingHome north(home_.file(""), identity());
    north.learn({task("monday"), task("tuesday")});
    north.learn({task("wednesday")});
    TaskRows more = task("monday");
    more.revisit = Revisit::append;
    north.learn({more});
    north.forget("tuesday");
    EXPECT_EQ(north.store.requests(), 5U);
    last = north.agent.state();
  }
  expect_stored(last);
  LivingHome again(home_.file(""), identity());
  const std::vector<QueuedTask> tasks = again.store.tasks();
  ASSERT_EQ(tasks.size(), 5U);
  EXPECT_EQ(tasks[1].task, "tuesday");
  EXPECT_EQ(tasks[3].revisit, Revisit::append);
  EXPECT_TRUE(tasks[4].forgets());
  again.forget("monday");
  again.forget("wednesday");
  EXPECT_TRUE(LivingStore::look(home_.file(""), identity()).records.empty());
}

// A wake estimates all tasks again, and the knowledge moves: both are kept together.
TEST_P(LivingHomes, knowledge_that_is_kept_comes_back_with_its_estimates) {
  AgentState last;
  {
    LivingHome north(home_.file(""), identity());
    for (int k = 0; k < 40; ++k) north.learn({task("task " + std::to_string(k))});
    for (int k = 0; k < 5; ++k) north.agent.wake();
    north.store.keep(north.agent);
    last = north.agent.state();
  }
  expect_stored(last);
}

TEST_P(LivingHomes, a_forgotten_task_leaves_no_trace_but_its_name) {
  LivingHome north(home_.file(""), identity());
  const TaskRows monday = task("monday", 2);
  north.learn({monday, task("tuesday")});
  const TaskRecord record = north.agent.learner().record("monday");
  EXPECT_EQ(is_in_a_file(home_, monday), GetParam());  // fewer rows than X'X has
  const Matrix model = GetParam() ? record.contribution : Matrix(record.model.alpha);
  EXPECT_TRUE(is_in_a_file(home_, model.data(), 3));
  north.forget("monday");
  EXPECT_FALSE(is_in_a_file(home_, monday));
  EXPECT_FALSE(is_in_a_file(home_, model.data(), 3));
  EXPECT_EQ(north.store.tasks().front().task, "monday");
}

TEST_P(LivingHomes, what_neighbours_were_heard_of_is_kept_with_the_next_save) {
  {
    LivingHome north(home_.file(""), identity());
    EXPECT_TRUE(north.store.hear_of_requests("south", 7));
    EXPECT_FALSE(north.store.hear_of_requests("south", 7));
    EXPECT_FALSE(north.store.hear_of_requests("south", 3));
    EXPECT_TRUE(north.store.hear_of_requests("west", 1));
    north.store.keep(north.agent);
    EXPECT_TRUE(north.store.hear_of_requests("south", 8));
    north.learn({task("monday")});
    EXPECT_TRUE(north.store.hear_of_requests("south", 9));
  }
  const LivingStore store(home_.file(""), identity());
  EXPECT_EQ(store.known_requests("south"), 8U);
  EXPECT_EQ(store.known_requests("west"), 1U);
  EXPECT_EQ(store.known_requests("north"), 0U);
}

TEST_P(LivingHomes, numbers_of_lost_requests_are_named_and_not_used_again) {
  {
    LivingHome north(home_.file(""), identity());
    north.learn({task("monday")});
    EXPECT_EQ(north.store.lost_requests(), "");
    north.store.note_lost_requests(4);
    EXPECT_EQ(north.store.lost_requests(), "2 to 4");
    north.learn({task("tuesday")});
    EXPECT_EQ(north.store.tasks().back().id, 5);
    north.store.note_lost_requests(6);
  }
  LivingHome again(home_.file(""), identity());
  EXPECT_EQ(again.store.lost_requests(), "2 to 4, 6");
  EXPECT_EQ(again.store.requests(), 6U);
  again.learn({task("wednesday")});
  EXPECT_EQ(again.store.tasks().back().id, 7);
  EXPECT_EQ(again.agent.learner().records().size(), 3U);
}

TEST_P(LivingHomes, the_state_of_another_agent_or_network_is_refused) {
  { const LivingStore store(home_.file(""), identity()); }
  const auto expect_refused = [&](const std::string& name, const auto& change) {
    LivingIdentity other = identity();
    change(other);
    const std::vector<std::string> parts = {home_.file("agent.db"),
                                            "state of another agent or network",
                                            "its " + name + " is", "choose another home"};
    expect_failure<StoreError>([&] { LivingStore(home_.file(""), other); }, parts);
    expect_failure<StoreError>([&] { LivingStore::look(home_.file(""), other); }, parts);
  };
  expect_refused("network", [](LivingIdentity& i) { i.network = "hills"; });
  expect_refused("agent", [](LivingIdentity& i) { i.agent = "south"; });
  expect_refused("problem",
                 [](LivingIdentity& i) { i.options.agent.problem = Problem::classification; });
  expect_refused("features", [](LivingIdentity& i) { i.options.agent.features = 4; });
  expect_refused("atoms", [](LivingIdentity& i) {
    i.options.agent = living_identity(!GetParam()).options.agent;
    i.options.agent.atoms = 2;
  });
  // What may change while the network lives is no part of it.
  LivingIdentity changed = identity();
  changed.options.agent.lambda *= 2.0;
  changed.options.agent.mu *= 2.0;
  const LivingStore store(home_.file(""), changed);
}

TEST_P(LivingHomes, older_and_newer_formats_are_refused_by_name) {
  { const LivingStore store(home_.file(""), identity()); }
  const auto expect_refused = [&](int format, const std::vector<std::string>& parts) {
    run_sql(home_, "PRAGMA user_version = " + std::to_string(format));
    expect_failure<StoreError>([&] { LivingStore(home_.file(""), identity()); }, parts);
    expect_failure<StoreError>([&] { LivingStore::look(home_.file(""), identity()); }, parts);
    expect_failure<StoreError>([&] { inspect_store(home_.file("")); }, parts);
  };
  for (int format = 1; format < 5; ++format) {
    expect_refused(format, {"is of format " + std::to_string(format) +
                                ", and this version of colla reads format 5",
                            "learn the tasks again in a new home"});
  }
  expect_refused(6, {"newer version of colla (format 6", "update colla"});
}

// Wherever files stop growing, a request is saved or leaves no trace, and works once there is room.
TEST_P(LivingHomes, a_full_disk_loses_nothing_that_was_saved) {
  for (const rlim_t bytes : {0U, 4096U, 20000U, 40000U, 60000U}) {
    SCOPED_TRACE(bytes);
    const TemporaryDirectory home;
    LivingHome north(home.file(""), identity());
    north.learn({task("monday")});
    for (int k = 0; k < 4; ++k) {
      const AgentState before = north.agent.state();
      const std::uint64_t requests = north.store.requests();
      const TaskRows next = task("task " + std::to_string(k));
      try {
        const FullDisk full(bytes);
        for (;;) north.learn({next});
      } catch (const StoreError& error) {
        EXPECT_TRUE(holds(error.what(), "disk full")) << error.what();
      }
      // As the daemon does.
      north.agent = living_agent(identity(), north.store.load());
      if (north.store.requests() == requests) expect_same_states(north.agent.state(), before);
      try {
        const FullDisk full(bytes);
        north.store.keep(north.agent);
      } catch (const StoreError& error) {
        EXPECT_TRUE(holds(error.what(), "disk full")) << error.what();
      }
      north.learn({next});
      expect_same_states(north.store.load(), north.agent.state());
    }
    EXPECT_EQ(north.agent.learner().records().size(), 5U);
  }
}

INSTANTIATE_TEST_SUITE_P(Algorithms, LivingHomes, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "bayes" : "colla"; });

TEST(LostRequests, are_shown_as_ranges) {
  const auto lost = [](const std::vector<std::int64_t>& known, std::uint64_t last) {
    std::vector<QueuedTask> tasks;
    for (const std::int64_t id : known) tasks.push_back({id, "task", 5});
    return lost_requests(tasks, last);
  };
  EXPECT_EQ(lost({}, 0), "");
  EXPECT_EQ(lost({1, 2, 3}, 3), "");
  EXPECT_EQ(lost({}, 1), "1");
  EXPECT_EQ(lost({}, 9), "1 to 9");
  EXPECT_EQ(lost({2, 5, 6}, 8), "1, 3 to 4, 7 to 8");
}

}  // namespace
}  // namespace colla
