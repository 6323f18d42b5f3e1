// SPDX-License-Identifier: Apache-2.0
// What an agent of a private network has released: kept before anybody is told, and never twice.
#include "agent/store/living_store.hpp"
#include "agent_store/agents.hpp"
#include "row_privacy/row_release.hpp"

#include <colla/posterior.hpp>

#include <numeric>

namespace colla {
namespace {

using testing::expect_failure;
using testing::TemporaryDirectory;

constexpr PrivacyOptions promised = {1.0, 1e-6, 2.0, 1};

LivingIdentity private_identity(std::optional<PrivacyOptions> privacy = promised) {
  NetworkOptions options = testing::network_options(Problem::regression, 3, 2);
  options.refresh = 1;
  options.agent.prior = prior_of_network(make_graph("line", 2, 1), 3);
  return {"plains", "north", options, {}, privacy};
}

// As the daemon makes it.
LivingAgent private_agent(AgentState state) {
  NetworkOptions options = private_identity().options;
  options.agent.prior->release =
      release_with(promised, Problem::regression, std::make_shared<ReleasedRows>());
  LivingAgent agent(options, {}, 1, std::move(state));
  agent.set_neighbours({{"south", 1.0}}, 2);
  return agent;
}

TaskRows task_of_rows(const std::string& name, std::uint64_t seed = 1,
                      Revisit revisit = Revisit::replace) {
  Random random(seed, {std::hash<std::string>()(name)});
  TaskRows task = testing::random_task(random, name);
  task.revisit = revisit;
  return task;
}

void learn(LivingStore& store, LivingAgent& agent, const TaskRows& task, bool again = false) {
  store.check_release({&task, 1}, again);
  agent.learn(task.task, task.X, task.y, task.revisit);
  agent.wake();
  store.save_learned({&task, 1}, agent, again);
}

std::vector<Spending> ledger_in(const TemporaryDirectory& home) {
  return LivingStore::ledger(home.file(""), private_identity());
}

TEST(PrivateStore, releases_come_back_bit_for_bit_and_nothing_is_released_again) {
  const TemporaryDirectory home;
  Matrix before;
  std::vector<TaskRecord> records;
  {
    LivingStore store(home.file(""), private_identity());
    LivingAgent agent = private_agent(store.load());
    for (const char* name : {"a", "b", "c"}) learn(store, agent, task_of_rows(name));
    learn(store, agent, task_of_rows("b", 2, Revisit::append));
    agent.forget("a");
    agent.wake();
    store.save_forgotten("a", agent);
    records = agent.learner().records();
    before = agent.dictionary();
  }
  LivingStore store(home.file(""), private_identity());
  LivingAgent agent = private_agent(store.load());
  ASSERT_EQ(agent.learner().records().size(), 2U);
  for (std::size_t k = 0; k < records.size(); ++k) {
    const TaskRecord& record = agent.learner().records()[k];
    ASSERT_NE(record.released, nullptr);
    EXPECT_EQ(*record.released, *records[k].released);
    EXPECT_EQ(*record.statistics, *records[k].statistics);
    EXPECT_EQ(record.contribution, records[k].contribution);
  }
  EXPECT_EQ(agent.dictionary(), before);
}

TEST(PrivateStore, a_task_is_released_once_unless_somebody_says_so) {
  const TemporaryDirectory home;
  LivingStore store(home.file(""), private_identity());
  LivingAgent agent = private_agent(store.load());
  learn(store, agent, task_of_rows("a"));
  learn(store, agent, task_of_rows("b"));
  const std::vector<std::string> spent = {"task 'a'", "its privacy is spent", "--release-again"};
  expect_failure<DataError>([&] { learn(store, agent, task_of_rows("a", 2)); }, spent);
  agent.forget("a");
  store.save_forgotten("a", agent);
  expect_failure<DataError>([&] { learn(store, agent, task_of_rows("a", 2)); }, spent);
  const std::vector<TaskRows> twice = {task_of_rows("c"), task_of_rows("c", 2)};
  expect_failure<DataError>([&] { store.check_release(twice, false); }, {"task 'c'", "spent"});
  learn(store, agent, task_of_rows("b", 2, Revisit::append));
  learn(store, agent, task_of_rows("a", 2), true);
  const std::vector<Spending> ledger = ledger_in(home);
  ASSERT_EQ(ledger.size(), 4U);
  const std::vector<std::string> names = {"a", "b", "b", "a"};
  const std::vector<std::int64_t> requests = {1, 2, 4, 5};
  for (std::size_t k = 0; k < ledger.size(); ++k) {
    EXPECT_EQ(ledger[k].task, names[k]);
    EXPECT_EQ(ledger[k].request, requests[k]);
    EXPECT_EQ(ledger[k].rows, 5);
    EXPECT_EQ(ledger[k].epsilon, 1.0);
    EXPECT_EQ(ledger[k].delta, 1e-6);
    EXPECT_EQ(ledger[k].again, k == 3);
  }
  const TaskRows first = task_of_rows("a");
  EXPECT_EQ(ledger[0].shortened, bounded_rows(first.X, first.y, promised.bound).shortened);
}

// A neighbour knows of five requests: what the home's newer copy released is not known here.
TEST(PrivateStore, an_older_copy_releases_nothing_until_somebody_says_so) {
  const TemporaryDirectory home;
  LivingStore store(home.file(""), private_identity());
  LivingAgent agent = private_agent(store.load());
  learn(store, agent, task_of_rows("a"));
  store.note_lost_requests(5);
  const std::vector<std::string> lost = {"requests 2 to 5", "older copy", "--release-again"};
  expect_failure<DataError>([&] { learn(store, agent, task_of_rows("b")); }, lost);
  expect_failure<DataError>([&] { learn(store, agent, task_of_rows("a", 2, Revisit::append)); },
                            lost);
  learn(store, agent, task_of_rows("b"), true);
  learn(store, agent, task_of_rows("c"));
  EXPECT_EQ(ledger_in(home).back().request, 7);
}

TEST(PrivateStore, another_privacy_is_refused) {
  const TemporaryDirectory home;
  { const LivingStore store(home.file(""), private_identity()); }
  PrivacyOptions other = promised;
  other.epsilon = 2.0;
  for (const std::optional<PrivacyOptions>& privacy :
       {std::optional<PrivacyOptions>(other), std::optional<PrivacyOptions>()}) {
    expect_failure<StoreError>([&] { LivingStore(home.file(""), private_identity(privacy)); },
                               {"state of another agent or network", "its privacy is"});
  }
}

TEST(PrivateStore, a_lost_release_is_damage) {
  const TemporaryDirectory home;
  {
    LivingStore store(home.file(""), private_identity());
    LivingAgent agent = private_agent(store.load());
    learn(store, agent, task_of_rows("a"));
  }
  testing::run_sql(home, "DELETE FROM row_releases");
  expect_failure<StoreError>([&] { LivingStore(home.file(""), private_identity()); }, {"damaged"});
}

// The agent ends at any moment; what neighbours were told of a task before and after has the
// same noise. Whoever gave the rows and got no answer gives them again.
TEST(PrivateStore, crashes_release_no_task_twice) {
  enum class Moment { before_learning, before_saving, before_telling, later };
  constexpr int crashes = 400;
  const TemporaryDirectory home;
  Random random(7);
  std::map<std::string, TaskStatistics> told;
  int next = 0;
  int unanswered = 0;
  for (int crash = 0; crash < crashes && !::testing::Test::HasFailure(); ++crash) {
    LivingStore store(home.file(""), private_identity());
    LivingAgent agent = private_agent(store.load());
    for (const TaskRecord& record : agent.learner().records()) {
      const auto known = told.try_emplace(record.name, *record.released).first;
      EXPECT_EQ(known->second, *record.released) << record.name;
    }
    for (const auto& [name, statistics] : told) EXPECT_TRUE(agent.learner().knows(name)) << name;
    const auto moment = static_cast<Moment>(random.below(4));
    if (moment == Moment::before_learning) continue;
    const TaskRows task = task_of_rows("task " + std::to_string(next));
    try {
      store.check_release({&task, 1}, false);
    } catch (const DataError&) {  // it was saved, and the answer was lost
      ++next;
      continue;
    }
    agent.learn(task.task, task.X, task.y);
    agent.wake();
    unanswered += moment == Moment::later ? 0 : 1;
    if (moment == Moment::before_saving) continue;
    store.save_learned({&task, 1}, agent);
    if (moment == Moment::before_telling) continue;
    EXPECT_TRUE(agent.next_message("south").has_value());
    told.emplace(task.task, *agent.learner().record(task.task).released);
    ++next;
  }
  EXPECT_GT(told.size(), 80U);
  EXPECT_GT(unanswered, 80);
}

}  // namespace
}  // namespace colla
