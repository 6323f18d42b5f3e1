// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_tables.hpp"

#include "store/matrix_columns.hpp"

namespace colla {
namespace {

const std::string replace_word = "replace";
const std::string append_word = "append";

const char* const tables[] = {"codes",    "knowledge", "messages",  "models",
                              "settings", "sides",     "task_rows", "tasks"};

std::string with_key(const std::string& column, std::int64_t key) {
  return column + " = " + std::to_string(key);
}

AgentProgress read_progress(Database& database) {
  Statement row = database.prepare("SELECT * FROM progress");
  if (!row.step()) database.fail_as_damaged("no progress");
  check_row(database, row, "progress");
  return {static_cast<std::uint64_t>(row.integer(1)),
          row.integer(2) != 0,
          row.integer(3),
          row.integer(4),
          static_cast<std::uint64_t>(row.integer(5)),
          static_cast<std::uint64_t>(row.integer(6)),
          row.integer(7),
          static_cast<std::uint32_t>(row.integer(8))};
}

}  // namespace

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long lines
const Schema& agent_schema() {
  static const Schema schema = {
      0x636f6c61,  // "cola"
      1,
      {"CREATE TABLE codes (position INTEGER PRIMARY KEY, code BLOB NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE knowledge (id INTEGER PRIMARY KEY, solver TEXT NOT NULL, b BLOB NOT NULL, "
       "basis BLOB NOT NULL, sum BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE messages (exchange INTEGER PRIMARY KEY, sent_checksum INTEGER NOT NULL, "
       "dictionary BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE models (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
       "rows INTEGER NOT NULL, alpha BLOB NOT NULL, gamma_rows INTEGER NOT NULL, "
       "gamma_ridge REAL NOT NULL, gamma BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE progress (id INTEGER PRIMARY KEY, commits INTEGER NOT NULL, "
       "closed INTEGER NOT NULL, queued INTEGER NOT NULL, learned INTEGER NOT NULL, "
       "step INTEGER NOT NULL, begun INTEGER NOT NULL, task INTEGER NOT NULL, "
       "contents INTEGER NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL, "
       "checksum INTEGER NOT NULL) WITHOUT ROWID",
       "CREATE TABLE sides (neighbour INTEGER PRIMARY KEY, dictionary BLOB NOT NULL, "
       "dual BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE task_rows (task INTEGER PRIMARY KEY, x BLOB NOT NULL, y BLOB NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE tasks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL, "
       "revisit TEXT NOT NULL, step INTEGER NOT NULL, checksum INTEGER NOT NULL)"}};
  return schema;
}
// NOLINTEND(bugprone-suspicious-missing-comma)

void AgentWriter::write_settings(const AgentIdentity& identity) {
  for (const auto& [name, value] : settings_of(identity)) {
    insert("settings").add(name).add(value).write();
  }
}

void AgentWriter::write_task(std::int64_t id, const TaskRows& task) {
  insert("tasks")
      .add(id)
      .add(task.task)
      .add(static_cast<std::int64_t>(task.X.rows()))
      .add(task.revisit == Revisit::replace ? replace_word : append_word)
      .add(std::int64_t{0})
      .write();
  insert("task_rows").add(id).add_matrix(task.X).add_matrix(task.y).write();
}

std::string AgentWriter::mark_learned(std::int64_t id, std::uint64_t step) {
  const std::string key = with_key("id", id);
  std::string name;
  std::string revisit;
  std::int64_t rows = 0;
  {
    Statement task = database_.prepare("SELECT * FROM tasks WHERE " + key);
    if (!task.step()) database_.fail_as_damaged("no task " + std::to_string(id));
    name = task.text(1);
    rows = task.integer(2);
    revisit = task.text(3);
  }
  erase("tasks", key);
  insert("tasks")
      .add(id)
      .add(name)
      .add(rows)
      .add(revisit)
      .add(static_cast<std::int64_t>(step))
      .write();
  erase("task_rows", with_key("task", id));
  return name;
}

void AgentWriter::write_messages(const NetworkedAgent& agent) {
  erase("messages", "1");
  const std::uint64_t step = agent.participant().agent().step();
  for (const auto& message : agent.sent()) {
    if (message->position.step != step) continue;
    insert("messages")
        .add(std::int64_t{message->position.exchange})
        .add(std::int64_t{message->checksum})
        .add_matrix(message->dictionary)
        .write();
  }
}

void AgentWriter::write_edge_states(const std::vector<EdgeState>& edge_states) {
  erase("sides", "1");
  for (const EdgeState& edge : edge_states) {
    insert("sides")
        .add(static_cast<std::int64_t>(edge.neighbour))
        .add_matrix(edge.dictionary)
        .add_matrix(edge.dual)
        .write();
  }
}

void AgentWriter::write_record(const LifelongAgent& agent, const std::string& task) {
  const TaskRecord& record = agent.record(task);
  const auto position = static_cast<std::size_t>(&record - agent.records().data());
  const auto key = static_cast<std::int64_t>(position);
  const GammaColumns gamma = gamma_columns(*record.model.gamma);
  erase("models", with_key("position", key));
  insert("models")
      .add(key)
      .add(record.name)
      .add(static_cast<std::int64_t>(record.model.rows))
      .add_matrix(record.model.alpha)
      .add(gamma.rows)
      .add(gamma.ridge)
      .add(gamma.values)
      .write();
  write_code(position, record.code);
}

void AgentWriter::write_codes(const LifelongAgent& agent) {
  for (std::size_t k = 0; k < agent.records().size(); ++k) {
    write_code(k, agent.records()[k].code);
  }
}

void AgentWriter::write_code(std::size_t position, const Vector& code) {
  const auto key = static_cast<std::int64_t>(position);
  erase("codes", with_key("position", key));
  insert("codes").add(key).add_matrix(code).write();
}

void AgentWriter::write_knowledge(const KnowledgeState& state) {
  erase("knowledge", "1");
  insert("knowledge")
      .add(std::int64_t{1})
      .add(name_of(state.solver))
      .add_matrix(state.B)
      .add_matrix(state.basis)
      .add(packed(state.sum))
      .write();
}

void write_progress(Database& database, const AgentProgress& progress) {
  std::uint32_t not_part_of_itself = 0;
  erase_rows(database, "progress", "1", not_part_of_itself);
  RowWriter(database, "progress", not_part_of_itself)
      .add(std::int64_t{1})
      .add(static_cast<std::int64_t>(progress.commits))
      .add(std::int64_t{progress.closed ? 1 : 0})
      .add(progress.queued)
      .add(progress.learned)
      .add(static_cast<std::int64_t>(progress.step))
      .add(static_cast<std::int64_t>(progress.begun))
      .add(progress.task)
      .add(std::int64_t{progress.contents})
      .write();
}

AgentProgress check_contents(Database& database) {
  const AgentProgress progress = read_progress(database);
  std::uint32_t contents = 0;
  for (const char* table : tables) contents ^= check_all_rows(database, table);
  if (contents != progress.contents) database.fail_as_damaged("rows of different times");
  return progress;
}

std::vector<std::pair<std::string, std::string>> read_settings(Database& database) {
  Statement row = database.prepare("SELECT * FROM settings");
  std::vector<std::pair<std::string, std::string>> settings;
  while (row.step()) settings.emplace_back(row.text(0), row.text(1));
  return settings;
}

std::vector<QueuedTask> read_queue(Database& database) {
  Statement row = database.prepare("SELECT * FROM tasks ORDER BY id");
  std::vector<QueuedTask> queue;
  while (row.step()) {
    check_row(database, row, "tasks");
    QueuedTask task;
    task.id = row.integer(0);
    task.task = row.text(1);
    task.rows = row.integer(2);
    task.revisit = row.text(3) == append_word ? Revisit::append : Revisit::replace;
    task.step = static_cast<std::uint64_t>(row.integer(4));
    queue.push_back(std::move(task));
  }
  return queue;
}

TaskRows read_task(Database& database, std::int64_t id, Index features) {
  Statement task = database.prepare("SELECT * FROM tasks WHERE id = ?");
  Statement rows = database.prepare("SELECT * FROM task_rows WHERE task = ?");
  if (!task.bind(1, id).step() || !rows.bind(1, id).step()) {
    database.fail_as_damaged("no rows of task " + std::to_string(id));
  }
  check_row(database, task, "tasks");
  check_row(database, rows, "task_rows");
  const Index count = task.integer(2);
  if (count < 1 || count > std::ssize(rows.bytes(2))) {
    database.fail_as_damaged("a task without rows");
  }
  const std::vector<double> X = rows.reals(1, static_cast<std::size_t>(count * features));
  return {task.text(1), Eigen::Map<const Samples>(X.data(), count, features),
          read_vector(rows, 2, count),
          task.text(3) == append_word ? Revisit::append : Revisit::replace};
}

}  // namespace colla
