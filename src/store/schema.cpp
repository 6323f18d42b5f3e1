// SPDX-License-Identifier: Apache-2.0
#include "store/schema.hpp"

#include <colla/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace colla {
namespace {

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  throw StoreError("cannot be read (" + std::generic_category().message(error) + ")", path,
                   "check its permissions and the disk");
}

std::vector<std::string> definitions_in(Database& database) {
  Statement row = database.prepare("SELECT sql FROM sqlite_schema ORDER BY name");
  std::vector<std::string> found;
  while (row.step()) found.push_back(row.text(0));
  return found;
}

}  // namespace

bool is_database(const std::string& path) {
  static constexpr char with_zero[] = "SQLite format 3";
  constexpr std::string_view magic(with_zero, sizeof with_zero);
  char found[magic.size()];
  // O_NONBLOCK: a FIFO would wait for its writer.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail_to_read(path, errno);
  const ssize_t count = ::pread(descriptor, found, sizeof found, 0);
  const int error = errno;
  ::close(descriptor);
  if (count < 0 && error != EISDIR) fail_to_read(path, error);
  return count == std::ssize(magic) && std::string_view(found, sizeof found) == magic;
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
  if (version < schema.oldest) {
    throw StoreError("is of format " + std::to_string(version) +
                         ", and this version of colla reads format " +
                         (schema.oldest < schema.version ? std::to_string(schema.oldest) + " to "
                                                         : std::string()) +
                         std::to_string(schema.version),
                     database.shown_as(), schema.if_older);
  }
}

void check_version_with_prior(Database& database, const Schema& schema) {
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version >= schema.oldest_with_prior) return;
  throw StoreError("has a collective prior of format " + std::to_string(version) +
                       ", and this version of colla reads those from format " +
                       std::to_string(schema.oldest_with_prior),
                   database.shown_as(), schema.if_older);
}

void check_tables(Database& database, const Schema& schema) {
  if (definitions_in(database) != schema.definitions) {
    database.fail_as_damaged("unexpected tables");
  }
  const std::string verdict = database.text("PRAGMA quick_check(1)");
  if (verdict != "ok") database.fail_as_damaged(verdict);
}

}  // namespace colla
