// SPDX-License-Identifier: Apache-2.0
#include "store/model_file.hpp"

#include "store/model_tables.hpp"
#include "store/sqlite.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace colla {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t application_id = 0x636f6c6c;  // "coll"
constexpr std::int64_t newest_version = 1;

std::string folder_of(const std::string& path) {
  const fs::path parent = fs::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

bool is_database(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char magic[16] = {};
  file.read(magic, sizeof magic);
  return file && std::string(magic, 15) == "SQLite format 3";
}

bool is_model(Database& database) {
  return database.integer("PRAGMA application_id") == application_id;
}

Database open_model(const std::string& path) {
  const std::string remedy = "give one that `colla train --model` wrote";
  const StoreError another_kind("is not a colla model file", path, remedy);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) throw StoreError("no such file", path, remedy);
  if (!fs::is_regular_file(status)) throw another_kind;
  if (::access(path.c_str(), R_OK) != 0) {
    throw StoreError("cannot be read", path, "check its permissions");
  }
  if (!is_database(path)) throw another_kind;
  Database database(path, Database::Mode::read, path);
  if (!is_model(database)) throw another_kind;
  return database;
}

void check_version(Database& database) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > newest_version) {
    throw StoreError("was written by a newer version of colla (format " + std::to_string(version) +
                         ", this program reads up to " + std::to_string(newest_version) + ")",
                     database.shown_as(), "update colla");
  }
  if (version < 1) database.fail_as_damaged("format " + std::to_string(version));
}

// SQLite reads a cut last page as if zeros followed.
void check_size(Database& database, const std::string& path) {
  const std::int64_t size =
      database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size");
  std::error_code error;
  if (fs::file_size(path, error) != static_cast<std::uintmax_t>(size)) {
    database.fail_as_damaged("the file was cut");
  }
}

// A file beside the one it will replace. Whatever happens, it is gone in the end.
class Unfinished {
 public:
  explicit Unfinished(const std::string& target)
      : target_(target), path_(target + ".unfinished-" + std::to_string(::getpid())) {
    remove();
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() { remove(); }

  const std::string& path() const { return path_; }

  void replace_target() const {
    std::error_code error;
    fs::rename(path_, target_, error);
    if (error) throw StoreError("cannot be written (" + error.message() + ")", target_, "");
  }

 private:
  void remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  std::string target_;
  std::string path_;
};

void write_contents(Database database, const Model& model) {
  // A file that is not finished is thrown away, so there is no need to be able to roll it back.
  database.run("PRAGMA journal_mode = MEMORY");
  database.run("BEGIN");
  database.run("PRAGMA application_id = " + std::to_string(application_id));
  database.run("PRAGMA user_version = " + std::to_string(newest_version));
  create_tables(database);
  write_tables(database, model);
  database.run("COMMIT");
}

void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

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
      Database database(path, Database::Mode::read, path);
      if (is_model(database)) return;
    }
  }
  throw StoreError("exists and is not a colla model file", path, "choose another name");
}

void write_model(const std::string& path, const Model& model) {
  check_model_path(path);
  const Unfinished unfinished(path);
  write_contents(Database(unfinished.path(), Database::Mode::create, path), model);
  unfinished.replace_target();
  sync_folder(folder_of(path));
}

Model read_model(const std::string& path) {
  Database database = open_model(path);
  check_version(database);
  check_size(database, path);
  check_tables(database);
  return read_tables(database);
}

std::vector<Vector> task_models(const Model& model, const ModelAgent& agent) {
  std::vector<Vector> models;
  models.reserve(agent.tasks.size());
  if (agent.dictionary.cols() == 0) {
    for (const TaskRecord& task : agent.tasks) models.push_back(task.model.alpha);
    return models;
  }
  if (model.options.codes == Codes::stored) {
    for (const TaskRecord& task : agent.tasks) models.push_back(agent.dictionary * task.code);
    return models;
  }
  const LifelongAgent restored(model.options, agent.dictionary, agent.step, agent.tasks);
  for (const TaskRecord& task : agent.tasks) models.push_back(restored.model(task.name));
  return models;
}

}  // namespace colla
