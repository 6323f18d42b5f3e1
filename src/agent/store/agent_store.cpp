// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_store.hpp"

#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <filesystem>

namespace colla {
namespace {

namespace fs = std::filesystem;

// No other program writes; somebody who does so by hand delays the agent.
constexpr int patience_milliseconds = 1000;
const std::string if_damaged = "put the newest copy of the home back";

std::string store_in(const std::string& home) { return (fs::path(home) / "agent.db").string(); }
std::string lock_in(const std::string& home) { return (fs::path(home) / "agent.lock").string(); }

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(fs::symlink_status(path, error));
}

void check_remembers(const AgentIdentity& identity) {
  if (identity.options.agent.remember_models) return;
  throw OptionError("an agent that can be restarted must remember models", "", "");
}

// The rows of tasks are private.
void create_privately(const std::string& path, const std::string& shown_as) {
  const int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) {
    throw StoreError("cannot be written", shown_as, "is the disk full or the folder read-only?");
  }
  ::close(descriptor);
}

// With few rows, neighbours may recover them from what they see (docs/privacy.md).
void check_number_of_rows(const AgentIdentity& identity, const TaskRows& task) {
  if (task.X.rows() >= identity.minimum_rows) return;
  throw DataError("has " + std::to_string(task.X.rows()) + " row(s); agents of this network take " +
                      std::to_string(identity.minimum_rows) + " or more at a time",
                  "task '" + task.task + "'",
                  "give more: neighbours could recover so few from what they see");
}

void create_store(const std::string& path, const AgentIdentity& identity) {
  const UnfinishedFile unfinished(path);
  create_privately(unfinished.path(), path);
  {
    Database database(unfinished.path(), Database::Mode::create, path, if_damaged);
    // An unfinished file is thrown away.
    database.run("PRAGMA journal_mode = MEMORY");
    database.run("BEGIN");
    create_tables(database, agent_schema());
    AgentProgress progress;
    progress.commits = 1;
    AgentWriter(database, progress.contents).write_settings(identity);
    write_progress(database, progress);
    database.run("COMMIT");
  }
  unfinished.replace_target();
}

// The lock file is made before the store and never removed, so it must exist if the store existed
// before we looked for it.
void check_lock_exists(const std::string& home, bool had_store, bool has_lock) {
  if (!had_store || has_lock) return;
  throw StoreError("is missing: without it the store may be an old copy", lock_in(home),
                   if_damaged + ", with agent.lock");
}

// If a store ever existed, it must still exist.
void check_not_lost(const std::string& path, std::uint64_t noted) {
  if (exists(path) || (noted == 0 && !exists(path + "-wal"))) return;
  throw StoreError("is missing", path, if_damaged);
}

void check_kind(Database& database) {
  if (!is_of_kind(database, agent_schema())) {
    throw StoreError("is not the store of an agent", database.shown_as(), "choose another home");
  }
  check_version(database, agent_schema());
}

// The lock file records commits that the store has lost.
void check_age(const Database& database, const AgentProgress& progress, std::uint64_t noted) {
  if (progress.commits >= noted) return;
  throw StoreError("was rolled back: its last changes are missing", database.shown_as(),
                   if_damaged + ", with agent.db-wal if there is one");
}

[[noreturn]] void fail_as_anothers(const Database& database, const std::string& setting,
                                   const std::string& stored, const std::string& expected) {
  throw StoreError("holds the state of another agent or network (its " + setting + " is '" +
                       stored + "', not '" + expected + "')",
                   database.shown_as(), "choose another home");
}

void check_identity(Database& database, const AgentIdentity& identity) {
  const auto found = read_settings(database);
  for (const auto& expected : settings_of(identity)) {
    const auto& [name, value] = expected;
    for (const auto& [stored_name, stored] : found) {
      if (stored_name != name || stored == value) continue;
      fail_as_anothers(database, name, stored, value);
    }
  }
}

Database open_store(const std::string& path, Database::Mode mode) {
  if (!is_database(path)) {
    throw StoreError("is damaged (not a database)", path, if_damaged);
  }
  return {path, mode, path, if_damaged};
}

// All reads see one snapshot.
Database open_to_watch(const std::string& path) {
  if (!exists(path)) {
    throw StoreError("no such file", path, "has the agent of this home run yet?");
  }
  Database database = open_store(path, Database::Mode::watch);
  database.run("BEGIN");
  check_kind(database);
  check_tables(database, agent_schema());
  return database;
}

HomeLock take_lock(const std::string& home) {
  const bool had_store = exists(store_in(home));
  check_lock_exists(home, had_store, exists(lock_in(home)));
  return HomeLock(lock_in(home));
}

Database open_or_create(const std::string& path, const AgentIdentity& identity,
                        std::uint64_t noted) {
  check_remembers(identity);
  check_not_lost(path, noted);
  if (!exists(path)) create_store(path, identity);
  return open_store(path, Database::Mode::update);
}

// A store that another process may be writing.
struct WatchedStore {
  LockState lock;
  Database database;
  AgentProgress progress;
};

// The same checks as for running. The lock file is read first: its commits are then in the store
// read afterwards, however many follow meanwhile.
WatchedStore watch(const std::string& home) {
  const bool had_store = exists(store_in(home));
  LockState lock = look_at_lock(lock_in(home));
  check_lock_exists(home, had_store, lock.exists);
  if (lock.refusal) throw *lock.refusal;
  check_not_lost(store_in(home), lock.commits);
  Database database = open_to_watch(store_in(home));
  const AgentProgress progress = check_contents(database);
  check_age(database, progress, lock.commits);
  return {std::move(lock), std::move(database), progress};
}

}  // namespace

class AgentStore::Transaction {
 public:
  explicit Transaction(AgentStore& store) : next(store.progress_), store_(store) {
    store_.database_.run("BEGIN IMMEDIATE");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (done_) return;
    try {
      store_.database_.run("ROLLBACK");
    } catch (const StoreError&) {  // SQLite has done it by itself
    }
  }

  AgentWriter writer() { return {store_.database_, next.contents}; }

  void commit() {
    ++next.commits;
    write_progress(store_.database_, next);
    store_.database_.run("COMMIT");
    done_ = true;
    store_.progress_ = next;
    store_.lock_.note_commits(next.commits);
  }

  AgentProgress next;

 private:
  AgentStore& store_;
  bool done_ = false;
};

AgentStore::AgentStore(const std::string& home, AgentIdentity identity)
    : identity_(std::move(identity)),
      lock_(take_lock(home)),
      database_(open_or_create(store_in(home), identity_, lock_.commits())) {
  check_kind(database_);
  database_.run("PRAGMA busy_timeout = " + std::to_string(patience_milliseconds));
  database_.run("PRAGMA secure_delete = ON");
  database_.run("PRAGMA synchronous = FULL");
  if (database_.text("PRAGMA journal_mode = WAL") != "wal") {
    throw StoreError("cannot keep a write-ahead log", store_in(home),
                     "choose a home on a local disk");
  }
  database_.run("BEGIN IMMEDIATE");
  check_tables(database_, agent_schema());
  progress_ = check_contents(database_);
  check_age(database_, progress_, lock_.commits());
  check_identity(database_, identity_);
  database_.run("COMMIT");
  lock_.note_commits(progress_.commits);
  empty_log();
}

NetworkedAgent AgentStore::load() { return read_agent(database_, identity_, progress_); }

std::int64_t AgentStore::enqueue(const TaskRows& task) {
  if (is_closed()) {
    throw StoreError("the queue is closed: no more tasks", database_.shown_as(), "");
  }
  check_rows(identity_.options.agent, task.task, task.X, task.y);
  check_number_of_rows(identity_, task);
  Transaction transaction(*this);
  const std::int64_t id = ++transaction.next.queued;
  transaction.writer().write_task(id, task);
  transaction.commit();
  return id;
}

void AgentStore::close() {
  if (is_closed()) return;
  Transaction transaction(*this);
  transaction.next.closed = true;
  transaction.commit();
}

std::uint64_t AgentStore::learned_in(std::int64_t task) {
  return tasks()[static_cast<std::size_t>(task - 1)].step;
}

std::vector<QueuedTask> AgentStore::tasks() { return read_queue(database_); }

std::optional<TaskRows> AgentStore::begin_step(std::uint64_t step) {
  assert(step == progress_.step + 1);
  if (!has_begun(step)) {
    Transaction transaction(*this);
    transaction.next.begun = step;
    transaction.next.task = waiting() > 0 ? progress_.learned + 1 : 0;
    transaction.commit();
  }
  if (progress_.task == 0) return {};
  return read_task(database_, progress_.task, identity_.options.agent.features);
}

void AgentStore::end_step(const NetworkedAgent& agent) {
  const Participant& participant = agent.participant();
  const LifelongAgent& learner = participant.agent();
  assert(agent.is_step_over() && has_begun(learner.step()));
  const bool has_learned = progress_.task != 0;
  const bool has_refreshed = identity_.options.refresh > 0;

  Transaction transaction(*this);
  AgentWriter writer = transaction.writer();
  writer.write_messages(agent);
  writer.write_edge_states(participant.edge_states());
  if (has_learned) {
    writer.write_record(learner, writer.mark_learned(progress_.task, learner.step()));
    ++transaction.next.learned;
  }
  if (has_refreshed) writer.write_codes(learner);
  if (has_learned || has_refreshed) writer.write_knowledge(learner.knowledge().state());
  transaction.next.step = learner.step();
  transaction.commit();
  if (has_learned) empty_log();
}

// The write-ahead log still holds the rows of learned tasks. If it cannot be emptied now, the next
// call does it.
void AgentStore::empty_log() {
  try {
    database_.run(
        "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = " +
        std::to_string(patience_milliseconds));
  } catch (const StoreError&) {
  }
}

NetworkedAgent AgentStore::look(const std::string& home, const AgentIdentity& identity) {
  WatchedStore store = watch(home);
  check_identity(store.database, identity);
  return read_agent(store.database, identity, store.progress);
}

AgentStoreSummary AgentStore::inspect(const std::string& home) {
  WatchedStore store = watch(home);
  AgentStoreSummary summary;
  summary.settings = read_settings(store.database);
  summary.tasks = read_queue(store.database);
  summary.steps = store.progress.step;
  summary.closed = store.progress.closed;
  summary.process = store.lock.process;
  return summary;
}

}  // namespace colla
