// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the bytes of an agent's store, it is refused or gives back what was stored.
#include "agent_store/agents.hpp"
#include "store/random_damage.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::Files;
using testing::lone_identity;
using testing::TemporaryDirectory;

Files files_in(const TemporaryDirectory& home) {
  Files files;
  for (const char* name : {"agent.db", "agent.db-wal", "agent.db-shm", "agent.lock"}) {
    const std::string bytes = testing::bytes_of(home.file(name));
    if (!bytes.empty()) files[name] = bytes;
  }
  return files;
}

void write(const TemporaryDirectory& home, const Files& files) {
  for (const auto& [name, bytes] : files) EXPECT_FALSE(home.write(name, bytes).empty());
}

// Without any of these files there was never an agent.
bool is_of_an_agent(const Files& files) {
  return files.count("agent.db") + files.count("agent.db-wal") + files.count("agent.lock") > 0;
}

// Three tasks learned, one of them twice, one being learned, one queued.
class DamagedAgent : public ::testing::TestWithParam<bool> {
 protected:
  // With a collective prior or without.
  static AgentIdentity identity() {
    return GetParam() ? testing::lone_identity_with_prior() : lone_identity();
  }

  DamagedAgent() {
    const TemporaryDirectory home;
    {
      AgentStore store(home.file(""), identity());
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

  // False if `look` has refused the store.
  bool looks_as_it_was(const Files& files) {
    const TemporaryDirectory home(testing::quick_folder());
    write(home, files);
    try {
      testing::expect_same_agents(AgentStore::look(home.file(""), identity()), *expected_);
      return true;
    } catch (const StoreError&) {
      return false;
    }
  }

  void expect_right_answers_or_refusals(const Files& files, std::uint64_t seed) {
    int refused = 0;
    int sound = 0;
    for (int k = 0; k < testing::random_changes && !HasFailure(); ++k) {
      SCOPED_TRACE(k);
      Random random(seed, {static_cast<std::uint64_t>(k)});
      Files damaged = files;
      testing::damage(damaged, random);
      const bool looks = looks_as_it_was(damaged);
      if (!is_of_an_agent(damaged)) continue;
      EXPECT_EQ(is_as_it_was(damaged), looks) << "running and looking differ";
      (looks ? sound : refused) += 1;
    }
    EXPECT_GT(refused, testing::random_changes / 10);
    EXPECT_GT(sound, testing::random_changes / 100);
  }

  // By every reader.
  static void expect_home_refused(const Files& files, const std::vector<std::string>& parts) {
    const TemporaryDirectory home;
    write(home, files);
    const std::string folder = home.file("");
    expect_failure<StoreError>([&] { AgentStore(folder, identity()); }, parts);
    expect_failure<StoreError>([&] { AgentStore::look(folder, identity()); }, parts);
    expect_failure<StoreError>([&] { inspect_store(folder); }, parts);
  }

  // False if the store was refused.
  bool is_as_it_was(const Files& files) {
    const TemporaryDirectory home(testing::quick_folder());
    write(home, files);
    try {
      AgentStore store(home.file(""), identity());
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
      EXPECT_EQ(task->task, "d");
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

TEST_P(DamagedAgent, any_byte_of_the_database_may_change) {
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

TEST_P(DamagedAgent, any_byte_of_the_log_may_change) {
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

TEST_P(DamagedAgent, the_header_may_hold_any_byte) {
  for (std::size_t position = 0; position < 100; ++position) {
    for (const int value : {0, 1, 0xff}) {
      Files files = stopped_;
      files["agent.db"][position] = static_cast<char>(value);
      is_as_it_was(files);
    }
  }
}

TEST_P(DamagedAgent, any_changes_of_a_home_whose_agent_was_stopped) {
  expect_right_answers_or_refusals(stopped_, 21);
}

TEST_P(DamagedAgent, any_changes_of_a_home_whose_agent_was_killed) {
  expect_right_answers_or_refusals(killed_, 22);
}

TEST_P(DamagedAgent, files_may_be_cut_anywhere) {
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

TEST_P(DamagedAgent, pages_may_be_zeros_or_those_of_others_or_of_an_earlier_time) {
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

TEST_P(DamagedAgent, rows_that_are_lost_or_changed_are_noticed) {
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
    expect_failure<StoreError>([&] { AgentStore(home.file(""), identity()); },
                               {path, "is damaged", "put the newest copy"});
    expect_failure<StoreError>([&] { inspect_store(home.file("")); }, {path, "is damaged"});
  }
}

TEST_P(DamagedAgent, a_log_that_was_taken_away_is_noticed) {
  Files files = killed_;
  files.erase("agent.db-wal");
  expect_home_refused(files, {"agent.db: was rolled back", "agent.db-wal"});
}

TEST_P(DamagedAgent, a_lock_that_was_taken_away_is_missed) {
  Files files = killed_;
  files.erase("agent.lock");
  const std::vector<std::string> parts = {"agent.lock: is missing", "put the newest copy",
                                          "with agent.lock"};
  expect_home_refused(files, parts);
  files.erase("agent.db-wal");
  expect_home_refused(files, parts);
}

TEST_P(DamagedAgent, any_change_of_the_lock_is_damage) {
  const std::string& line = stopped_["agent.lock"];
  std::vector<std::string> changed = {"",
                                      "x",
                                      line + "\n",
                                      line.substr(0, line.size() - 1),
                                      std::string(line.size(), '\0'),
                                      line.substr(0, 20)};
  for (std::size_t k = 0; k < line.size(); ++k) {
    changed.push_back(line);
    changed.back()[k] = line[k] == '1' ? '2' : '1';
  }
  for (const std::string& bytes : changed) {
    SCOPED_TRACE(bytes);
    Files files = stopped_;
    files["agent.lock"] = bytes;
    expect_home_refused(files, {"agent.lock: is damaged", "put the newest copy of the home back"});
  }
}

TEST_P(DamagedAgent, a_lock_of_the_format_without_checksum_says_so) {
  std::string line = "process 12, commits 3";
  line.resize(63, ' ');
  Files files = stopped_;
  files["agent.lock"] = line + "\n";
  expect_home_refused(files, {"agent.lock: is of format 1", "reads format 2"});
}

TEST_P(DamagedAgent, a_store_that_was_taken_away_is_missed) {
  for (const char* rest : {"agent.lock", "agent.db-wal"}) {
    const TemporaryDirectory home;
    write(home, {{rest, killed_[rest]}});
    expect_failure<StoreError>([&] { AgentStore(home.file(""), identity()); },
                               {home.file("agent.db"), "is missing", "put the newest copy"});
  }
}

TEST_P(DamagedAgent, other_files_are_no_stores) {
  for (const std::string bytes : {"", "x", "SQLite format 3"}) {
    expect_home_refused({{"agent.lock", stopped_["agent.lock"]}, {"agent.db", bytes}},
                        {"agent.db: is damaged (not a database)"});
  }
  const TemporaryDirectory home;
  write(home, {{"agent.lock", stopped_["agent.lock"]}});
  std::filesystem::create_directory(home.file("agent.db"));
  expect_failure<StoreError>([&] { AgentStore(home.file(""), identity()); },
                             {home.file("agent.db"), "is a folder, not a file"});
}

INSTANTIATE_TEST_SUITE_P(Algorithms, DamagedAgent, ::testing::Values(false, true),
                         [](const auto& instance) { return instance.param ? "bayes" : "colla"; });

// The lock file is made first, then the store, each beside its place.
TEST(FirstStart, goes_on_wherever_the_last_one_was_killed) {
  const TemporaryDirectory other;
  { const AgentStore store(other.file(""), lone_identity()); }
  const Files made = files_in(other);
  const std::string half_a_line = made.at("agent.lock").substr(0, 30);
  std::string first_line;
  {
    const TemporaryDirectory home;
    const HomeLock lock(home.file("agent.lock"));
    first_line = testing::bytes_of(home.file("agent.lock"));
  }
  for (const Files& left :
       {Files{{"agent.lock.unfinished-1", ""}}, Files{{"agent.lock.unfinished-1", half_a_line}},
        Files{{"agent.lock", first_line}},
        Files{{"agent.lock", first_line}, {"agent.db.unfinished-1", "SQLite"}},
        Files{{"agent.lock", first_line}, {"agent.db", made.at("agent.db")}}}) {
    const TemporaryDirectory home;
    write(home, left);
    const AgentStore store(home.file(""), lone_identity());
    EXPECT_EQ(store.steps(), 0U);
  }
}

}  // namespace
}  // namespace colla
