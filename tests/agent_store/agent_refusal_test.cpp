// SPDX-License-Identifier: Apache-2.0
// Homes that an agent cannot use, and full disks.
#include "agent_store/agents.hpp"
#include "store/full_disk.hpp"

#include <sys/mount.h>
#include <sys/stat.h>

namespace colla {
namespace {

using namespace testing;

void open(const TemporaryDirectory& home, const AgentIdentity& identity = lone_identity()) {
  AgentStore(home.file(""), identity);
}

TEST(AgentHome, a_missing_folder_is_named) {
  expect_failure<StoreError>([] { AgentStore("/no/such/home", lone_identity()); },
                             {"/no/such/home: no such folder", "make it first"});
  expect_failure<StoreError>([] { inspect_store("/no/such/home"); },
                             {"/no/such/home/agent.db: no such file"});
}

TEST(AgentHome, a_folder_that_cannot_be_written_to_is_named) {
  const TemporaryDirectory home;
  ::chmod(home.file("").c_str(), 0555);
  const int status = testing::run_in_child([&] {
    if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(1);
    try {
      open(home);
    } catch (const StoreError& error) {
      const std::string message = error.what();
      const bool is_clear = message.find("agent.lock: cannot be written") != std::string::npos &&
                            message.find("check the folder's permissions") != std::string::npos;
      ::_exit(is_clear ? 7 : 2);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(AgentHome, a_second_agent_in_the_same_process_is_refused) {
  const TemporaryDirectory home;
  const AgentStore store(home.file(""), lone_identity());
  expect_failure<StoreError>(
      [&] { open(home); },
      {"another agent is running on this home (process " + std::to_string(::getpid()) + ")",
       "stop that one first"});
}

TEST(AgentHome, a_second_agent_in_another_process_is_refused) {
  const TemporaryDirectory home;
  const AgentStore store(home.file(""), lone_identity());
  const std::string process = "(process " + std::to_string(::getpid()) + ")";
  const int status = testing::run_in_child([&] {
    try {
      open(home);
    } catch (const StoreError& error) {
      ::_exit(std::string(error.what()).find(process) != std::string::npos ? 7 : 2);
    }
  });
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(AgentHome, the_end_of_an_agent_lets_the_next_one_in) {
  const TemporaryDirectory home;
  for (int k = 0; k < 3; ++k) open(home);
  testing::run_in_child([&] {
    const AgentStore store(home.file(""), lone_identity());
    ::_exit(0);  // without a destructor
  });
  open(home);
}

TEST(AgentHome, the_state_of_another_agent_or_network_is_refused) {
  const TemporaryDirectory home;
  open(home);
  const auto expect_refused = [&](const std::string& name, const auto& change) {
    AgentIdentity other = lone_identity();
    change(other);
    expect_failure<StoreError>([&] { open(home, other); },
                               {home.file("agent.db"), "state of another agent or network",
                                "its " + name + " is", "choose another home"});
  };
  expect_refused("network", [](AgentIdentity& i) { i.network = "hills"; });
  expect_refused("agent", [](AgentIdentity& i) { i.agent = "south"; });
  expect_refused("network_hash", [](AgentIdentity& i) { i.network_hash = "ffff"; });
  expect_refused("position", [](AgentIdentity& i) {
    i.graph = make_graph("none", 2, 1);
    i.position = 1;
  });
  expect_refused("neighbours", [](AgentIdentity& i) { i.graph = make_graph("line", 2, 1); });
  expect_refused("features", [](AgentIdentity& i) { i.options.agent.features = 4; });
  expect_refused("atoms", [](AgentIdentity& i) { i.options.agent.atoms = 3; });
  expect_refused("problem",
                 [](AgentIdentity& i) { i.options.agent.problem = Problem::classification; });
  expect_refused("rho",
                 [](AgentIdentity& i) { i.options.rho = std::nextafter(i.options.rho, 2.0); });
  expect_refused("lambda", [](AgentIdentity& i) { i.options.agent.lambda *= 2.0; });
  expect_refused("seed", [](AgentIdentity& i) { i.options.agent.seed = 2; });
  expect_refused("start", [](AgentIdentity& i) { i.first_dictionary = Matrix::Ones(3, 2); });
  expect_refused("exchanges", [](AgentIdentity& i) { i.options.exchanges.constant = 7; });
  expect_refused("refresh", [](AgentIdentity& i) { i.options.refresh = 1; });
  open(home);
}

TEST(AgentHome, an_agent_that_forgets_models_is_refused) {
  const TemporaryDirectory home;
  AgentIdentity identity = lone_identity();
  identity.options.agent.remember_models = false;
  expect_failure<OptionError>([&] { open(home, identity); }, {"must remember models"});
}

TEST(AgentHome, a_newer_format_says_so) {
  const TemporaryDirectory home;
  open(home);
  run_sql(home, "PRAGMA user_version = 6; CREATE TABLE more (x)");
  const std::vector<std::string> parts = {home.file("agent.db"), "newer version of colla (format 6",
                                          "update colla"};
  expect_failure<StoreError>([&] { open(home); }, parts);
  expect_failure<StoreError>([&] { inspect_store(home.file("")); }, parts);
}

TEST(AgentHome, databases_of_another_kind_are_refused_and_left_alone) {
  const TemporaryDirectory home;
  open(home);
  std::filesystem::remove(home.file("agent.db"));
  write_model(home.file("agent.db"), testing::random_model());
  expect_failure<StoreError>([&] { open(home); },
                             {home.file("agent.db"), "is not the store of an agent"});
  testing::expect_same(read_model(home.file("agent.db")), testing::random_model());
}

TEST(AgentHome, foreign_tables_are_refused) {
  for (const char* change :
       {"CREATE TABLE more (x)", "DROP TABLE sides", "CREATE INDEX i ON tasks (name)",
        "CREATE TRIGGER t AFTER INSERT ON tasks BEGIN SELECT 1; END",
        "DROP TABLE codes; CREATE VIEW codes AS SELECT 1 AS position"}) {
    const TemporaryDirectory home;
    open(home);
    run_sql(home, change);
    expect_failure<StoreError>([&] { open(home); }, {"is damaged", "unexpected tables"});
  }
}

// Wherever files stop growing, a failed operation leaves no trace and works once there is room.
TEST(FullDisk, nothing_is_lost_and_the_agent_goes_on_when_there_is_room) {
  for (const rlim_t bytes : {0U, 4096U, 20000U, 40000U, 60000U}) {
    SCOPED_TRACE(bytes);
    const TemporaryDirectory home;
    Random random(9);
    AgentStore store(home.file(""), lone_identity());
    NetworkedAgent agent = store.load();
    NetworkedAgent expected = first_agent(lone_identity());
    for (int k = 0; k < 4; ++k) {
      const TaskRows task = random_task(random, "task-" + std::to_string(k), 3, 100);
      {
        const FullDisk full(bytes);
        for (;;) {
          const std::size_t before = store.tasks().size();
          try {
            store.enqueue(task);
          } catch (const StoreError& error) {
            EXPECT_NE(std::string(error.what()).find("disk full"), std::string::npos);
            EXPECT_EQ(store.tasks().size(), before);
            break;
          }
        }
      }
      store.enqueue(task);
      ASSERT_TRUE(store.begin_step(agent.steps() + 1).has_value());
      const TaskRows learned = *store.begin_step(agent.steps() + 1);
      agent.begin_step(&learned);
      expected.begin_step(&learned);
      expected.end_step();
      try {
        const FullDisk full(bytes);
        store.end_step(agent);
      } catch (const StoreError& error) {
        EXPECT_NE(std::string(error.what()).find("disk full"), std::string::npos);
        EXPECT_EQ(store.steps(), agent.steps());
        store.end_step(agent);
      }
      agent.end_step();
      testing::expect_same_agents(store.load(), expected);
    }
  }
}

// A file system that is really full.
TEST(FullDisk, a_small_file_system_refuses_tasks_and_keeps_those_it_has) {
  const TemporaryDirectory home;
  if (::mount("tmpfs", home.file("").c_str(), "tmpfs", 0, "size=400k") != 0) {
    GTEST_SKIP() << "a small file system needs root";
  }
  {
    AgentStore store(home.file(""), lone_identity());
    NetworkedAgent agent = store.load();
    Random random(9);
    const auto fill = [&] {
      for (;;) store.enqueue(random_task(random, "task", 3, 300));
    };
    expect_failure<StoreError>(fill, {home.file("agent.db"), "disk full", "make room"});
    const std::size_t kept = store.tasks().size();
    EXPECT_GT(kept, 3U);
    // Room comes back with a larger disk, or as tasks are learned.
    EXPECT_EQ(::mount("tmpfs", home.file("").c_str(), "tmpfs", MS_REMOUNT, "size=4m"), 0);
    for (std::size_t k = 0; k < kept; ++k) make_step(store, agent);
    EXPECT_EQ(store.waiting(), 0);
    testing::expect_same_agents(store.load(), agent);
  }
  ::umount(home.file("").c_str());
}

TEST(FullDisk, a_home_without_room_gets_no_store) {
  const TemporaryDirectory home;
  const auto open_with_room_for = [&](rlim_t bytes) {
    const FullDisk full(bytes);
    open(home);
  };
  expect_failure<StoreError>([&] { open_with_room_for(0); },
                             {home.file("agent.lock"), "cannot be written", "free space"});
  EXPECT_TRUE(std::filesystem::is_empty(home.file("")));
  for (const rlim_t bytes : {4096U, 16384U}) {
    expect_failure<StoreError>([&] { open_with_room_for(bytes); },
                               {home.file("agent.db"), "disk full"});
    EXPECT_FALSE(std::filesystem::exists(home.file("agent.db")));
  }
  open(home);
}

}  // namespace
}  // namespace colla
