// SPDX-License-Identifier: Apache-2.0
// The process of a living agent dies in the middle of any write: a request is there as a whole, or
// not at all, and all that was acknowledged is.
#include "agent_store/dying.hpp"
#include "agent_store/living_agents.hpp"
#include "store/random_damage.hpp"

#include <cstdlib>

namespace colla {
namespace {

using namespace testing;

TaskRows task_of(int number, Index rows = 5) {
  Random random(static_cast<std::uint64_t>(number));
  return random_task(random, "task " + std::to_string(number), 3, rows);
}

using Request = void (*)(LivingHome&);
struct Named {
  const char* name;
  Request request;
};

const Named all_requests[] = {
    {"learn",
     [](LivingHome& home) {
       home.learn({task_of(7), task_of(8)});
     }},
    {"learn_again", [](LivingHome& home) { home.learn({task_of(2, 9)}); }},
    {"forget", [](LivingHome& home) { home.forget("task 1"); }},
    {"keep",
     [](LivingHome& home) {
       home.store.hear_of_requests("south", 5);
       for (int k = 0; k < 3; ++k) home.agent.wake();
       home.store.keep(home.agent);
     }},
    {"lose", [](LivingHome& home) { home.store.note_lost_requests(12); }},
};

class DyingAgent : public ::testing::TestWithParam<std::tuple<bool, Named>> {
 protected:
  struct Found {
    AgentState state;
    std::uint64_t requests;
    std::uint64_t known;
    std::size_t entries;
  };

  static LivingIdentity identity() { return living_identity(std::get<bool>(GetParam())); }

  static void request(LivingHome& home) { std::get<Named>(GetParam()).request(home); }

  static Found found_in(const TemporaryDirectory& home) {
    LivingStore store(home.file(""), identity());
    return {store.load(), store.requests(), store.known_requests("south"), store.tasks().size()};
  }

  static bool is_same(const Found& a, const Found& b) {
    return a.requests == b.requests && a.known == b.known && a.entries == b.entries &&
           a.state.dictionary == b.state.dictionary &&
           a.state.records.size() == b.state.records.size();
  }

  static void expect_one_of(const Found& found, const Found& before, const Found& after) {
    const Found& expected = is_same(found, after) ? after : before;
    EXPECT_TRUE(is_same(found, expected));
    expect_same_states(found.state, expected.state);
  }
};

TEST_P(DyingAgent, is_as_before_its_request_or_as_after_it) {
  const TemporaryDirectory origin(quick_folder());
  {
    LivingHome home(origin.file(""), identity());
    for (int k = 0; k < 4; ++k) home.learn({task_of(k)});
  }
  const Found before = found_in(origin);
  const auto copy_to = [&](const TemporaryDirectory& home) {
    std::filesystem::copy(origin.file(""), home.file(""),
                          std::filesystem::copy_options::overwrite_existing |
                              std::filesystem::copy_options::recursive);
  };
  const TemporaryDirectory whole(quick_folder());
  copy_to(whole);
  {
    LivingHome home(whole.file(""), identity());
    request(home);
  }
  const Found after = found_in(whole);
  EXPECT_FALSE(is_same(before, after));
  int deaths = 0;
  for (int number = 1;; ++number) {
    SCOPED_TRACE(number);
    ASSERT_LT(number, 1000);
    const TemporaryDirectory home(quick_folder());
    copy_to(home);
    const int status = run_in_child([&] {
      LivingHome agent(home.file(""), identity());
      die_in_write(number);
      request(agent);
      ::_exit(0);
    });
    ASSERT_TRUE(WIFEXITED(status));
    expect_one_of(found_in(home), before, after);
    if (HasFailure()) return;
    if (WEXITSTATUS(status) == 0) {
      EXPECT_TRUE(is_same(found_in(home), after)) << "it was acknowledged";
      break;
    }
    ASSERT_EQ(WEXITSTATUS(status), death);
    ++deaths;
  }
  EXPECT_GE(deaths, 3);
}

INSTANTIATE_TEST_SUITE_P(Requests, DyingAgent,
                         ::testing::Combine(::testing::Bool(), ::testing::ValuesIn(all_requests)),
                         [](const auto& tested) {
                           return std::string(std::get<Named>(tested.param).name) +
                                  (std::get<bool>(tested.param) ? "_bayes" : "_colla");
                         });

// The whole life of a store, and everything that may happen to its bytes.
constexpr int changes = random_changes / 5;  // its tables are those of every agent

class DamagedLivingAgent : public ::testing::TestWithParam<bool> {};

TEST_P(DamagedLivingAgent, is_refused_or_as_it_was) {
  const LivingIdentity identity = living_identity(GetParam());
  Files killed;
  AgentState expected;
  std::uint64_t requests = 0;
  {
    const TemporaryDirectory home;
    LivingHome agent(home.file(""), identity);
    agent.learn({task_of(1), task_of(2), task_of(3)});
    agent.forget("task 2");
    agent.store.hear_of_requests("south", 3);
    agent.learn({task_of(4)});
    agent.store.keep(agent.agent);
    expected = agent.store.load();
    requests = agent.store.requests();
    for (const char* name : {"agent.db", "agent.db-wal", "agent.lock"}) {
      killed[name] = bytes_of(home.file(name));
    }
  }
  int refused = 0;
  int sound = 0;
  for (int k = 0; k < changes && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    Random random(9, {static_cast<std::uint64_t>(k)});
    Files damaged = killed;
    damage(damaged, random);
    if (damaged.empty()) continue;
    const TemporaryDirectory home(quick_folder());
    for (const auto& [name, bytes] : damaged) EXPECT_FALSE(home.write(name, bytes).empty());
    const auto is_as_it_was = [&](const std::function<AgentState()>& read) {
      try {
        expect_same_states(read(), expected);
        return true;
      } catch (const StoreError&) {
        return false;
      }
    };
    const bool looks = is_as_it_was([&] {
      AgentState state = LivingStore::look(home.file(""), identity);
      state.dictionary = expected.dictionary;  // it is shown in other units
      return state;
    });
    EXPECT_EQ(is_as_it_was([&] {
                LivingStore store(home.file(""), identity);
                EXPECT_EQ(store.requests(), requests);
                EXPECT_EQ(store.known_requests("south"), 3U);
                return store.load();
              }),
              looks);
    (looks ? sound : refused) += 1;
  }
  EXPECT_GT(refused, changes / 10);
  EXPECT_GT(sound, changes / 100);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DamagedLivingAgent, ::testing::Bool(),
                         [](const auto& tested) { return tested.param ? "bayes" : "colla"; });

}  // namespace
}  // namespace colla
