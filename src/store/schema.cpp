// SPDX-License-Identifier: Apache-2.0
#include "store/schema.hpp"

#include <colla/error.hpp>

#include <fstream>

namespace colla {
namespace {

std::vector<std::string> definitions_in(Database& database) {
  Statement row = database.prepare("SELECT sql FROM sqlite_schema ORDER BY name");
  std::vector<std::string> found;
  while (row.step()) found.push_back(row.text(0));
  return found;
}

}  // namespace

bool is_database(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[16] = {};
  file.read(magic, sizeof magic);
  return file && std::string(magic, 15) == "SQLite format 3";
}

bool is_of_kind(Database& database, const Schema& schema) {
  return database.integer("PRAGMA application_id") == schema.application_id;
}

void create_tables(Database& database, const Schema& schema) {
  database.run("PRAGMA application_id = " + std::to_string(schema.application_id));
  database.run("PRAGMA user_version = " + std::to_string(schema.version));
  for (const std::string& definition : schema.definitions) database.run(definition);
}

void check_version(Database& database, const Schema& schema) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > schema.version) {
    throw StoreError("was written by a newer version of colla (format " + std::to_string(version) +
                         ", this program reads up to " + std::to_string(schema.version) + ")",
                     database.shown_as(), "update colla");
  }
  if (version < 1) database.fail_as_damaged("format " + std::to_string(version));
}

void check_tables(Database& database, const Schema& schema) {
  if (definitions_in(database) != schema.definitions) {
    database.fail_as_damaged("unexpected tables");
  }
  const std::string verdict = database.text("PRAGMA quick_check(1)");
  if (verdict != "ok") database.fail_as_damaged(verdict);
}

}  // namespace colla
