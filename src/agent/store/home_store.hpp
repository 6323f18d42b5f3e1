// SPDX-License-Identifier: Apache-2.0
// The database in an agent's home, agent.db, with the checks that every store makes of it: it was
// not rolled back, nothing in it is damaged, it belongs to this agent, and no other process has it.
// docs/formats.md has the schema. One thread at a time.
#pragma once

#include "agent/store/agent_tables.hpp"
#include "agent/store/home_lock.hpp"

#include <functional>

namespace colla {

/// What programs other than its agent can read from a store.
struct AgentStoreSummary {
  std::vector<std::pair<std::string, std::string>> settings;  ///< of the identity
  std::vector<QueuedTask> tasks;
  std::uint64_t steps = 0;  ///< finished
  bool closed = false;
  std::int64_t process = 0;  ///< that runs the agent; 0: none
};

/// Reads and checks everything, while an agent may run. Throws StoreError whenever a store's
/// constructor would refuse it.
AgentStoreSummary inspect_store(const std::string& home);

class HomeStore {
 public:
  HomeStore(const HomeStore&) = delete;
  HomeStore& operator=(const HomeStore&) = delete;

  /// All requests that were ever made, in order.
  std::vector<QueuedTask> tasks() { return read_queue(database_); }

 protected:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  /// Opens `home`/agent.db, or makes it if the home never had one, and locks out other processes.
  /// Throws StoreError if another agent runs on this home, if the store or its lock file is damaged
  /// or missing, or if the store was rolled back, belongs to another identity, as `settings` say,
  /// or has another format.
  HomeStore(const std::string& home, const Settings& settings);
  ~HomeStore() = default;

  /// All that `write` writes, or nothing. Throws StoreError if the disk is full.
  void commit(const std::function<void(AgentWriter&, AgentProgress&)>& write);
  /// The write-ahead log still holds the rows of learned tasks. If it cannot be emptied now, the
  /// next call does it.
  void empty_log();

  /// A store that another process may be writing: one snapshot of it, with the same checks.
  struct Watched {
    Database database;
    AgentProgress progress;
    std::int64_t process = 0;
  };
  static Watched watch(const std::string& home, const Settings* settings);
  friend AgentStoreSummary inspect_store(const std::string& home);

  HomeLock lock_;
  Database database_;
  AgentProgress progress_;
};

/// Throws DataError unless the rows of a task are as many as agents of the network may learn at a
/// time: with few, neighbours may recover them from what they see (docs/privacy.md).
void check_number_of_rows(const TaskRows& task, Index minimum);
/// Throws DataError unless the task was learned or queued, and is not to be forgotten anyway.
void check_known(const std::vector<QueuedTask>& tasks, const std::string& name);

}  // namespace colla
