// SPDX-License-Identifier: Apache-2.0
#include "agent/store/agent_tables.hpp"

#include "store/matrix_columns.hpp"
#include "store/prior_columns.hpp"

#include <algorithm>

namespace colla {
namespace {

const std::string replace_word = "replace";
const std::string append_word = "append";

const char* const tables[] = {"codes",    "kept",      "knowledge", "known_requests", "ledger",
                              "messages", "models",    "releases",  "row_releases",   "settings",
                              "sides",    "task_rows", "tasks"};

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

// A row of the table tasks.
QueuedTask queued_task(const Statement& row) {
  return {row.integer(0), row.text(1), row.integer(2),
          row.text(3) == append_word ? Revisit::append : Revisit::replace,
          static_cast<std::uint64_t>(row.integer(4))};
}

}  // namespace

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long lines
const Schema& agent_schema() {
  static const Schema schema = {
      0x636f6c61,  // "cola"
      5,
      {"CREATE TABLE codes (position INTEGER PRIMARY KEY, code BLOB NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE kept (id INTEGER PRIMARY KEY, x BLOB NOT NULL, next_refresh INTEGER NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE knowledge (id INTEGER PRIMARY KEY, solver TEXT NOT NULL, b BLOB NOT NULL, "
       "basis BLOB NOT NULL, sum BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE known_requests (neighbour TEXT PRIMARY KEY, requests INTEGER NOT NULL, "
       "checksum INTEGER NOT NULL) WITHOUT ROWID",
       "CREATE TABLE ledger (request INTEGER PRIMARY KEY, name TEXT NOT NULL, "
       "rows INTEGER NOT NULL, shortened INTEGER NOT NULL, epsilon REAL NOT NULL, "
       "delta REAL NOT NULL, again INTEGER NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE messages (exchange INTEGER PRIMARY KEY, sent_checksum INTEGER NOT NULL, "
       "dictionary BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE models (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
       "rows INTEGER NOT NULL, alpha BLOB NOT NULL, gamma_rows INTEGER NOT NULL, "
       "gamma_ridge REAL NOT NULL, gamma BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE progress (id INTEGER PRIMARY KEY, commits INTEGER NOT NULL, "
       "closed INTEGER NOT NULL, queued INTEGER NOT NULL, learned INTEGER NOT NULL, "
       "step INTEGER NOT NULL, begun INTEGER NOT NULL, task INTEGER NOT NULL, "
       "contents INTEGER NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE releases (number INTEGER PRIMARY KEY, tasks BLOB NOT NULL, sums BLOB NOT "
       "NULL, "
       "priors BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE row_releases (position INTEGER PRIMARY KEY, rows INTEGER NOT NULL, "
       "products BLOB NOT NULL, target_squares REAL NOT NULL, gram BLOB NOT NULL, "
       "gram_noise REAL NOT NULL, products_noise REAL NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL, "
       "checksum INTEGER NOT NULL) WITHOUT ROWID",
       "CREATE TABLE sides (neighbour INTEGER PRIMARY KEY, dictionary BLOB NOT NULL, "
       "dual BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE task_rows (task INTEGER PRIMARY KEY, x BLOB NOT NULL, y BLOB NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE tasks (id INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL, "
       "revisit TEXT NOT NULL, step INTEGER NOT NULL, checksum INTEGER NOT NULL)"},
      "learn the tasks again in a new home"};
  return schema;
}
// NOLINTEND(bugprone-suspicious-missing-comma)

void AgentWriter::write_settings(const std::vector<std::pair<std::string, std::string>>& settings) {
  for (const auto& [name, value] : settings) insert("settings").add(name).add(value).write();
}

void AgentWriter::write_task(std::int64_t id, const TaskRows& task) {
  write_request({id, task.task, task.X.rows(), task.revisit});
  if (task.X.rows() == 0) return;
  insert("task_rows").add(id).add_matrix(task.X).add_matrix(task.y).write();
}

std::string AgentWriter::mark_learned(std::int64_t id, std::uint64_t step) {
  QueuedTask task = take_entry(id);
  task.step = step;
  write_request(task);
  return task.task;
}

void AgentWriter::withdraw(std::int64_t id) {
  QueuedTask task = take_entry(id);
  task.rows = 0;
  write_request(task);
}

QueuedTask AgentWriter::take_entry(std::int64_t id) {
  const std::string key = with_key("id", id);
  QueuedTask task;
  {
    Statement row = database_.prepare("SELECT * FROM tasks WHERE " + key);
    if (!row.step()) database_.fail_as_damaged("no task " + std::to_string(id));
    task = queued_task(row);
  }
  erase("tasks", key);
  erase("task_rows", with_key("task", id));
  return task;
}

void AgentWriter::write_request(const QueuedTask& task) {
  insert("tasks")
      .add(task.id)
      .add(task.task)
      .add(std::int64_t{task.rows})
      .add(task.revisit == Revisit::replace ? replace_word : append_word)
      .add(static_cast<std::int64_t>(task.step))
      .write();
}

void AgentWriter::write_messages(const NetworkedAgent& agent) {
  erase("messages", "1");
  const std::uint64_t step = agent.participant().step();
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

void AgentWriter::write_record(const std::vector<TaskRecord>& records, const std::string& task) {
  for (std::size_t k = 0; k < records.size(); ++k) {
    if (records[k].name == task) write_record(k, records[k]);
  }
}

void AgentWriter::write_record(std::size_t position, const TaskRecord& record) {
  const auto key = static_cast<std::int64_t>(position);
  erase("models", with_key("position", key));
  erase("row_releases", with_key("position", key));
  write_model(key, record);
  if (record.released != nullptr) write_row_release(key, *record.released);
  write_code(position, record);
}

void AgentWriter::write_model(std::int64_t key, const TaskRecord& record) {
  const auto write = [&](Index rows, const Vector& alpha, const GammaColumns& gamma) {
    insert("models")
        .add(key)
        .add(record.name)
        .add(static_cast<std::int64_t>(rows))
        .add_matrix(alpha)
        .add(gamma.rows)
        .add(gamma.ridge)
        .add(gamma.values)
        .write();
  };
  if (record.statistics != nullptr) {
    const StatisticsColumns columns = statistics_columns(*record.statistics);
    write(record.statistics->rows, columns.alpha, columns.gamma);
  } else {
    write(record.model.rows, record.model.alpha, gamma_columns(*record.model.gamma));
  }
}

void AgentWriter::write_row_release(std::int64_t key, const TaskStatistics& released) {
  insert("row_releases")
      .add(key)
      .add(static_cast<std::int64_t>(released.rows))
      .add_matrix(released.products)
      .add(released.target_squares)
      .add(packed(released.gram))
      .add(released.gram_noise)
      .add(released.products_noise)
      .write();
}

void AgentWriter::write_spending(const Spending& spending) {
  insert("ledger")
      .add(spending.request)
      .add(spending.task)
      .add(static_cast<std::int64_t>(spending.rows))
      .add(static_cast<std::int64_t>(spending.shortened))
      .add(spending.epsilon)
      .add(spending.delta)
      .add(std::int64_t{spending.again ? 1 : 0})
      .write();
}

void AgentWriter::rewrite_records(const std::vector<TaskRecord>& records) {
  erase("models", "1");
  erase("row_releases", "1");
  erase("codes", "1");
  for (std::size_t k = 0; k < records.size(); ++k) write_record(k, records[k]);
}

void AgentWriter::write_kept(const Matrix& x, std::uint64_t next_refresh) {
  erase("kept", "1");
  insert("kept")
      .add(std::int64_t{1})
      .add_matrix(x)
      .add(static_cast<std::int64_t>(next_refresh))
      .write();
}

void AgentWriter::write_known_requests(const std::string& neighbour, std::uint64_t requests) {
  erase("known_requests", "neighbour = '" + neighbour + "'");
  insert("known_requests").add(neighbour).add(static_cast<std::int64_t>(requests)).write();
}

void AgentWriter::write_release(const ReleasedBatch& batch, const PriorAgent& agent) {
  Matrix tasks(2, std::ssize(batch.tasks));
  for (std::size_t k = 0; k < batch.tasks.size(); ++k) {
    const std::string& task = batch.tasks[k];
    const auto found = std::find(batch.renewed.begin(), batch.renewed.end(), task);
    const auto position = &agent.record(task) - agent.records().data();
    const double is_renewed = found == batch.renewed.end() ? 0.0 : 1.0;
    tasks.col(static_cast<Index>(k)) << static_cast<double>(position), is_renewed;
  }
  insert("releases")
      .add(static_cast<std::int64_t>(batch.number))
      .add_matrix(tasks)
      .add_matrix(batch.sums)
      .add_matrix(batch.priors)
      .write();
}

void AgentWriter::erase_release(std::uint64_t number) {
  erase("releases", with_key("number", static_cast<std::int64_t>(number)));
}

// With a collective prior, a refresh estimates the next few records in turn.
void AgentWriter::write_refreshed(const Participant& agent, Index refreshes) {
  const std::size_t all = agent.records().size();
  std::size_t count = all;
  std::size_t end = all;
  if (agent.has_prior()) {
    count = std::min<std::size_t>(
        all, static_cast<std::size_t>(refreshes) * std::size_t{PriorAgent::most_at_once});
    end = agent.prior_agent().next_refresh();
  }
  for (std::size_t k = 1; k <= count; ++k) {
    const std::size_t position = (end + all - k) % all;
    write_code(position, agent.records()[position]);
  }
}

void AgentWriter::write_code(std::size_t position, const TaskRecord& record) {
  const auto key = static_cast<std::int64_t>(position);
  erase("codes", with_key("position", key));
  if (record.statistics != nullptr) {
    insert("codes").add(key).add_matrix(record.contribution).write();
  } else {
    insert("codes").add(key).add_matrix(record.code).write();
  }
}

void AgentWriter::write_rest(const Participant& agent) {
  erase("knowledge", "1");
  if (!agent.has_prior()) return write_knowledge(agent.agent().knowledge().state());
  const Vector turn = Vector::Constant(1, static_cast<double>(agent.prior_agent().next_refresh()));
  const Matrix none;
  insert("knowledge")
      .add(std::int64_t{1})
      .add(prior_word)
      .add_matrix(turn)
      .add_matrix(none)
      .add_matrix(none)
      .write();
}

void AgentWriter::write_knowledge(const KnowledgeState& state) {
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
    queue.push_back(queued_task(row));
  }
  return queue;
}

std::vector<Spending> read_ledger(Database& database) {
  Statement row = database.prepare("SELECT * FROM ledger ORDER BY request");
  std::vector<Spending> ledger;
  while (row.step()) {
    check_row(database, row, "ledger");
    ledger.push_back({row.integer(0), row.text(1), row.integer(2), row.integer(3), row.real(4),
                      row.real(5), row.integer(6) != 0});
  }
  return ledger;
}

TaskRows read_task(Database& database, std::int64_t id, Index features) {
  Statement entry = database.prepare("SELECT * FROM tasks WHERE id = ?");
  Statement rows = database.prepare("SELECT * FROM task_rows WHERE task = ?");
  const bool has_rows = rows.bind(1, id).step();
  if (!entry.bind(1, id).step()) database.fail_as_damaged("no task " + std::to_string(id));
  check_row(database, entry, "tasks");
  const QueuedTask task = queued_task(entry);
  if (has_rows == task.forgets()) database.fail_as_damaged("no rows of task " + std::to_string(id));
  if (task.forgets()) return {task.task, Samples(0, features), Vector(0), task.revisit};
  check_row(database, rows, "task_rows");
  if (task.rows < 1 || task.rows > std::ssize(rows.bytes(2))) {
    database.fail_as_damaged("a task without rows");
  }
  const std::vector<double> X = rows.reals(1, static_cast<std::size_t>(task.rows * features));
  return {task.task, Eigen::Map<const Samples>(X.data(), task.rows, features),
          read_vector(rows, 2, task.rows), task.revisit};
}

}  // namespace colla
