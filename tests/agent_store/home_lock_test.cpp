// SPDX-License-Identifier: Apache-2.0
// One agent at a time in a home, whatever is done to its files meanwhile.
#include "agent_store/agents.hpp"

#include <sys/stat.h>

namespace colla {
namespace {

using testing::expect_failure;
using testing::lone_identity;
using testing::TemporaryDirectory;

void replace_with_a_copy(const std::string& path) {
  std::filesystem::copy_file(path, path + ".copy");
  std::filesystem::rename(path + ".copy", path);
}

TEST(HomeLock, a_lock_file_that_was_replaced_lets_no_second_agent_in) {
  const TemporaryDirectory home;
  const std::string path = home.file("agent.lock");
  {
    AgentStore store(home.file(""), lone_identity());
    EXPECT_FALSE(was_lock_replaced(path));
    for (const char* name : {"agent.lock", "agent.db"}) {
      replace_with_a_copy(home.file(name));
      EXPECT_TRUE(was_lock_replaced(path));
      expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                                 {"another agent is running on this home", "was replaced"});
      inspect_store(home.file(""));
      Random random(1);
      store.enqueue(testing::random_task(random, name));
    }
  }
  EXPECT_FALSE(was_lock_replaced(path));
}

TEST(HomeLock, a_removed_lock_file_lets_no_second_agent_in) {
  const TemporaryDirectory home;
  const AgentStore store(home.file(""), lone_identity());
  std::filesystem::remove(home.file("agent.lock"));
  EXPECT_TRUE(was_lock_replaced(home.file("agent.lock")));
  expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); },
                             {"agent.lock: is missing"});
  expect_failure<StoreError>([&] { const HomeLock second(home.file("agent.lock")); },
                             {"another agent is running on this home", "was replaced"});
}

TEST(HomeLock, what_is_no_file_is_refused_and_never_waited_for) {
  const std::vector<std::pair<std::string, std::function<void(const char*)>>> kinds = {
      {"is a FIFO, not a file", [](const char* path) { ASSERT_EQ(::mkfifo(path, 0600), 0); }},
      {"is a folder, not a file",
       [](const char* path) { std::filesystem::create_directory(path); }},
      {"is a link to nothing, not a file",
       [](const char* path) { std::filesystem::create_symlink("nothing", path); }},
      {"is a device, not a file",
       [](const char* path) { std::filesystem::create_symlink("/dev/zero", path); }}};
  for (const auto& [said, make] : kinds) {
    for (const char* name : {"agent.lock", "agent.db", "agent.db-wal", "agent.db-shm"}) {
      const TemporaryDirectory home;
      { const AgentStore store(home.file(""), lone_identity()); }
      std::filesystem::remove(home.file(name));
      make(home.file(name).c_str());
      const std::vector<std::string> parts = {home.file(name), said};
      expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); }, parts);
      expect_failure<StoreError>([&] { AgentStore::look(home.file(""), lone_identity()); }, parts);
      expect_failure<StoreError>([&] { inspect_store(home.file("")); }, parts);
    }
  }
}

}  // namespace
}  // namespace colla
