// SPDX-License-Identifier: Apache-2.0
// The tables of an agent's store, format 1, and its state as their rows. Every row has a checksum.
#pragma once

#include "agent/store/agent_identity.hpp"
#include "store/checked_rows.hpp"

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

/// Writes into tables; `contents` follows.
class AgentWriter {
 public:
  AgentWriter(Database& database, std::uint32_t& contents)
      : database_(database), contents_(contents) {}

  void write_settings(const AgentIdentity& identity);
  void write_task(std::int64_t id, const TaskRows& task);
  /// Deletes the task's rows and keeps its entry. Returns its name.
  std::string mark_learned(std::int64_t id, std::uint64_t step);

  /// Of the step that is over.
  void write_messages(const NetworkedAgent& agent);
  void write_edge_states(const std::vector<EdgeState>& edge_states);
  /// One task's model and code.
  void write_record(const LifelongAgent& agent, const std::string& task);
  void write_codes(const LifelongAgent& agent);
  void write_knowledge(const KnowledgeState& state);

 private:
  void write_code(std::size_t position, const Vector& code);
  RowWriter insert(std::string_view table) { return {database_, table, contents_}; }
  void erase(const std::string& table, const std::string& condition) {
    erase_rows(database_, table, condition, contents_);
  }

  Database& database_;
  std::uint32_t& contents_;
};

void write_progress(Database& database, const AgentProgress& progress);

/// Reads everything once. Throws StoreError if a row is damaged, or one is missing or too many.
AgentProgress check_contents(Database& database);
std::vector<std::pair<std::string, std::string>> read_settings(Database& database);

struct QueuedTask {
  std::int64_t id = 0;
  std::string task;
  Index rows = 0;
  Revisit revisit = Revisit::replace;
  std::uint64_t step = 0;  ///< in which it was learned; 0: not yet
};

std::vector<QueuedTask> read_queue(Database& database);
TaskRows read_task(Database& database, std::int64_t id, Index features);

/// The agent at the end of its last step.
NetworkedAgent read_agent(Database& database, const AgentIdentity& identity,
                          const AgentProgress& progress);

}  // namespace colla
