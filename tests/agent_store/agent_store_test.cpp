// SPDX-License-Identifier: Apache-2.0
// What an agent's store gives back is what it was given, bit for bit.
#include "agent/store/agent_store.hpp"

#include "agent_store/agents.hpp"

#include <sys/stat.h>

#include <map>

namespace colla {
namespace {

using namespace testing;

// Tasks arrive at any time; a restart opens the store again.
class StoreHome : public testing::Home {
 public:
  StoreHome(std::string folder, AgentIdentity identity, std::vector<TaskRows> tasks,
            std::uint64_t seed)
      : folder_(std::move(folder)),
        identity_(std::move(identity)),
        tasks_(std::move(tasks)),
        random_(seed, {7, static_cast<std::uint64_t>(identity_.position)}) {}

  NetworkedAgent restart() override {
    store_.reset();
    store_ = std::make_unique<AgentStore>(folder_, identity_);
    return store_->load();
  }

  void pass_time() override {
    if (queued_ == tasks_.size() || random_.uniform() > 0.1) return;
    store_->enqueue(tasks_[queued_++]);
    EXPECT_EQ(store_->waiting(), static_cast<std::int64_t>(queued_ - learned()));
  }
  bool wants_step() const override { return store_->waiting() > 0; }
  bool has_begun_step() const override { return store_->has_begun(store_->steps() + 1); }
  bool is_done() const override { return queued_ == tasks_.size() && store_->waiting() == 0; }

  std::optional<TaskRows> begin_step(std::uint64_t step) override {
    return store_->begin_step(step);
  }
  void end_step(const NetworkedAgent& agent) override { store_->end_step(agent); }

  // The task that was learned in a step.
  const TaskRows* task_of(std::uint64_t step) const {
    const TaskRows* found = nullptr;
    const std::vector<QueuedTask> all = store_->tasks();
    EXPECT_EQ(all.size(), tasks_.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(all[k].task, tasks_[k].task);
      EXPECT_GT(all[k].step, 0U);
      if (all[k].step != step) continue;
      EXPECT_EQ(found, nullptr) << "two tasks in one step";
      found = &tasks_[k];
    }
    return found;
  }

 private:
  std::size_t learned() const {
    std::size_t count = 0;
    for (const QueuedTask& task : store_->tasks()) count += task.step > 0 ? 1 : 0;
    return count;
  }

  std::string folder_;
  AgentIdentity identity_;
  std::vector<TaskRows> tasks_;
  Random random_;
  std::size_t queued_ = 0;
  std::unique_ptr<AgentStore> store_;
};

// The network crashes at will; every task is learned once, and all bits are those of a network in
// one process that learned the same tasks in the same steps.
void expect_undisturbed(std::uint64_t seed, const testing::Failures& failures, bool has_prior) {
  SCOPED_TRACE(seed);
  Random random(seed);
  auto network =
      testing::random_network(random, seed % 2 == 0 ? Problem::regression : Problem::classification,
                              seed % 3 == 0 ? Solver::matrix_free : Solver::dense);
  if (has_prior) network = testing::with_prior(network);
  const auto tasks = testing::random_tasks(random, network);
  const Index agents = network.graph.agents();
  std::vector<TemporaryDirectory> folders(static_cast<std::size_t>(agents));
  std::vector<StoreHome*> stores;
  std::vector<std::unique_ptr<testing::Home>> homes;
  for (Index i = 0; i < agents; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const AgentIdentity identity{"plains", "1",           "agent-" + std::to_string(i),
                                 i,        network.graph, network.options};
    auto home = std::make_unique<StoreHome>(folders[k].file(""), identity, tasks[k], seed);
    stores.push_back(home.get());
    homes.push_back(std::move(home));
  }
  testing::Simulation simulation(network.graph, network.plan(), std::move(homes), seed);
  simulation.run(failures);

  InProcessEngine engine(network.graph, network.options);
  testing::run_undisturbed(engine, network.plan(), simulation.steps(),
                           [&](Index i, std::uint64_t step) {
                             return stores[static_cast<std::size_t>(i)]->task_of(step);
                           });
  for (Index i = 0; i < agents; ++i) {
    const NetworkedAgent& agent = simulation.agent(i);
    testing::expect_same_participants(agent.participant(), engine.participant(i));
    expect_same_agents(simulation.home(i).restart(), agent);
  }
}

TEST(AgentStore, networks_that_restart_keep_the_bits_of_an_undisturbed_process) {
  for (const bool has_prior : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      expect_undisturbed(seed, {0.05, 0.02, 600}, has_prior);
    }
  }
}

TEST(AgentStore, networks_that_run_in_peace_keep_them_too) {
  for (const bool has_prior : {false, true}) {
    for (std::uint64_t seed = 21; seed <= 24; ++seed) expect_undisturbed(seed, {}, has_prior);
  }
}

TEST(AgentStore, a_new_home_gives_a_new_agent) {
  const TemporaryDirectory home;
  AgentStore store(home.file(""), lone_identity());
  const NetworkedAgent agent = store.load();
  EXPECT_EQ(agent.steps(), 0U);
  EXPECT_EQ(agent.participant().dictionary(),
            LifelongAgent(lone_identity().options.agent).dictionary());
  EXPECT_TRUE(store.tasks().empty());
  EXPECT_FALSE(store.is_closed());
  EXPECT_FALSE(store.has_begun(1));
}

TEST(AgentStore, a_given_first_dictionary_is_the_first) {
  const TemporaryDirectory home;
  AgentIdentity identity = lone_identity();
  identity.first_dictionary = Random(4).normal_matrix(3, 2);
  AgentStore store(home.file(""), identity);
  EXPECT_EQ(store.load().participant().dictionary(), identity.first_dictionary);
}

TEST(AgentStore, only_the_owner_can_read_the_files) {
  const TemporaryDirectory home;
  AgentStore store(home.file(""), lone_identity());
  Random random(1);
  store.enqueue(random_task(random, "monday"));
  for (const char* name : {"agent.db", "agent.db-wal", "agent.db-shm", "agent.lock"}) {
    struct stat status = {};
    ASSERT_EQ(::stat(home.file(name).c_str(), &status), 0) << name;
    EXPECT_EQ(status.st_mode & 0777, 0600U) << name;
  }
}

TEST(AgentStore, a_choice_stays_as_it_was_made) {
  const TemporaryDirectory home;
  Random random(2);
  {
    AgentStore store(home.file(""), lone_identity());
    EXPECT_FALSE(store.begin_step(1).has_value());
    store.enqueue(random_task(random, "monday"));
    EXPECT_FALSE(store.begin_step(1).has_value());
  }
  AgentStore store(home.file(""), lone_identity());
  EXPECT_TRUE(store.has_begun(1));
  EXPECT_FALSE(store.has_begun(2));
  NetworkedAgent agent = store.load();
  make_step(store, agent);
  EXPECT_EQ(store.waiting(), 1);
  EXPECT_FALSE(store.has_begun(1));
  ASSERT_TRUE(store.begin_step(2).has_value());
  EXPECT_EQ(store.tasks()[0].step, 0U);
  make_step(store, agent);
  EXPECT_EQ(store.tasks()[0].step, 2U);
  EXPECT_EQ(store.waiting(), 0);
}

TEST(AgentStore, queued_rows_come_back_as_they_were) {
  const TemporaryDirectory home;
  Random random(3);
  TaskRows task = random_task(random, "m\xc3\xa4rz, \"quoted\"");
  task.X(0, 0) = -0.0;
  task.revisit = Revisit::append;
  AgentStore(home.file(""), lone_identity()).enqueue(task);
  AgentStore store(home.file(""), lone_identity());
  const std::optional<TaskRows> found = store.begin_step(1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->task, task.task);
  EXPECT_EQ(found->revisit, Revisit::append);
  testing::expect_same_bits(found->X, task.X);
  testing::expect_same_bits(found->y, task.y);
}

TEST(AgentStore, a_closed_queue_takes_no_more_tasks) {
  const TemporaryDirectory home;
  Random random(3);
  {
    AgentStore store(home.file(""), lone_identity());
    store.enqueue(random_task(random, "monday"));
    store.close();
    store.close();
  }
  AgentStore store(home.file(""), lone_identity());
  EXPECT_TRUE(store.is_closed());
  expect_failure<StoreError>([&] { store.enqueue(random_task(random, "tuesday")); },
                             {"the queue is closed"});
  EXPECT_EQ(store.tasks().size(), 1U);
}

TEST(AgentStore, rows_that_cannot_be_learned_are_not_queued) {
  const TemporaryDirectory home;
  Random random(3);
  AgentStore store(home.file(""), lone_identity());
  expect_failure<DataError>([&] { store.enqueue(random_task(random, "monday", 4)); },
                            {"task 'monday'", "4 features, the agent 3"});
  TaskRows task = random_task(random, "monday");
  task.y[0] = std::numeric_limits<double>::infinity();
  expect_failure<DataError>([&] { store.enqueue(task); }, {"task 'monday'"});
  EXPECT_TRUE(store.tasks().empty());
}

TEST(AgentStore, few_rows_are_not_queued_where_the_network_says_so) {
  const TemporaryDirectory home;
  Random random(3);
  AgentIdentity identity = lone_identity();
  identity.minimum_rows = 3;
  AgentStore store(home.file(""), identity);
  expect_failure<DataError>([&] { store.enqueue(random_task(random, "monday", 3, 2)); },
                            {"task 'monday'", "has 2 row(s)", "3 or more", "from what they see"});
  EXPECT_TRUE(store.tasks().empty());
  EXPECT_EQ(store.enqueue(random_task(random, "monday", 3, 3)), 1);
}

TEST(AgentStore, no_file_keeps_the_rows_of_a_learned_task) {
  for (const Index rows : {5, 500}) {
    const TemporaryDirectory home;
    Random random(3);
    const TaskRows monday = random_task(random, "monday", 3, rows);
    const TaskRows tuesday = random_task(random, "tuesday", 3, rows);
    AgentStore store(home.file(""), lone_identity());
    store.enqueue(monday);
    store.enqueue(tuesday);
    EXPECT_TRUE(is_in_a_file(home, monday));
    NetworkedAgent agent = store.load();
    make_step(store, agent);
    EXPECT_FALSE(is_in_a_file(home, monday));
    EXPECT_TRUE(is_in_a_file(home, tuesday));
  }
}

TEST(AgentStore, several_tasks_are_queued_together_or_not_at_all) {
  const TemporaryDirectory home;
  Random random(3);
  AgentIdentity identity = lone_identity();
  AgentStore store(home.file(""), identity);
  std::vector<TaskRows> tasks = {random_task(random, "monday"), random_task(random, "tuesday")};
  tasks.push_back(random_task(random, "wednesday", 3, 1));
  expect_failure<DataError>([&] { store.enqueue_all(tasks); },
                            {"task 'wednesday'", "has 1 row, and two are needed"});
  EXPECT_TRUE(store.tasks().empty());
  tasks[2].revisit = Revisit::append;
  EXPECT_EQ(store.enqueue_all(tasks), 1);
  EXPECT_EQ(store.enqueue_all({tasks.data(), 2}), 4);
  EXPECT_EQ(store.waiting(), 5);
}

TEST(AgentStore, a_closed_queue_can_be_reopened) {
  const TemporaryDirectory home;
  Random random(3);
  {
    AgentStore store(home.file(""), lone_identity());
    store.close();
    expect_failure<StoreError>([&] { store.enqueue(random_task(random, "monday")); },
                               {"closed", "colla agent reopen"});
    store.reopen();
    store.reopen();
  }
  AgentStore store(home.file(""), lone_identity());
  EXPECT_FALSE(store.is_closed());
  EXPECT_EQ(store.enqueue(random_task(random, "monday")), 1);
}

TEST(AgentStore, the_log_does_not_grow_without_end) {
  const TemporaryDirectory home;
  AgentStore store(home.file(""), lone_identity(20, 8));
  NetworkedAgent agent = store.load();
  for (int step = 0; step < 600; ++step) make_step(store, agent);  // without tasks
  EXPECT_LT(std::filesystem::file_size(home.file("agent.db-wal")), std::uintmax_t{6} << 20);
}

TEST(AgentStore, a_reader_does_not_disturb_the_agent) {
  const TemporaryDirectory home;
  Random random(3);
  AgentStore store(home.file(""), lone_identity());
  NetworkedAgent agent = store.load();
  store.enqueue(random_task(random, "monday"));
  store.enqueue(random_task(random, "tuesday"));
  Database reader(home.file("agent.db"), Database::Mode::watch, "reader", "");
  reader.run("BEGIN");
  EXPECT_EQ(reader.integer("SELECT count(*) FROM tasks"), 2);
  make_step(store, agent);
  make_step(store, agent);
  EXPECT_EQ(reader.integer("SELECT count(*) FROM models"), 0);
  reader.run("COMMIT");
  EXPECT_EQ(reader.integer("SELECT count(*) FROM models"), 2);
  EXPECT_EQ(store.waiting(), 0);
}

TEST(AgentStoreSummary, tells_what_is_in_a_store_that_runs_or_not) {
  const TemporaryDirectory home;
  Random random(3);
  {
    AgentStore store(home.file(""), lone_identity());
    NetworkedAgent agent = store.load();
    store.enqueue(random_task(random, "monday"));
    make_step(store, agent);
    store.enqueue(random_task(random, "tuesday"));
    const AgentStoreSummary running = inspect_store(home.file(""));
    EXPECT_EQ(running.process, ::getpid());
    EXPECT_EQ(running.steps, 1U);
    ASSERT_EQ(running.tasks.size(), 2U);
    EXPECT_EQ(running.tasks[0].step, 1U);
    EXPECT_EQ(running.tasks[1].step, 0U);
    store.close();
  }
  const AgentStoreSummary stopped = inspect_store(home.file(""));
  EXPECT_EQ(stopped.process, 0);
  EXPECT_TRUE(stopped.closed);
  const std::map<std::string, std::string> settings(stopped.settings.begin(),
                                                    stopped.settings.end());
  EXPECT_EQ(settings.at("network"), "plains");
  EXPECT_EQ(settings.at("agent"), "north");
}

}  // namespace
}  // namespace colla
