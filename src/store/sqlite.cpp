// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.hpp"

#include "files/uri.hpp"
#include "store/read_errors.hpp"

#include <colla/error.hpp>

#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace colla {

static_assert(std::endian::native == std::endian::little, "blobs are little-endian float64");

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Statement::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

namespace {

// A URI, so that names such as ":memory:" or "file:x" are files like any other.
std::string uri_of(const std::string& path, Database::Mode mode) {
  const std::string uri = "file://" + uri_path(std::filesystem::absolute(path).string());
  return uri + (mode == Database::Mode::read ? "?immutable=1" : "");
}

// SQLite reports some system errors as a damaged file system.
bool is_of_reading(int extended_code) {
  return extended_code == SQLITE_IOERR_READ || extended_code == SQLITE_IOERR_SHORT_READ ||
         extended_code == SQLITE_IOERR_CORRUPTFS || extended_code == SQLITE_IOERR_FSTAT;
}

}  // namespace

Database::Database(const std::string& path, Mode mode, std::string shown_as, std::string if_damaged)
    : mode_(mode), shown_as_(std::move(shown_as)), if_damaged_(std::move(if_damaged)) {
  const int flags = writes() ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  sqlite3* handle = nullptr;
  const int status = sqlite3_open_v2(uri_of(path, mode).c_str(), &handle, flags | SQLITE_OPEN_URI,
                                     read_error_vfs());
  handle_.reset(handle);
  if (status != SQLITE_OK) fail();
  // A stranger's file must not run code of its own.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_busy_timeout(handle, 5000);
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Statement Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) fail();
  return {*this, statement};
}

std::int64_t Database::integer(const std::string& sql) {
  Statement statement = prepare(sql);
  statement.step();
  return statement.integer(0);
}

std::string Database::text(const std::string& sql) {
  Statement statement = prepare(sql);
  statement.step();
  return statement.text(0);
}

void Database::fail() const {
  const std::string reason = sqlite3_errmsg(handle_.get());
  switch (sqlite3_errcode(handle_.get())) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw StoreError("is in use by another process", shown_as_, "wait until that has ended");
    case SQLITE_FULL:
      throw StoreError("cannot be written (disk full)", shown_as_, "make room");
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      fail_as_damaged(reason);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
      if (!writes() || is_of_reading(sqlite3_extended_errcode(handle_.get()))) fail_to_read(reason);
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
      throw StoreError("cannot be written (" + reason + ")", shown_as_,
                       "is the disk full or the folder read-only?");
    default:
      if (!writes()) fail_as_damaged(reason);
      throw StoreError("cannot be written (" + reason + ")", shown_as_,
                       "is the disk full or the folder read-only?");
  }
}

void Database::fail_to_read(const std::string& reason) const {
  const int of_reading = read_error_of(handle_.get());
  const int error = of_reading != 0 ? of_reading : sqlite3_system_errno(handle_.get());
  const std::string cause = error == 0 ? "" : ": " + std::generic_category().message(error);
  throw StoreError("cannot be read (" + reason + cause + ")", shown_as_,
                   "check its permissions and the disk");
}

// What was not read cannot be judged.
void Database::fail_as_damaged(const std::string& what) const {
  if (read_error_of(handle_.get()) != 0) fail_to_read("disk I/O error");
  throw StoreError("is damaged (" + what + ")", shown_as_, if_damaged_);
}

Statement& Statement::bind(int position, std::int64_t value) {
  if (sqlite3_bind_int64(handle_.get(), position, value) != SQLITE_OK) database_.fail();
  return *this;
}

Statement& Statement::bind(int position, double value) {
  if (sqlite3_bind_double(handle_.get(), position, value) != SQLITE_OK) database_.fail();
  return *this;
}

Statement& Statement::bind(int position, const std::string& value) {
  const int status = sqlite3_bind_text64(handle_.get(), position, value.data(), value.size(),
                                         SQLITE_TRANSIENT, SQLITE_UTF8);
  if (status != SQLITE_OK) database_.fail();
  return *this;
}

Statement& Statement::bind(int position, const double* values, std::size_t count) {
  static const double nothing = 0.0;
  const int status = sqlite3_bind_blob64(handle_.get(), position, count == 0 ? &nothing : values,
                                         count * sizeof(double), SQLITE_TRANSIENT);
  if (status != SQLITE_OK) database_.fail();
  return *this;
}

bool Statement::step() {
  const int status = sqlite3_step(handle_.get());
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail();
  return status == SQLITE_ROW;
}

void Statement::reset() { sqlite3_reset(handle_.get()); }

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(handle_.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(handle_.get(), column); }

std::string Statement::text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_.get(), column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::vector<double> Statement::reals(int column, std::size_t count) const {
  const void* blob = sqlite3_column_blob(handle_.get(), column);
  const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  if (bytes != count * sizeof(double)) database_.fail_as_damaged("a matrix has the wrong size");
  std::vector<double> values(count);
  if (count > 0) std::memcpy(values.data(), blob, bytes);
  for (const double value : values) {
    if (!std::isfinite(value)) database_.fail_as_damaged("a matrix holds NaN or infinity");
  }
  return values;
}

std::vector<double> Statement::any_reals(int column) const {
  const void* blob = sqlite3_column_blob(handle_.get(), column);
  const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  std::vector<double> values(bytes / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), blob, values.size() * sizeof(double));
  return values;
}

bool Statement::is_null(int column) const { return type(column) == ValueType::null; }

int Statement::columns() const { return sqlite3_column_count(handle_.get()); }

ValueType Statement::type(int column) const {
  switch (sqlite3_column_type(handle_.get(), column)) {
    case SQLITE_INTEGER:
      return ValueType::integer;
    case SQLITE_FLOAT:
      return ValueType::real;
    case SQLITE_TEXT:
      return ValueType::text;
    case SQLITE_BLOB:
      return ValueType::blob;
    default:
      return ValueType::null;
  }
}

std::string_view Statement::bytes(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return data == nullptr ? std::string_view() : std::string_view(data, size);
}

}  // namespace colla
