// SPDX-License-Identifier: Apache-2.0
// The tables of an agent's store, format 5, and its state as their rows. Every row has a checksum.
#pragma once

#include "agent/store/agent_identity.hpp"
#include "store/checked_rows.hpp"

#include <map>
#include <optional>

namespace colla {

const Schema& agent_schema();

/// The one row that every commit writes.
struct AgentProgress {
  std::uint64_t commits = 0;
  bool closed = false;
  std::int64_t queued = 0;     ///< tasks ever; they are numbered from 1
  std::int64_t learned = 0;    ///< the first `learned` of them
  std::uint64_t step = 0;      ///< finished
  std::uint64_t begun = 0;     ///< the last step that was begun
  std::int64_t task = 0;       ///< which it learns; 0: none
  std::uint32_t contents = 0;  ///< exclusive or of the checksums of all other rows
};

/// A request to learn or to forget a task.
struct QueuedTask {
  std::int64_t id = 0;
  std::string task;
  Index rows = 0;
  Revisit revisit = Revisit::replace;
  std::uint64_t step = 0;  ///< in which it was learned or forgotten; 0: not yet

  bool forgets() const { return rows == 0; }
};

/// What a task's rows have spent of their privacy: one release.
struct Spending {
  std::int64_t request = 0;  ///< that brought the rows
  std::string task;
  Index rows = 0;
  Index shortened = 0;  ///< of these, longer than the bound
  double epsilon = 0.0;
  double delta = 0.0;
  /// Somebody said to release rows that may have been released before.
  bool again = false;
};

/// Writes into tables; `contents` follows.
class AgentWriter {
 public:
  AgentWriter(Database& database, std::uint32_t& contents)
      : database_(database), contents_(contents) {}

  void write_settings(const std::vector<std::pair<std::string, std::string>>& settings);
  /// A row of the queue, without the task's rows.
  void write_request(const QueuedTask& task);
  /// Without rows it is to be forgotten.
  void write_task(std::int64_t id, const TaskRows& task);
  /// Deletes the task's rows and keeps its entry. Returns its name.
  std::string mark_learned(std::int64_t id, std::uint64_t step);
  /// Deletes the task's rows before they are learned: it is now to be forgotten.
  void withdraw(std::int64_t id);

  /// Of the step that is over.
  void write_messages(const NetworkedAgent& agent);
  void write_edge_states(const std::vector<EdgeState>& edge_states);
  /// The codes or contributions that a step's refreshes have changed.
  void write_refreshed(const Participant& agent, Index refreshes);
  /// What the records do not tell.
  void write_rest(const Participant& agent);

  /// One task's model and code; with a collective prior, its statistics, what was released of
  /// them, and its contribution.
  void write_record(const std::vector<TaskRecord>& records, const std::string& task);
  /// Its code or contribution alone.
  void write_code(std::size_t position, const TaskRecord& record);
  /// All of them, after one was removed.
  void rewrite_records(const std::vector<TaskRecord>& records);
  /// Of an agent that lives: x, and the record to estimate again first.
  void write_kept(const Matrix& x, std::uint64_t next_refresh);
  /// What an agent has told of a batch. A task is the position of its record, and whether it has
  /// new rows since.
  void write_release(const ReleasedBatch& batch, const PriorAgent& agent);
  void erase_release(std::uint64_t number);
  /// How many requests of a neighbour's this agent knows of.
  void write_known_requests(const std::string& neighbour, std::uint64_t requests);
  void write_spending(const Spending& spending);

 private:
  QueuedTask take_entry(std::int64_t id);
  void write_record(std::size_t position, const TaskRecord& record);
  void write_model(std::int64_t key, const TaskRecord& record);
  void write_row_release(std::int64_t key, const TaskStatistics& released);
  void write_knowledge(const KnowledgeState& state);
  RowWriter insert(std::string_view table) { return {database_, table, contents_}; }
  void erase(const std::string& table, const std::string& condition) {
    erase_rows(database_, table, condition, contents_);
  }

  Database& database_;
  std::uint32_t& contents_;
};

/// The word in the column `solver` of a collective prior's row in the table `knowledge`.
inline const std::string prior_word = "prior";

void write_progress(Database& database, const AgentProgress& progress);

/// Reads everything once. Throws StoreError if a row is damaged, or one is missing or too many.
AgentProgress check_contents(Database& database);
std::vector<std::pair<std::string, std::string>> read_settings(Database& database);

std::vector<QueuedTask> read_queue(Database& database);
TaskRows read_task(Database& database, std::int64_t id, Index features);

/// The agent at the end of its last step.
NetworkedAgent read_agent(Database& database, const AgentIdentity& identity,
                          const AgentProgress& progress);
/// Of an agent that lives: its tasks, with the knowledge that it kept last. If the network is
/// private, every task has a release.
AgentState read_living_state(Database& database, const AgentOptions& options,
                             const AgentProgress& progress, bool is_private);
std::map<std::string, std::uint64_t> read_known_requests(Database& database);
std::vector<Spending> read_ledger(Database& database);

}  // namespace colla
