// SPDX-License-Identifier: Apache-2.0
// SQLite with destructors and exceptions. Every failure is a StoreError that names the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace colla {

class Statement;

enum class ValueType { null, integer, real, text, blob };

class Database {
 public:
  enum class Mode {
    read,  ///< the file is taken as it is: no locks, no journals, nothing is written beside it
    create,
    update,  ///< a file that grows and that others may read meanwhile; made if there is none
    watch,   ///< what another process updates
  };

  /// `shown_as` names the file in messages; `if_damaged` says what to do if it is damaged.
  Database(const std::string& path, Mode mode, std::string shown_as, std::string if_damaged);

  void run(const std::string& sql);
  Statement prepare(const std::string& sql);
  /// The single value that a query gives.
  std::int64_t integer(const std::string& sql);
  std::string text(const std::string& sql);

  const std::string& shown_as() const { return shown_as_; }
  [[noreturn]] void fail() const;
  /// If a read has failed since the file was opened, throws that it cannot be read instead.
  [[noreturn]] void fail_as_damaged(const std::string& what) const;

 private:
  [[noreturn]] void fail_to_read(const std::string& reason) const;
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  bool writes() const { return mode_ == Mode::create || mode_ == Mode::update; }

  Mode mode_;
  std::string shown_as_;
  std::string if_damaged_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A prepared statement; values are bound from 1, columns counted from 0.
class Statement {
 public:
  Statement(const Database& database, sqlite3_stmt* handle)
      : database_(database), handle_(handle) {}

  Statement& bind(int position, std::int64_t value);
  Statement& bind(int position, double value);
  Statement& bind(int position, const std::string& value);
  Statement& bind(int position, const double* values, std::size_t count);

  /// False when there are no more rows.
  bool step();
  void reset();

  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  /// A blob of float64. Throws StoreError unless it has `count` finite numbers.
  std::vector<double> reals(int column, std::size_t count) const;
  /// A blob of float64 of any length, NaN and infinity included.
  std::vector<double> any_reals(int column) const;
  bool is_null(int column) const;

  int columns() const;
  ValueType type(int column) const;
  /// Of a text or blob, until the next step.
  std::string_view bytes(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  const Database& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace colla
