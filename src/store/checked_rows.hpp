// SPDX-License-Identifier: Apache-2.0
// Tables whose rows are checked when they are read. SQLite notices damage to its own structure, not
// to the values. Here the last column of every row is the CRC-32 of the table's name and the row's
// other values, and the exclusive or of all rows' checksums, kept by the owner, shows whether a row
// was lost, came back or is an older version.
#pragma once

#include "store/schema.hpp"

namespace colla {

class RowChecksum {
 public:
  explicit RowChecksum(std::string_view table) { add(ValueType::text, table); }

  void add(ValueType type, std::string_view bytes);
  std::uint32_t value() const { return sum_; }

 private:
  std::uint32_t sum_ = 0;
};

/// The checksum of a row with all columns of its table. Throws StoreError unless it is the one in
/// the row.
std::uint32_t check_row(const Database& database, const Statement& row, std::string_view table);

/// Writes one new row, value by value.
class RowWriter {
 public:
  /// Adds the row's checksum to `contents`.
  RowWriter(Database& database, std::string_view table, std::uint32_t& contents);

  RowWriter& add(std::int64_t value);
  RowWriter& add(double value);
  RowWriter& add(const std::string& value);
  RowWriter& add(const double* values, std::size_t count);
  RowWriter& add(const std::vector<double>& values) { return add(values.data(), values.size()); }
  template <typename Array>
  RowWriter& add_matrix(const Array& values) {
    return add(values.data(), static_cast<std::size_t>(values.size()));
  }
  void write();

 private:
  RowWriter(Database& database, std::string_view table, int columns, std::uint32_t& contents);

  Statement insert_;
  int next_ = 1;
  RowChecksum checksum_;
  std::uint32_t& contents_;
};

/// Deletes the rows that a condition selects ("1" for all), and removes their checksums from
/// `contents`.
void erase_rows(Database& database, const std::string& table, const std::string& condition,
                std::uint32_t& contents);

/// Reads every row of the table and returns the exclusive or of the checksums. Throws StoreError if
/// one is damaged.
std::uint32_t check_all_rows(Database& database, const std::string& table);

}  // namespace colla
