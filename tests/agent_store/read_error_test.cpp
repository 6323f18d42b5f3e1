// SPDX-License-Identifier: Apache-2.0
// A disk that cannot be read is not a damaged file.
#include "agent_store/agents.hpp"

#include <sqlite3.h>

#include <cerrno>

namespace colla {
namespace {

using testing::expect_failure;
using testing::lone_identity;
using testing::TemporaryDirectory;

ssize_t no_read(int, void*, std::size_t) {
  errno = EIO;
  return -1;
}
ssize_t no_pread(int, void*, std::size_t, off64_t) {
  errno = EIO;
  return -1;
}

/// SQLite's reads fail while it lives.
class BadDisk {
 public:
  BadDisk() {
    replace("read", reinterpret_cast<sqlite3_syscall_ptr>(&no_read));
    replace("pread", reinterpret_cast<sqlite3_syscall_ptr>(&no_pread));
    replace("pread64", reinterpret_cast<sqlite3_syscall_ptr>(&no_pread));
  }
  BadDisk(const BadDisk&) = delete;
  BadDisk& operator=(const BadDisk&) = delete;
  ~BadDisk() {
    for (const char* name : {"read", "pread", "pread64"}) replace(name, nullptr);
  }

 private:
  static void replace(const char* name, sqlite3_syscall_ptr call) {
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    system->xSetSystemCall(system, name, call);
  }
};

const std::vector<std::string> unreadable = {"cannot be read", "nput/output error", "the disk"};

TEST(ReadError, of_an_agents_store_is_not_called_damage) {
  const TemporaryDirectory home;
  { const AgentStore store(home.file(""), lone_identity()); }
  const BadDisk disk;
  expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); }, unreadable);
  expect_failure<StoreError>([&] { AgentStore::look(home.file(""), lone_identity()); }, unreadable);
  expect_failure<StoreError>([&] { inspect_store(home.file("")); }, unreadable);
}

TEST(ReadError, of_a_model_is_not_called_damage) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), testing::random_model());
  const BadDisk disk;
  expect_failure<StoreError>([&] { read_model(folder.file("m")); }, unreadable);
}

// The first bytes are read before SQLite sees the file. This file exists and can never be read.
TEST(ReadError, of_the_first_bytes_is_not_called_damage) {
  const TemporaryDirectory home;
  { const AgentStore store(home.file(""), lone_identity()); }
  std::filesystem::remove(home.file("agent.db"));
  std::filesystem::create_symlink("/proc/self/mem", home.file("agent.db"));
  expect_failure<StoreError>([&] { AgentStore(home.file(""), lone_identity()); }, unreadable);
  expect_failure<StoreError>([&] { AgentStore::look(home.file(""), lone_identity()); }, unreadable);
  std::filesystem::remove(home.file("agent.lock"));
  std::filesystem::create_symlink("/proc/self/mem", home.file("agent.lock"));
  expect_failure<StoreError>([&] { inspect_store(home.file("")); },
                             {"agent.lock: cannot be read", "nput/output error", "the disk"});
}

}  // namespace
}  // namespace colla
