// SPDX-License-Identifier: Apache-2.0
#include "store/model_tables.hpp"

#include "data/dataset.hpp"
#include "store/checked_rows.hpp"
#include "store/matrix_columns.hpp"
#include "store/prior_columns.hpp"

#include <colla/error.hpp>
#include <colla/prior_agent.hpp>

#include <algorithm>

namespace colla {
namespace {

constexpr std::int64_t most_entries = std::int64_t{1} << 32;

const char* const tables[] = {"agents", "features", "settings", "tasks"};

// A value as SQLite stores it. Its integers are signed; only the bits count.
std::int64_t column(std::uint64_t whole) { return static_cast<std::int64_t>(whole); }
double column(double number) { return number; }
std::string column(const std::string& text) { return text; }

// Fills the tables; `contents` is the exclusive or of the rows' checksums.
class ModelWriter {
 public:
  explicit ModelWriter(Database& database) : database_(database) {}

  void write(const Model& model) {
    write_settings(model);
    write_features(model.features);
    write_agents(model.agents);
    write_contents();
  }

 private:
  void write_settings(const Model& model);
  void write_features(const std::vector<std::string>& features);
  void write_agents(const std::vector<ModelAgent>& agents);
  void write_task(std::int64_t agent, std::int64_t position, const TaskRecord& task);
  void write_task(std::int64_t agent, std::int64_t position, const std::string& name,
                  std::int64_t rows, const Vector& alpha, const GammaColumns& gamma,
                  const Matrix& code);
  void write_contents();

  template <typename Value>
  void write_setting(const std::string& name, const Value& value) {
    insert("settings").add(name).add(value).write();
  }
  RowWriter insert(std::string_view table) { return {database_, table, contents_}; }

  Database& database_;
  std::uint32_t contents_ = 0;
};

void ModelWriter::write_settings(const Model& model) {
  write_setting("algorithm", model.algorithm);
  for (const Setting<AgentOptions>& setting : agent_settings()) {
    if (!setting.stands(in_model_file)) continue;
    std::visit([&](const auto& value) { write_setting(setting.key, column(value)); },
               setting.get(model.options));
  }
  write_setting("task_column", model.task_column);
  write_setting("agent_column", model.agent_column);
  write_setting("target_column", model.target_column);
  if (model.options.prior) {
    write_setting("prior", prior_numbers(*model.options.prior, std::ssize(model.features)));
  }
  write_setting("recipe", model.recipe ? to_toml(*model.recipe) : std::string());
}

void ModelWriter::write_features(const std::vector<std::string>& features) {
  for (std::size_t k = 0; k < features.size(); ++k) {
    insert("features").add(static_cast<std::int64_t>(k)).add(features[k]).write();
  }
}

void ModelWriter::write_agents(const std::vector<ModelAgent>& agents) {
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const ModelAgent& agent = agents[i];
    const auto position = static_cast<std::int64_t>(i);
    insert("agents")
        .add(position)
        .add(agent.name)
        .add(static_cast<std::int64_t>(agent.state.step))
        .add_matrix(agent.state.dictionary)
        .write();
    for (std::size_t k = 0; k < agent.state.records.size(); ++k) {
      write_task(position, static_cast<std::int64_t>(k), agent.state.records[k]);
    }
  }
}

void ModelWriter::write_task(std::int64_t agent, std::int64_t position, const TaskRecord& task) {
  if (task.statistics != nullptr) {
    const StatisticsColumns columns = statistics_columns(*task.statistics);
    write_task(agent, position, task.name, task.statistics->rows, columns.alpha, columns.gamma,
               task.contribution);
    return;
  }
  if (task.model.gamma == nullptr) {
    throw StoreError("the model of task '" + task.name + "' was not kept", database_.shown_as(),
                     "set AgentOptions::remember_models");
  }
  write_task(agent, position, task.name, task.model.rows, task.model.alpha,
             gamma_columns(*task.model.gamma), task.code);
}

void ModelWriter::write_task(std::int64_t agent, std::int64_t position, const std::string& name,
                             std::int64_t rows, const Vector& alpha, const GammaColumns& gamma,
                             const Matrix& code) {
  insert("tasks")
      .add(agent)
      .add(position)
      .add(name)
      .add(rows)
      .add_matrix(alpha)
      .add(gamma.rows)
      .add(gamma.ridge)
      .add(gamma.values)
      .add_matrix(code)
      .write();
}

void ModelWriter::write_contents() {
  std::uint32_t not_part_of_itself = 0;
  RowWriter(database_, "contents", not_part_of_itself)
      .add(std::int64_t{1})
      .add(std::int64_t{contents_})
      .write();
}

// Reads everything once.
void check_contents(Database& database) {
  Statement row = database.prepare("SELECT * FROM contents");
  if (!row.step()) database.fail_as_damaged("no contents");
  check_row(database, row, "contents");
  std::uint32_t contents = 0;
  for (const char* table : tables) contents ^= check_all_rows(database, table);
  if (contents != row.integer(1)) database.fail_as_damaged("rows are missing or too many");
}

class SettingsReader {
 public:
  explicit SettingsReader(Database& database) : database_(database) {}

  std::string text(const std::string& name) const { return find(name).text(0); }
  std::vector<double> numbers(const std::string& name) const { return find(name).any_reals(0); }

  void read(const Setting<AgentOptions>& setting, AgentOptions& options) const {
    const SettingValue found = value(setting);
    // Not an agent's setting, but that of single-task models.
    if (setting.key == "atoms" && found == SettingValue(std::uint64_t{0})) {
      options.atoms = 0;
      return;
    }
    try {
      setting.set(options, found);
    } catch (const SettingError& error) {
      database_.fail_as_damaged("setting '" + error.key() + "'");
    }
  }

 private:
  SettingValue value(const Setting<AgentOptions>& setting) const {
    const Statement row = find(setting.key);
    if (std::holds_alternative<WholeNumbers>(setting.domain)) {
      return static_cast<std::uint64_t>(row.integer(0));
    }
    if (std::holds_alternative<RealNumbers>(setting.domain)) return row.real(0);
    return row.text(0);
  }

  Statement find(const std::string& name) const {
    Statement query = database_.prepare("SELECT value FROM settings WHERE name = ?");
    if (!query.bind(1, name).step()) database_.fail_as_damaged("no setting '" + name + "'");
    return query;
  }

  Database& database_;
};

void read_settings(Database& database, Model& model) {
  const SettingsReader settings(database);
  model.algorithm = settings.text("algorithm");
  for (const Setting<AgentOptions>& setting : agent_settings()) {
    if (setting.stands(in_model_file)) settings.read(setting, model.options);
  }
  model.task_column = settings.text("task_column");
  model.agent_column = settings.text("agent_column");
  model.target_column = settings.text("target_column");
}

std::optional<Recipe> read_recipe_setting(Database& database) {
  constexpr std::int64_t first_with_recipes = 3;
  if (database.integer("PRAGMA user_version") < first_with_recipes) return std::nullopt;
  const std::string text = SettingsReader(database).text("recipe");
  if (text.empty()) return std::nullopt;
  try {
    return parse_recipe(text, "its recipe");
  } catch (const DataError& error) {
    database.fail_as_damaged(error.what());
  }
}

// The recipe makes the model's features, and each group of agents is the same as the first.
void check_recipe(const Database& database, const Model& model) {
  if (!model.recipe) return;
  std::vector<std::string> features = feature_names(*model.recipe);
  if (features.size() + 1 == model.features.size()) features.emplace_back(intercept_name);
  const std::size_t groups = group_count(model);
  bool fits = features == model.features && model.agents.size() % groups == 0 &&
              model.recipe->target.problem == model.options.problem;
  const std::size_t agents = model.agents.size() / groups;
  for (std::size_t i = agents; fits && i < model.agents.size(); ++i) {
    fits = model.agents[i].name == model.agents[i % agents].name;
  }
  if (!fits) database.fail_as_damaged("the recipe does not fit");
}

void check_position(const Database& database, std::int64_t found, std::size_t expected) {
  if (found != static_cast<std::int64_t>(expected)) database.fail_as_damaged("a row is missing");
}

std::vector<std::string> read_features(Database& database) {
  Statement row = database.prepare("SELECT position, name FROM features ORDER BY position");
  std::vector<std::string> features;
  while (row.step()) {
    check_position(database, row.integer(0), features.size());
    features.push_back(row.text(1));
  }
  return features;
}

TaskRecord read_task(Database& database, const Statement& row, const AgentOptions& options) {
  const Index d = options.features;
  TaskRecord task;
  task.name = row.text(1);
  const std::int64_t rows = row.integer(2);
  if (rows < 1) database.fail_as_damaged("a task without rows");
  if (options.prior) {
    const auto [height, width] = contribution_size(options);
    task.statistics = read_statistics(database, row, 3, 5, rows, d);
    task.contribution = read_matrix(row, 4, height, width);
    return task;
  }
  task.model.rows = rows;
  task.model.gamma = read_gamma(database, row, 5, d);
  task.model.alpha = read_vector(row, 3, d);
  task.code = read_vector(row, 4, options.atoms);
  return task;
}

std::vector<TaskRecord> read_tasks(Database& database, std::int64_t agent,
                                   const AgentOptions& options) {
  Statement row = database.prepare(
      "SELECT position, name, rows, alpha, code, gamma_rows, gamma_ridge, gamma FROM tasks "
      "WHERE agent = ? ORDER BY position");
  row.bind(1, agent);
  std::vector<TaskRecord> tasks;
  while (row.step()) {
    check_position(database, row.integer(0), tasks.size());
    tasks.push_back(read_task(database, row, options));
  }
  return tasks;
}

std::vector<ModelAgent> read_agents(Database& database, const AgentOptions& options) {
  const auto [height, width] = exchanged_size(options);
  Statement row =
      database.prepare("SELECT position, name, step, dictionary FROM agents ORDER BY position");
  std::vector<ModelAgent> agents;
  while (row.step()) {
    check_position(database, row.integer(0), agents.size());
    ModelAgent agent;
    agent.name = row.text(1);
    agent.state.step = static_cast<std::uint64_t>(row.integer(2));
    agent.state.dictionary = read_matrix(row, 3, height, width);
    agent.state.records = read_tasks(database, row.integer(0), options);
    agents.push_back(std::move(agent));
  }
  return agents;
}

}  // namespace

// NOLINTBEGIN(bugprone-suspicious-missing-comma): long lines
const Schema& model_schema() {
  static const Schema schema = {
      0x636f6c6c,  // "coll"
      4,
      {"CREATE TABLE agents (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
       "step INTEGER NOT NULL, dictionary BLOB NOT NULL, checksum INTEGER NOT NULL)",
       "CREATE TABLE contents (id INTEGER PRIMARY KEY, contents INTEGER NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE features (position INTEGER PRIMARY KEY, name TEXT NOT NULL, "
       "checksum INTEGER NOT NULL)",
       "CREATE TABLE settings (name TEXT PRIMARY KEY, value NOT NULL, "
       "checksum INTEGER NOT NULL) WITHOUT ROWID",
       "CREATE TABLE tasks (agent INTEGER NOT NULL REFERENCES agents, position INTEGER NOT NULL, "
       "name TEXT NOT NULL, rows INTEGER NOT NULL, alpha BLOB NOT NULL, "
       "gamma_rows INTEGER NOT NULL, gamma_ridge REAL NOT NULL, gamma BLOB NOT NULL, "
       "code BLOB NOT NULL, checksum INTEGER NOT NULL, "
       "PRIMARY KEY (agent, position)) WITHOUT ROWID"},
      "train it again, or export it again from its agent",
      2};
  return schema;
}
// NOLINTEND(bugprone-suspicious-missing-comma)

void write_tables(Database& database, const Model& model) { ModelWriter(database).write(model); }

Model read_tables(Database& database) {
  check_contents(database);
  Model model;
  read_settings(database, model);
  model.features = read_features(database);
  const auto d = static_cast<Index>(model.features.size());
  const Index u = model.options.atoms;
  model.options.features = d;
  if (d < 1 || u < 0 || d > most_entries / std::max<Index>(1, u)) {
    database.fail_as_damaged("impossible sizes");
  }
  if (model.algorithm == "bayes") {
    check_version_with_prior(database, model_schema());
    model.options.prior = read_prior(database, SettingsReader(database).numbers("prior"), d);
  }
  model.agents = read_agents(database, model.options);
  model.recipe = read_recipe_setting(database);
  check_recipe(database, model);
  return model;
}

}  // namespace colla
