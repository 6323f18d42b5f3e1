// SPDX-License-Identifier: Apache-2.0
#include "agent/store/home_store.hpp"

#include "files/file_type.hpp"
#include "files/unfinished_file.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace colla {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::pair<std::string, std::string>>;

// No other program writes; somebody who does so by hand delays the agent.
constexpr int patience_milliseconds = 1000;
const std::string if_damaged = "put the newest copy of the home back";

std::string store_in(const std::string& home) { return (fs::path(home) / "agent.db").string(); }
std::string lock_in(const std::string& home) { return (fs::path(home) / "agent.lock").string(); }

// Something else in its place is refused.
bool exists(const std::string& path) { return is_file_at(path, if_damaged); }

// SQLite opens them, whatever they are.
void check_log(const std::string& store) {
  for (const char* ending : {"-wal", "-shm", "-journal"}) exists(store + ending);
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

void create_store(const std::string& path, const Settings& settings) {
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
    AgentWriter(database, progress.contents).write_settings(settings);
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

void check_identity(Database& database, const Settings& settings) {
  const auto found = read_settings(database);
  for (const auto& expected : settings) {
    const auto& [name, value] = expected;
    for (const auto& [stored_name, stored] : found) {
      if (stored_name != name || stored == value) continue;
      fail_as_anothers(database, name, stored, value);
    }
  }
}

Database open_store(const std::string& path, Database::Mode mode) {
  check_log(path);
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

Database open_or_create(const std::string& path, const Settings& settings, std::uint64_t noted) {
  check_not_lost(path, noted);
  if (!exists(path)) create_store(path, settings);
  return open_store(path, Database::Mode::update);
}

// Rolls back unless it is committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(database) {
    database_.run("BEGIN IMMEDIATE");
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (done_) return;
    try {
      database_.run("ROLLBACK");
    } catch (const StoreError&) {  // SQLite has done it by itself
    }
  }

  void commit() {
    database_.run("COMMIT");
    done_ = true;
  }

 private:
  Database& database_;
  bool done_ = false;
};

}  // namespace

HomeStore::HomeStore(const std::string& home, const Settings& settings)
    : lock_(take_lock(home)), database_(open_or_create(store_in(home), settings, lock_.commits())) {
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
  check_identity(database_, settings);
  database_.run("COMMIT");
  lock_.note_commits(progress_.commits);
  empty_log();
}

void HomeStore::commit(const std::function<void(AgentWriter&, AgentProgress&)>& write) {
  AgentProgress next = progress_;
  Transaction transaction(database_);
  AgentWriter writer(database_, next.contents);
  write(writer, next);
  ++next.commits;
  write_progress(database_, next);
  transaction.commit();
  progress_ = next;
  lock_.note_commits(next.commits);
}

void HomeStore::empty_log() {
  try {
    database_.run(
        "PRAGMA busy_timeout = 0; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = " +
        std::to_string(patience_milliseconds));
  } catch (const StoreError&) {
  }
}

// The lock file is read first: its commits are then in the store read afterwards, however many
// follow meanwhile.
HomeStore::Watched HomeStore::watch(const std::string& home, const Settings* settings) {
  const bool had_store = exists(store_in(home));
  const LockState lock = look_at_lock(lock_in(home));
  check_lock_exists(home, had_store, lock.exists);
  if (lock.refusal) throw *lock.refusal;
  check_not_lost(store_in(home), lock.commits);
  Database database = open_to_watch(store_in(home));
  const AgentProgress progress = check_contents(database);
  check_age(database, progress, lock.commits);
  if (settings != nullptr) check_identity(database, *settings);
  return {std::move(database), progress, lock.process};
}

AgentStoreSummary inspect_store(const std::string& home) {
  HomeStore::Watched store = HomeStore::watch(home, nullptr);
  AgentStoreSummary summary;
  summary.settings = read_settings(store.database);
  summary.tasks = read_queue(store.database);
  summary.steps = store.progress.step;
  summary.closed = store.progress.closed;
  summary.process = store.process;
  return summary;
}

void check_number_of_rows(const TaskRows& task, Index minimum) {
  const std::string where = "task '" + task.task + "'";
  if (task.X.rows() < minimum) {
    throw DataError("has " + std::to_string(task.X.rows()) +
                        " row(s); agents of this network take " + std::to_string(minimum) +
                        " or more at a time",
                    where, "give more: neighbours could recover so few from what they see");
  }
  if (task.X.rows() == 1 && task.revisit == Revisit::replace) {
    throw DataError("has 1 row, and two are needed", where, "add rows or leave the task out");
  }
}

void check_known(const std::vector<QueuedTask>& tasks, const std::string& name) {
  bool is_known = false;
  for (const QueuedTask& each : tasks) {
    if (each.task == name) is_known = !each.forgets();
  }
  if (is_known) return;
  throw DataError("unknown to this agent", "task '" + name + "'",
                  "`colla agent tasks` lists those that it has");
}

}  // namespace colla
