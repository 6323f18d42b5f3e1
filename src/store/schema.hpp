// SPDX-License-Identifier: Apache-2.0
// What kind of database a file is: its application, its format and its tables.
#pragma once

#include "store/sqlite.hpp"

namespace colla {

struct Schema {
  std::int64_t application_id = 0;
  std::int64_t version = 0;  ///< the one that this program writes
  /// Sorted by name, and spelt as SQLite stores them.
  std::vector<std::string> definitions;
  std::string if_older = {};                 ///< what to do with a file that is too old
  std::int64_t oldest = version;             ///< that this program reads, with the same tables
  std::int64_t oldest_with_prior = version;  ///< the same, of files with a collective prior
};

/// The file begins as a SQLite database does. Throws StoreError if it cannot be read.
bool is_database(const std::string& path);
bool is_of_kind(Database& database, const Schema& schema);

/// The tables, empty.
void create_tables(Database& database, const Schema& schema);

/// Throws StoreError, saying which, if the format is newer, older or unknown.
void check_version(Database& database, const Schema& schema);
/// The same for a file with a collective prior, which has passed `check_version`.
void check_version_with_prior(Database& database, const Schema& schema);
/// Throws StoreError unless the database is sound and holds these tables as create_tables makes
/// them and nothing else: a view or a computed column in a stranger's file could keep a reader busy
/// for ever.
void check_tables(Database& database, const Schema& schema);

}  // namespace colla
