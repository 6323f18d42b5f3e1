// SPDX-License-Identifier: Apache-2.0
#include "store/model_file.hpp"

#include "files/unfinished_file.hpp"
#include "store/model_tables.hpp"

#include <colla/error.hpp>

#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>

namespace colla {
namespace {

namespace fs = std::filesystem;

const std::string if_damaged = "write the model again";

Database open_model(const std::string& path) {
  const std::string remedy = "give one that `colla train --model` wrote";
  const StoreError another_kind("is not a colla model file", path, remedy);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw StoreError("no such file", path, remedy);
  if (!fs::is_regular_file(status)) throw another_kind;
  if (!is_database(path)) throw another_kind;
  Database database(path, Database::Mode::read, path, if_damaged);
  if (!is_of_kind(database, model_schema())) throw another_kind;
  return database;
}

// SQLite reads a truncated last page as if zeros followed.
void check_size(Database& database, const std::string& path) {
  const std::int64_t size =
      database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
  std::error_code error;
  if (fs::file_size(path, error) != static_cast<std::uintmax_t>(size)) {
    database.fail_as_damaged("the file was cut");
  }
}

void write_contents(Database database, const Model& model) {
  // An unfinished file is thrown away, so it needs no rollback.
  database.run("PRAGMA journal_mode = MEMORY");
  database.run("BEGIN");
  create_tables(database, model_schema());
  write_tables(database, model);
  database.run("COMMIT");
}

}  // namespace

Model make_model(const std::string& algorithm, const AgentOptions& options,
                 std::vector<std::string> features, std::vector<ModelAgent> agents) {
  Model model;
  model.algorithm = algorithm;
  model.options = options;
  model.features = std::move(features);
  model.agents = std::move(agents);
  return model;
}

std::size_t group_count(const Model& model) {
  return model.recipe ? model_count(model.recipe->target) : 1;
}

void check_model_path(const std::string& path) {
  const std::string folder = folder_of(path);
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw StoreError("no such folder", folder, "make it first");
  if (::access(folder.c_str(), W_OK) != 0) {
    throw StoreError("the folder cannot be written to", folder, "check its permissions");
  }
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return;
  if (fs::is_regular_file(status)) {
    if (fs::file_size(path, error) == 0) return;
    if (is_database(path)) {
      Database database(path, Database::Mode::read, path, if_damaged);
      if (is_of_kind(database, model_schema())) return;
    }
  }
  throw StoreError("exists and is not a colla model file", path, "choose another name");
}

void write_model(const std::string& path, const Model& model) {
  check_model_path(path);
  const UnfinishedFile unfinished(path);
  write_contents(Database(unfinished.path(), Database::Mode::create, path, if_damaged), model);
  unfinished.replace_target();
}

Model read_model(const std::string& path) {
  Database database = open_model(path);
  check_version(database, model_schema());
  check_size(database, path);
  check_tables(database, model_schema());
  return read_tables(database);
}

}  // namespace colla
