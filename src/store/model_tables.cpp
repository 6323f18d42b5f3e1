// SPDX-License-Identifier: Apache-2.0
#include "store/model_tables.hpp"

#include "store/matrix_columns.hpp"

#include <colla/error.hpp>

#include <algorithm>
#include <cmath>

namespace colla {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 32;

class SettingsWriter {
 public:
  explicit SettingsWriter(Database& database)
      : insert_(database.prepare("INSERT INTO settings VALUES (?, ?)")) {}

  template <typename Value>
  void write(const std::string& name, Value value) {
    insert_.bind(1, name).bind(2, value).step();
    insert_.reset();
  }

 private:
  Statement insert_;
};

class SettingsReader {
 public:
  explicit SettingsReader(Database& database) : database_(database) {}

  std::string text(const std::string& name) const { return find(name).text(0); }
  std::int64_t integer(const std::string& name) const { return find(name).integer(0); }

  double penalty(const std::string& name) const {
    const double value = find(name).real(0);
    if (!std::isfinite(value) || value < 0.0) database_.fail_as_damaged("setting '" + name + "'");
    return value;
  }

  /// Which of two words it is: true for the first.
  bool is_first(const std::string& name, const std::string& first,
                const std::string& second) const {
    const std::string value = text(name);
    if (value != first && value != second) database_.fail_as_damaged("setting '" + name + "'");
    return value == first;
  }

 private:
  Statement find(const std::string& name) const {
    Statement query = database_.prepare("SELECT value FROM settings WHERE name = ?");
    if (!query.bind(1, name).step()) database_.fail_as_damaged("no setting '" + name + "'");
    return query;
  }

  Database& database_;
};

void write_settings(Database& database, const Model& model) {
  const AgentOptions& options = model.options;
  const bool regression = options.problem == Problem::regression;
  SettingsWriter settings(database);
  settings.write("algorithm", model.algorithm);
  settings.write("problem", std::string(regression ? "regression" : "classification"));
  settings.write("codes", std::string(options.codes == Codes::fresh ? "fresh" : "stored"));
  settings.write("atoms", static_cast<std::int64_t>(options.atoms));
  settings.write("lambda", options.lambda);
  settings.write("mu", options.mu);
  settings.write("gamma", options.gamma);
  // SQLite's integers are signed; the bits are what counts.
  settings.write("seed", static_cast<std::int64_t>(options.seed));
  settings.write("task_column", model.task_column);
  settings.write("agent_column", model.agent_column);
  settings.write("target_column", model.target_column);
}

void read_settings(Database& database, Model& model) {
  AgentOptions& options = model.options;
  const SettingsReader settings(database);
  model.algorithm = settings.text("algorithm");
  options.problem = settings.is_first("problem", "regression", "classification")
                        ? Problem::regression
                        : Problem::classification;
  options.codes = settings.is_first("codes", "fresh", "stored") ? Codes::fresh : Codes::stored;
  options.atoms = settings.integer("atoms");
  options.lambda = settings.penalty("lambda");
  options.mu = settings.penalty("mu");
  options.gamma = settings.penalty("gamma");
  options.seed = static_cast<std::uint64_t>(settings.integer("seed"));
  model.task_column = settings.text("task_column");
  model.agent_column = settings.text("agent_column");
  model.target_column = settings.text("target_column");
  if (options.lambda == 0.0 || options.gamma == 0.0) {
    database.fail_as_damaged("a penalty of 0");
  }
}

void write_features(Database& database, const std::vector<std::string>& features) {
  Statement insert = database.prepare("INSERT INTO features VALUES (?, ?)");
  for (std::size_t k = 0; k < features.size(); ++k) {
    insert.bind(1, static_cast<std::int64_t>(k)).bind(2, features[k]).step();
    insert.reset();
  }
}

std::vector<std::string> read_features(Database& database) {
  Statement row = database.prepare("SELECT name FROM features ORDER BY position");
  std::vector<std::string> features;
  while (row.step()) features.push_back(row.text(0));
  return features;
}

void write_tasks(Database& database, std::int64_t agent, const std::vector<TaskRecord>& tasks) {
  Statement insert = database.prepare("INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const TaskRecord& task = tasks[k];
    if (task.model.gamma == nullptr) {
      throw StoreError("the model of task '" + task.name + "' was not kept", database.shown_as(),
                       "let the agent remember models");
    }
    insert.bind(1, agent)
        .bind(2, static_cast<std::int64_t>(k))
        .bind(3, task.name)
        .bind(4, static_cast<std::int64_t>(task.model.rows))
        .bind(5, task.model.alpha.data(), static_cast<std::size_t>(task.model.alpha.size()));
    const GammaColumns gamma = gamma_columns(*task.model.gamma);
    insert.bind(6, gamma.rows)
        .bind(7, gamma.ridge)
        .bind(8, gamma.values.data(), gamma.values.size());
    insert.bind(9, task.code.data(), static_cast<std::size_t>(task.code.size())).step();
    insert.reset();
  }
}

std::vector<TaskRecord> read_tasks(Database& database, std::int64_t agent, Index d, Index u) {
  Statement row = database.prepare(
      "SELECT name, rows, alpha, code, gamma_rows, gamma_ridge, gamma FROM tasks WHERE agent = ? "
      "ORDER BY position");
  row.bind(1, agent);
  std::vector<TaskRecord> tasks;
  while (row.step()) {
    TaskRecord task;
    task.name = row.text(0);
    task.model.rows = row.integer(1);
    if (task.model.rows < 1) database.fail_as_damaged("a task without rows");
    task.model.gamma = read_gamma(database, row, 4, d);
    task.model.alpha = read_vector(row, 2, d);
    task.code = read_vector(row, 3, u);
    tasks.push_back(std::move(task));
  }
  return tasks;
}

void write_agents(Database& database, const std::vector<ModelAgent>& agents) {
  Statement insert = database.prepare("INSERT INTO agents VALUES (?, ?, ?, ?)");
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const ModelAgent& agent = agents[i];
    insert.bind(1, static_cast<std::int64_t>(i))
        .bind(2, agent.name)
        .bind(3, static_cast<std::int64_t>(agent.step))
        .bind(4, agent.dictionary.data(), static_cast<std::size_t>(agent.dictionary.size()))
        .step();
    insert.reset();
    write_tasks(database, static_cast<std::int64_t>(i), agent.tasks);
  }
}

std::vector<ModelAgent> read_agents(Database& database, Index d, Index u) {
  Statement row =
      database.prepare("SELECT position, name, step, dictionary FROM agents ORDER BY position");
  std::vector<ModelAgent> agents;
  while (row.step()) {
    ModelAgent agent;
    agent.name = row.text(1);
    agent.step = static_cast<std::uint64_t>(row.integer(2));
    agent.dictionary = read_matrix(row, 3, d, u);
    agent.tasks = read_tasks(database, row.integer(0), d, u);
    agents.push_back(std::move(agent));
  }
  return agents;
}

}  // namespace

const Schema& model_schema() {
  static const Schema schema = {
      0x636f6c6c,  // "coll"
      1,
      {
          "CREATE TABLE agents (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
          "step INTEGER NOT NULL, dictionary BLOB NOT NULL)",
          "CREATE TABLE features (position INTEGER PRIMARY KEY, name TEXT NOT NULL)",
          "CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID",
          "CREATE TABLE tasks (agent INTEGER NOT NULL REFERENCES agents, position INTEGER NOT "
          "NULL, "
          "name TEXT NOT NULL, rows INTEGER NOT NULL, alpha BLOB NOT NULL, gamma_rows INTEGER NOT "
          "NULL, "
          "gamma_ridge REAL NOT NULL, gamma BLOB NOT NULL, code BLOB NOT NULL, "
          "PRIMARY KEY (agent, position)) WITHOUT ROWID",
      }};
  return schema;
}

void write_tables(Database& database, const Model& model) {
  write_settings(database, model);
  write_features(database, model.features);
  write_agents(database, model.agents);
}

Model read_tables(Database& database) {
  Model model;
  read_settings(database, model);
  model.features = read_features(database);
  const auto d = static_cast<Index>(model.features.size());
  const Index u = model.options.atoms;
  model.options.features = d;
  if (d < 1 || u < 0 || d > most_entries / std::max<Index>(1, u)) {
    database.fail_as_damaged("impossible sizes");
  }
  model.agents = read_agents(database, d, u);
  return model;
}

}  // namespace colla
