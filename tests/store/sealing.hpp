// SPDX-License-Identifier: Apache-2.0
// Runs SQL on a model file and repairs its checksums, as a stranger who knows the format could.
#pragma once

#include "store/checked_rows.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>

namespace colla::testing {

inline void run(sqlite3* database, const std::string& sql) {
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(database);
}

// row_checksum(table, value, value, ...)
inline void row_checksum(sqlite3_context* context, int count, sqlite3_value** values) {
  const auto bytes_of = [](sqlite3_value* value) {
    const auto* data = static_cast<const char*>(sqlite3_value_blob(value));
    return std::string(data == nullptr ? "" : data,
                       data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(value)));
  };
  RowChecksum checksum(bytes_of(values[0]));
  for (int k = 1; k < count; ++k) {
    const std::int64_t integer = sqlite3_value_int64(values[k]);
    const double real = sqlite3_value_double(values[k]);
    switch (sqlite3_value_type(values[k])) {
      case SQLITE_INTEGER:
        checksum.add(ValueType::integer, {reinterpret_cast<const char*>(&integer), 8});
        break;
      case SQLITE_FLOAT:
        checksum.add(ValueType::real, {reinterpret_cast<const char*>(&real), 8});
        break;
      case SQLITE_TEXT:
        checksum.add(ValueType::text, bytes_of(values[k]));
        break;
      default:
        checksum.add(ValueType::blob, bytes_of(values[k]));
    }
  }
  sqlite3_result_int64(context, checksum.value());
}

inline std::string seal_rows(const std::string& table, const std::string& columns) {
  return "UPDATE " + table + " SET checksum = row_checksum('" + table + "', " + columns + ");";
}

inline std::uint32_t exclusive_or(sqlite3* database, const std::string& table) {
  const auto add = [](void* sum, int, char** values, char**) {
    *static_cast<std::uint32_t*>(sum) ^= static_cast<std::uint32_t>(std::stoul(values[0]));
    return 0;
  };
  std::uint32_t sum = 0;
  sqlite3_exec(database, ("SELECT checksum FROM " + table).c_str(), add, &sum, nullptr);
  return sum;
}

/// Runs the statements.
inline void run_sql(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  run(database, sql);
  sqlite3_close(database);
}

/// Runs the statements; afterwards every checksum of the model file matches.
inline void run_sql_and_seal(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  sqlite3_create_function(database, "row_checksum", -1, SQLITE_UTF8, nullptr, &row_checksum,
                          nullptr, nullptr);
  run(database, sql);
  std::uint32_t contents = 0;
  for (const auto& [table, columns] : std::map<std::string, std::string>{
           {"agents", "position, name, step, dictionary"},
           {"features", "position, name"},
           {"settings", "name, value"},
           {"tasks", "agent, position, name, rows, alpha, gamma_rows, gamma_ridge, gamma, code"}}) {
    run(database, seal_rows(table, columns));
    contents ^= exclusive_or(database, table);
  }
  run(database, "UPDATE contents SET contents = " + std::to_string(contents));
  run(database, seal_rows("contents", "id, contents"));
  sqlite3_close(database);
}

}  // namespace colla::testing
