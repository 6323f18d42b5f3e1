// SPDX-License-Identifier: Apache-2.0
#include "store/checked_rows.hpp"

#include <zlib.h>

#include <cstring>

namespace colla {
namespace {

template <typename Number>
std::string_view bytes_of(const Number& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

int columns_of(Database& database, std::string_view table) {
  return database.prepare("SELECT * FROM " + std::string(table)).columns();
}

std::string insert_into(std::string_view table, int columns) {
  std::string sql = "INSERT INTO " + std::string(table) + " VALUES (?";
  for (int k = 1; k < columns; ++k) sql += ", ?";
  return sql + ")";
}

void add_column(RowChecksum& checksum, const Statement& row, int column) {
  const ValueType type = row.type(column);
  switch (type) {
    case ValueType::integer:
      checksum.add(type, bytes_of(row.integer(column)));
      break;
    case ValueType::real:
      checksum.add(type, bytes_of(row.real(column)));
      break;
    default:
      checksum.add(type, row.bytes(column));
  }
}

}  // namespace

void RowChecksum::add(ValueType type, std::string_view bytes) {
  const auto take = [this](std::string_view part) {
    sum_ = static_cast<std::uint32_t>(
        ::crc32_z(sum_, reinterpret_cast<const Bytef*>(part.data()), part.size()));
  };
  const auto size = static_cast<std::uint64_t>(bytes.size());
  const auto kind = static_cast<std::uint64_t>(type);
  take(bytes_of(kind));
  take(bytes_of(size));
  if (!bytes.empty()) take(bytes);
}

std::uint32_t check_row(const Database& database, const Statement& row, std::string_view table) {
  RowChecksum checksum(table);
  const int last = row.columns() - 1;
  for (int column = 0; column < last; ++column) add_column(checksum, row, column);
  if (row.type(last) != ValueType::integer || row.integer(last) != checksum.value()) {
    database.fail_as_damaged("a wrong checksum in " + std::string(table));
  }
  return checksum.value();
}

RowWriter::RowWriter(Database& database, std::string_view table, std::uint32_t& contents)
    : RowWriter(database, table, columns_of(database, table), contents) {}

RowWriter::RowWriter(Database& database, std::string_view table, int columns,
                     std::uint32_t& contents)
    : insert_(database.prepare(insert_into(table, columns))),
      checksum_(table),
      contents_(contents) {}

RowWriter& RowWriter::add(std::int64_t value) {
  insert_.bind(next_++, value);
  checksum_.add(ValueType::integer, bytes_of(value));
  return *this;
}

RowWriter& RowWriter::add(double value) {
  insert_.bind(next_++, value);
  checksum_.add(ValueType::real, bytes_of(value));
  return *this;
}

RowWriter& RowWriter::add(const std::string& value) {
  insert_.bind(next_++, value);
  checksum_.add(ValueType::text, value);
  return *this;
}

RowWriter& RowWriter::add(const double* values, std::size_t count) {
  insert_.bind(next_++, values, count);
  checksum_.add(ValueType::blob, {reinterpret_cast<const char*>(values), count * sizeof(double)});
  return *this;
}

void RowWriter::write() {
  insert_.bind(next_, static_cast<std::int64_t>(checksum_.value())).step();
  contents_ ^= checksum_.value();
}

void erase_rows(Database& database, const std::string& table, const std::string& condition,
                std::uint32_t& contents) {
  Statement gone =
      database.prepare("DELETE FROM " + table + " WHERE " + condition + " RETURNING checksum");
  while (gone.step()) contents ^= static_cast<std::uint32_t>(gone.integer(0));
}

std::uint32_t check_all_rows(Database& database, const std::string& table) {
  Statement row = database.prepare("SELECT * FROM " + table);
  std::uint32_t contents = 0;
  while (row.step()) contents ^= check_row(database, row, table);
  return contents;
}

}  // namespace colla
