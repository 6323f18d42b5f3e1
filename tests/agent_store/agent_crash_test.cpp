// SPDX-License-Identifier: Apache-2.0
// An agent's process dies in the middle of any write, again and again: what it reported as saved is
// saved.
#include "agent_store/agents.hpp"
#include "agent_store/dying.hpp"
#include "patience.hpp"

#include <fcntl.h>

#include <algorithm>
#include <csignal>

namespace colla {
namespace {

using testing::lone_identity;
using testing::TemporaryDirectory;

AgentIdentity identity() {
  AgentIdentity identity = lone_identity();
  identity.options.refresh = 1;
  return identity;
}

// The task with a number is always the same one; some names come again.
TaskRows task_number(std::int64_t id) {
  Random random(static_cast<std::uint64_t>(id));
  TaskRows task = testing::random_task(random, "task-" + std::to_string(id % 5));
  task.revisit = id % 2 == 0 ? Revisit::replace : Revisit::append;
  return task;
}

struct Acknowledgement {
  std::int64_t queued = 0;
  std::uint64_t steps = 0;
};

// Of a task that the agent has, or nothing.
void forget_if_known(AgentStore& store, const std::string& task) {
  try {
    store.enqueue_forgetting(task);
  } catch (const DataError&) {
  }
}

// Queues, learns and forgets until it dies, and reports what is saved.
[[noreturn]] void live(const std::string& home, int pipe, std::uint64_t seed) {
  AgentStore store(home, identity());
  NetworkedAgent agent = store.load();
  Random random(seed);
  Acknowledgement safe;
  for (;;) {
    const TaskRows next = task_number(static_cast<std::int64_t>(store.tasks().size()) + 1);
    const double what = random.uniform();
    if (what < 0.45) {
      safe.queued = store.enqueue(next);
    } else if (what < 0.6) {
      forget_if_known(store, next.task);
    } else {
      testing::make_step(store, agent);
      safe.steps = store.steps();
    }
    if (::write(pipe, &safe, sizeof safe) != sizeof safe) ::_exit(1);
  }
}

// The last report of a child that dies in the write with a number, from 1.
Acknowledgement last_report(int number, const std::string& home, std::uint64_t seed) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    testing::die_in_write(number);
    live(home, ends[1], seed);
  }
  ::close(ends[1]);
  Acknowledgement last;
  Acknowledgement next;
  while (::read(ends[0], &next, sizeof next) == sizeof next) last = next;
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == testing::death) << status;
  ::close(ends[0]);
  return last;
}

void expect_safe(const std::string& home, const Acknowledgement& safe) {
  AgentStore store(home, identity());
  const std::vector<QueuedTask> tasks = store.tasks();
  EXPECT_GE(std::ssize(tasks), safe.queued);
  EXPECT_GE(store.steps(), safe.steps);
  std::uint64_t last_step = 0;
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    EXPECT_EQ(tasks[k].id, static_cast<std::int64_t>(k) + 1);
    EXPECT_EQ(tasks[k].task, task_number(tasks[k].id).task);
    if (tasks[k].step == 0) continue;
    EXPECT_GT(tasks[k].step, last_step) << "two tasks in one step";
    last_step = tasks[k].step;
  }
  EXPECT_LE(last_step, store.steps());
}

// The agent that learned the same tasks in the same steps and was never killed.
NetworkedAgent undisturbed(AgentStore& store) {
  NetworkedAgent agent = first_agent(identity());
  const std::vector<QueuedTask> tasks = store.tasks();
  auto next = tasks.begin();
  for (std::uint64_t step = 1; step <= store.steps(); ++step) {
    const bool has_task = next != tasks.end() && next->step == step;
    TaskRows task = has_task ? task_number(next->id) : TaskRows{};
    if (has_task && next->forgets()) task = {next->task, Samples(0, 3), Vector(0)};
    if (has_task) ++next;
    agent.begin_step(has_task ? &task : nullptr);
    agent.end_step();
  }
  return agent;
}

TEST(KilledAgent, loses_nothing_that_it_acknowledged_and_learns_nothing_twice) {
  const TemporaryDirectory home;
  Random random(11);
  for (std::uint64_t round = 0; round < 60; ++round) {
    SCOPED_TRACE(round);
    const int number = 1 + static_cast<int>(random.below(100));
    expect_safe(home.file(""), last_report(number, home.file(""), round));
  }
  AgentStore store(home.file(""), identity());
  EXPECT_GT(store.steps(), 10U);
  const std::vector<QueuedTask> tasks = store.tasks();
  EXPECT_GT(tasks.size(), 10U);
  EXPECT_GT(std::count_if(tasks.begin(), tasks.end(),
                          [](const QueuedTask& task) { return task.forgets() && task.step > 0; }),
            3);
  testing::expect_same_agents(store.load(), undisturbed(store));
}

// It reads the lock file before the store, so no commit in between looks lost.
TEST(Looking, never_takes_the_commits_of_a_running_agent_for_lost_ones) {
  const TemporaryDirectory home;
  { const AgentStore store(home.file(""), identity()); }
  const pid_t child = ::fork();
  if (child == 0) live(home.file(""), ::open("/dev/null", O_WRONLY), 5);
  std::uint64_t steps = 0;
  const auto look = [&] {
    EXPECT_NO_THROW({
      const std::uint64_t seen = AgentStore::look(home.file(""), identity()).steps();
      EXPECT_GE(seen, steps);
      steps = inspect_store(home.file("")).steps;
      EXPECT_GE(steps, seen);
    });
  };
  int looks = 0;
  const auto has_seen_enough = [&] {
    for (int k = 0; k < 30; ++k) look();
    looks += 30;
    return ::testing::Test::HasFailure() || (looks >= 300 && steps >= 3);
  };
  testing::wait_until(has_seen_enough, "the third step");
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
}

}  // namespace
}  // namespace colla
