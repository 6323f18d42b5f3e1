// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the bytes of an agent's store, it is refused or gives what it was given.
#include "store/agents.hpp"

#include <map>
#include <sstream>

namespace colla {
namespace {

using testing::expect_failure;
using testing::lone_identity;
using testing::TemporaryDirectory;

using Files = std::map<std::string, std::string>;

Files files_in(const TemporaryDirectory& home) {
  Files files;
  for (const char* name : {"agent.db", "agent.db-wal", "agent.lock"}) {
    std::stringstream bytes;
    bytes << std::ifstream(home.file(name), std::ios::binary).rdbuf();
    if (!bytes.str().empty()) files[name] = bytes.str();
  }
  return files;
}

void write(const TemporaryDirectory& home, const Files& files) {
  for (const auto& [name, bytes] : files) EXPECT_FALSE(home.write(name, bytes).empty());
}

// Three tasks learned, one of them twice, one being learned, one queued.
class DamagedAgent : public ::testing::Test {
 protected:
  DamagedAgent() {
    const TemporaryDirectory home;
    {
      AgentStore store(home.file(""), lone_identity());
      NetworkedAgent agent = store.load();
      Random random(8);
      for (const char* name : {"a", "b", "c", "b", "d", "e"}) {
        store.enqueue(testing::random_task(random, name));
      }
      for (int step = 0; step < 4; ++step) testing::make_step(store, agent);
      store.begin_step(5);
      killed_ = files_in(home);  // as if the process had ended here
    }
    stopped_ = files_in(home);
    EXPECT_EQ(killed_.count("agent.db-wal"), 1U);
    EXPECT_EQ(stopped_.count("agent.db-wal"), 0U);
    EXPECT_TRUE(is_as_it_was(killed_));
    EXPECT_TRUE(is_as_it_was(stopped_));
  }

  // False if the store was refused.
  bool is_as_it_was(const Files& files) {
    const TemporaryDirectory home;
    write(home, files);
    try {
      AgentStore store(home.file(""), lone_identity());
      const NetworkedAgent agent = store.load();
      const std::vector<QueuedTask> tasks = store.tasks();
      const std::optional<TaskRows> task = store.begin_step(5);
      if (!expected_) {
        expected_ = std::make_unique<NetworkedAgent>(agent);
        expected_task_ = *task;
      }
      testing::expect_same_agents(agent, *expected_);
      EXPECT_EQ(tasks.size(), 6U);
      EXPECT_TRUE(task.has_value());
      EXPECT_EQ(task->name, "d");
      testing::expect_same_bits(task->X, expected_task_.X);
      testing::expect_same_bits(task->y, expected_task_.y);
      EXPECT_EQ(store.waiting(), 2);
      return true;
    } catch (const StoreError&) {
      return false;
    }
  }

  Files killed_;
  Files stopped_;
  std::unique_ptr<NetworkedAgent> expected_;
  TaskRows expected_task_;
};

TEST_F(DamagedAgent, any_byte_of_the_database_may_change) {
  Random random(5);
  int refused = 0;
  for (int k = 0; k < 400; ++k) {
    Files files = stopped_;
    std::string& bytes = files["agent.db"];
    char& byte = bytes[random.below(bytes.size())];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    refused += is_as_it_was(files) ? 0 : 1;
  }
  EXPECT_GT(refused, 20);
}

TEST_F(DamagedAgent, any_byte_of_the_log_may_change) {
  Random random(6);
  int refused = 0;
  for (int k = 0; k < 150; ++k) {
    Files files = killed_;
    std::string& bytes = files["agent.db-wal"];
    char& byte = bytes[random.below(bytes.size())];
    byte = static_cast<char>(byte ^ (1 << random.below(8)));
    refused += is_as_it_was(files) ? 0 : 1;
  }
  EXPECT_GT(refused, 50);
}

TEST_F(DamagedAgent, the_header_may_hold_any_byte) {
  for (std::size_t position = 0; position < 100; ++position) {
    for (const int value : {0, 1, 0xff}) {
      Files files = stopped_;
      files["agent.db"][position] = static_cast<char>(value);
      is_as_it_was(files);
    }
  }
}

TEST_F(DamagedAgent, the_file_of_the_lock_may_hold_any_byte) {
  for (std::size_t position = 0; position < 40; ++position) {
    Files files = stopped_;
    files["agent.lock"][position] = 'x';
    is_as_it_was(files);
  }
}

TEST_F(DamagedAgent, files_may_be_cut_anywhere) {
  for (const char* name : {"agent.db", "agent.db-wal"}) {
    const std::size_t size = killed_[name].size();
    for (std::size_t cut = 0; cut < size; cut += size / 40 + 1) {
      Files files = killed_;
      files[name].resize(cut);
      const bool is_complete = is_as_it_was(files);
      EXPECT_FALSE(is_complete && std::string(name) == "agent.db-wal") << cut;
    }
  }
}

TEST_F(DamagedAgent, pages_may_be_zeros_or_those_of_others_or_of_an_earlier_time) {
  constexpr std::size_t page = 4096;
  const std::size_t pages = stopped_["agent.db"].size() / page;
  for (std::size_t k = 0; k < pages; ++k) {
    const std::string& earlier = killed_["agent.db"];
    const std::string old =
        (k + 1) * page <= earlier.size() ? earlier.substr(k * page, page) : std::string(page, '\1');
    for (const std::string& other : {std::string(page, '\0'), old,
                                     stopped_["agent.db"].substr((k + 1) % pages * page, page)}) {
      Files files = stopped_;
      files["agent.db"].replace(k * page, page, other);
      is_as_it_was(files);
    }
  }
}

TEST_F(DamagedAgent, rows_that_are_lost_or_changed_are_noticed) {
  for (const std::string change :
       {"DELETE FROM tasks WHERE id = 6", "DELETE FROM task_rows WHERE task = 6",
        "DELETE FROM models WHERE position = 2", "DELETE FROM codes", "DELETE FROM knowledge",
        "DELETE FROM messages WHERE exchange = 1", "DELETE FROM settings", "DELETE FROM progress",
        "UPDATE tasks SET step = 0 WHERE id = 2", "UPDATE tasks SET rows = 4",
        "UPDATE progress SET closed = 1", "UPDATE progress SET learned = 3",
        "UPDATE models SET gamma_ridge = 1e-9", "UPDATE models SET name = 'x' WHERE position = 1",
        "UPDATE codes SET code = zeroblob(16)", "UPDATE models SET checksum = checksum + 1",
        "INSERT INTO codes SELECT 9, code, checksum FROM codes LIMIT 1"}) {
    SCOPED_TRACE(change);
    const TemporaryDirectory home;
    write(home, stopped_);
    const std::string path = home.file("agent.db");
    Database(path, Database::Mode::update, path, "").run(change);
    expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                               {path, "is damaged", "put the newest copy"});
    expect_failure<StoreError>([&] { AgentStore::inspect(home.file("")); }, {path, "is damaged"});
  }
}

TEST_F(DamagedAgent, a_log_that_was_taken_away_is_noticed) {
  Files files = killed_;
  files.erase("agent.db-wal");
  const TemporaryDirectory home;
  write(home, files);
  expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                             {"agent.db", "older than it was", "agent.db-wal"});
  expect_failure<StoreError>([&] { AgentStore::inspect(home.file("")); }, {"older than it was"});
}

TEST_F(DamagedAgent, a_store_that_was_taken_away_is_missed) {
  for (const char* rest : {"agent.lock", "agent.db-wal"}) {
    const TemporaryDirectory home;
    write(home, {{rest, killed_[rest]}});
    expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                               {home.file("agent.db"), "is missing", "put the newest copy"});
  }
}

TEST_F(DamagedAgent, other_files_are_no_stores) {
  for (const std::string bytes : {"", "x", "SQLite format 3"}) {
    const TemporaryDirectory home;
    write(home, {{"agent.db", bytes}});
    expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                               {home.file("agent.db"), "is damaged (not a database)"});
  }
  const TemporaryDirectory home;
  std::filesystem::create_directory(home.file("agent.db"));
  expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                             {home.file("agent.db"), "is damaged"});
}

}  // namespace
}  // namespace colla
