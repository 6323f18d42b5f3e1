// SPDX-License-Identifier: Apache-2.0
// A disk that cannot be read is not a damaged file.
#include "agent_store/agents.hpp"
#include "store/random_damage.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>

namespace colla {
namespace {

using testing::expect_failure;
using testing::lone_identity;
using testing::TemporaryDirectory;

// Which read of SQLite's fails: of a file whose name has this ending, after so many that succeed.
struct Failing {
  std::string ending;
  int after = 0;
  bool alone = false;  // later ones succeed
  int seen = 0;
};
Failing failing;

bool fails(int descriptor) {
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  std::error_code ignored;
  if (!std::filesystem::read_symlink(link, ignored).string().ends_with(failing.ending))
    return false;
  const int number = failing.seen++;
  return failing.alone ? number == failing.after : number >= failing.after;
}

template <auto read, typename... More>
ssize_t read_or_fail(int descriptor, void* bytes, std::size_t count, More... more) {
  if (!fails(descriptor)) return read(descriptor, bytes, count, more...);
  errno = EIO;
  return -1;
}

/// Such reads of SQLite's fail while it lives.
class BadDisk {
 public:
  explicit BadDisk(const std::string& ending = "", int after = 0, bool alone = false) {
    failing = {ending, after, alone};
    replace("read", reinterpret_cast<sqlite3_syscall_ptr>(&read_or_fail<::read>));
    replace("pread", reinterpret_cast<sqlite3_syscall_ptr>(&read_or_fail<::pread, off_t>));
    replace("pread64", reinterpret_cast<sqlite3_syscall_ptr>(&read_or_fail<::pread64, off64_t>));
  }
  BadDisk(const BadDisk&) = delete;
  BadDisk& operator=(const BadDisk&) = delete;
  ~BadDisk() {
    for (const char* name : {"read", "pread", "pread64"}) replace(name, nullptr);
  }

  static bool has_failed() { return failing.seen > failing.after; }

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

// An agent that was killed: its database and its log take more than 50 reads each.
class UnreadableHome : public ::testing::TestWithParam<const char*> {
 protected:
  UnreadableHome() {
    const TemporaryDirectory running;
    queue_tasks(AgentStore(running.file(""), lone_identity()), "first");
    AgentStore store(running.file(""), lone_identity());
    NetworkedAgent agent = store.load();
    testing::make_step(store, agent);
    queue_tasks(store, "second");
    for (const char* name : {"agent.db", "agent.db-wal", "agent.lock"}) {
      files_[name] = testing::bytes_of(running.file(name));
    }
  }

  template <typename Store>
  static void queue_tasks(Store&& store, const std::string& name) {
    Random random(3);
    for (int k = 0; k < 20; ++k) {
      store.enqueue(testing::random_task(random, name + std::to_string(k), 3, 400));
    }
  }

  // Fails at each of the first 50 reads of the file, from there on or once.
  void expect_unreadable(const std::function<void(const std::string& home)>& reads) {
    int failures = 0;
    for (int k = 0; k < 100; ++k) {
      SCOPED_TRACE(k);
      const TemporaryDirectory home(testing::quick_folder());
      for (const auto& [name, bytes] : files_) EXPECT_FALSE(home.write(name, bytes).empty());
      const BadDisk disk(GetParam(), k / 2, k % 2 == 1);
      std::string said;
      try {
        reads(home.file(""));
      } catch (const StoreError& error) {
        said = error.what();
      }
      if (!BadDisk::has_failed()) break;
      ++failures;
      // A log that cannot be emptied is emptied later.
      if (said.empty() && !requires_all_) continue;
      for (const std::string& part : unreadable)
        EXPECT_NE(said.find(part), std::string::npos) << said;
    }
    EXPECT_EQ(failures, 100);
  }

  testing::Files files_;
  bool requires_all_ = true;
};

TEST_P(UnreadableHome, is_never_called_damaged_by_who_looks) {
  expect_unreadable([](const std::string& home) { inspect_store(home); });
  expect_unreadable([](const std::string& home) { AgentStore::look(home, lone_identity()); });
}

TEST_P(UnreadableHome, is_never_called_damaged_at_start) {
  requires_all_ = false;
  expect_unreadable([](const std::string& home) {
    AgentStore store(home, lone_identity());
    store.load();
  });
}

INSTANTIATE_TEST_SUITE_P(ReadError, UnreadableHome, ::testing::Values("agent.db", "agent.db-wal"),
                         [](const auto& instance) {
                           return std::string(instance.param) == "agent.db" ? "database" : "log";
                         });

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
