// SPDX-License-Identifier: Apache-2.0
// Model files that are damaged, hostile, of another kind or from the future are refused by name.
#include "expectations.hpp"
#include "store/models.hpp"
#include "store/sealing.hpp"

namespace colla {
namespace {

using testing::expect_failure;
using testing::ModelShape;
using testing::random_model;
using testing::run_sql;
using testing::run_sql_and_seal;
using testing::TemporaryDirectory;

// Reading the model after `change` must fail, naming the file and the parts.
void expect_refused(const std::function<void(const std::string& path)>& change,
                    std::vector<std::string> parts, const ModelShape& shape) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("m.colla");
  write_model(path, random_model(shape));
  change(path);
  parts.push_back(path);
  expect_failure<StoreError>([&] { read_model(path); }, parts);
}

void expect_refused_after(const std::string& sql, const std::vector<std::string>& parts) {
  SCOPED_TRACE(sql);
  expect_refused([&](const std::string& path) { run_sql(path, sql); }, parts, {});
}

// Even though all checksums match.
void expect_sealed_refused_after(const std::string& sql, const std::vector<std::string>& parts,
                                 const ModelShape& shape = {}) {
  SCOPED_TRACE(sql);
  expect_refused([&](const std::string& path) { run_sql_and_seal(path, sql); }, parts, shape);
}

TEST(SealedModel, is_read_if_nothing_was_changed) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  testing::run_sql_and_seal(folder.file("m"), "UPDATE tasks SET checksum = 0");
  testing::expect_same(read_model(folder.file("m")), random_model());
}

TEST(DamagedModel, rows_that_are_changed_lost_repeated_or_swapped_are_noticed) {
  for (const char* change :
       {"UPDATE agents SET step = step + 1", "UPDATE agents SET name = 'agent-1'",
        "UPDATE features SET name = 'x9' WHERE position = 2",
        "UPDATE settings SET value = 0.25 WHERE name = 'mu'",
        "UPDATE settings SET value = 'regression' WHERE name = 'algorithm'",
        "UPDATE tasks SET rows = 4", "UPDATE tasks SET alpha = zeroblob(32)",
        "UPDATE tasks SET checksum = checksum + 1 WHERE position = 1",
        "UPDATE contents SET contents = contents + 1", "DELETE FROM contents",
        "DELETE FROM tasks WHERE position = 1", "DELETE FROM tasks", "DELETE FROM agents",
        "DELETE FROM features WHERE position = 3",
        "INSERT INTO tasks SELECT agent, 2, name, rows, alpha, gamma_rows, gamma_ridge, gamma, "
        "code, checksum FROM tasks WHERE position = 1",
        "UPDATE tasks SET position = 1 - position + 10; UPDATE tasks SET position = position - 10",
        "UPDATE features SET position = 9 - position; "
        "UPDATE features SET position = position - 6"}) {
    expect_refused_after(change, {"is damaged", "write the model again"});
  }
}

TEST(DamagedModel, a_missing_file_is_named) {
  expect_failure<StoreError>([] { read_model("/no/such.colla"); },
                             {"/no/such.colla", "no such file"});
}

TEST(DamagedModel, files_of_another_kind_are_no_models) {
  const TemporaryDirectory folder;
  expect_failure<StoreError>([&] { read_model(folder.file("")); }, {"is not a colla model file"});
  for (const std::string text : {"", "x", "task,y,x\n", "SQLite format 3", "PK\3\4"}) {
    const std::string path = folder.write("other", text);
    expect_failure<StoreError>([&] { read_model(path); }, {path, "is not a colla model file"});
  }
}

TEST(DamagedModel, another_applications_database_is_no_model) {
  expect_refused_after("PRAGMA application_id = 7", {"is not a colla model file"});
  const TemporaryDirectory folder;
  run_sql(folder.file("other.db"), "CREATE TABLE settings (name, value)");
  expect_failure<StoreError>([&] { read_model(folder.file("other.db")); },
                             {"is not a colla model file"});
}

TEST(DamagedModel, a_newer_format_says_so) {
  expect_refused_after("PRAGMA user_version = 5", {"newer version of colla", "format 5", "update"});
  expect_refused_after("PRAGMA user_version = 99; DROP TABLE tasks",
                       {"newer version", "format 99"});
}

TEST(DamagedModel, an_older_format_says_so) {
  expect_refused_after("PRAGMA user_version = 1; DROP TABLE contents",
                       {"is of format 1", "reads format 2 to 4", "train it again"});
}

TEST(DamagedModel, an_unknown_format_is_refused) {
  expect_refused_after("PRAGMA user_version = 0", {"is damaged", "format 0"});
  expect_refused_after("PRAGMA user_version = -1", {"is damaged", "format -1"});
}

TEST(DamagedModel, a_missing_setting_is_named) {
  for (const char* name : {"algorithm", "problem", "codes", "atoms", "lambda", "mu", "gamma",
                           "seed", "task_column", "agent_column", "target_column", "recipe"}) {
    expect_sealed_refused_after("DELETE FROM settings WHERE name = '" + std::string(name) + "'",
                                {"is damaged", "'" + std::string(name) + "'"});
  }
}

TEST(DamagedModel, a_setting_with_an_impossible_value_is_refused) {
  for (const std::string assignment :
       {"value = 'x' WHERE name = 'problem'", "value = 7 WHERE name = 'codes'",
        "value = -1 WHERE name = 'lambda'", "value = 9e999 WHERE name = 'mu'",
        "value = 0 WHERE name = 'gamma'", "value = 'x' WHERE name = 'lambda'",
        "value = -1 WHERE name = 'atoms'", "value = 4 WHERE name = 'atoms'",
        "value = 9223372036854775807 WHERE name = 'atoms'"}) {
    expect_sealed_refused_after("UPDATE settings SET " + assignment, {"is damaged"});
  }
}

TEST(DamagedModel, a_matrix_of_the_wrong_size_is_refused) {
  for (const char* change :
       {"UPDATE agents SET dictionary = zeroblob(8)", "UPDATE agents SET dictionary = x''",
        "UPDATE agents SET dictionary = zeroblob(100000000)", "UPDATE tasks SET alpha = x'00'",
        "UPDATE tasks SET alpha = 'text'", "UPDATE tasks SET alpha = 3", "DELETE FROM features",
        "UPDATE tasks SET code = zeroblob(25)", "UPDATE tasks SET gamma = zeroblob(72)",
        "UPDATE tasks SET gamma_rows = 3", "INSERT INTO features VALUES (4, 'x4', 0)",
        "INSERT INTO features VALUES (9, 'x9', 0)"}) {
    expect_sealed_refused_after(change, {"is damaged"});
  }
}

TEST(DamagedModel, an_impossible_curvature_is_refused) {
  for (const char* change :
       {"UPDATE tasks SET gamma_rows = 0, gamma = x''", "UPDATE tasks SET gamma_rows = -2",
        "UPDATE tasks SET gamma_rows = 5, gamma = zeroblob(160)",
        "UPDATE tasks SET gamma_rows = 9223372036854775807", "UPDATE tasks SET gamma_ridge = -1",
        "UPDATE tasks SET gamma_ridge = 9e999", "UPDATE tasks SET rows = 0"}) {
    expect_sealed_refused_after(change, {"is damaged"}, {.form = CurvatureForm::factored});
  }
}

TEST(DamagedModel, numbers_that_are_not_finite_are_refused) {
  // The third of a code's three numbers becomes NaN or infinity, little-endian.
  for (const std::string number : {"000000000000f87f", "000000000000f07f", "010000000000f0ff"}) {
    expect_sealed_refused_after(
        "UPDATE tasks SET code = CAST(zeroblob(16) || x'" + number + "' AS BLOB)",
        {"is damaged", "NaN or infinity"});
  }
}

TEST(DamagedModel, a_missing_table_is_refused) {
  for (const char* table : {"settings", "features", "agents", "tasks"}) {
    expect_refused_after("DROP TABLE " + std::string(table), {"is damaged"});
  }
}

TEST(HostileModel, a_view_in_place_of_a_table_is_not_run) {
  expect_refused_after(
      "DROP TABLE features; CREATE VIEW features AS WITH RECURSIVE n(i) AS "
      "(SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i AS position, 'x' AS name FROM n",
      {"unexpected tables"});
}

TEST(HostileModel, a_computed_column_is_not_run) {
  expect_refused_after(
      "DROP TABLE features; CREATE TABLE features (position INTEGER PRIMARY KEY, "
      "name TEXT AS (hex(zeroblob(400000000)))); INSERT INTO features VALUES (0)",
      {"unexpected tables"});
}

TEST(HostileModel, triggers_and_foreign_tables_are_refused) {
  expect_refused_after("CREATE TRIGGER t AFTER INSERT ON tasks BEGIN SELECT 1; END",
                       {"unexpected tables"});
  expect_refused_after("CREATE TABLE more (x)", {"unexpected tables"});
  expect_refused_after("CREATE INDEX i ON tasks (abs(rows))", {"unexpected tables"});
}

TEST(HostileModel, reading_writes_nothing_beside_the_file) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  run_sql(folder.file("m"), "PRAGMA journal_mode = wal; CREATE TABLE t (x); DROP TABLE t");
  try {
    read_model(folder.file("m"));
  } catch (const StoreError&) {
  }
  const std::filesystem::directory_iterator entries(folder.file(""));
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(HostileModel, journals_left_beside_the_file_are_not_applied) {
  const TemporaryDirectory folder;
  write_model(folder.file("m"), random_model());
  for (const char* name : {"m-journal", "m-wal", "m-shm"}) {
    EXPECT_FALSE(folder.write(name, std::string(5000, 'x')).empty());
  }
  testing::expect_same(read_model(folder.file("m")), random_model());
}

}  // namespace
}  // namespace colla
